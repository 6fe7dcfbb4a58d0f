internal import Bytes

/// The form of a deep link: `scheme://host/segments?query` or `/segments?query`.
///
/// | segment         | takes                                        | rank |
/// | --------------- | -------------------------------------------- | ---- |
/// | `post`          | just this                                    | 0    |
/// | `@{name}`       | one segment with that beginning (or end)     | 1    |
/// | `{name}`        | one segment that is not empty                | 2    |
/// | `{name*}`       | all that are left, at least one; stands last | 3    |
///
/// A query value is `?q={name}`, and absent from the captures when the URL has none. Of the
/// patterns that match a URL the one whose ranks are lower at the first difference wins; two whose
/// ranks are equal and that could match the same URL are refused together.
package struct LinkPattern: Equatable, Sendable {
    package let text: String
    let scheme: String?
    let host: String
    let segments: [Segment]
    let query: [QueryItem]

    enum Segment: Equatable, Sendable {
        case literal(String)
        case affixed(prefix: String, name: String, suffix: String)
        case bare(String)
        case rest(String)

        var rank: Int {
            switch self {
            case .literal: 0
            case .affixed: 1
            case .bare: 2
            case .rest: 3
            }
        }

        var capture: String? {
            switch self {
            case .literal: nil
            case .affixed(_, let name, _), .bare(let name), .rest(let name): name
            }
        }
    }

    struct QueryItem: Equatable, Sendable {
        var key: String
        var capture: String
    }

    /// Names that every match captures.
    var certainCaptures: [String] { segments.compactMap(\.capture) }
    /// Names that a match captures if the URL has them.
    var possibleCaptures: [String] { query.map(\.capture) }

    /// What is wrong with a pattern's text.
    struct Malformed: Error, Equatable {
        var detail: String
    }

    init(_ text: String) throws(Malformed) {
        self.text = text
        let whole = Substring(text).utf8
        guard !whole.contains(UInt8(ascii: "#")) else {
            throw Malformed(detail: "must not have a fragment")
        }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        guard let parts = LinkURL.split(path), !parts.host.contains("{") else {
            throw Malformed(
                detail: "must begin with scheme://host or /, without captures in them")
        }
        (scheme, host) = (parts.scheme, parts.host)
        segments = try Self.segments(LinkURL.pieces(parts.path))
        query = try Self.query(whole.dropFirst(path.count + 1))
        let names = segments.compactMap(\.capture) + query.map(\.capture)
        guard Set(names).count == names.count else {
            throw Malformed(detail: "must not capture the same name twice")
        }
    }

    private static func segments(_ pieces: [LinkURL.Bytes]) throws(Malformed) -> [Segment] {
        var segments: [Segment] = []
        for piece in pieces {
            if case .rest? = segments.last {
                throw Malformed(detail: "must have {name*} only at the end of the path")
            }
            segments.append(try segment(piece))
        }
        return segments
    }

    private static func segment(_ piece: LinkURL.Bytes) throws(Malformed) -> Segment {
        guard let open = piece.firstIndex(of: UInt8(ascii: "{")) else {
            guard let literal = LinkURL.decoded(piece, plusIsBlank: false), !literal.isEmpty,
                !literal.contains("}")
            else {
                throw Malformed(
                    detail: "has an empty segment, or one with an invalid escape or brace")
            }
            return .literal(literal)
        }
        guard let close = piece.firstIndex(of: UInt8(ascii: "}")), close > open,
            let prefix = LinkURL.decoded(piece[..<open], plusIsBlank: false),
            let suffix = LinkURL.decoded(piece[piece.index(after: close)...], plusIsBlank: false),
            !(prefix + suffix).contains(where: { $0 == "{" || $0 == "}" })
        else { throw Malformed(detail: "must have at most one {name} in a segment") }
        let inner = String(Substring(piece[piece.index(after: open)..<close]))
        if inner.last == "*" {
            guard prefix.isEmpty, suffix.isEmpty else {
                throw Malformed(detail: "must have nothing else in the segment of {name*}")
            }
            return .rest(try name(String(inner.dropLast())))
        }
        let name = try name(inner)
        return prefix.isEmpty && suffix.isEmpty
            ? .bare(name) : .affixed(prefix: prefix, name: name, suffix: suffix)
    }

    private static func query(_ text: LinkURL.Bytes) throws(Malformed) -> [QueryItem] {
        var items: [QueryItem] = []
        for item in text.split(separator: UInt8(ascii: "&")) {
            let key = item.prefix { $0 != UInt8(ascii: "=") }
            let value = String(Substring(item.dropFirst(key.count + 1)))
            guard let key = LinkURL.decoded(key, plusIsBlank: true), !key.isEmpty,
                value.first == "{", value.last == "}", value.count > 2
            else { throw Malformed(detail: "must have query items of the form key={name}") }
            guard !items.contains(where: { $0.key.utf8.elementsEqual(key.utf8) }) else {
                throw Malformed(detail: "must not have the same query key twice")
            }
            items.append(
                QueryItem(key: key, capture: try name(String(value.dropFirst().dropLast()))))
        }
        return items
    }

    private static func name(_ text: String) throws(Malformed) -> String {
        guard RouteName.isValid(text.utf8) else {
            throw Malformed(detail: "must have capture names of letters, digits and . _ ~ -")
        }
        return text
    }
}

