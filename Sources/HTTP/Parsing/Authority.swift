internal import Bytes

/// `host [":" port]` (RFC 9110 §4.2, RFC 3986 §3.2.2), and never user information.
///
/// The host is an IPv6 address in brackets or a name that is not empty. Percent-encoding in names
/// is refused, since it would have to be decoded in every comparison. A port may be empty or a
/// number up to 65535.
struct Authority {
    var host: Range<Int>
    var port: UInt16?

    init?(_ message: Span<UInt8>, _ range: Range<Int>) {
        let text = message.extracting(range)
        guard let end = Self.hostEnd(text), end > 0 else { return nil }
        host = range.lowerBound..<range.lowerBound + end
        guard end < text.count else { return }
        guard text[end] == ASCII.colon else { return nil }
        let digits = text.extracting(droppingFirst: end + 1)
        guard !digits.isEmpty else { return }
        guard let number = Decimal.saturated(digits), let port = UInt16(exactly: number) else {
            return nil
        }
        self.port = port
    }

    /// The same in less memory.
    var packed: PackedAuthority { PackedAuthority(host: PackedRange(host), port: port) }

    private static func hostEnd(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        if text[0] == 0x5B { return bracketEnd(text) }
        for index in text.indices {
            if text[index] == ASCII.colon { return index }
            guard ASCII.isRegisteredName(text[index]) else { return nil }
        }
        return text.count
    }

    /// The end of an address in brackets: hexadecimal digits, dots and at least two colons.
    private static func bracketEnd(_ text: Span<UInt8>) -> Int? {
        var colons = 0
        for index in text.indices.dropFirst() {
            switch text[index] {
            case 0x5D: return colons >= 2 ? index + 1 : nil
            case ASCII.colon: colons += 1
            case ASCII.dot: continue
            case let byte where Hexadecimal.value(byte) != nil: continue
            default: return nil
            }
        }
        return nil
    }
}
