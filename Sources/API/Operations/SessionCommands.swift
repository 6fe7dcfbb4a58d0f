internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The commands, from the body of the request to the response.
struct SessionCommands {
    private let name: CommandName
    private let writer: SessionWriter

    /// Whether nothing is stored.
    var isDry: Bool { writer.request.isDry }
    var context: RequestContext { writer.context }

    init(_ name: CommandName, _ writer: SessionWriter) {
        self.writer = writer
        self.name = name
    }

    static func perform(
        _ name: CommandName, _ context: RequestContext
    ) throws(OperationError) -> Reply {
        let body = try context.compactBody()
        if name == .batch { try context.checkLimits(ofBatch: body.text) }
        let request = try ChangeRequest(context) { $0.mix(body) }
        return try SessionCommands(name, SessionWriter(request, context)).perform(body)
    }

    private func perform(_ body: CompactObject) throws(OperationError) -> Reply {
        if writer.request.key != nil, case .change(let earlier)? = try writer.earlierResult() {
            let members = try context.members(ofEvent: earlier)
            return reply(ShownRevision(earlier)) { text in
                EventText.append(remembered: earlier.record.event, members, to: &text)
            }
        }
        let transaction = try writer.begin()
        defer { writer.end(transaction) }
        try writer.request.checkQuery(context)
        guard body.text.first == UInt8(ascii: "{") else {
            throw .problem(Problem(.bodyIsNoObject))
        }
        let request = CommandRequest(try command(of: body), body: body.text)
        var answer = Answer()
        try carryOut(request, in: transaction, &answer)
        let shown = try writer.shown(transaction, isMinimal: writer.request.isMinimal)
        signalReselection(by: request.command, answer, in: transaction)
        return reply(shown) { EventText.append(answer, to: &$0) }
    }

    private func command(of body: CompactObject) throws(OperationError) -> Command {
        try ruled { () throws(RejectionError) in
            try Command(name, body: body, limits: context.limits, work: context.work)
        }
    }

    /// Carries the command out on a session and stores what it changes.
    ///
    /// - Parameter answer: empty at first.
    func carryOut(
        _ request: CommandRequest, in transaction: SessionTransaction, _ answer: inout Answer
    ) throws(OperationError) {
        try writer.reconcile(transaction)
        try change(by: request, transaction, &answer)
        try writer.store(transaction)
    }

    private func change(
        by request: CommandRequest, _ transaction: SessionTransaction, _ answer: inout Answer
    ) throws(OperationError) {
        let target = try undoTarget(for: request.command, of: transaction)
        do throws(RejectionError) {
            try transaction.editor.carryOut(
                request, undoTarget: target, at: context.now, &answer)
        } catch {
            // Another server may have just added the entry that the command names, or changed the
            // app.
            try context.confirm(transaction.handle, of: transaction.app)
            var problem = Problem(error)
            // Only strict handling refuses a command for this reason.
            if case .nothingToDo = error {
                problem.fields.append(ResponseField(.preferenceApplied, "handling=strict"))
            }
            throw .problem(problem)
        }
        if answer.changed {
            try writer.record(
                answer,
                to: EventText.Cause(
                    command: name.rawValue, body: request.body, isIdle: writer.request.isIdle),
                key: writer.request.key, in: transaction)
        }
    }

    /// - Parameter answer: writes the beginning of the body, without its closing brace.
    private func reply(_ shown: ShownRevision, _ answer: (inout ByteWriter) -> Void) -> Reply {
        let body = context.service.texts.text { text in
            answer(&text)
            if writer.request.isMinimal {
                text.member("revision", shown.revision)
            } else {
                text.member("session", json: shown.state)
            }
            text.append(UInt8(ascii: "}"))
        }
        let response = Response(
            .ok, contentType: .json, fields: writer.request.appliedPreferences, body: body)
        return writer.reply(response, shown)
    }

    // MARK: - Undo and redo

    /// The state that `undo` or `redo` leads to, if there is one. Nil for all other commands.
    private func undoTarget(
        for command: Command, of transaction: SessionTransaction
    ) throws(OperationError) -> UndoTarget? {
        if case .undo(let count) = command {
            let stack = transaction.editor.session.undoing.undo
            return try undoTarget(count, stack, of: transaction.handle)
        }
        if case .redo(let count) = command {
            let stack = transaction.editor.session.undoing.redo
            return try undoTarget(count, stack, of: transaction.handle)
        }
        return nil
    }

    /// Goes as many steps down the stack as are requested, or as the store has kept: a damaged log
    /// may have lost some. The revision below the last step is looked up as well, so that the
    /// session says correctly whether further steps are possible.
    private func undoTarget(
        _ count: Int, _ stack: RevisionStack, of handle: SessionHandle
    ) throws(OperationError) -> UndoTarget? {
        for steps in stride(from: min(count, stack.count), to: 0, by: -1) {
            let hasMore = try kept(stack[steps], of: handle) != nil
            guard let found = try kept(stack[steps - 1], of: handle) else { continue }
            return UndoTarget(
                state: try context.session(found).state, steps: steps,
                left: hasMore ? stack.count - steps : 0)
        }
        return nil
    }

    private func kept(
        _ revision: Int?, of handle: SessionHandle
    ) throws(OperationError) -> StoredRecord? {
        guard let revision else { return nil }
        return try context.revision(revision, of: handle)
    }
}
