internal import Bytes
internal import Navigation

// One message of an app's subject:
//
//     {"op":"app","id":"shop","at":1795225000412,"prev":7,"by":"8d02…","elen":0,"crc":"59be0d0c"}
//     (an empty line)
//     {…}        the document; an empty line if the app was deleted

/// An app in the stream for apps and facts.
struct SharedApp: Equatable, Sendable {
    var id: AppID
    var at: Milliseconds
    var link: SharedLink
    /// The document as JSON text. Nil if the app was deleted.
    var document: [UInt8]?

    var text: [UInt8] {
        var line = ByteWriter(operation: document == nil ? "appDelete" : "app")
        line.member("id", plain: id.rawValue)
        line.member("at", at)
        line.append(link)
        return SharedRecordText.seal(line, state: document ?? [])
    }
}

extension SharedApp {
    /// Reads a message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        self.init(
            id: try text.required("id") { AppID($0) }, at: Milliseconds(try text.number("at")),
            link: try text.link(), document: nil)
        switch try text.text("op") {
        case "app": document = text.state
        case "appDelete": guard text.state.isEmpty else { throw .form }
        default: throw .member("op")
        }
    }
}
