internal import Bytes
internal import JSON
internal import Navigation

// One message of an app's subject:
//
//     {"op":"app","id":"shop","at":1795225000412,"prev":7,"by":"8d02…","elen":0,"crc":"59be0d0c"}
//     (an empty line)
//     {…}        the document; an empty line if the app was deleted

/// An app in the stream for apps and facts.
struct SharedApp: Equatable, Sendable {
    /// The id of the app.
    var id: AppID
    /// When it was written.
    var at: Milliseconds
    /// The place of the message.
    var link: SharedLink
    /// The document as JSON text. Nil if the app was deleted.
    var document: [UInt8]?

    /// The message.
    var text: [UInt8] {
        var head = ByteWriter(capacity: 256)
        head.append(literal: document == nil ? #"{"op":"appDelete""# : #"{"op":"app""#)
        head.append(literal: #","id":""#)
        head.append(id.rawValue)
        head.append(#"","at":"#, Int(at))
        link.append(to: &head)
        return SharedRecordText.seal(head, state: document ?? [])
    }
}

extension SharedApp {
    /// Reads a message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        guard let id = AppID(try text.text("id")) else { throw .member("id") }
        self.init(
            id: id, at: Milliseconds(try text.number("at")), link: try text.link(), document: nil)
        switch try text.text("op") {
        case "app": document = text.state
        case "appDelete": guard text.state.isEmpty else { throw .form }
        default: throw .member("op")
        }
    }
}
