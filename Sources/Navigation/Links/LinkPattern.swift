internal import Bytes
internal import JSON

/// The pattern of a deep link: `scheme://host/segments?query` or `/segments?query`.
///
/// | segment         | matches                                      | rank |
/// | --------------- | -------------------------------------------- | ---- |
/// | `post`          | exactly this text                            | 0    |
/// | `@{name}`       | one segment with that beginning (or end)     | 1    |
/// | `{name}`        | one segment that is not empty                | 2    |
/// | `{name*}`       | all remaining segments, at least one         | 3    |
///
/// A query item is `?q={name}`; without it in the URL, nothing is captured. If several patterns
/// match a URL, the one with the lower rank at the first difference wins. Two patterns of equal
/// rank that can match the same URL are an error.
package struct LinkPattern: Sendable {
    /// The pattern as the app declares it.
    package let text: String
    let scheme: ExactString?
    let host: ExactString
    let segments: [Segment]
    let query: [QueryItem]
    /// The ranks of the segments.
    let ranks: [Int]
    /// The names that a match captures.
    let captureNames: CaptureNames

    enum Segment: Sendable {
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

    struct QueryItem: Sendable {
        var key: ExactString
        var capture: String
    }

    /// The text is not a valid pattern.
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
        guard let parts = LinkURL.split(path), !parts.host.text.utf8.contains(UInt8(ascii: "{"))
        else {
            throw Malformed(
                detail: "must begin with scheme://host or /, without captures in them")
        }
        (scheme, host) = (parts.scheme, parts.host)
        segments = try Self.segments(LinkURL.pieces(parts.path))
        query = try Self.query(whole.dropFirst(path.count + 1))
        ranks = segments.map(\.rank)
        let certain = segments.compactMap(\.capture)
        let possible = query.map(\.capture)
        captureNames = CaptureNames(
            certain: Set(certain.map { ExactString($0) }),
            possible: Set(possible.map { ExactString($0) }))
        guard captureNames.all.count == certain.count + possible.count else {
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
            guard let literal = LinkURL.decoded(piece, plusIsBlank: false),
                !literal.isEmpty, !literal.utf8.contains(UInt8(ascii: "}"))
            else {
                throw Malformed(
                    detail: "has an empty segment, or one with an invalid escape or brace")
            }
            return .literal(literal)
        }
        guard let close = piece.firstIndex(of: UInt8(ascii: "}")), close > open,
            let prefix = LinkURL.decoded(piece[..<open], plusIsBlank: false),
            let suffix = LinkURL.decoded(
                piece[piece.index(after: close)...], plusIsBlank: false),
            !(prefix + suffix).utf8.contains(where: isBrace)
        else { throw Malformed(detail: "must have at most one {name} in a segment") }
        let inner = piece[piece.index(after: open)..<close]
        if inner.last == UInt8(ascii: "*") {
            guard prefix.isEmpty, suffix.isEmpty else {
                throw Malformed(detail: "must have nothing else in the segment of {name*}")
            }
            return .rest(try name(inner.dropLast()))
        }
        let name = try name(inner)
        return prefix.isEmpty && suffix.isEmpty
            ? .bare(name) : .affixed(prefix: prefix, name: name, suffix: suffix)
    }

    private static func isBrace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }

    private static func query(_ text: LinkURL.Bytes) throws(Malformed) -> [QueryItem] {
        var items: [QueryItem] = []
        var known: Set<ExactString> = []
        for item in text.split(separator: UInt8(ascii: "&")) {
            let key = item.prefix { $0 != UInt8(ascii: "=") }
            let value = item.dropFirst(key.count + 1)
            guard let key = LinkURL.decoded(key, plusIsBlank: true).map({ ExactString($0) }),
                !key.text.isEmpty, value.first == UInt8(ascii: "{"),
                value.last == UInt8(ascii: "}"), value.count > 2
            else { throw Malformed(detail: "must have query items of the form key={name}") }
            guard known.insert(key).inserted else {
                throw Malformed(detail: "must not have the same query key twice")
            }
            items.append(QueryItem(key: key, capture: try name(value.dropFirst().dropLast())))
        }
        return items
    }

    private static func name(_ text: LinkURL.Bytes) throws(Malformed) -> String {
        guard RouteName.isValid(text) else {
            throw Malformed(detail: "must have capture names of letters, digits and . _ ~ -")
        }
        return String(Substring(text))
    }
}

