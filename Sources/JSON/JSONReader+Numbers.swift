/// A number in the text.
enum NumberToken {
    case integer(Int64)
    case double(Double)
}

extension JSONReader {
    /// Reads a number: `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`.
    mutating func scanNumber(
        _ expectation: JSONSyntaxError.Expectation
    ) throws(JSONSyntaxError) -> NumberToken {
        let first = offset
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        guard isNegative || isDigit(byte) else { throw unexpected(expectation) }
        let value = try scanWhole(isNegative: isNegative)
        guard try scanFractionAndExponent() else {
            guard let value else { throw failure(.integerOutOfRange, at: first) }
            return .integer(value)
        }
        return .double(try double(first..<offset))
    }

    /// Reads the digits before the point. Returns nil if they do not fit into 64 bits.
    private mutating func scanWhole(isNegative: Bool) throws(JSONSyntaxError) -> Int64? {
        guard isDigit(byte) else { throw missingDigit() }
        if byte == UInt8(ascii: "0") {
            offset += 1
            guard !isDigit(byte) else { throw failure(.leadingZero, at: offset - 1) }
            return 0
        }
        // There is one more negative number than positive ones, so the sum is negative.
        var sum: Int64 = 0
        var overflowed = false
        while isDigit(byte) {
            let (product, isTooLarge) = sum.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (next, isTooFar) = product.subtractingReportingOverflow(digit)
            overflowed = overflowed || isTooLarge || isTooFar
            sum = next
            offset += 1
        }
        guard !overflowed, isNegative || sum != .min else { return nil }
        return isNegative ? sum : -sum
    }

    /// Reads a fraction and an exponent. Returns false if there is neither.
    private mutating func scanFractionAndExponent() throws(JSONSyntaxError) -> Bool {
        var isDouble = false
        if byte == UInt8(ascii: ".") {
            isDouble = true
            offset += 1
            try skipDigits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isDouble = true
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
        return isDouble
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard isDigit(byte) else { throw missingDigit() }
        while isDigit(byte) { offset += 1 }
    }

    private func double(_ range: Range<Int>) throws(JSONSyntaxError) -> Double {
        if let value = shortDouble(range) { return value }
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw failure(.doubleOutOfRange, at: range.lowerBound)
        }
        return value
    }

    /// The value of a number of at most 15 digits without an exponent, or nil for any other number.
    /// The digits and the power of ten are exact doubles, so the division is rounded once. This is
    /// much faster than the standard library and gives the same result.
    private func shortDouble(_ range: Range<Int>) -> Double? {
        guard range.count <= 17 else { return nil }
        var (digits, count, scale, isFraction) = (0, 0, 0, false)
        for index in range {
            let byte = bytes[index]
            if isDigit(byte) {
                digits = digits * 10 + Int(byte - UInt8(ascii: "0"))
                count += 1
                scale += isFraction ? 1 : 0
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                return nil
            }
        }
        guard count <= 15 else { return nil }
        let value = Double(digits) / Self.powersOfTen[scale]
        return bytes[range.lowerBound] == UInt8(ascii: "-") ? -value : value
    }

    /// 10^0 to 10^15.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private func missingDigit() -> JSONSyntaxError {
        failure(offset < end ? .missingDigit : .textEnds)
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
