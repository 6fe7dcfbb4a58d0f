internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Reads whether a sheet is presented, or which change removed it and with which result.
///
/// The newest state says whether the sheet is presented. If it is not, the history is searched for
/// the newest change that removed it; an earlier one was undone.
struct SheetReading {
    private let context: RequestContext
    private let handle: SessionHandle
    private let newest: StoredRecord
    private let sheet: EntryID
    private let isPresented: Bool

    init(_ context: RequestContext) throws(OperationError) {
        try context.refuseQuery()
        try context.checkAccept()
        self.context = context
        handle = try context.find()
        newest = try context.newest(handle)
        let name = try context.variable(1)
        guard let sheet = EntryID(name) else { throw .problem(.unknownSheet(name)) }
        self.sheet = sheet
        isPresented = try context.session(newest).state.sheetIndex(sheet) != nil
    }

    /// The answer, or the wait for it, which a request asks for when it is begun.
    func outcome(at stage: RequestStage) throws(OperationError) -> Outcome {
        if case .begun = stage, let wait { return .wait(wait) }
        return .reply(try read())
    }

    /// The wait until the sheet is gone, or nil if the request is to be answered now. The request
    /// is processed again after each change of the session, and may wait again then.
    private var wait: LongPoll? {
        guard isPresented, let seconds = context.waitSeconds else { return nil }
        return LongPoll(id: newest.record.id, seconds: seconds)
    }

    private func read() throws(OperationError) -> Reply {
        var body = ByteWriter()
        body.object("sheet")
        body.append(quoting: sheet.description)
        if isPresented {
            body.member("state", plain: "presented")
        } else {
            append(try removal(), to: &body)
        }
        body.append(literal: "}")
        return Reply(
            Response(.ok, contentType: .json, body: body.finish()),
            visibleAfter: newest.version.ticket)
    }

    private func append(_ removal: Removal, to body: inout ByteWriter) {
        body.member("state", plain: removal.hasExpired ? "expired" : "dismissed")
        body.member("revision", removal.record.revision)
        body.member("at", time: removal.record.at)
        body.member("command", string: removal.command)
        if let button = removal.button { body.member("button", button) }
        if let result = removal.result { body.member("result", result) }
    }

    // MARK: - The change that removed the sheet

    private struct Removal {
        var record: SessionRecord
        /// The name of the command.
        var command: String
        var result: JSON?
        /// The id of the button that was pressed, if the sheet was a dialog.
        var button: JSON?
        /// Whether the sheet was presented by the same change.
        var isOfPassing = false
        /// Whether the sheet went because its time had come, and not with one beneath it.
        var hasExpired = false
    }

    private func removal() throws(OperationError) -> Removal {
        var next: StoredRecord? = newest
        while let stored = next {
            let revision = stored.record.revision
            next = revision > 1 ? try context.revision(revision - 1, of: handle) : nil
            guard let removal = try removal(by: stored, after: next) else { continue }
            // A pushed entry is not a sheet. Only the state before tells, if it is still kept.
            guard !removal.isOfPassing, let before = next else { return removal }
            if try context.session(before).state.sheetIndex(sheet) != nil { return removal }
        }
        try context.confirm(handle)
        throw .problem(.unknownSheet(sheet.description))
    }

    /// The removal of the sheet, or of an entry with that id, by a change, or nil if the change did
    /// not remove it.
    ///
    /// - Parameter before: the revision before the change, if it is still kept.
    private func removal(
        by stored: StoredRecord, after before: StoredRecord?
    ) throws(OperationError) -> Removal? {
        let event = stored.record.event
        try within(budgetFor: .state) { () throws(WorkBudgetError) in
            // Finding the members takes half as long as parsing.
            try context.work.spend(.steps(event.count / 2))
        }
        let members = try context.members(ofEvent: stored)
        func member(_ name: String) throws(OperationError) -> JSON? {
            guard let range = members.first(where: { $0.name == name })?.value else { return nil }
            do {
                return try JSON(parsing: event, in: range, limits: .stored)
            } catch {
                throw context.unreadable(stored.sequence, "has an event with an invalid \(name)")
            }
        }
        guard case .array(let removed)? = try member("removed") else { return nil }
        let results = try member("results")
        var button: JSON?
        if case .object(let pressed)? = try member("pressed") {
            button = pressed[sheet.description]
        }
        let isRemoved = removed.contains(id)
        // Sheets that came and went in a batch are in the answers of its commands alone.
        guard isRemoved || results != nil, case .object(let command)? = try member("command")
        else { return nil }
        guard let results else {
            let name = name(of: command)
            return Removal(
                record: stored.record, command: name, result: result(of: command, removed),
                button: button,
                hasExpired: name == EventText.expire && command["sheet"] == id)
        }
        guard let batch = PastBatch(command, results: results) else { return nil }
        if !isRemoved, !batch.passed(sheet) {
            guard let before, try wasOpened(by: batch, stored, after: before)
            else { return nil }
        }
        return Removal(
            record: stored.record, command: name(of: command), result: batch.result(of: sheet),
            button: button, isOfPassing: !isRemoved)
    }

    /// Whether a link in a batch presented the sheet. To find out, the commands up to the link are
    /// run again on the revision before. If the app has been replaced since then, its links may
    /// lead elsewhere, so the answer is no.
    private func wasOpened(
        by batch: PastBatch, _ stored: StoredRecord, after before: StoredRecord
    ) throws(OperationError) -> Bool {
        guard let commands = batch.commands(adding: sheet) else { return false }
        let session = try context.session(before)
        guard let id = session.app, let loaded = context.apps[id], let app = loaded.app,
            loaded.stored.sequence <= stored.appSequence
        else { return false }
        let rules = Rules(app: app, limits: context.limits, work: context.work)
        do {
            let batch = try Command(
                .batch, body: commands, limits: context.limits, work: context.work)
            var editor = SessionEditor(session, rules: rules)
            _ = try editor.carryOut(batch, at: before.record.at)
            return editor.session.state.sheetIndex(sheet) != nil
        } catch {
            if case .tooMuchWork = error { throw .problem(Problem(error)) }
            // The limits may be lower now than they were then.
            return false
        }
    }

    private var id: JSON { .string(sheet.description) }

    private func name(of command: JSONObject) -> String {
        if case .string(let name)? = command["command"] { name } else { "" }
    }

    /// The result that a command brought. It belongs to the lowest sheet that was dismissed.
    private func result(of command: JSONObject, _ removed: [JSON]) -> JSON? {
        guard name(of: command) == CommandName.dismiss.rawValue, removed.first == id else {
            return nil
        }
        return command["result"]
    }
}

extension Problem {
    fileprivate static func unknownSheet(_ name: String) -> Problem {
        Problem(
            .sheetNotFound,
            "There is no sheet \(name.clipped), and no change in the history removed one.")
    }
}
