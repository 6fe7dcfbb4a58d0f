internal import Bytes

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1).
public enum EntityTags: Equatable, Sendable {
    /// `*`: any current representation.
    case any
    /// The tags of all lines, in the order of the request.
    case tags([EntityTag])

    /// The tags of a field. Nil if it is malformed or absent; in the latter case, `request[field]`
    /// is nil, too.
    public init?(_ request: borrowing Request, _ field: Field) {
        var tags: [EntityTag] = []
        var isAny = false
        for line in request.lines(of: field) {
            if request.bytes[line].elementsEqual([ASCII.asterisk]) {
                isAny = true
            } else {
                guard let more = Self.list(request.bytes, line) else { return nil }
                tags += more
            }
        }
        guard isAny != !tags.isEmpty else { return nil }
        self = isAny ? .any : .tags(tags)
    }

    /// Whether the condition of `If-Match` is true, by strong comparison.
    ///
    /// - Parameter current: the current tag, or nil if the resource does not exist, which matches
    ///   nothing.
    public func matchStrongly(_ current: String?) -> Bool {
        guard let current else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return tags.contains { !$0.isWeak && $0.opaque == current }
        }
    }

    /// Whether one of the tags is the current tag, by weak comparison, as for `If-None-Match`.
    public func matchWeakly(_ current: String?) -> Bool {
        guard let current else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return tags.contains { $0.opaque == current }
        }
    }

    private static func list(_ bytes: [UInt8], _ range: Range<Int>) -> [EntityTag]? {
        var scanner = FieldScanner(bytes, range)
        var tags: [EntityTag] = []
        scanner.skipEmptyElements()
        while !scanner.isAtEnd {
            guard let tag = EntityTag(&scanner) else { return nil }
            tags.append(tag)
            scanner.skipBlanks()
            guard scanner.isAtEnd || scanner.take(ASCII.comma) else { return nil }
            scanner.skipEmptyElements()
        }
        return tags
    }
}

/// An entity tag, `[W/] "opaque"` (RFC 9110 §8.8.3).
public struct EntityTag: Equatable, Sendable {
    /// Whether the tag has the prefix `W/`.
    public let isWeak: Bool
    /// The text between the quotes.
    public let opaque: String

    /// The tag as it is sent.
    public var text: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

    /// A tag from its parts.
    public init(isWeak: Bool = false, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Reads a tag. `W` is case-sensitive, and a backslash has no special meaning.
    init?(_ scanner: inout FieldScanner) {
        isWeak = scanner.takeHere(0x57)
        if isWeak, !scanner.takeHere(ASCII.slash) { return nil }
        guard scanner.takeHere(ASCII.quote) else { return nil }
        let start = scanner.position
        while !scanner.isAtEnd, scanner.bytes[scanner.position] != ASCII.quote {
            guard !ASCII.isBlank(scanner.bytes[scanner.position]) else { return nil }
            scanner.skip()
        }
        let range = start..<scanner.position
        guard scanner.takeHere(ASCII.quote) else { return nil }
        // Bytes that are not UTF-8 are allowed, but no tag of this service has any.
        opaque = String(decoding: scanner.bytes[range], as: UTF8.self)
    }
}
