internal import Bytes

// The classes of bytes that RFC 9110, 9112 and 3986 define by name.
extension ASCII {
    /// `tchar` of RFC 9110 §5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// `reg-name` of RFC 3986 §3.2.2 without percent-encoding.
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        isMember(byte, low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// The bytes of a field's value: blanks, visible ASCII, and 0x80–0xFF as opaque bytes
    /// (RFC 9110 §5.5).
    static func isFieldValue(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == tab
    }

    /// Visible ASCII.
    static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Visible ASCII without `#`, which begins a fragment and is never sent (RFC 9112 §3.2).
    static func isTarget(_ byte: UInt8) -> Bool {
        isVisible(byte) && byte != 0x23
    }
}

extension EightBytes {
    /// The number of bytes before the first one that is below 0x20 or equal to 0x7F; 8 if there is
    /// none. A tab counts as a control byte here.
    var textCount: Int { Self.count(before: marks(below: 0x20) | marks(of: 0x7F)) }

    /// The number of bytes before the first one that cannot be in a target (`ASCII.isTarget`).
    var targetCount: Int {
        Self.count(before: marks(below: 0x21) | marks(of: 0x23) | marks(of: 0x7F) | word)
    }
}

extension Span<UInt8> {
    /// Whether the bytes of a range are the text, which is in lower case, in upper or lower case.
    func matches(_ range: Range<Int>, ignoringCase text: StaticName) -> Bool {
        let name = text.bytes.span
        guard range.count == name.count else { return false }
        let own = extracting(range)
        var index = 0
        while index &+ 8 <= name.count {
            // Of other bytes than ASCII only the low bits may come out wrong, and no name has them.
            var eight = EightBytes(own, at: index)
            eight.lowercase()
            guard eight.word == name.word(at: index) else { return false }
            index &+= 8
        }
        while index < name.count {
            guard ASCII.lowercased(own[index]) == name[index] else { return false }
            index &+= 1
        }
        return true
    }

    /// The range without the blanks at both ends (`OWS`, RFC 9110 §5.6.3).
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, ASCII.isBlank(self[low]) { low += 1 }
        while high > low, ASCII.isBlank(self[high - 1]) { high -= 1 }
        return low..<high
    }
}

extension Array where Element == UInt8 {
    /// Whether the bytes of a range are the text, which is in lower case, in upper or lower case.
    public func matches(_ range: Range<Int>, ignoringCase text: StaticName) -> Bool {
        span.matches(range, ignoringCase: text)
    }

    /// Appends text as the value of a field. Each byte that is not allowed there becomes a space,
    /// as RFC 9110 §5.5 tells recipients to read it.
    mutating func append(cleaning text: String) {
        append(contentsOf: text.utf8.lazy.map { ASCII.isFieldValue($0) ? $0 : ASCII.space })
    }
}

/// A literal of this program, as the bytes that input is compared with.
public struct StaticName: ExpressibleByStringLiteral, Sendable {
    let bytes: String.UTF8View
    public init(stringLiteral text: String) { bytes = text.utf8 }
}
