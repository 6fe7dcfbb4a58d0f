internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Operations that create, restore, patch and delete sessions.

extension Service {
    func createSession(_ call: Call) throws(Interruption) -> Reply {
        let asked = try changeRequest(call)
        let json = try call.json(limits: options.limits)
        if case .change(let first)? = try kept(asked, in: .creations, call) {
            return reply(
                .created, state: first.record.state, revision: first.record.revision,
                id: first.record.id, sequence: first.sequence, asked)
        }
        try call.checkUntagged()
        try asked.checkQuery()
        let body = try json.requireObject()
        let wanted = try ruled { () throws(Rejection) in
            try CreateSession(body, limits: options.limits, work: call.work)
        }
        let app = try app(named: wanted.app, call)
        let session = try ruled { () throws(Rejection) in
            try wanted.session(id: Self.freshID(), app: app, at: call.now)
        }
        guard store.find(session.id, now: call.now) == nil else {
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
    ) throws(Interruption) -> Reply {
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

    private func app(named id: AppID?, _ call: Call) throws(Interruption) -> App? {
        guard let id else { return nil }
        if let loaded = apps[id] { return try usable(loaded) }
        let known = apps.keys.lazy.map(\.rawValue)
        let near = Spelling.near(id.rawValue, among: known, work: call.work).first
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
    func restoreSession(_ call: Call) throws(Interruption) -> Reply {
        let asked = try changeRequest(call)
        try call.refusePart()
        let json = try call.json(limits: options.limits)
        guard let id = SessionID(try call.variable(0)) else {
            let fault = Fault(pointer: "/id", detail: nameRule(SessionID.self))
            throw .problem(.invalid([fault]))
        }
        if case .change(let first)? = try kept(asked, in: .session(id), call) {
            return reply(
                first.record.revision == 1 ? .created : .ok, state: first.record.state,
                revision: first.record.revision, id: id, sequence: first.sequence, asked)
        }
        let exists = store.find(id, now: call.now) != nil
        if !exists, try call.failedPrecondition(nil, exists: false) != nil {
            throw .problem(.absent)
        }
        return exists ? try replace(id, json, asked, call) : try restore(id, json, asked, call)
    }

    private func restore(
        _ id: SessionID, _ json: JSON, _ asked: ChangeRequest, _ call: Call
    ) throws(Interruption) -> Reply {
        try asked.checkQuery()
        let wanted = try restoreBody(try json.requireObject(), id, call)
        let app = try app(named: wanted.app, call)
        let restored = try restored(wanted, nextEntry: 1, app, call)
        let session = Session(
            id: id, app: wanted.app, settings: wanted.settings, at: call.now,
            state: restored.state, nextEntry: restored.nextEntry)
        return try create(session, app, "restore", .created, asked)
    }

    private func replace(
        _ id: SessionID, _ json: JSON, _ asked: ChangeRequest, _ call: Call
    ) throws(Interruption) -> Reply {
        var draft = try draft(call)
        try asked.checkQuery()
        let wanted = try restoreBody(try json.requireObject(), id, call)
        guard wanted.app == draft.session.app else {
            let now = draft.session.app.map { "is bound to \($0)" } ?? "is not bound to an app"
            throw .problem(
                .invalid([Fault(pointer: "/app", detail: "cannot be changed: the session \(now)")]))
        }
        try reconcile(&draft, call)
        let restored = try restored(wanted, nextEntry: draft.session.nextEntry, draft.app, call)
        let session = draft.session
        let event = try within(budgetFor: .request) { () throws(BudgetExceeded) in
            try session.restoring(
                restored, settings: wanted.settings, at: call.now, work: call.work)
        }
        if let event {
            let text = EventText.event(event, command: "restore", dropped: restored.dropped)
            try note(event, text, key: asked.key, in: &draft)
        }
        return try finish(&draft, asked)
    }

    private func restoreBody(
        _ body: JSONObject, _ id: SessionID, _ call: Call
    ) throws(Interruption) -> RestoreSession {
        try ruled { () throws(Rejection) in
            try RestoreSession(body, id: id, limits: options.limits, work: call.work)
        }
    }

    /// What is asked for, as far as the app allows it.
    private func restored(
        _ wanted: RestoreSession, nextEntry: Int, _ app: App?, _ call: Call
    ) throws(Interruption) -> RestoredState {
        let restored = try ruled { () throws(Rejection) in
            try wanted.state(nextEntry: nextEntry)
        }
        guard let app else { return restored }
        return try within(budgetFor: .request) { () throws(BudgetExceeded) in
            try restored.reconciled(with: app, work: call.work)
        }
    }

    private func finish(_ draft: inout Draft, _ asked: ChangeRequest) throws(Interruption) -> Reply
    {
        try store(&draft, asked)
        return reply(
            .ok, state: try state(draft, asked), revision: draft.session.revision,
            id: draft.session.id, sequence: draft.sequence, asked)
    }
}

// MARK: - PATCH and DELETE

extension Service {
    func patchSession(_ call: Call) throws(Interruption) -> Reply {
        let asked = try changeRequest(call)
        let json = try call.json(limits: options.limits)
        if let scope = try keyScope(call),
            case .change(let first)? = try kept(asked, in: scope, call)
        {
            return reply(
                .ok, state: first.record.state, revision: first.record.revision,
                id: first.record.id, sequence: first.sequence, asked)
        }
        var draft = try draft(call)
        try asked.checkQuery()
        let body = try json.requireObject()
        let patch = try ruled { () throws(Rejection) in
            try PatchSession(body, limits: options.limits, work: call.work)
        }
        let settings = try ruled { () throws(Rejection) in
            try patch.apply(to: draft.session.settings, work: call.work)
        }
        if let event = draft.session.updating(settings, at: call.now) {
            let text = EventText.event(event, command: "update", body: body)
            try note(event, text, key: asked.key, in: &draft)
        }
        return try finish(&draft, asked)
    }

    func deleteSession(_ call: Call) throws(Interruption) -> Reply {
        let asked = try changeRequest(call)
        if let scope = try keyScope(call),
            case .deletion(let first)? = try kept(asked, in: scope, call)
        {
            return Reply(Response(.noContent), visibleAfter: first.sequence)
        }
        let (handle, sequence) = try expected(call)
        try asked.checkQuery()
        guard !asked.isDry else { return Reply(Response(.noContent), visibleAfter: sequence) }
        let deletion = try stored { () throws(StoreError) in
            try store.delete(handle, at: call.now, key: asked.key)
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
