internal import Bytes
internal import NATS
internal import Sessions

// A node that starts needs the last message of each session, but neither its event nor its state.
// Therefore messages have a short form of themselves in the header `N`, and a consumer can request
// headers only. The short form of a revision is its first line, with `size` for the rest:
//
//     N: {"op":"put","id":"kiosk-1","rev":29,…,"undos":0,"next":12,"size":1812,"elen":0,"crc":"…"}
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
        var end = text.count
        while end > 0, text[end - 1] == ASCII.lineFeed { end -= 1 }
        var line = text[..<end]
        // JSON has no other control characters. The short form of a revision has none at all.
        if ByteSearch.first(ASCII.lineFeed, in: text, 0..<end) != nil {
            line = line.map { $0 == ASCII.lineFeed ? ASCII.tab : $0 }[...]
        }
        return Header(trusted: name, String(decoding: line, as: UTF8.self))
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
    /// The payload of the message.
    var text: [UInt8] {
        switch self {
        case .session(let record): record.text
        case .tokens(let tokens): tokens.text
        case .app(let app): app.text
        case .facts(let facts): facts.text
        case .plan, .mark, .barrier: []
        }
    }

    /// The header with the short form. Nil if the message has none.
    var head: Header? {
        switch self {
        case .session(let record): MessageHead.header(record.head)
        case .tokens(let list): MessageHead.header(list.text)
        case .app, .facts, .plan, .mark, .barrier: nil
        }
    }
}
