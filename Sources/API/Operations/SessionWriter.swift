internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The common part of all changes of sessions: the idempotency key, the precondition, the
/// reconciliation with a changed app, the records, and the response.
struct SessionWriter {
    let request: ChangeRequest
    let context: RequestContext

    init(_ request: ChangeRequest, _ context: RequestContext) {
        self.request = request
        self.context = context
    }

    // MARK: - Idempotency

    /// The result of the same request to the session that the URL names, or nil if the request is
    /// new.
    func earlierResult() throws(OperationError) -> IdempotentResult? {
        guard request.key != nil, let id = SessionID(try context.variable(0)) else { return nil }
        return try earlierResult(in: .session(id))
    }

    /// The result of the same request, or nil if the request is new.
    func earlierResult(in scope: IdempotencyScope) throws(OperationError) -> IdempotentResult? {
        guard let key = request.key, !request.isDry else { return nil }
        let result = try stored { () throws(StoreError) in
            try context.store.reading.result(forKey: key.key, in: scope, now: context.now)
        }
        let earlier =
            switch result {
            case .change(let stored): stored.record.key
            case .deletion(let deletion): deletion.key
            case nil: IdempotencyKey?.none
            }
        guard let result, let earlier else { return nil }
        guard key.repeats(earlier) else {
            throw .problem(
                Problem(
                    .idempotencyKeyReused, "Use a new key for each new request, such as a UUID."))
        }
        return result
    }

    // MARK: - The session

    /// Changes the session that the URL names, if its precondition is met.
    func change<Result>(
        _ body: (SessionTransaction) throws(OperationError) -> Result
    ) throws(OperationError) -> Result {
        let (handle, version) = try expected()
        return try change(handle, at: version, body)
    }

    /// Changes a session whose newest state has this version. What is stored then is kept decoded:
    /// the changes, or the session as it was if they were refused or only tried.
    func change<Result>(
        _ handle: SessionHandle, at version: StoredVersion,
        _ body: (SessionTransaction) throws(OperationError) -> Result
    ) throws(OperationError) -> Result {
        let transaction = try begin(handle, version)
        defer { end(transaction) }
        return try body(transaction)
    }

    /// Begins to change the session that the URL names, if its precondition is met.
    func begin() throws(OperationError) -> SessionTransaction {
        let (handle, version) = try expected()
        return try begin(handle, version)
    }

    private func begin(
        _ handle: SessionHandle, _ version: StoredVersion
    ) throws(OperationError) -> SessionTransaction {
        let place: RecentSession
        if let kept = context.service.caches.sessions.take(handle, version.entity) {
            place = kept
        } else {
            place = try decoded(handle)
        }
        let loaded = try context.loadedApp(boundTo: place.session.app)
        let app = try loaded?.usable()
        let routes = context.tokenLimits == nil ? nil : try context.allowedRoutes(in: app)
        let transaction = context.service.spareTransaction.take() ?? SessionTransaction()
        transaction.begin(
            place, of: handle,
            rules: Rules(
                app: app, limits: context.limits, strict: request.isStrict, work: context.work,
                routes: routes),
            version: version)
        transaction.appSequence = loaded?.stored.sequence
        return transaction
    }

    private func decoded(_ handle: SessionHandle) throws(OperationError) -> RecentSession {
        let newest = try context.newest(handle)
        // An update does not touch the navigation, which may not fit the app.
        let isUpdate = EventText.isUpdate(newest.record.event)
        return RecentSession(
            try context.session(newest), fitsBefore: isUpdate ? 0 : newest.appSequence,
            jsonBytes: newest.record.state.count)
    }

    /// Ends a change, stored or not.
    func end(_ transaction: SessionTransaction) {
        context.service.texts.reuse(transaction.records)
        let (handle, version) = (transaction.handle, transaction.version)
        let place = transaction.end()
        context.service.spareTransaction = transaction
        if let place { context.service.caches.sessions.keep(place, of: handle, version) }
    }

