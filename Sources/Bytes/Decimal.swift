/// Digits of base 10.
public enum Decimal {
    /// Reads a number that consists only of ASCII digits.
    ///
    /// - Parameter digitsMax: the most digits that are accepted, from 1 to 18.
    /// - Returns: nil for no digits, too many digits, or any other byte (also a sign or a blank).
    @inlinable
    public static func number(_ text: some Collection<UInt8>, digitsMax: Int) -> Int? {
        guard (1...min(digitsMax, 18)).contains(text.count) else { return nil }
        var number = 0
        for byte in text {
            guard ASCII.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte &- ASCII.zero)
        }
        return number
    }

    /// Reads a number of any length that consists only of ASCII digits.
    ///
    /// - Returns: `Int.max` for a number that is too large for `Int`, or nil for no digits or any
    ///   other byte (also a sign or a blank).
    @inlinable
    public static func saturated(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        var number = 0
        for index in text.indices {
            guard ASCII.isDigit(text[index]) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let digit = Int(text[index] &- ASCII.zero)
            let (sum, overflows) = tens.addingReportingOverflow(digit)
            number = isTooLarge || overflows ? .max : sum
        }
        return number
    }

    /// The eight digits of a number below 10^8, one per byte with values from 0 to 9. The lowest
    /// byte is the first digit.
    @inlinable @inline(__always)
    public static func eightDigits(_ number: UInt) -> UInt64 {
        // Groups of four digits are split first, then pairs, then single digits. A product and a
        // shift divide by 100 and by 10.
        var word = UInt64(number % 10_000) << 32 | UInt64(number / 10_000)
        let hundreds = (word &* 5243) >> 19 & 0x0000_007F_0000_007F
        word = (word &- hundreds &* 100) << 16 | hundreds
        let tens = (word &* 103) >> 10 & 0x000F_000F_000F_000F
        return (word &- tens &* 10) << 8 | tens
    }
}
