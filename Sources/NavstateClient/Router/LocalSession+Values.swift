public import NavstateRules

extension LocalSession {
    /// Carries out a command. With `isStrict`, a command that would change nothing is refused.
    @discardableResult
    public mutating func perform(
        _ command: Nav.Command, isStrict: Bool = false, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try perform(
            command.name, JSONValue.object(command.members).text, strict: isStrict, at: time)
    }

    /// The session as a value.
    public var state: Nav.Session {
        do {
            return try JSONValue.read(json).decode()
        } catch {
            preconditionFailure("The rules have written what is not a session: \(error)")
        }
    }

    /// Continues a state that a server sent.
    init(_ definition: AppDefinition?, continuing session: Nav.Session) throws {
        try self.init(definition, received: JSONValue(encoding: session).text)
    }
}

extension Outcome {
    /// The states of the sheets that the command has dismissed.
    package func dismissals(at revision: Int) -> [SheetState] {
        guard let event = try? JSONValue.read(event ?? "{}"), let command = event["command"] else {
            return []
        }
        let commands = command["commands"]?.array ?? [command]
        return zip(commands, event["results"]?.array ?? [event]).flatMap { part, answer in
            (answer["removed"]?.array ?? []).compactMap(\.string).enumerated().map { index, sheet in
                var state = SheetState()
                let hasExpired = part["command"] == "expire" && part["sheet"]?.string == sheet
                (state.sheet, state.state) = (sheet, hasExpired ? "expired" : "dismissed")
                // The result belongs to the lowest of the sheets.
                let result = part["command"] == "dismiss" && index == 0 ? part["result"] : nil
                state.members.add([
                    "revision": revision, "command": command["command"], "result": result,
                    "button": answer["pressed"]?[sheet],
                ])
                return state
            }
        }
    }
}
