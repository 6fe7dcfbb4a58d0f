internal import Bytes

// The classes of bytes that RFC 9110, 9112 and 3986 define by name.
extension ASCII {
    /// `tchar` of RFC 9110 §5.6.2.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// `reg-name` of RFC 3986 §3.2.2 without percent-encoding.
    @inline(__always)
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        isMember(byte, 0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    /// The bytes of a field's value: blanks, visible ASCII, and 0x80–0xFF as opaque bytes
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
}

extension EightBytes {
    /// The number of bytes before the first that is below 0x20 or 0x7F; 8 if there is none. A tab
    /// counts as a control byte here.
    @inline(__always)
    var textCount: Int { Self.count(before: marks(below: 0x20) | marks(of: 0x7F)) }

    /// The number of bytes before the first that does not belong in a target (`ASCII.isTarget`).
    @inline(__always)
    var targetCount: Int {
        Self.count(before: marks(below: 0x21) | marks(of: 0x23) | marks(of: 0x7F) | word)
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

extension Array where Element == UInt8 {
    /// Appends arbitrary text as a field's value: each byte that is not allowed there becomes a
    /// space, which is how RFC 9110 §5.5 tells recipients to read it.
    mutating func append(cleaning text: String) {
        let span = text.utf8.span
        append(addingCapacity: span.count) { (out: inout OutputSpan<UInt8>) in
            for index in span.indices {
                out.append(ASCII.isFieldValue(span[index]) ? span[index] : ASCII.space)
            }
        }
    }
}
