internal import JSON
internal import Navigation

/// The JSON of events, as the journal keeps and streams show them, and of commands' answers, which
/// are made of the same pieces.
///
///     {"command":{"command":"back"},"added":[],"removed":["e8"],"popped":1}
enum EventText {
    /// - Parameter body: the command as it was asked for.
    static func event(
        _ event: Event, command: String, body: JSONObject = JSONObject(), answer: Answer? = nil,
        dropped: [Dropped] = []
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(128)
        JSONText.append(#"{"command":{"command":""#, to: &text)
        JSONText.append(command, to: &text)
        text.append(UInt8(ascii: "\""))
        for member in body.members {
            text.append(UInt8(ascii: ","))
            JSONText.appendString(member.key, to: &text)
            text.append(UInt8(ascii: ":"))
            member.value.write(to: &text)
        }
        text.append(UInt8(ascii: "}"))
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
        JSONText.append(#"{"changed":"#, to: &text)
        if let reason = answer.reason {
            JSONText.append(#"false,"reason":""#, to: &text)
            JSONText.append(reason.rawValue, to: &text)
            text.append(UInt8(ascii: "\""))
        } else {
            JSONText.append("true", to: &text)
        }
        append(added: answer.added, removed: answer.removed, to: &text)
        append(answer.extra, to: &text)
    }

    private static func append(
        added: [EntryID], removed: [EntryID], to text: inout [UInt8]
    ) {
        JSONText.append(#","added":["#, to: &text)
        append(added, to: &text)
        JSONText.append(#"],"removed":["#, to: &text)
        append(removed, to: &text)
        text.append(UInt8(ascii: "]"))
    }

    private static func append(_ ids: [EntryID], to text: inout [UInt8]) {
        for (index, id) in ids.enumerated() {
            JSONText.append((index == 0 ? #""e"# : #","e"#), to: &text)
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
            JSONText.append(#","results":["#, to: &text)
            for (index, answer) in answers.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(answer, to: &text)
                text.append(UInt8(ascii: "}"))
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    private static func append(_ name: String, _ count: Int, to text: inout [UInt8]) {
        JSONText.append(name, to: &text)
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
        JSONText.append(#","dropped":"#, to: &text)
        JSON.array(items).write(to: &text)
    }
}
