internal import Bytes

/// The state of reading the extensions in the size line of a chunk (RFC 9112 §7.1.1).
///
///     *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
///
/// Extensions are ignored, but they must follow the grammar, so that no two readers disagree about
/// where the line ends.
enum ChunkExtension: UInt8, Sendable {
    /// After the size or a complete extension, and perhaps blanks: a semicolon must follow.
    case before
    case nameStart, name, nameEnd
    case valueStart, token, quoted, escaped, quotedEnd

    /// Whether the line may end here. The grammar does not allow blanks at its end.
    var mayEnd: Bool {
        switch self {
        case .name, .token, .quotedEnd: true
        case .before, .nameStart, .nameEnd, .valueStart, .quoted, .escaped: false
        }
    }

    /// The state after a byte.
    func next(_ byte: UInt8) throws(MalformedMessageError) -> ChunkExtension {
        guard byte != ASCII.lineFeed else { throw .bareLineFeed }
        let state: ChunkExtension? =
            switch self {
            case .before: Self.between(byte, blank: .before)
            case .nameStart: Self.start(byte, of: .name, or: .nameStart)
            case .name: ASCII.isToken(byte) ? .name : Self.afterName(byte)
            case .nameEnd: Self.afterName(byte)
            case .valueStart:
                byte == ASCII.quote ? .quoted : Self.start(byte, of: .token, or: .valueStart)
            case .token: ASCII.isToken(byte) ? .token : Self.between(byte, blank: .before)
            case .quoted: Self.inQuotes(byte)
            case .escaped: ASCII.isFieldValue(byte) ? .quoted : nil
            case .quotedEnd: Self.between(byte, blank: .before)
            }
        guard let state else { throw .chunkExtension }
        return state
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

    private static func afterName(_ byte: UInt8) -> ChunkExtension? {
        byte == ASCII.equals ? .valueStart : between(byte, blank: .nameEnd)
    }

    private static func inQuotes(_ byte: UInt8) -> ChunkExtension? {
        switch byte {
        case ASCII.quote: .quotedEnd
        case ASCII.backslash: .escaped
        default: ASCII.isFieldValue(byte) ? .quoted : nil
        }
    }
}
