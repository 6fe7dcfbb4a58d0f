internal import HTTP
internal import JSON
internal import Navigation
package import Sessions

// What all changes of a session have in common: the kept key, the precondition, reconciling, the
// record, the answer.

/// What a change is asked for with.
struct ChangeRequest {
    var key: IdempotencyKey?
    var isDry = false
    var preferences: Preferences
    /// An invalid query. It is reported after the session and the precondition were checked.
    var queryProblem: Problem?

    func checkQuery() throws(OperationError) {
        if let queryProblem { throw .problem(queryProblem) }
    }

    var isStrict: Bool { preferences.isStrict == true }
    var isMinimal: Bool { preferences.returnsMinimal == true }
}

/// A session as an operation works on it.
struct SessionTransaction {
    let handle: SessionHandle
    var session: Session
    let app: App?
    /// The newest record's; that of a change once it is stored.
    var sequence: SequenceNumber
    /// The session fits any app that was stored before this number.
    var fitsBefore: SequenceNumber
    /// The length of the session's JSON.
    var jsonBytes: Int
    /// The changes so far, each a revision, not stored yet.
    var records: [SessionRecord] = []
}

extension Service {
    func changeRequest(_ context: RequestContext) throws(OperationError) -> ChangeRequest {
        var asked = ChangeRequest(
            key: try context.key(limits: options.limits),
            preferences: context.request[.prefer] == nil
                ? Preferences() : Preferences(context.request))
        do {
            asked.isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        } catch {
            guard case .problem(let problem) = error, problem.kind == .invalidRequest else {
                throw error
            }
            asked.queryProblem = problem
        }
        return asked
    }

    /// What the same request led to before; nil if it is new.
    func kept(
        _ asked: ChangeRequest, in scope: IdempotencyScope, _ context: RequestContext
    ) throws(OperationError) -> IdempotentResult? {
        guard let key = asked.key, !asked.isDry else { return nil }
        let answer = try stored { () throws(StoreError) in
            try store.kept(key.key, in: scope, now: context.now)
        }
        let before =
            switch answer {
            case .change(let stored): stored.record.key
            case .deletion(let deletion): deletion.key
            case nil: IdempotencyKey?.none
            }
        guard let answer, let before else { return nil }
        guard before.digest == key.digest else {
            throw .problem(
                Problem(
                    .idempotencyKeyReused, "Use a new key for each new request, such as a UUID."))
        }
        return answer
    }

    /// The scope of the keys of the session that the URL names.
    func keyScope(_ context: RequestContext) throws(OperationError) -> IdempotencyScope? {
        SessionID(try context.variable(0)).map(IdempotencyScope.session)
    }

    /// The session that the URL names, if it is in the state that the client expects.
    func transaction(_ context: RequestContext) throws(OperationError) -> SessionTransaction {
        let (handle, sequence) = try expected(context)
        if let known = recent.take(handle, sequence) {
            return SessionTransaction(
                handle: handle, session: known.session, app: try app(of: known.session),
                sequence: sequence, fitsBefore: known.fitsBefore, jsonBytes: known.jsonBytes)
        }
        let newest = try stored { () throws(StoreError) in try store.newest(handle) }
        let session = try session(newest)
        // An update keeps the navigation as it was, whatever has become of the app.
        let isUpdate = EventText.isUpdate(newest.record.event)
        return SessionTransaction(
            handle: handle, session: session, app: try app(of: session), sequence: sequence,
            fitsBefore: isUpdate ? 0 : sequence, jsonBytes: newest.record.state.count)
    }

    /// The same without a look at what it is.
    func expected(
        _ context: RequestContext
    ) throws(OperationError) -> (handle: SessionHandle, sequence: SequenceNumber) {
        let handle = try find(context)
        let sequence = store.sequence(of: handle)
        guard try context.failedPrecondition(etag(sequence)) == nil else {
            throw .problem(
                mismatch(try stored { () throws(StoreError) in try store.newest(handle) }))
        }
        return (handle, sequence)
    }

    func mismatch(_ newest: StoredRecord) -> Problem {
        var problem = Problem(
            .revisionMismatch,
            "The session is not in the required state. Look at its current state and decide again.",
            session: newest.record.state, etag: etag(newest.sequence))
        problem.shownSequence = newest.sequence
        return problem
    }

    /// Makes the session fit its app, unless it is known to fit. Everything that changes navigation
    /// calls this first and leaves a session that fits.
    func reconcile(_ transaction: inout SessionTransaction, _ context: RequestContext)
        throws(OperationError)
    {
        guard let app = transaction.app, let loaded = apps[app.id],
            loaded.stored.sequence > transaction.fitsBefore
        else { return }
        transaction.fitsBefore = loaded.stored.sequence
        guard let (event, dropped) = try reconciling(transaction.session, app, context) else {
            return
        }
        let text = EventText.event(event, command: "reconcile", dropped: dropped)
        try note(event, text, in: &transaction)
    }

