internal import Bytes

/// What `If-Match` or `If-None-Match` ask for (RFC 9110 §13.1).
package enum EntityTags: Equatable, Sendable {
    /// `*`: whatever there is.
    case any
    /// In the order in which they came, over all lines.
    case tags([EntityTag])

    /// The tags of a field. Nil if it is absent or malformed; `request[field]` tells which.
    package init?(_ request: borrowing Request, _ field: Field) {
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

    /// Whether the condition of `If-Match` holds: strong comparison, and no tag matches where
    /// nothing is (`current` nil).
    package func matchStrongly(_ current: String?) -> Bool {
        guard let current else { return false }
        switch self {
        case .any: return true
        case .tags(let tags): return tags.contains { !$0.isWeak && $0.opaque == current }
        }
    }

    /// Whether one of them is the current tag by weak comparison, as `If-None-Match` wants it.
    package func matchWeakly(_ current: String?) -> Bool {
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

/// `[W/] "opaque"` (RFC 9110 §8.8.3).
package struct EntityTag: Equatable, Sendable {
    package let isWeak: Bool
    /// Without its quotes.
    package let opaque: String

    package init(isWeak: Bool = false, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// `W` is case-sensitive, and a backslash escapes nothing.
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
        // Bytes that are no text are allowed, and in no tag of ours.
        opaque = String(decoding: scanner.bytes[range], as: UTF8.self)
    }
}
