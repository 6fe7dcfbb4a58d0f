package import HTTP
package import JSON

internal import Bytes

/// An event of a session's stream, as `watch` prints it.
package struct WatchedEvent: Equatable, Sendable {
    let name: String
    private let id: String
    let data: JSON

    /// Reads an event. Returns nil if its data is not JSON.
    package init?(_ event: StreamedEvent) {
        guard let data = ClientCommand.document(event.data) else { return nil }
        (name, id, self.data) = (event.name, event.id, data)
    }

    /// The event as the API sends it in JSON lines: `{"id":7,"event":"change","data":{...}}`.
    package var document: JSON {
        var object = JSONObject()
        if !id.isEmpty {
            let number = Decimal.number(id.utf8, digitsMax: 18)
            object.append("id", number.map { .integer(Int64($0)) } ?? .string(id))
        }
        object.append("event", .string(name))
        object.append("data", data)
        return .object(object)
    }

    /// Whether it counts for the limit of a stream.
    var isCounted: Bool { !id.isEmpty }

    /// The id of its session.
    var session: String { (data["session"]?["id"] ?? data["id"])?.plainText ?? "" }

    /// The event for people: `     5  navigate route=contact  → contact  by desk`.
    package var line: String {
        let revision = data["revision"]?.integer.map { "\($0)" } ?? ""
        let missing = String(repeating: " ", count: max(0, 6 - revision.count))
        var text = "\(missing)\(revision)  \(what)"
        if let route = data["session"]?["visible"]?["route"] { text += "  → \(route.plainText)" }
        if let author = data["by"] { text += "  by \(author.plainText)" }
        return text
    }

    private var what: String {
        guard name == "change" else {
            return data["gap"] == .bool(true) ? "\(name), changes are missing before it" : name
        }
        let held = data["held"].map { " held back by the guard \($0.plainText)" } ?? ""
        return (data["command"]?.plainText ?? "") + held
    }
}

extension ClientPrinter {
    /// Prints an event as one line.
    func print(_ event: WatchedEvent, namesSession: Bool) {
        let session = namesSession ? "\(event.session)  " : ""
        if printsJSON { print(document: event.document) } else { print(line: session + event.line) }
    }
}
