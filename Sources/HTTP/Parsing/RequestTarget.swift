internal import Bytes

/// The forms of a request target (RFC 9112 §3.2) and the authority in one or in `Host`.
///
///     origin-form      /v1/sessions?limit=2               everything
///     absolute-form    http://host:80/v1/sessions?limit=2   its authority wins over Host
///     asterisk-form    *                                  OPTIONS only
///
/// Authority-form belongs to `CONNECT`, which is no method here. Nothing is decoded and nothing is
/// resolved: a path is its bytes.
extension RequestHead {
    mutating func takeTarget(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        if message[range.lowerBound] == ASCII.slash {
            takePath(message, range)
        } else if range.count == 1, message[range.lowerBound] == ASCII.asterisk, method == .options
        {
            isAsterisk = true
            path = PackedRange(range)
        } else {
            try takeAbsolute(message, range)
        }
    }

    private mutating func takePath(_ message: Span<UInt8>, _ range: Range<Int>) {
        let end = message.place(of: 0x3F, in: range)
        path = PackedRange(range.lowerBound..<end)
        guard end < range.upperBound else { return }
        hasQuery = true
        query = PackedRange(end + 1..<range.upperBound)
    }

    private mutating func takeAbsolute(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        guard let schemeEnd = Self.schemeEnd(message, range) else { throw .target }
        var end = schemeEnd
        while end < range.upperBound, message[end] != ASCII.slash, message[end] != 0x3F { end += 1 }
        guard let authority = Authority(message, schemeEnd..<end) else { throw .target }
        take(authority)
        takePath(message, end..<range.upperBound)
    }

    /// Where the authority begins, behind `http://` or `https://` in any case.
    private static func schemeEnd(_ message: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for scheme: StaticName in ["http://", "https://"] where scheme.bytes.count < range.count {
            let isEqual = scheme.bytes.enumerated().allSatisfy { offset, byte in
                ASCII.lowercased(message[range.lowerBound + offset]) == byte
            }
            if isEqual { return range.lowerBound + scheme.bytes.count }
        }
        return nil
    }

    mutating func take(_ authority: Authority) {
        hasHost = true
        host = PackedRange(authority.host)
        guard let port = authority.port else { return }
        hasPort = true
        self.port = port
    }
}

/// `host [":" port]` (RFC 9110 §4.2, RFC 3986 §3.2.2), and never user information.
///
/// The host is a name without percent-encoding, for nobody would compare that right, or an IPv6
/// address in brackets. It is not empty. A port is empty or a number up to 65535.
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
        var number = 0
        for index in digits.indices {
            guard ASCII.isDigit(digits[index]) else { return nil }
            number = number &* 10 &+ Int(digits[index] &- ASCII.zero)
            guard number <= 65_535 else { return nil }
        }
        port = digits.isEmpty ? nil : UInt16(number)
    }

    private static func hostEnd(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        if text[0] == 0x5B { return bracketEnd(text) }
        for index in text.indices {
            if text[index] == ASCII.colon { return index }
            guard ASCII.isRegisteredName(text[index]) else { return nil }
        }
        return text.count
    }

    /// Behind the `]` of an address made of hexadecimal digits, dots and at least two colons.
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
