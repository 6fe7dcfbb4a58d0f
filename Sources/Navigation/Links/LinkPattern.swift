internal import Bytes
internal import JSON

/// The pattern of a deep link: `scheme://host/segments?query#fragment`, `scheme:segments` or
/// `/segments`.
///
/// Several patterns may match a URL. They are tried in the order of their ranks, and patterns of
/// equal rank in the order of the document. `LinkSegment` has the ranks of segments.
///
/// A URL is matched in one pass: a path has at most one rest, so the segments behind it are counted
/// from the end, and a segment with several captures is divided in a time that grows with its
/// length times their number.
public struct LinkPattern: Sendable {
    /// The pattern as the app declares it.
    public let text: String
    let scheme: ExactString?
    let host: LinkHost
    private(set) var main: Part
    /// The fragment; nil if URLs match with any, and with none.
    private(set) var fragment: Part?
    /// The names that a match captures.
    let captureNames: CaptureNames
    let ignoresCase: Bool

    /// The text is not a valid pattern.
    struct Malformed: Error, Equatable {
        var detail: String
    }

    init(_ text: String, ignoringCase: Bool = false) throws(Malformed) {
        self.text = text
        ignoresCase = ignoringCase
        let whole = Substring(text).utf8
        let parts = try LinkParts(whole)
        let origin = parts.origin
        scheme = origin.scheme
        host = try LinkHost(origin.host)
        main = try Part(
            origin.pieces, of: origin.path, query: parts.query, ignoringCase: ignoringCase)
        fragment = try parts.fragment.map { (text) throws(Malformed) in
            let part = try Part(
                LinkURL.pieces(text.path), of: text.path, query: text.query,
                ignoringCase: ignoringCase)
            guard !part.segments.isEmpty || !part.query.isEmpty else {
                throw LinkParts.emptyFragment
            }
            return part
        }
        captureNames = try Self.names(host, [main] + (fragment.map { [$0] } ?? []))
    }

    private static func names(
        _ host: LinkHost, _ parts: [Part]
    ) throws(Malformed) -> CaptureNames {
        let certain = [host.name].compactMap { $0 } + parts.flatMap { $0.pathNames }
        var (possible, optional): ([String], [String]) = ([], [])
        for item in parts.flatMap({ $0.query }) {
            guard case .capture(let name, let isOptional) = item.value else { continue }
            possible.append(name)
            if isOptional { optional.append(name) }
        }
        let names = CaptureNames(
            certain: Set(certain.map { ExactString($0) }),
            possible: Set(possible.map { ExactString($0) }),
            optional: Set(optional.map { ExactString($0) }))
        guard names.all.count == certain.count + possible.count else {
            throw Malformed(detail: "must not capture the same name twice")
        }
        return names
    }

    static func name(_ text: LinkURL.Bytes) throws(Malformed) -> String {
        let name = String(Substring(text))
        guard RouteName.isValid(name) else {
            throw Malformed(detail: "must have capture names of letters, digits and . _ ~ -")
        }
        return name
    }

    static func isBrace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }

    /// Both parts of the pattern.
    var parts: [Part] { fragment.map { [main, $0] } ?? [main] }

    /// The names of the rests, whose values keep their slashes.
    var rests: [String] { parts.compactMap { $0.restName } }

    /// Whether the params of the link matter for which URLs match.
    var dependsOnParams: Bool {
        !captureNames.possible.isEmpty
            || parts.contains { $0.segments.contains { $0.captures.count > 1 } }
    }

    /// Takes into account what the link does with the captures.
    ///
    /// - Parameters:
    ///   - needed: those without which the link leads nowhere.
    ///   - integers: those that go into params which take only integers.
    mutating func mark(needed: Set<ExactString>, integers: Set<ExactString>) {
        main.mark(needed: needed, integers: integers)
        fragment?.mark(needed: needed, integers: integers)
    }
}

extension LinkPattern.Part {
    fileprivate mutating func mark(needed: Set<ExactString>, integers: Set<ExactString>) {
        for index in query.indices { query[index].mark(needed: needed) }
        for index in segments.indices { segments[index].mark(integers: integers) }
    }
}

/// The parts of the text of a pattern or of the target of a redirect.
struct LinkParts {
    let origin: LinkURL.Origin
    let query: LinkURL.Bytes
    let fragment: (path: LinkURL.Bytes, query: LinkURL.Bytes)?

    static let emptyFragment = LinkPattern.Malformed(detail: "must have something behind #")

    init(_ text: LinkURL.Bytes) throws(LinkPattern.Malformed) {
        let main = text.prefix { $0 != UInt8(ascii: "#") }
        let (path, query) = Self.split(main)
        guard let origin = LinkURL.Origin(path) else {
            let scheme = path.prefix { $0 != UInt8(ascii: "/") }
            guard scheme.contains(UInt8(ascii: ":")),
                scheme.contains(where: LinkPattern.isBrace)
            else {
                throw LinkPattern.Malformed(detail: "must begin with a scheme and : or with /")
            }
            throw LinkHost.malformed
        }
        guard origin.scheme != nil || !path.starts(with: "//".utf8) else {
            throw LinkPattern.Malformed(
                detail: "must not begin with //, which other programs take for a host")
        }
        self.origin = origin
        self.query = query
        guard main.count < text.count else {
            fragment = nil
            return
        }
        fragment = Self.split(text.dropFirst(main.count + 1))
        if main.count + 1 == text.count { throw Self.emptyFragment }
    }

    private static func split(
        _ text: LinkURL.Bytes
    ) -> (path: LinkURL.Bytes, query: LinkURL.Bytes) {
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        return (path, text.dropFirst(path.count + 1))
    }
}

// MARK: - Matching

extension LinkPattern {
    /// The values of the captures, or nil if the URL does not match.
    func captures(
        from url: LinkURL, work: WorkBudget
    ) throws(WorkBudgetError) -> Captures? {
        try work.spend(.steps(6))
        var found = Captures()
        guard scheme == url.scheme, host.matches(url.host, &found),
            fragment == nil || url.fragment != nil,
            try main.matches(url.main, &found, work: work)
        else { return nil }
        guard let fragment else { return found }
        guard let part = url.fragment, try fragment.matches(part, &found, work: work) else {
            return nil
        }
        return found
    }

    /// The URL that gives these captures, if there is one.
    func url(_ captures: Captures) -> String? {
        guard let name = host.written(captures),
            var text = main.written(captures, isRooted: scheme == nil || host.isPresent)
        else { return nil }
        if let scheme {
            // Behind an empty host, the path has to begin with a slash.
            if host.isPresent, name.isEmpty, text.utf8.first != UInt8(ascii: "/") {
                text = "/" + text
            }
            text = scheme.text + ":" + (host.isPresent ? "//" + name : "") + text
        }
        guard let fragment else { return text }
        guard let behind = fragment.written(captures, isRooted: false) else { return nil }
        return text + "#" + (behind.isEmpty ? "?" : behind)
    }
}
