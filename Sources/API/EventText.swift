internal import JSON
internal import Navigation

/// The JSON of events, as the journal keeps and streams show them, and of commands' answers, which
/// are made of the same pieces.
///
///     {"command":{"command":"back"},"added":[],"removed":["e8"],"popped":1}
enum EventText {
    static func event(
        _ event: Event, command: JSONObject, answer: Answer? = nil, dropped: [Dropped] = []
    ) -> [UInt8] {
        var text = Array(#"{"command":"#.utf8)
        JSON.object(command).write(to: &text)
        append(added: event.added, removed: event.removed, to: &text)
        if let answer { append(answer.extra, to: &text) }
        if !dropped.isEmpty { append(dropped, to: &text) }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// The beginning of a command's answer: all but the session.
    static func answer(_ answer: Answer) -> [UInt8] {
        var text: [UInt8] = []
        append(answer, to: &text)
        return text
    }

    /// The same, of a change that the journal remembers.
    static func answer(remembered event: [UInt8]) -> [UInt8] {
        var text = Array(#"{"changed":true"#.utf8)
        for (name, value) in event.members() where name != "command" {
            text.append(UInt8(ascii: ","))
            JSONText.appendString(name, to: &text)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: event[value])
        }
        return text
    }

    private static func append(_ answer: Answer, to text: inout [UInt8]) {
        text.append(contentsOf: #"{"changed":"#.utf8)
        if let reason = answer.reason {
            text.append(contentsOf: #"false,"reason":""#.utf8)
            text.append(contentsOf: reason.rawValue.utf8)
            text.append(UInt8(ascii: "\""))
        } else {
            text.append(contentsOf: "true".utf8)
        }
        append(added: answer.added, removed: answer.removed, to: &text)
        append(answer.extra, to: &text)
    }

    private static func append(
        added: [EntryID], removed: [EntryID], to text: inout [UInt8]
    ) {
        text.append(contentsOf: #","added":["#.utf8)
        append(added, to: &text)
        text.append(contentsOf: #"],"removed":["#.utf8)
        append(removed, to: &text)
        text.append(UInt8(ascii: "]"))
    }

    private static func append(_ ids: [EntryID], to text: inout [UInt8]) {
        for (index, id) in ids.enumerated() {
            text.append(contentsOf: (index == 0 ? #""e"# : #","e"#).utf8)
            JSONText.appendInteger(id.number, to: &text)
            text.append(UInt8(ascii: "\""))
        }
    }

    private static func append(_ extra: Answer.Extra, to text: inout [UInt8]) {
        switch extra {
        case .none: break
        case .popped(let count): append(#","popped":"#, count, to: &text)
        case .undone(let count): append(#","undone":"#, count, to: &text)
        case .redone(let count): append(#","redone":"#, count, to: &text)
        case .results(let answers):
            text.append(contentsOf: #","results":["#.utf8)
            for (index, answer) in answers.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(answer, to: &text)
                text.append(UInt8(ascii: "}"))
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    private static func append(_ name: String, _ count: Int, to text: inout [UInt8]) {
        text.append(contentsOf: name.utf8)
        JSONText.appendInteger(count, to: &text)
    }

    private static func append(_ dropped: [Dropped], to text: inout [UInt8]) {
        let items = dropped.map { item in
            JSON.object(
                JSONObject([
                    ("id", .string(item.id.description)), ("route", .string(item.route.rawValue)),
                    ("why", .string(item.why.rawValue)),
                ]))
        }
        text.append(contentsOf: #","dropped":"#.utf8)
        JSON.array(items).write(to: &text)
    }
}
