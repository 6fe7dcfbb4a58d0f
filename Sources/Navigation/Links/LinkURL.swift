internal import Bytes
internal import JSON

/// A URL, split into the parts that link patterns compare and percent-decoded.
struct LinkURL: Equatable {
    /// The scheme in lower case, or nil for a URL that begins with its path.
    var scheme: ExactString?
    /// The host in lower case, with the port; empty if three slashes follow the scheme. Nil if no
    /// slash follows it, and without a scheme.
    var host: ExactString?
    /// The path and the query.
    var main: Part
    /// The fragment, which is read in the same way. Nil if there is none, if it is empty, and if it
    /// cannot be decoded: a fragment counts only for patterns that have one.
    var fragment: Part?

    /// A path with a query.
    struct Part: Equatable {
        /// The decoded segments, without the empty one after a trailing slash.
        var segments: [String]
        var query: LinkQuery
    }

    /// Parses `scheme://host/path`, `scheme:path` or `/path`. Returns nil for other text and for
    /// invalid escapes.
    init?(_ text: String) {
        let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        guard let origin = Origin(path),
            let main = Part(origin.pieces, query: whole.dropFirst(path.count + 1))
        else { return nil }
        (scheme, host) = (origin.scheme, origin.host.map(Self.host))
        self.main = main
        fragment = Part(fragment: text.utf8.dropFirst(whole.count + 1))
    }

    typealias Bytes = Substring.UTF8View

    /// The raw segments of a path without its first slash, and without the empty segment of a
    /// trailing slash.
    static func pieces(_ path: Bytes) -> [Bytes] {
        var pieces = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        return pieces
    }

    /// The host as it is compared.
    static func host(_ text: Bytes) -> ExactString { ExactString(Substring(text).lowercased()) }

    /// Decodes percent escapes. Returns nil if one is invalid or if the bytes are not UTF-8.
    static func decoded(_ text: Bytes, plusIsBlank: Bool) -> String? {
        PercentCoding.decode(
            Array(text)[...], plusIsSpace: plusIsBlank, allowsControls: true)
    }
}

extension LinkURL.Part {
    fileprivate init?(_ pieces: [LinkURL.Bytes], query: LinkURL.Bytes) {
        var segments: [String] = []
        for piece in pieces {
            guard let segment = LinkURL.decoded(piece, plusIsBlank: false) else { return nil }
            segments.append(segment)
        }
        guard let query = LinkQuery(query) else { return nil }
        self.segments = segments
        self.query = query
    }

    fileprivate init?(fragment text: LinkURL.Bytes) {
        guard !text.isEmpty else { return nil }
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        self.init(LinkURL.pieces(path), query: text.dropFirst(path.count + 1))
    }
}

extension LinkURL {
    /// The scheme and the host of a URL without its query, and the path behind them.
    struct Origin {
        var scheme: ExactString?
        var host: Bytes?
        /// The path; it begins with a slash unless it is empty or there is no host.
        var path: Bytes

        /// Splits scheme and host from the path. Returns nil without a scheme or a first slash.
        init?(_ text: Bytes) {
            path = text
            if text.first == UInt8(ascii: "/") { return }
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let scheme = text[..<colon]
            guard Self.isScheme(scheme) else { return nil }
            self.scheme = ExactString(Substring(scheme).lowercased())
            path = text[text.index(after: colon)...]
            guard path.first == UInt8(ascii: "/") else { return }
            var name = path.prefix(0)
            if path.starts(with: "//".utf8) {
                name = path.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
                path = path.dropFirst(2 + name.count)
            }
            host = name
        }

        /// Whether the path begins with a slash, which is not written if the path is empty.
        var isRooted: Bool { scheme == nil || host != nil }

        /// The raw segments of the path.
        var pieces: [Bytes] { LinkURL.pieces(isRooted ? path.dropFirst() : path) }

        /// RFC 3986 §3.1.
        private static func isScheme(_ text: Bytes) -> Bool {
            guard let first = text.first, isLetter(first) else { return false }
            return text.allSatisfy {
                isLetter($0) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
            }
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(ASCII.lowercased(byte))
        }
    }
}

/// The items of a query: the values of each key in their order, decoded, with `+` as a space.
struct LinkQuery: Equatable {
    private var values: [ExactString: [ExactString]] = [:]
    /// The same with all keys in lower case, if a key has other letters.
    private var folded: [ExactString: [ExactString]]?

    init?(_ text: LinkURL.Bytes) {
        var items: [(key: ExactString, value: ExactString)] = []
        for item in text.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            guard let key = LinkURL.decoded(name, plusIsBlank: true),
                let value = LinkURL.decoded(item.dropFirst(name.count + 1), plusIsBlank: true)
            else { return nil }
            items.append((ExactString(key), ExactString(value)))
        }
        for item in items { values[item.key, default: []].append(item.value) }
        guard values.keys.contains(where: { $0.text.hasCapitals }) else { return }
        var folded: [ExactString: [ExactString]] = [:]
        for item in items {
            folded[ExactString(item.key.text.inLowerCase), default: []].append(item.value)
        }
        self.folded = folded
    }

    /// The values of a key; empty if the query does not have it.
    ///
    /// - Parameter ignoringCase: whether the key, which is in lower case, stands for all its
    ///   spellings in other letters.
    func values(of key: ExactString, ignoringCase: Bool) -> [ExactString] {
        (ignoringCase ? folded ?? values : values)[key] ?? []
    }
}

extension String {
    /// Whether there are ASCII letters in upper case.
    var hasCapitals: Bool { utf8.contains { ASCII.lowercased($0) != $0 } }

    /// The text with ASCII letters in lower case.
    var inLowerCase: String {
        hasCapitals ? String(decoding: utf8.map(ASCII.lowercased), as: UTF8.self) : self
    }
}