    /// What it takes to make the session fit. Its work counts against the budget of the request; if
    /// it alone takes more, then the cause is what is stored, not what the client sent.
    private func reconciling(
        _ session: Session, _ app: App, _ context: RequestContext
    ) throws(OperationError) -> (event: Event, dropped: [Dropped])? {
        try within(budgetFor: .state) { () throws(WorkBudgetError) in
            try session.reconciling(with: app, at: context.now, work: context.work)
        }
    }

    /// Applies an event to the draft and makes its record.
    func note(
        _ event: Event, _ text: [UInt8], key: IdempotencyKey? = nil,
        in transaction: inout SessionTransaction
    ) throws(OperationError) {
        transaction.session.apply(event)
        transaction.records.append(
            try record(transaction.session, transaction.app, event: text, key: key))
    }

    func record(
        _ session: Session, _ app: App?, event: [UInt8], key: IdempotencyKey?
    ) throws(OperationError) -> SessionRecord {
        let state = SessionEncoder.encode(session, app: app)
        guard state.count <= options.limits.sessionBytesMax else {
            let detail =
                "A session can have at most \(options.limits.sessionBytesMax) bytes as JSON."
            throw .problem(Problem(.limitExceeded(detail, pointer: "")))
        }
        return SessionRecord(
            id: session.id, revision: session.revision, at: session.updatedAt,
            expiresAt: session.expiresAt, app: session.app, labels: session.settings.labels,
            undoing: session.undoing, nextEntry: session.nextEntry, key: key, event: event,
            state: state)
    }

    /// Stores what the draft came to, unless it is a dry run.
    func store(_ transaction: inout SessionTransaction, _ asked: ChangeRequest)
        throws(OperationError)
    {
        guard !asked.isDry else { return }
        if !transaction.records.isEmpty { transaction.sequence = try put(transaction.records) }
        if let last = transaction.records.last { transaction.jsonBytes = last.state.count }
        let item = RecentSessions.Item(
            session: transaction.session, fitsBefore: transaction.fitsBefore,
            jsonBytes: transaction.jsonBytes)
        recent.keep(item, transaction.handle, transaction.sequence)
    }

    /// Stores records of a session, all or none, and has them announced; the last one's number.
    func put(_ records: [SessionRecord]) throws(OperationError) -> SequenceNumber {
        do { try store.put(records) { announce($0, $1) } } catch { throw OperationError(error) }
        return lastSequence
    }

    private func announce(_ record: SessionRecord, _ sequence: SequenceNumber) {
        lastSequence = sequence
        history.append(
            RecentChanges.Item(id: record.id, revision: record.revision, sequence: sequence))
        guard isWatched(record.id) else { return }
        announcements.append(
            Announcement(
                id: record.id, app: record.app, labels: record.labels,
                revision: record.revision, sequence: sequence, event: .change(record, sequence)))
    }

    /// Has the end of a session announced.
    package func announce(_ deletion: Deletion) {
        lastSequence = max(lastSequence, deletion.sequence)
        history.append(
            RecentChanges.Item(
                id: deletion.id, revision: deletion.revision, sequence: deletion.sequence))
        announcements.append(
            Announcement(
                id: deletion.id, app: deletion.app, labels: deletion.labels,
                revision: deletion.revision,
                sequence: deletion.sequence, event: .end(deletion), endedTokens: deletion.tokens))
    }

    /// The JSON of the session as GET returns it from now on. Where nothing was changed that is the
    /// stored one, in which derived members are of the app that was in force then.
    func state(_ transaction: SessionTransaction, _ asked: ChangeRequest) throws(OperationError)
        -> [UInt8]
    {
        if asked.isMinimal { return [] }
        if let last = transaction.records.last { return last.state }
        return try stored { () throws(StoreError) in
            var state: [UInt8] = []
            _ = try store.appendState(transaction.handle, to: &state)
            return state
        }
    }

    /// A session as the answer to its creation, restore or patch.
    func reply(
        _ status: Status, state: [UInt8], revision: Int, id: SessionID,
        sequence: SequenceNumber, _ asked: ChangeRequest
    ) -> Reply {
        var response = Response(status, contentType: .json, body: state)
        if asked.isMinimal {
            response.body =
                JSON.object(
                    JSONObject([
                        ("id", .string(id.rawValue)), ("revision", .integer(Int64(revision))),
                    ])
                ).bytes
        }
        if !asked.isDry { response.etag = etag(sequence) }
        if status == .created { response.location = "/v1/sessions/\(id)" }
        response.fields = applied(asked, canBeStrict: false)
        return Reply(response, visibleAfter: sequence)
    }

    /// Which preferences the answer followed (RFC 7240 §3).
    func applied(_ asked: ChangeRequest, canBeStrict: Bool) -> [ResponseField] {
        var names: [String] = []
        if canBeStrict, let strict = asked.preferences.isStrict {
            names.append("handling=\(strict ? "strict" : "lenient")")
        }
        if let minimal = asked.preferences.returnsMinimal {
            names.append("return=\(minimal ? "minimal" : "representation")")
        }
        guard !names.isEmpty else { return [] }
        return [ResponseField(.preferenceApplied, names.joined(separator: ", "))]
    }
}
