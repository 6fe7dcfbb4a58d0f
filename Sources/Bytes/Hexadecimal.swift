/// Digits of base 16.
public enum Hexadecimal {
    /// The value of a digit in either case, or nil for any other byte.
    @inlinable @inline(__always)
    public static func value(_ byte: UInt8) -> UInt8? {
        if ASCII.isDigit(byte) { return byte &- ASCII.zero }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The value of a digit in lower case, or nil for any other byte.
    @inlinable @inline(__always)
    public static func lowercaseValue(_ byte: UInt8) -> UInt8? {
        byte & 0x20 == 0 ? nil : value(byte)
    }

    /// The lower-case digit of a value from 0 to 15.
    @inlinable @inline(__always)
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero &+ value : 0x57 &+ value
    }

    /// The upper-case digit of a value from 0 to 15.
    @inlinable @inline(__always)
    public static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero &+ value : 0x37 &+ value
    }

    /// Reads 1 to 16 digits in lower case. Returns nil for anything else.
    @inlinable
    public static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard (1...16).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard let value = lowercaseValue(byte) else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    /// The eight lower-case digits of a number as one word, whose lowest byte is the first digit.
    @inlinable @inline(__always)
    public static func word(of number: UInt32) -> UInt64 {
        // Puts one nibble into each byte: the halves are moved apart first, then bytes, then
        // nibbles.
        var word = UInt64(number.byteSwapped)
        word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = (word >> 4 | word << 8) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((word + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return word + 0x3030_3030_3030_3030 + letters * 0x27
    }
}
