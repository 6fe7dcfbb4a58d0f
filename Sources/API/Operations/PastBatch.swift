internal import Bytes
internal import JSON
internal import Navigation

/// A batch in the history: its commands with their answers.
struct PastBatch {
    private struct Row {
        /// The command with its members.
        var command: JSONObject
        /// The name of the command that the ids in `added` come from.
        var adding: CommandName?
        var added: [JSON]
        var removed: [JSON]
    }

    private let rows: [Row]

    /// - Parameters:
    ///   - batch: the command of the event.
    ///   - results: the answers of its commands.
    init?(_ batch: JSONObject, results: JSON) {
        guard case .array(let commands)? = batch["commands"], case .array(let answers) = results
        else { return nil }
        rows = zip(commands, answers).compactMap { command, answer in
            guard case .object(let command) = command, case .object(let answer) = answer
            else { return nil }
            // `setFacts` adds what the command adds that it resumes.
            var adding = command
            if case .object(let resumed)? = answer["resumed"] { adding = resumed }
            return Row(
                command: command, adding: adding.commandName, added: answer.list("added"),
                removed: answer.list("removed"))
        }
    }

    /// The result that the command brought that removed the sheet. It belongs to the lowest sheet
    /// that was dismissed.
    func result(of sheet: EntryID) -> JSON? {
        let id = JSON.string(sheet.description)
        guard let row = rows.first(where: { $0.removed.contains(id) }),
            row.command.commandName == .dismiss, row.removed.first == id
        else { return nil }
        return row.command["result"]
    }

    /// Whether the sheet was presented by one of the commands, and removed by a later one.
    ///
    /// Ids do not tell sheets from entries. What `present` adds begins with its sheet. What `open`
    /// adds can be a path, a sheet or both. In that case, only a removal by `dismiss` or `present`
    /// tells, because what these remove begins with a sheet. For any other removal see
    /// `commands(adding:)`.
    func passed(_ sheet: EntryID) -> Bool {
        let id = JSON.string(sheet.description)
        guard let (begin, end) = passage(of: id) else { return false }
        if rows[begin].adding == .present { return rows[begin].added.first == id }
        return [.dismiss, .present].contains(rows[end].command.commandName)
            && rows[end].removed.first == id
    }

    /// The commands up to the `open` that added an entry or a sheet, if a later one removed it.
    func commands(adding id: EntryID) -> JSONObject? {
        guard let (begin, _) = passage(of: .string(id.description)), rows[begin].adding == .open
        else { return nil }
        let commands = rows[...begin].map { JSON.object($0.command) }
        return JSONObject([("commands", .array(commands))])
    }

    /// The indices of the commands that added and removed the entry or sheet with this id.
    private func passage(of id: JSON) -> (begin: Int, end: Int)? {
        guard let begin = rows.firstIndex(where: { $0.added.contains(id) }),
            let end = rows[begin...].firstIndex(where: { $0.removed.contains(id) })
        else { return nil }
        return (begin, end)
    }
}

extension JSONObject {
    fileprivate var commandName: CommandName? {
        guard case .string(let name)? = self["command"] else { return nil }
        return CommandName(named: name)
    }

    fileprivate func list(_ name: String) -> [JSON] {
        if case .array(let items)? = self[name] { items } else { [] }
    }
}
