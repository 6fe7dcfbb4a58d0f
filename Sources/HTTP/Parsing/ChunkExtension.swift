internal import Bytes

/// Where in the extensions of a chunk's size line a reader is (RFC 9112 §7.1.1).
///
///     *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
///
/// The extensions mean nothing here; they are only held to their grammar, so that no two readers
/// disagree about where the line ends.
enum ChunkExtension: UInt8, Sendable {
    /// Behind the size or a whole extension, perhaps behind blanks: a semicolon must come.
    case before
    case nameStart, name, nameBehind
    case valueStart, token, quoted, escaped, quotedEnd

    /// Whether the line may end here. Blanks at its end are not in the grammar.
    var mayEnd: Bool {
        switch self {
        case .name, .token, .quotedEnd: true
        case .before, .nameStart, .nameBehind, .valueStart, .quoted, .escaped: false
        }
    }

    /// The place behind `byte`.
    func next(_ byte: UInt8) throws(MalformedMessageError) -> ChunkExtension {
        guard byte != ASCII.lineFeed else { throw .bareLineFeed }
        let place: ChunkExtension? =
            switch self {
            case .before: Self.between(byte, blank: .before)
            case .nameStart: Self.start(byte, of: .name, or: .nameStart)
            case .name: ASCII.isToken(byte) ? .name : Self.behindName(byte)
            case .nameBehind: Self.behindName(byte)
            case .valueStart:
                byte == ASCII.quote ? .quoted : Self.start(byte, of: .token, or: .valueStart)
            case .token: ASCII.isToken(byte) ? .token : Self.between(byte, blank: .before)
            case .quoted: Self.inQuotes(byte)
            case .escaped: ASCII.isFieldValue(byte) ? .quoted : nil
            case .quotedEnd: Self.between(byte, blank: .before)
            }
        guard let place else { throw .chunkExtension }
        return place
    }

    private static func start(
        _ byte: UInt8, of text: ChunkExtension, or blank: ChunkExtension
    ) -> ChunkExtension? {
        if ASCII.isToken(byte) { return text }
        return ASCII.isBlank(byte) ? blank : nil
    }

    private static func between(_ byte: UInt8, blank: ChunkExtension) -> ChunkExtension? {
        if byte == ASCII.semicolon { return .nameStart }
        return ASCII.isBlank(byte) ? blank : nil
    }

    private static func behindName(_ byte: UInt8) -> ChunkExtension? {
        byte == ASCII.equals ? .valueStart : between(byte, blank: .nameBehind)
    }

    private static func inQuotes(_ byte: UInt8) -> ChunkExtension? {
        switch byte {
        case ASCII.quote: .quotedEnd
        case ASCII.backslash: .escaped
        default: ASCII.isFieldValue(byte) ? .quoted : nil
        }
    }
}