// MARK: - Matching

extension LinkPattern {
    /// What the URL has in the places of the captures; nil if it does not match.
    func captures(from url: LinkURL) -> [String: String]? {
        guard scheme == url.scheme, host == url.host else { return nil }
        var captures: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            guard index < url.segments.count else { return nil }
            if case .rest(let name) = segment {
                captures[name] = url.segments[index...].joined(separator: "/")
                return withQuery(captures, url)
            }
            guard segment.matches(url.segments[index], &captures) else { return nil }
        }
        return segments.count == url.segments.count ? withQuery(captures, url) : nil
    }

    private func withQuery(_ captures: [String: String], _ url: LinkURL) -> [String: String] {
        var captures = captures
        for item in query { captures[item.capture] = url.query[Array(item.key.utf8)] }
        return captures
    }

    /// Whether this pattern goes before the other where both match.
    func outranks(_ other: LinkPattern) -> Bool {
        segments.map(\.rank).lexicographicallyPrecedes(other.segments.map(\.rank))
    }

    /// Whether some URL matches both with equal rank.
    func conflicts(with other: LinkPattern) -> Bool {
        scheme == other.scheme && host == other.host
            && segments.map(\.rank) == other.segments.map(\.rank)
            && zip(segments, other.segments).allSatisfy { $0.overlaps($1) }
    }
}

extension LinkPattern.Segment {
    fileprivate func matches(_ text: String, _ captures: inout [String: String]) -> Bool {
        switch self {
        case .literal(let literal):
            return text.utf8.elementsEqual(literal.utf8)
        case .bare(let name):
            captures[name] = text
            return !text.isEmpty
        case .affixed(let prefix, let name, let suffix):
            let bytes = text.utf8
            guard bytes.count > prefix.utf8.count + suffix.utf8.count,
                bytes.starts(with: prefix.utf8),
                bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            else { return false }
            let middle = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
            captures[name] = String(Substring(middle))
            return true
        case .rest(let name):
            captures[name] = text
            return true
        }
    }

    /// Of two segments of equal rank.
    fileprivate func overlaps(_ other: Self) -> Bool {
        switch (self, other) {
        case (.literal(let a), .literal(let b)):
            a.utf8.elementsEqual(b.utf8)
        case (.affixed(let prefixA, _, let suffixA), .affixed(let prefixB, _, let suffixB)):
            zip(prefixA.utf8, prefixB.utf8).allSatisfy(==)
                && zip(suffixA.utf8.reversed(), suffixB.utf8.reversed()).allSatisfy(==)
        case (.bare, .bare), (.rest, .rest): true
        case (.literal, _), (.affixed, _), (.bare, _), (.rest, _): false
        }
    }

    /// The segments of a URL that captures just this value; nil if the segment cannot.
    func written(_ value: String) -> String? {
        switch self {
        case .literal(let literal): PercentCoding.encode(literal)
        case .bare: value.isEmpty ? nil : PercentCoding.encode(value)
        case .affixed(let prefix, _, let suffix):
            value.isEmpty ? nil : PercentCoding.encode(prefix + value + suffix)
        case .rest:
            value.split(separator: "/", omittingEmptySubsequences: false)
                .map { PercentCoding.encode(String($0)) }.joined(separator: "/")
        }
    }
}

extension LinkPattern {
    /// The URL that gives these captures.
    func url(_ captures: [String: String]) -> String? {
        var text = scheme.map { "\($0)://\(host)" } ?? ""
        for segment in segments {
            guard let written = segment.written(segment.capture.flatMap { captures[$0] } ?? "")
            else { return nil }
            text += "/" + written
        }
        if text.isEmpty { text = "/" }
        let items = query.compactMap { item in
            captures[item.capture].map {
                PercentCoding.encode(item.key) + "=" + PercentCoding.encode($0)
            }
        }
        return items.isEmpty ? text : text + "?" + items.joined(separator: "&")
    }
}
