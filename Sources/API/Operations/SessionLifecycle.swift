internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations that create, restore, patch and delete sessions.
struct SessionLifecycle {
    private let writer: SessionWriter
    private let json: JSON

    private var context: RequestContext { writer.context }

    init(_ context: RequestContext) throws(OperationError) {
        let isRestore = context.request.method == .put
        if isRestore { try context.refusePart() }
        let json = try isRestore ? context.json(context.limits.ofRestore) : context.json()
        writer = SessionWriter(try ChangeRequest(context) { $0.mix(json) }, context)
        self.json = json
    }

    // MARK: - POST

    func create() throws(OperationError) -> Reply {
        if case .change(let earlier)? = try writer.earlierResult(in: .creations) {
            return writer.reply(.created, ShownRevision(earlier))
        }
        try context.checkUntagged()
        try writer.request.checkQuery(context)
        let body = try json.requireObject()
        let wanted = try ruled { () throws(RejectionError) in
            try CreateSession(body, limits: context.limits, work: context.work)
        }
        var random = context.random
        let id = writer.request.key.flatMap {
            context.store.reading.creationID(forKey: $0.key, now: context.now)
        }
        let unused = random.sessionID()
        let begun = try SessionBeginnings(context).session(
            wanted, id: id ?? unused, isStrict: writer.request.isStrict)
        try context.checkLimits(of: begun, body: body)
        let session = begun.session
        // A random id is not looked up: a request that is processed again draws another one.
        if session.id != unused, let handle = try context.find(session.id) {
            // A store that has no table of all keys knows those of a session.
            if case .change(let earlier)? = try writer.earlierResult(in: .session(session.id)),
                earlier.record.revision == 1
            {
                return writer.reply(.created, ShownRevision(earlier))
            }
            try context.confirm(handle)
            throw .problem(Problem(.sessionExists, exists(session.id, isOfKey: session.id == id)))
        }
        var cause = EventText.Cause(command: "create", losses: begun.losses)
        if let url = wanted.url { cause.body = JSON.object(["url": .string(url)]).bytes }
        var shown = try writer.create(session, begun.app, by: cause, held: begun.held)
        shown.visibleAfter.insert(begun.ticket)
        return writer.reply(.created, shown)
    }

    /// Why a session cannot be created.
    ///
    /// - Parameter isOfKey: whether the id was derived from the idempotency key.
    private func exists(_ id: SessionID, isOfKey: Bool) -> String {
        isOfKey
            ? "A request with this Idempotency-Key created the session \(id). It has been changed so "
                + "often since that the first response is gone. Continue with GET /v1/sessions/\(id), "
                + "or use a new key for another session."
            : "The session \(id) already exists. Choose another id, or omit it."
    }

    // MARK: - PUT

    func restore() throws(OperationError) -> Reply {
        guard let id = SessionID(try context.variable(0)) else {
            let fault = InputFault(pointer: "/id", detail: nameRule(SessionID.self))
            throw .problem(.invalid([fault]))
        }
        if case .change(let earlier)? = try writer.earlierResult(in: .session(id)) {
            return writer.reply(
                earlier.record.revision == 1 ? .created : .ok, ShownRevision(earlier),
                losses: EventText.losses(
                    remembered: earlier.record.event, try context.members(ofEvent: earlier)))
        }
        if try context.find(id) != nil { return try replace(id) }
        if let failed = try context.failedPrecondition(nil, exists: false) {
            try context.confirm(id)
            throw .problem(
                context.mismatch(failed, "There is no such session. Create it without If-Match."))
        }
        return try create(id)
    }

    private func create(_ id: SessionID) throws(OperationError) -> Reply {
        try writer.request.checkQuery(context)
        let wanted = try wanted(id)
        let app = try context.app(named: wanted.app)
        let restored = try restored(wanted, nextEntry: 1, app)
        let session = Session(id: id, restored, by: wanted, at: context.now)
        let cause = EventText.Cause(command: "restore", losses: restored.losses)
        let shown = try writer.create(session, app, by: cause)
        return writer.reply(.created, shown, losses: EventText.losses(restored.losses))
    }

    private func replace(_ id: SessionID) throws(OperationError) -> Reply {
        try writer.change { transaction throws(OperationError) in
            try replace(id, transaction)
        }
    }

