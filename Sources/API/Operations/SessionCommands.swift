internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// The commands, from body to answer.

extension Service {
    func command(_ name: CommandName, _ context: RequestContext) throws(OperationError) -> Reply {
        let asked = try changeRequest(context)
        let json = try context.json(limits: options.limits)
        if asked.key != nil, let scope = try keyScope(context),
            case .change(let first)? = try kept(asked, in: scope, context)
        {
            return answer(
                EventText.answer(
                    remembered: first.record.event, try members(ofEvent: first)),
                first.record.state,
                revision: first.record.revision, sequence: first.sequence, asked)
        }
        var transaction = try transaction(context)
        try asked.checkQuery()
        let body = try json.requireObject()
        let command = try ruled { () throws(RejectionError) in
            try Command(name, body: body, limits: options.limits, work: context.work)
        }
        try reconcile(&transaction, context)
        let answer = try carryOut(name, command, body, in: &transaction, asked, context)
        try store(&transaction, asked)
        return self.answer(
            EventText.answer(answer), try state(transaction, asked),
            revision: transaction.session.revision,
            sequence: transaction.sequence, asked)
    }

    private func carryOut(
        _ name: CommandName, _ command: Command, _ body: JSONObject,
        in transaction: inout SessionTransaction,
        _ asked: ChangeRequest, _ context: RequestContext
    ) throws(OperationError) -> Answer {
        let rules = Rules(
            app: transaction.app, limits: options.limits, strict: asked.isStrict,
            work: context.work)
        let target = try undoTarget(of: command, in: transaction)
        let decision = try ruled { () throws(RejectionError) in
            try decide(
                command, in: transaction.session, rules: rules, undoTarget: target,
                at: context.now)
        }
        switch consume decision {
        case .nothing(let answer): return answer
        case .change(let event, let answer, let state):
            let text = EventText.event(event, command: name.rawValue, body: body, answer: answer)
            try note(event, resultingIn: state, text, key: asked.key, in: &transaction)
            return answer
        }
    }

    /// - Parameter head: the answer's beginning, without its closing brace.
    private func answer(
        _ head: consuming ByteWriter, _ state: [UInt8], revision: Int, sequence: SequenceNumber,
        _ asked: ChangeRequest
    ) -> Reply {
        if asked.isMinimal {
            head.append(literal: #","revision":"#)
            head.append(revision)
        } else {
            head.append(literal: #","session":"#)
            head.append(state)
        }
        head.append(UInt8(ascii: "}"))
        var response = Response(.ok, contentType: .json, body: head.finish())
        if !asked.isDry { response.etag = etag(sequence) }
        response.fields = applied(asked, canBeStrict: true)
        return Reply(response, visibleAfter: sequence)
    }
}

// MARK: - Undo and redo

extension Service {
    /// Where `undo` or `redo` leads; nil if nowhere.
    private func undoTarget(of command: Command, in transaction: SessionTransaction)
        throws(OperationError) -> UndoTarget?
    {
        switch command {
        case .undo(let count):
            try undoTarget(count, transaction.session.undoing.undo, transaction.handle)
        case .redo(let count):
            try undoTarget(count, transaction.session.undoing.redo, transaction.handle)
        case .navigate, .back, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .batch:
            nil
        }
    }

    /// As many steps down the stack as are asked for, or as the store has kept: a damaged log may
    /// have lost some. The step under the last one is looked for as well, so that the session says
    /// rightly whether it can go on that way.
    private func undoTarget(
        _ count: Int, _ stack: RevisionStack, _ handle: SessionHandle
    ) throws(OperationError) -> UndoTarget? {
        for steps in stride(from: min(count, stack.count), to: 0, by: -1) {
            let goesOn = try kept(stack[steps], handle) != nil
            guard let found = try kept(stack[steps - 1], handle) else { continue }
            return UndoTarget(
                state: try session(found).state, steps: steps,
                left: goesOn ? stack.count - steps : 0)
        }
        return nil
    }

    private func kept(_ revision: Int?, _ handle: SessionHandle) throws(OperationError)
        -> StoredRecord?
    {
        guard let revision else { return nil }
        return try stored { () throws(StoreError) in try store.revision(revision, of: handle) }
    }
}