// MARK: - Matching

extension LinkPattern {
    /// The values of the captures, or nil if the URL does not match.
    func captures(
        from url: LinkURL, work: WorkBudget
    ) throws(WorkBudgetError) -> [ExactString: String]? {
        try work.spend(.steps(6))
        guard scheme == url.scheme, host == url.host else { return nil }
        var captures: [ExactString: String] = [:]
        for (index, segment) in segments.enumerated() {
            guard index < url.segments.count else { return nil }
            if case .rest(let name) = segment {
                let rest = url.segments[index...]
                try work.spend(.steps(rest.reduce(rest.count) { $0 + $1.utf8.count }))
                captures[ExactString(name)] = rest.joined(separator: "/")
                return withQuery(captures, url)
            }
            try work.spend(.steps(4 + url.segments[index].utf8.count / 4))
            guard segment.matches(url.segments[index], &captures) else { return nil }
        }
        guard segments.count == url.segments.count else { return nil }
        try work.spend(.steps(query.reduce(0) { $0 + 10 + $1.key.text.utf8.count }))
        return withQuery(captures, url)
    }

    private func withQuery(
        _ captures: [ExactString: String], _ url: LinkURL
    ) -> [ExactString: String] {
        var captures = captures
        for item in query { captures[ExactString(item.capture)] = url.query[item.key]?.text }
        return captures
    }

    /// Whether this pattern takes precedence over another one if both match.
    func outranks(_ other: LinkPattern) -> Bool {
        ranks.lexicographicallyPrecedes(other.ranks)
    }

    /// The properties that two patterns share if some URL matches both with equal rank.
    struct Shape: Hashable {
        var scheme: ExactString?
        var host: ExactString
        var ranks: [Int]
        var literals: [ExactString]
    }

    var shape: Shape {
        let literals = segments.compactMap { segment in
            if case .literal(let text) = segment { ExactString(text) } else { nil }
        }
        return Shape(scheme: scheme, host: host, ranks: ranks, literals: literals)
    }

    /// Whether some URL matches both patterns. They must have the same shape.
    func conflicts(with other: LinkPattern) -> Bool {
        zip(segments, other.segments).allSatisfy { $0.overlaps($1) }
    }
}

extension LinkPattern.Segment {
    func matches(_ text: String, _ captures: inout [ExactString: String]) -> Bool {
        switch self {
        case .literal(let literal):
            return text.utf8.elementsEqual(literal.utf8)
        case .bare(let name):
            captures[ExactString(name)] = text
            return !text.isEmpty
        case .affixed(let prefix, let name, let suffix):
            let bytes = text.utf8
            guard bytes.count > prefix.utf8.count + suffix.utf8.count,
                bytes.starts(with: prefix.utf8),
                bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            else { return false }
            let middle = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
            captures[ExactString(name)] = String(Substring(middle))
            return true
        case .rest(let name):
            captures[ExactString(name)] = text
            return true
        }
    }

    /// Whether some text matches both segments, which have equal rank.
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

    /// The URL segment that captures this value, or nil if no segment can.
    func written(_ value: String) -> String? {
        switch self {
        case .literal(let literal): PercentCoding.encode(literal)
        case .bare: value.isEmpty ? nil : PercentCoding.encode(value)
        case .affixed(let prefix, _, let suffix):
            value.isEmpty ? nil : PercentCoding.encode(prefix + value + suffix)
        case .rest: PercentCoding.encodePath(value)
        }
    }
}

extension LinkPattern {
    /// The URL that gives these captures, if there is one.
    func url(_ captures: [ExactString: String]) -> String? {
        var text = scheme.map { "\($0.text)://\(host.text)" } ?? ""
        for segment in segments {
            let value = segment.capture.flatMap { captures[ExactString($0)] }
            guard let written = segment.written(value ?? "") else { return nil }
            text += "/" + written
        }
        if text.isEmpty { text = "/" }
        let items = query.compactMap { item in
            captures[ExactString(item.capture)].map {
                PercentCoding.encode(item.key.text) + "=" + PercentCoding.encode($0)
            }
        }
        return items.isEmpty ? text : text + "?" + items.joined(separator: "&")
    }
}