    private func replace(
        _ id: SessionID, _ transaction: SessionTransaction
    ) throws(OperationError) -> Reply {
        try writer.request.checkQuery(context)
        let wanted = try wanted(id)
        let app = transaction.session.app
        try ruled { () throws(RejectionError) in try wanted.checkApp(of: app) }
        try writer.reconcile(transaction)
        let restored = try restored(
            wanted, nextEntry: transaction.session.nextEntry, transaction.app)
        let answer = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try transaction.editor.restore(restored, settings: wanted.settings, at: context.now)
        }
        if let answer {
            try writer.record(
                answer, to: EventText.Cause(command: "restore", losses: restored.losses),
                key: writer.request.key, in: transaction)
        } else if !transaction.records.isEmpty {
            // The app alone has changed the session, and a repeated request has to find that.
            transaction.records[transaction.records.count - 1].key = writer.request.key
        }
        return try finish(transaction, losses: EventText.losses(restored.losses))
    }

    private func wanted(_ id: SessionID) throws(OperationError) -> RestoreSession {
        let body = try json.requireObject()
        return try ruled { () throws(RejectionError) in
            try RestoreSession(body, id: id, limits: context.limits, work: context.work)
        }
    }

    /// The state that is to be restored, as far as the app allows it.
    private func restored(
        _ wanted: RestoreSession, nextEntry: Int, _ app: App?
    ) throws(OperationError) -> RestoredState {
        let restored = try ruled { () throws(RejectionError) in
            try wanted.fitting(app, nextEntry: nextEntry, at: context.now, work: context.work)
        }
        // A newer definition may allow what this one does not.
        if !restored.isWhole { try context.confirmApps() }
        return restored
    }

    private func finish(
        _ transaction: SessionTransaction, losses: [UInt8] = []
    ) throws(OperationError) -> Reply {
        try writer.store(transaction)
        return writer.reply(.ok, try writer.shown(transaction), losses: losses)
    }

    // MARK: - PATCH and DELETE

    func patch() throws(OperationError) -> Reply {
        if case .change(let earlier)? = try writer.earlierResult() {
            return writer.reply(.ok, ShownRevision(earlier))
        }
        return try writer.change { transaction throws(OperationError) in
            try writer.request.checkQuery(context)
            let body = try json.requireObject()
            let old = transaction.session.settings
            let settings = try ruled { () throws(RejectionError) in
                let patch = try PatchSession(body, limits: context.limits, work: context.work)
                return try patch.apply(to: old, work: context.work)
            }
            if transaction.editor.update(settings, at: context.now) {
                try writer.record(
                    Answer(),
                    to: EventText.Cause(command: "update", body: JSON.object(body).bytes),
                    key: writer.request.key, in: transaction)
            }
            return try finish(transaction)
        }
    }

    func delete() throws(OperationError) -> Reply {
        if let reply = try discard() { return reply }
        if case .deletion(let earlier)? = try writer.earlierResult() {
            return Reply(Response(.noContent), visibleAfter: earlier.ticket)
        }
        let (handle, version) = try writer.expected()
        try writer.request.checkQuery(context)
        guard !writer.request.isDry else {
            return Reply(Response(.noContent), visibleAfter: version.ticket)
        }
        let id = context.store.reading.summary(handle).id
        let ticket = try stored { () throws(StoreError) in
            try context.store.writing.delete(
                handle, at: context.now, key: writer.request.key, author: context.author)
        }
        return Reply(
            Response(.noContent), visibleAfter: Tickets(ticket),
            audience: context.service.environment.audience(id))
    }
    /// Deletes a session that cannot be read. A request that expects a certain version does not.
    private func discard() throws(OperationError) -> Reply? {
        guard let id = SessionID(try context.variable(0)), !writer.request.isDry,
            try context.failedPrecondition(nil) == nil
        else { return nil }
        let ticket = try stored { () throws(StoreError) in
            try context.store.writing.discard(
                id, at: context.now, key: writer.request.key, author: context.author)
        }
        return ticket.map { ticket in
            Reply(
                Response(.noContent), visibleAfter: Tickets(ticket),
                audience: context.service.environment.audience(id))
        }
    }
}
