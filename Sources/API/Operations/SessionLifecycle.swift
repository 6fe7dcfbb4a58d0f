internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Operations that create, restore, patch and delete sessions.

extension Service {
    func createSession(_ context: RequestContext) throws(OperationError) -> Reply {
        let asked = try changeRequest(context)
        let json = try context.json(limits: options.limits)
        if case .change(let first)? = try kept(asked, in: .creations, context) {
            return reply(
                .created, state: first.record.state, revision: first.record.revision,
                id: first.record.id, sequence: first.sequence, asked)
        }
        try context.checkUntagged()
        try asked.checkQuery()
        let body = try json.requireObject()
        let wanted = try ruled { () throws(RejectionError) in
            try CreateSession(body, limits: options.limits, work: context.work)
        }
        let app = try app(named: wanted.app, context)
        let session = try ruled { () throws(RejectionError) in
            try wanted.session(id: Self.freshID(), app: app, at: context.now)
        }
        guard store.find(session.id, now: context.now) == nil else {
            throw .problem(
                Problem(
                    .sessionExists,
                    "The session \(session.id) already exists. Choose another id, or omit it."))
        }
        return try create(session, app, "create", .created, asked)
    }

    /// Stores a session's first revision.
    private func create(
        _ session: Session, _ app: App?, _ command: String, _ status: Status,
        _ asked: ChangeRequest
    ) throws(OperationError) -> Reply {
        let event = Event(
            at: session.createdAt, changes: [.stateSet(session.state)], added: session.state.ids,
            nextEntry: session.nextEntry)
        let text = EventText.event(event, command: command)
        let record = try record(session, app, event: text, key: asked.key)
        var sequence: SequenceNumber = 0
        if !asked.isDry { sequence = try put([record]) }
        return reply(
            status, state: record.state, revision: 1, id: session.id, sequence: sequence, asked)
    }

    private func app(named id: AppID?, _ context: RequestContext) throws(OperationError) -> App? {
        guard let id else { return nil }
        if let loaded = apps[id] { return try usable(loaded) }
        let known = apps.keys.lazy.map(\.rawValue)
        let near = Spelling.near(id.rawValue, among: known, work: context.work).first
        let hint = near.map { "Did you mean \($0)?" } ?? "Store it with PUT /v1/apps/\(id)."
        throw .problem(Problem(.appNotFound, "There is no app \(id). \(hint)"))
    }

    /// 128 random bits as 26 letters and digits.
    private static func freshID() -> SessionID {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var random = SystemRandomNumberGenerator()
        var bits = (UInt128(random.next()) << 64) | UInt128(random.next())
        var text: [UInt8] = []
        for _ in 0..<26 {
            text.append(alphabet[Int(bits & 31)])
            bits >>= 5
        }
        return SessionID(trusted: String(decoding: text, as: UTF8.self))
    }
}

// MARK: - PUT

extension Service {
    func restoreSession(_ context: RequestContext) throws(OperationError) -> Reply {
        let asked = try changeRequest(context)
        try context.refusePart()
        let json = try context.json(limits: options.limits)
        guard let id = SessionID(try context.variable(0)) else {
            let fault = InputFault(pointer: "/id", detail: nameRule(SessionID.self))
            throw .problem(.invalid([fault]))
        }
        if case .change(let first)? = try kept(asked, in: .session(id), context) {
            return reply(
                first.record.revision == 1 ? .created : .ok, state: first.record.state,
                revision: first.record.revision, id: id, sequence: first.sequence, asked)
        }
        let exists = store.find(id, now: context.now) != nil
        if !exists, try context.failedPrecondition(nil, exists: false) != nil {
            throw .problem(.absent)
        }
        return exists
            ? try replace(id, json, asked, context) : try restore(id, json, asked, context)
    }

    private func restore(
        _ id: SessionID, _ json: JSON, _ asked: ChangeRequest, _ context: RequestContext
    ) throws(OperationError) -> Reply {
        try asked.checkQuery()
        let wanted = try restoreBody(try json.requireObject(), id, context)
        let app = try app(named: wanted.app, context)
        let restored = try restored(wanted, nextEntry: 1, app, context)
        let session = Session(
            id: id, app: wanted.app, settings: wanted.settings, at: context.now,
            state: restored.state, nextEntry: restored.nextEntry)
        return try create(session, app, "restore", .created, asked)
    }