    /// The session that the URL names and the version of its newest state, if its precondition is
    /// met.
    func expected() throws(OperationError) -> (handle: SessionHandle, version: StoredVersion) {
        let handle = try context.find()
        let version = context.store.reading.version(of: handle)
        guard let failed = try context.failedPrecondition(context.etag(version)) else {
            return (handle, version)
        }
        try context.confirmIfNewer(handle, version)
        let newest = try context.newest(handle)
        var problem = context.mismatch(
            failed,
            "The session is not in the required state. Look at its current state and decide again.",
            etag: context.etag(newest.version))
        problem.session = newest.record.state
        problem.visibleAfter = Tickets(newest.version.ticket)
        throw .problem(problem)
    }

    // MARK: - Changes

    /// Makes the session fit its app, unless it is known to fit. Every operation that changes the
    /// navigation calls this first and leaves a session that fits.
    func reconcile(_ transaction: SessionTransaction) throws(OperationError) {
        guard let appSequence = transaction.appSequence else { return }
        guard appSequence > transaction.fitsBefore else {
            // Another server may have reconciled the session with a newer document.
            if appSequence < transaction.fitsBefore { try context.confirmApps() }
            return
        }
        // The work counts against the budget of the request. If it alone takes more, then the cause
        // is what is stored, and not what the client sent.
        let reconciliation = try within(budgetFor: .state) { () throws(WorkBudgetError) in
            try transaction.editor.reconcile(at: context.now)
        }
        transaction.fitsBefore = appSequence
        guard let (answer, losses) = reconciliation else { return }
        try record(
            answer, to: EventText.Cause(command: "reconcile", losses: losses), in: transaction)
    }

    /// Makes the record of the newest revision.
    func record(
        _ answer: Answer, to cause: EventText.Cause, key: IdempotencyKey? = nil,
        in transaction: SessionTransaction
    ) throws(OperationError) {
        if !request.isDry, context.service.environment.wantsSteps(transaction.editor.session.id) {
            noteSteps(in: transaction)
        }
        transaction.recordedChanges = transaction.editor.changeCount
        let former = transaction.records.last?.state.count ?? transaction.jsonBytes
        let record = record(
            transaction.editor, answer, to: cause, fits: transaction.fitsBefore, key: key)
        try checkSize(record.state.count, former: former, after: answer)
        transaction.records.append(consume record)
    }

    /// The record of the newest revision. An editor is not copied to be passed, as its session
    /// would be.
    private func record(
        _ editor: borrowing SessionEditor, _ answer: Answer, to cause: EventText.Cause,
        fits appSequence: SequenceNumber, key: IdempotencyKey?
    ) -> SessionRecord {
        SessionRecord(
            editor.session, isIdle: cause.isIdle, key: key, fits: appSequence,
            event: event(answer, to: cause),
            state: context.service.texts.state(editor.session, app: editor.rules.app))
    }

    /// Notes the steps of the newest revision.
    private func noteSteps(in transaction: SessionTransaction) {
        let before = transaction.editor.state(after: transaction.recordedChanges)
        let app = transaction.app
        let steps = before.steps(to: transaction.editor.session.state, app: app)
        transaction.steps[transaction.editor.session.revision] = SessionEncoder.encode(
            steps, app: app)
    }

    private func event(_ answer: Answer, to cause: EventText.Cause) -> [UInt8] {
        context.service.texts.text { text in
            EventText.append(answer, to: cause, by: context.author, into: &text)
        }
    }

    /// Throws if a session must not be so large as JSON.
    ///
    /// - Parameter former: its length before the change.
    private func checkSize(
        _ bytes: Int, former: Int, after answer: Answer
    ) throws(OperationError) {
        guard context.limits.allows(sessionBytes: bytes, former: former, after: answer) else {
            throw .problem(Problem(.sessionTooLarge(context.limits)))
        }
    }

    // MARK: - Storing

