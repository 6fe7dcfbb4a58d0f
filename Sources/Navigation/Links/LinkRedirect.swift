internal import Bytes
internal import JSON

/// The URL that a redirect leads to: `scheme://host/segments?query` or `/segments?query` with
/// `{captures}` of the pattern in its path and query.
///
/// Values are percent-encoded when they are filled in, so a pattern that matches the URL captures
/// the same values again. The slashes of a capture `{name*}` stay slashes in the path. A query item
/// whose capture is absent is omitted, and without a capture of the path there is no URL.
struct LinkRedirect: Sendable {
    /// The scheme and the host; empty for a URL that begins with its path.
    private let origin: String
    private let segments: [[Template.Piece]]
    private let endsInSlash: Bool
    private let query: [[Template.Piece]]
    /// The name of the capture that keeps its slashes, if the pattern has one.
    private let rest: String?

    init(_ text: String, for pattern: LinkPattern) throws(LinkPattern.Malformed) {
        let whole = Substring(text).utf8
        guard !whole.contains(UInt8(ascii: "#")) else {
            throw LinkPattern.Malformed(detail: "must not have a fragment")
        }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        guard let parts = LinkURL.split(path), !parts.host.text.utf8.contains(UInt8(ascii: "{"))
        else {
            throw LinkPattern.Malformed(
                detail: "must begin with scheme://host or /, without captures in them")
        }
        origin = String(Substring(path.dropLast(parts.path.count)))
        var segments: [[Template.Piece]] = []
        for piece in LinkURL.pieces(parts.path) {
            guard !piece.isEmpty else {
                throw LinkPattern.Malformed(detail: "must not have an empty segment")
            }
            segments.append(try Self.pieces(piece))
        }
        var query: [[Template.Piece]] = []
        for item in whole.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&")) {
            query.append(try Self.pieces(item))
        }
        (self.segments, self.query) = (segments, query)
        endsInSlash = parts.path.last == UInt8(ascii: "/")
        rest = pattern.rest
    }

    private static func pieces(
        _ text: LinkURL.Bytes
    ) throws(LinkPattern.Malformed) -> [Template.Piece] {
        let pieces = Template.pieces(String(Substring(text)))
        for case .text(let plain) in pieces {
            guard LinkURL.decoded(Substring(plain).utf8, plusIsBlank: false) != nil,
                !plain.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") })
            else {
                throw LinkPattern.Malformed(
                    detail: "must have valid escapes, and captures of the form {name}")
            }
        }
        return pieces
    }

    /// The names of the captures, in the order in which they are used.
    var captures: [String] {
        (segments + query).joined().compactMap { piece in
            switch piece {
            case .capture(let name): name
            case .text: nil
            }
        }
    }

    /// The URL with these captures, or nil if one that the path needs is missing.
    func url(
        _ captures: [ExactString: String], work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var url = origin
        for segment in segments {
            guard let text = try filled(segment, captures, keeping: rest, work: work) else {
                return nil
            }
            url += "/" + text
        }
        // The slash at the end of a path does not count, so a value that ends with one, or that is
        // empty, needs another.
        if endsInSlash || (!segments.isEmpty && url.utf8.last == UInt8(ascii: "/")) { url += "/" }
        var separator = "?"
        for item in query {
            guard let text = try filled(item, captures, keeping: nil, work: work) else {
                continue
            }
            url += separator + text
            separator = "&"
        }
        return url
    }

    /// Whether the redirect leads to the pattern's own URLs.
    func isSame(as pattern: LinkPattern) -> Bool {
        // No one writes text with a control character, so these values can represent any others.
        let names = pattern.captureNames.all.map { ($0, "\u{1}" + $0.text) }
        let captures = Dictionary(uniqueKeysWithValues: names)
        guard let own = pattern.url(captures),
            let other = try? url(captures, work: .unlimited)
        else { return false }
        return LinkURL(own) == LinkURL(other)
    }

    /// - Parameter rest: the capture whose slashes are not encoded.
    /// - Returns: nil if a capture is missing.
    private func filled(
        _ pieces: [Template.Piece], _ captures: [ExactString: String], keeping rest: String?,
        work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let plain):
                try work.spend(.steps(1 + plain.utf8.count))
                text += plain
            case .capture(let name):
                guard let value = captures[ExactString(name)] else { return nil }
                try work.spend(.steps(10 + value.utf8.count * Self.unitsOfByte))
                text += name == rest ? PercentCoding.encodePath(value) : PercentCoding.encode(value)
            }
        }
        return text
    }

    /// Work units for encoding one byte, which may become three.
    private static let unitsOfByte = 6
}

extension PercentCoding {
    /// The text as segments of a path: its slashes stay slashes.
    static func encodePath(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { encode(String(Substring($0))) }.joined(separator: "/")
    }
}

extension LinkPattern {
    /// The name of the capture of the remaining segments, if there is one.
    var rest: String? {
        if case .rest(let name)? = segments.last { name } else { nil }
    }
}