    private func replace(
        _ id: SessionID, _ json: JSON, _ asked: ChangeRequest, _ context: RequestContext
    ) throws(OperationError) -> Reply {
        var transaction = try transaction(context)
        try asked.checkQuery()
        let wanted = try restoreBody(try json.requireObject(), id, context)
        guard wanted.app == transaction.session.app else {
            let now =
                transaction.session.app.map { "is bound to \($0)" } ?? "is not bound to an app"
            throw .problem(
                .invalid([
                    InputFault(pointer: "/app", detail: "cannot be changed: the session \(now)")
                ]))
        }
        try reconcile(&transaction, context)
        let restored = try restored(
            wanted, nextEntry: transaction.session.nextEntry, transaction.app, context)
        let session = transaction.session
        let event = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try session.restoring(
                restored, settings: wanted.settings, at: context.now, work: context.work)
        }
        if let event {
            let text = EventText.event(event, command: "restore", dropped: restored.dropped)
            try note(event, text, key: asked.key, in: &transaction)
        }
        return try finish(&transaction, asked)
    }

    private func restoreBody(
        _ body: JSONObject, _ id: SessionID, _ context: RequestContext
    ) throws(OperationError) -> RestoreSession {
        try ruled { () throws(RejectionError) in
            try RestoreSession(body, id: id, limits: options.limits, work: context.work)
        }
    }

    /// What is asked for, as far as the app allows it.
    private func restored(
        _ wanted: RestoreSession, nextEntry: Int, _ app: App?, _ context: RequestContext
    ) throws(OperationError) -> RestoredState {
        let restored = try ruled { () throws(RejectionError) in
            try wanted.state(nextEntry: nextEntry)
        }
        guard let app else { return restored }
        return try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try restored.reconciled(with: app, work: context.work)
        }
    }

    private func finish(_ transaction: inout SessionTransaction, _ asked: ChangeRequest)
        throws(OperationError) -> Reply
    {
        try store(&transaction, asked)
        return reply(
            .ok, state: try state(transaction, asked), revision: transaction.session.revision,
            id: transaction.session.id, sequence: transaction.sequence, asked)
    }
}

// MARK: - PATCH and DELETE

extension Service {
    func patchSession(_ context: RequestContext) throws(OperationError) -> Reply {
        let asked = try changeRequest(context)
        let json = try context.json(limits: options.limits)
        if let scope = try keyScope(context),
            case .change(let first)? = try kept(asked, in: scope, context)
        {
            return reply(
                .ok, state: first.record.state, revision: first.record.revision,
                id: first.record.id, sequence: first.sequence, asked)
        }
        var transaction = try transaction(context)
        try asked.checkQuery()
        let body = try json.requireObject()
        let patch = try ruled { () throws(RejectionError) in
            try PatchSession(body, limits: options.limits, work: context.work)
        }
        let settings = try ruled { () throws(RejectionError) in
            try patch.apply(to: transaction.session.settings, work: context.work)
        }
        if let event = transaction.session.updating(settings, at: context.now) {
            let text = EventText.event(event, command: "update", body: body)
            try note(event, text, key: asked.key, in: &transaction)
        }
        return try finish(&transaction, asked)
    }

    func deleteSession(_ context: RequestContext) throws(OperationError) -> Reply {
        let asked = try changeRequest(context)
        if let scope = try keyScope(context),
            case .deletion(let first)? = try kept(asked, in: scope, context)
        {
            return Reply(Response(.noContent), visibleAfter: first.sequence)
        }
        let (handle, sequence) = try expected(context)
        try asked.checkQuery()
        guard !asked.isDry else { return Reply(Response(.noContent), visibleAfter: sequence) }
        let deletion = try stored { () throws(StoreError) in
            try store.delete(handle, at: context.now, key: asked.key)
        }
        announce(deletion)
        return Reply(Response(.noContent), visibleAfter: deletion.sequence)
    }
}

extension Problem {
    /// `If-Match` on what is not there.
    fileprivate static let absent = Problem(
        .revisionMismatch, "There is no such session. Create it without If-Match.")
}
