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
    ) throws(Malformation) {
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
        var end = range.lowerBound
        while end < range.upperBound, message[end] != 0x3F { end &+= 1 }
        path = PackedRange(range.lowerBound..<end)
        guard end < range.upperBound else { return }
        hasQuery = true
        query = PackedRange(end + 1..<range.upperBound)
    }

    private mutating func takeAbsolute(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(Malformation) {
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
        guard let end = Self.hostEnd(message, range), end > range.lowerBound else { return nil }
        host = range.lowerBound..<end
        guard end < range.upperBound else { return }
        guard message[end] == ASCII.colon else { return nil }
        var number = 0
        for index in end + 1..<range.upperBound {
            guard ASCII.isDigit(message[index]) else { return nil }
            number = number * 10 + Int(message[index] - ASCII.zero)
            guard number <= 65_535 else { return nil }
        }
        port = end + 1 < range.upperBound ? UInt16(number) : nil
    }

    private static func hostEnd(_ message: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var index = range.lowerBound
        if message[index] == 0x5B { return bracketEnd(message, range) }
        while index < range.upperBound, message[index] != ASCII.colon {
            guard ASCII.isRegisteredName(message[index]) else { return nil }
            index += 1
        }
        return index
    }

    /// Behind the `]` of an address made of hexadecimal digits, dots and at least two colons.
    private static func bracketEnd(_ message: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var colons = 0
        for index in range.dropFirst() {
            switch message[index] {
            case 0x5D: return colons >= 2 ? index + 1 : nil
            case ASCII.colon: colons += 1
            case ASCII.dot: continue
            case let byte where ASCII.hexValue(byte) != nil: continue
            default: return nil
            }
        }
        return nil
    }
}
