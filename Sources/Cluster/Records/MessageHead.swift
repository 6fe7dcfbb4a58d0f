internal import Bytes
internal import NATS
internal import Sessions

// A node that starts needs the last message of each session, but neither its event nor its state.
// Therefore messages have a short form of themselves in the header `N`, and a consumer can request
// headers only. The short form of a revision is its first line, with `size` for the rest:
//
//     N: {"op":"put","id":"kiosk-1","rev":29,…,"undos":3,"next":12,"size":1812,"elen":0,"crc":"…"}
//
// The end of a session, a list of tokens and a mark are there as a whole, with tabs in place of
// newlines.
// A message whose short form would be too long has none, nor have messages of versions before
// 0.3.0.

/// The short form of a message, in its header.
enum MessageHead {
    private static let name = "N"
    private static let bytesMax = 8 << 10

    /// The header with a text. Nil if that is too long.
    static func header(_ text: [UInt8]) -> Header? {
        guard text.count <= bytesMax else { return nil }
        // JSON has no other control characters. The short form of a revision has none at all.
        guard text.last == ASCII.lineFeed else { return Header(trusted: name, text) }
        var line = text
        while line.last == ASCII.lineFeed { line.removeLast() }
        return Header(trusted: name, line.map { $0 == ASCII.lineFeed ? ASCII.tab : $0 })
    }

    /// The short form as a message, empty if the headers have none.
    static func content(_ headers: Headers?) -> ArraySlice<UInt8> {
        guard let line = headers?[name] else { return [] }
        let text = line.map { $0 == ASCII.tab ? ASCII.lineFeed : $0 }
        let missing = line.contains(ASCII.tab) ? 1 : 3
        return (text + Array(repeating: ASCII.lineFeed, count: missing))[...]
    }
}

extension StoreMessage {
    /// The payload of the message, and the header with its short form, if it has one.
    var message: (text: [UInt8], head: Header?) {
        switch self {
        case .session(let record):
            let texts = record.texts
            return (texts.whole, MessageHead.header(texts.head))
        case .tokens(let list):
            let text = list.text
            return (text, MessageHead.header(text))
        case .app(let app): return (app.text, nil)
        case .facts(let facts): return (facts.text, nil)
        case .plan, .mark, .barrier: return ([], nil)
        }
    }
}
