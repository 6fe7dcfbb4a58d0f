internal import Bytes
internal import JSON

/// A URL, split into the parts that link patterns compare and percent-decoded.
struct LinkURL: Equatable {
    /// The scheme in lower case, or nil for a URL that begins with its path.
    var scheme: ExactString?
    /// The host in lower case, with the port; empty if there is no scheme.
    var host: ExactString
    /// The decoded segments of the path, without the empty one after a trailing slash.
    var segments: [String]
    /// The first value of each name, decoded, with `+` as a space.
    var query: [ExactString: ExactString]

    /// Parses `scheme://host/path` or `/path`. Returns nil for other text and for invalid escapes.
    init?(_ text: String) {
        let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        guard let parts = Self.split(path) else { return nil }
        (scheme, host) = (parts.scheme, parts.host)
        guard let segments = Self.segments(parts.path),
            let query = Self.query(whole.dropFirst(path.count + 1))
        else { return nil }
        self.segments = segments
        self.query = query
    }

    typealias Bytes = Substring.UTF8View

    /// Splits scheme and host from the path.
    static func split(_ text: Bytes) -> (scheme: ExactString?, host: ExactString, path: Bytes)? {
        if text.first == UInt8(ascii: "/") { return (nil, "", text) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon]
        let rest = text[text.index(after: colon)...]
        guard isScheme(scheme), rest.starts(with: "//".utf8) else { return nil }
        let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty else { return nil }
        let path = rest.dropFirst(2 + host.count)
        return (
            ExactString(Substring(scheme).lowercased()),
            ExactString(Substring(host).lowercased()), path
        )
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ text: Bytes) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy {
            isLetter($0) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func segments(_ path: Bytes) -> [String]? {
        var segments: [String] = []
        for piece in pieces(path) {
            guard let segment = decoded(piece, plusIsBlank: false) else {
                return nil
            }
            segments.append(segment)
        }
        return segments
    }

    /// The raw segments of a path, without the empty one of a trailing slash.
    static func pieces(_ path: Bytes) -> [Bytes] {
        var pieces = path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        return pieces
    }

    private static func query(_ text: Bytes) -> [ExactString: ExactString]? {
        var query: [ExactString: ExactString] = [:]
        for item in text.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            guard let key = decoded(name, plusIsBlank: true).map({ ExactString($0) }),
                let value = decoded(
                    item.dropFirst(name.count + 1), plusIsBlank: true)
            else { return nil }
            query[key] = query[key] ?? ExactString(value)
        }
        return query
    }

    /// Decodes percent escapes. Returns nil if one is invalid or if the bytes are not UTF-8.
    static func decoded(_ text: Bytes, plusIsBlank: Bool) -> String? {
        PercentCoding.decode(
            Array(text)[...], plusIsSpace: plusIsBlank, allowsControls: true)
    }
}
