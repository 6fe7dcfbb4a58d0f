internal import Bytes

/// A number of a schema or a value, compared and divided exactly.
///
/// `multipleOf` uses decimal arithmetic: a double counts as its shortest decimal form, so 0.07 is a
/// multiple of 0.01, although dividing the two doubles gives 7.000000000000001.
enum JSONNumber: Sendable, Equatable {
    case integer(Int64)
    case double(Double)

    init?(_ value: JSON) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .null, .bool, .string, .array, .object: return nil
        }
    }

    var text: String {
        switch self {
        case .integer(let number): String(number)
        case .double(let number): number.description
        }
    }
}

extension JSONNumber: Comparable {
    static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.integer(let a), .double(let b)): compare(a, b) < 0
        case (.double(let a), .integer(let b)): compare(b, a) > 0
        }
    }

    static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        !(left < right) && !(right < left)
    }

    /// A negative number, 0 or a positive one if the integer is below, equal to or above the
    /// double.
    private static func compare(_ integer: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = double - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}

extension JSONNumber {
    /// Whether the number is a multiple of a divisor, which is greater than zero.
    func isMultiple(of divisor: JSONNumber) -> Bool {
        let (value, unit) = (DecimalForm(self), DecimalForm(divisor))
        if value.digits == 0 { return true }
        let shift = value.exponent - unit.exponent
        // Neither form ends in zeros, so the value needs no more decimals than the divisor.
        guard shift >= 0, unit.digits > 0 else { return false }
        let power = Self.power(ofTen: shift, modulo: unit.digits)
        return Self.product(value.digits % unit.digits, power, modulo: unit.digits) == 0
    }

    private static func power(ofTen exponent: Int, modulo divisor: UInt64) -> UInt64 {
        var (result, base, rest) = (1 % divisor, 10 % divisor, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, base, modulo: divisor) }
            base = product(base, base, modulo: divisor)
            rest >>= 1
        }
        return result
    }

    /// Both factors are below the divisor, so the quotient fits into 64 bits.
    private static func product(_ a: UInt64, _ b: UInt64, modulo divisor: UInt64) -> UInt64 {
        divisor.dividingFullWidth(a.multipliedFullWidth(by: b)).remainder
    }
}

/// The magnitude of a number as digits × 10^exponent; the digits do not end in zeros.
private struct DecimalForm {
    var digits: UInt64 = 0
    var exponent = 0

    init(_ number: JSONNumber) {
        switch number {
        case .integer(let integer): digits = integer.magnitude
        case .double(let double): read(double.magnitude.description)
        }
        while digits > 0, digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
    }

    /// Reads the description of a double: up to 17 digits, perhaps with a point and an exponent.
    private mutating func read(_ text: String) {
        let parts = text.split(separator: "e")
        var isFraction = false
        for byte in (parts.first ?? "").utf8 {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
            exponent -= isFraction ? 1 : 0
        }
        if parts.count > 1 { exponent += Int(parts[1]) ?? 0 }
    }
}
