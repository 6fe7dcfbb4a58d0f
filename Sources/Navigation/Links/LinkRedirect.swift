internal import Bytes
internal import JSON

/// The URL that a redirect leads to: the text of a URL with `{captures}` of the pattern in its
/// path, query and fragment.
///
/// Values are percent-encoded when they are filled in, so a pattern that matches the URL captures
/// the same values again. The slashes of a capture `{name*}` stay slashes in a path. A query item
/// whose capture is absent is omitted, and without a capture of a path there is no URL. An item
/// `key={name}` is repeated for each value of a query capture.
struct LinkRedirect: Sendable {
    /// The scheme and the host; empty for a URL that begins with its path.
    private let origin: String
    private let isRooted: Bool
    private let main: Part
    private let fragment: Part?
    /// The names of the captures that keep their slashes.
    private let rests: [String]

    /// A path with a query.
    private struct Part: Sendable {
        var segments: [[Template.Piece]]
        var endsInSlash: Bool
        var query: [[Template.Piece]]

        init(
            _ pieces: [LinkURL.Bytes], of path: LinkURL.Bytes, query: LinkURL.Bytes
        ) throws(LinkPattern.Malformed) {
            segments = []
            for piece in pieces { segments.append(try LinkRedirect.pieces(piece)) }
            endsInSlash = path.last == UInt8(ascii: "/")
            self.query = []
            for item in query.split(separator: UInt8(ascii: "&")) {
                self.query.append(try LinkRedirect.pieces(item))
            }
        }
    }

    init(_ text: String, for pattern: LinkPattern) throws(LinkPattern.Malformed) {
        let parts = try LinkParts(Substring(text).utf8)
        let origin = parts.origin
        guard origin.host?.contains(UInt8(ascii: "{")) != true else {
            throw LinkPattern.Malformed(detail: "must not have captures in its scheme and host")
        }
        let slashes = origin.host.map { "//" + String(Substring($0)) } ?? ""
        self.origin = origin.scheme == nil ? "" : Self.scheme(of: text) + ":" + slashes
        isRooted = origin.isRooted
        main = try Part(origin.pieces, of: origin.path, query: parts.query)
        fragment = try parts.fragment.map { (text) throws(LinkPattern.Malformed) in
            try Part(LinkURL.pieces(text.path), of: text.path, query: text.query)
        }
        rests = pattern.rests
    }

    /// The scheme as it is written.
    private static func scheme(of text: String) -> String {
        String(Substring(text.utf8.prefix { $0 != UInt8(ascii: ":") }))
    }

    private static func pieces(
        _ text: LinkURL.Bytes
    ) throws(LinkPattern.Malformed) -> [Template.Piece] {
        guard !text.isEmpty else { return [] }
        let pieces = Template.pieces(String(Substring(text)))
        for case .text(let plain) in pieces {
            guard LinkURL.decoded(Substring(plain).utf8, plusIsBlank: false) != nil,
                !plain.utf8.contains(where: LinkPattern.isBrace)
            else {
                throw LinkPattern.Malformed(
                    detail: "must have valid escapes, and captures of the form {name}")
            }
        }
        return pieces
    }

    /// The names of the captures without which there is no URL.
    var needed: [String] {
        Self.names(main.segments + (fragment?.segments ?? []))
    }

    /// The names of all captures.
    var captures: [String] { needed + Self.names(main.query + (fragment?.query ?? [])) }

    private static func names(_ pieces: [[Template.Piece]]) -> [String] {
        pieces.joined().compactMap { piece in
            switch piece {
            case .capture(let name): name
            case .text: nil
            }
        }
    }

    /// The URL with these captures, or nil if one that a path needs is missing.
    func url(_ captures: Captures, work: WorkBudget) throws(WorkBudgetError) -> String? {
        guard let text = try filled(main, captures, isRooted: isRooted, work: work) else {
            return nil
        }
        guard let fragment else { return origin + text }
        guard let behind = try filled(fragment, captures, isRooted: false, work: work) else {
            return nil
        }
        return origin + text + "#" + behind
    }

    /// Whether the redirect leads to the pattern's own URLs.
    func isSame(as pattern: LinkPattern) -> Bool {
        // No one writes text with a control character, so these values can represent any others.
        var captures = Captures()
        for name in pattern.captureNames.all { captures[name.text] = "\u{1}" + name.text }
        guard let own = pattern.url(captures),
            let other = try? url(captures, work: .unlimited)
        else { return false }
        return LinkURL(own) == LinkURL(other)
    }

    private func filled(
        _ part: Part, _ captures: Captures, isRooted: Bool, work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var url = ""
        for (index, segment) in part.segments.enumerated() {
            guard let text = try filled(segment, captures, keeping: rests, work: work) else {
                return nil
            }
            url += (isRooted || index > 0 ? "/" : "") + text
        }
        // The slash at the end of a path does not count, so a value that ends with one, or that is
        // empty, needs another.
        let isOpen = url.isEmpty || url.utf8.last == UInt8(ascii: "/")
        if part.endsInSlash || (isOpen && !part.segments.isEmpty) { url += "/" }
        var separator = "?"
        for item in part.query {
            for text in try items(item, captures, work: work) {
                url += separator + text
                separator = "&"
            }
        }
        return url
    }

    /// The item with the captures filled in: one for each value if it is a key with one capture.
    private func items(
        _ item: [Template.Piece], _ captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> [String] {
        guard item.count == 2, case .text(let key) = item[0], case .capture(let name) = item[1],
            key.utf8.firstIndex(of: UInt8(ascii: "=")) == key.utf8.indices.last,
            let values = captures.list(name), values.count > 1
        else { return try filled(item, captures, keeping: [], work: work).map { [$0] } ?? [] }
        var items: [String] = []
        for value in values {
            let units = 10 + key.utf8.count + value.utf8.count * Self.unitsOfByte
            try work.spend(.steps(units))
            items.append(key + PercentCoding.encode(value))
        }
        return items
    }

    /// - Parameter rests: the captures whose slashes are not encoded.
    /// - Returns: nil if a capture is missing.
    private func filled(
        _ pieces: [Template.Piece], _ captures: Captures, keeping rests: [String], work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let plain):
                try work.spend(.steps(1 + plain.utf8.count))
                text += plain
            case .capture(let name):
                guard let value = captures[name] else { return nil }
                try work.spend(.steps(10 + value.utf8.count * Self.unitsOfByte))
                let keepsSlashes = rests.contains { $0 == name }
                text +=
                    keepsSlashes ? PercentCoding.encodePath(value) : PercentCoding.encode(value)
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