    /// Stores the changes of a transaction unless this is a dry run.
    func store(_ transaction: SessionTransaction) throws(OperationError) {
        guard !request.isDry else { return }
        guard !transaction.records.isEmpty else {
            // The request may have an effect on a state that another server has just made.
            return try context.confirm(transaction.handle, of: transaction.app)
        }
        (transaction.version, transaction.audience) = try put(
            transaction.records, of: transaction.handle, steps: transaction.steps)
        transaction.jsonBytes = transaction.records[transaction.records.count - 1].state.count
        transaction.isStored = true
    }

    /// Stores the first revision of a session unless this is a dry run.
    ///
    /// - Parameter held: the guard that has held back a part of it.
    func create(
        _ session: Session, _ app: App?, by cause: EventText.Cause, held: GuardName? = nil
    ) throws(OperationError) -> ShownRevision {
        var answer = Answer(added: session.state.ids)
        if held != nil { answer.guarded.held = held }
        let event = event(answer, to: cause)
        let fits = app.flatMap { context.apps[$0.id]?.stored.sequence } ?? 0
        let record = SessionRecord(
            session, key: request.key, fits: fits, event: event,
            state: context.service.texts.state(session, app: app))
        try checkSize(record.state.count, former: 0, after: answer)
        guard !request.isDry else {
            return ShownRevision(
                id: session.id, revision: 1, state: record.state, version: nil,
                visibleAfter: .none)
        }
        let (version, audience) = try put([record], of: nil)
        return ShownRevision(
            id: session.id, revision: 1, state: record.state, version: version,
            visibleAfter: Tickets(version.ticket), audience: audience)
    }

    /// Stores records of a session, all of them or none.
    ///
    /// - Parameters:
    ///   - handle: the session, or nil if it is new.
    ///   - steps: the steps of the changes as JSON, by their revisions.
    private func put(
        _ records: [SessionRecord], of handle: SessionHandle?, steps: [Int: [UInt8]] = [:]
    ) throws(OperationError) -> (version: StoredVersion, audience: Int) {
        let audience = context.service.environment.audience(records[0].id)
        do throws(StoreError) {
            let version = try context.store.writing.put(
                records, of: handle, details: audience > 0 ? .records(steps: steps) : .none)
            return (version, audience * records.count)
        } catch {
            throw OperationError(error)
        }
    }

    // MARK: - Responses

    /// The session as GET returns it from now on. If nothing was changed, that is the stored JSON,
    /// whose derived members are those of the app that was stored when it was made.
    ///
    /// - Parameter isMinimal: whether the response does not have the session.
    func shown(
        _ transaction: SessionTransaction, isMinimal: Bool = false
    ) throws(OperationError) -> ShownRevision {
        var state: [UInt8] = []
        if !isMinimal {
            if !transaction.records.isEmpty {
                state = transaction.records[transaction.records.count - 1].state
            } else {
                state = try stored { () throws(StoreError) in
                    var state: [UInt8] = []
                    _ = try context.store.reading.appendState(transaction.handle, to: &state)
                    return state
                }
            }
        }
        return ShownRevision(
            id: transaction.editor.session.id, revision: transaction.editor.session.revision,
            state: state,
            version: request.isDry ? nil : transaction.version,
            visibleAfter: Tickets(transaction.version.ticket), audience: transaction.audience)
    }

    /// The response to a creation, restore or patch.
    ///
    /// - Parameter losses: the members that say what a restore has dropped, each after a comma.
    func reply(_ status: Status, _ shown: ShownRevision, losses: [UInt8] = []) -> Reply {
        var response = Response(status, contentType: .json, body: shown.state)
        if !losses.isEmpty {
            response.body.removeLast()
            response.body += losses + [UInt8(ascii: "}")]
        }
        if status == .created { response.location = "/v1/sessions/\(shown.id)" }
        return reply(response, shown)
    }

    /// Completes a response that shows the revision.
    func reply(_ response: consuming Response, _ shown: ShownRevision) -> Reply {
        if let version = shown.version { response.etag = context.etag(version) }
        return Reply(response, visibleAfter: shown.visibleAfter, audience: shown.audience)
    }
}
