/// The bytes that HTTP speaks of by name, and their classes.
///
/// Everything here is about single bytes. Text functions are no use below a validated message:
/// they fold, trim and compare by Unicode, which takes a Kelvin sign for a `k`.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2A
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let backslash: UInt8 = 0x5C

    /// `tchar` of RFC 9110 §5.6.2.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// `unreserved` of RFC 3986 §2.3: what never needs percent-encoding.
    @inline(__always)
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    /// `reg-name` of RFC 3986 §3.2.2 without percent-encoding.
    @inline(__always)
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        isMember(byte, 0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    /// What may stand in a field's value: blanks, visible ASCII, and 0x80–0xFF as opaque bytes
    /// (RFC 9110 §5.5).
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == tab
    }

    /// Visible ASCII without `#`, which begins a fragment and is never sent (RFC 9112 §3.2).
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != 0x23
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// `A`–`Z` to `a`–`z`; every other byte stays what it is.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit of either case, nil for other bytes.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- zero }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Membership in a set of bytes below 0x80 given as two masks: no table, no branch to miss.
    @inline(__always)
    private static func isMember(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte)) & 1 == 1
    }
}

extension Array where Element == UInt8 {
    /// Whether the bytes of `range` are `text`, which is written in lower case, in any case.
    package func matches(_ range: Range<Int>, ignoringCase text: StaticName) -> Bool {
        let (own, other) = (span.extracting(range), text.bytes.span)
        guard own.count == other.count else { return false }
        for index in own.indices where ASCII.lowercased(own[index]) != other[index] {
            return false
        }
        return true
    }

    /// `range` without the blanks at both ends (`OWS`, RFC 9110 §5.6.3).
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, ASCII.isBlank(self[low]) { low += 1 }
        while high > low, ASCII.isBlank(self[high - 1]) { high -= 1 }
        return low..<high
    }
}

/// Text of this program itself, as the bytes it is compared by. Only literals make one.
package struct StaticName: ExpressibleByStringLiteral, Sendable {
    let bytes: String.UTF8View
    package init(stringLiteral text: String) { bytes = text.utf8 }
}
