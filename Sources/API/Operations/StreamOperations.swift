internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations that open streams.
struct StreamOperations {
    private let context: RequestContext
    private let access: AccessControl

    /// - Parameter access: by what the stream is checked while it is open.
    init(_ context: RequestContext, _ access: AccessControl) {
        self.context = context
        self.access = access
    }

    /// The stream of one session.
    func sessionEvents() throws(OperationError) -> StreamOpening {
        let query = try Query(
            context, allowed: ["after", "limit", "as", "watchers", "steps", "signals"])
        let format = try format()
        let handle = try context.find()
        let id = context.store.reading.summary(handle).id
        let resumption = try Resumption(context, query)
        let newest = context.store.reading.sequence(of: handle)
        var after = sameLineage(resumption.position(in: fed, ofSessionAt: newest))
        if case .number(let number) = resumption, after != nil, number > newest {
            // If this is not an id of another store, it is one that this server does not know yet.
            try context.confirm(handle)
            after = nil
        }
        var end = fed
        end.advance(to: newest)
        if let after { end.formUnion(after) }
        let subscription = Subscription(
            scope: .sessions([id]), format: format, eventsMax: try eventsMax(query),
            endsWithSession: true, after: end,
            credentials: try access.credentials(context),
            name: try watcherName(query), sendsWatchers: try query.flag("watchers"),
            wantsSignals: try query.flag("signals"), wantsSteps: try query.flag("steps"))
        let first = FirstEvents(context, upTo: end, withSteps: subscription.wantsSteps)
        return StreamOpening(
            response: response(format), subscription: subscription,
            events: try first.events(of: [handle], after: after, hasGap: resumption.isResumed),
            visibleAfter: Tickets(context.store.reading.version(of: handle).ticket))
    }

    /// The stream of several sessions, or of all.
    func allEvents() throws(OperationError) -> StreamOpening {
        let query = try Query(context, allowed: Self.queryOfAll)
        let format = try format()
        try checkLogs()
        let resumption = try Resumption(context, query)
        let undecided = context.store.status.undecided
        let (after, end) = extent(resumption, undecided.changes)
        var opening = StreamOpening(
            response: response(format),
            subscription: Subscription(
                scope: .all(try query.sessionFilter()), format: format,
                eventsMax: try eventsMax(query), endsWithSession: false, after: end,
                sendsPositions: end.hasSeveralLogs,
                credentials: try access.credentials(context),
                name: try watcherName(query),
                wantsSignals: try query.flag("signals"), wantsSteps: try query.flag("steps")),
            events: [], visibleAfter: Tickets(undecided.ticket))
        let first = FirstEvents(
            context, upTo: end, withSteps: opening.subscription.wantsSteps)
        let names = query.values("session")
        if names.isEmpty {
            // Nobody would tell such a stream of changes that are not told while the node reads.
            try context.checkSessions()
            guard opening.subscription.name == nil else {
                throw .problem(.invalidQuery("as", "is only allowed together with session"))
            }
            opening.events =
                resumption.isResumed
                ? try first.missed(opening.subscription, after: after, undecided.changes)
                : [StreamEvent(hello: end, hasGap: false)]
        } else {
            for filter in SessionFilter.parametersOfEvents where query.value(filter) != nil {
                throw .problem(.invalidQuery(filter, "is not allowed together with session"))
            }
            let (handles, ended) = try begin(&opening, with: names, resumption)
            opening.events = try first.events(
                of: handles, after: sameLineage(after), hasGap: resumption.isResumed)
            opening.events += ended.map { StreamEvent(ended: $0, at: end) }
        }
        return opening
    }

    /// The position that the client of a stream of several sessions has, or nil if it has none that
    /// is known, and the position after the first events.
    private func extent(
        _ resumption: Resumption, _ undecided: [SessionChange]
    ) -> (after: FeedPosition?, end: FeedPosition) {
        var end = fed
        if let last = undecided.last { end.advance(to: last.sequence) }
        guard let after = resumption.position(in: fed) else { return (nil, end) }
        // In a store with several logs, another server may have told the client of changes that the
        // feed has not told of here. In a store with one log, there is no other server.
        if end.hasSeveralLogs { end.formUnion(after) }
        return (end.covers(after) ? after : nil, end)
    }

    /// The position if it is not from before the store was restored.
    private func sameLineage(_ position: FeedPosition?) -> FeedPosition? {
        position.flatMap { $0.isOfSameLineage(as: fed) ? $0 : nil }
    }

    /// The query parameters of a stream of several sessions.
    static let queryOfAll =
        ["session"] + SessionFilter.parametersOfEvents
        + ["after", "limit", "as", "steps", "signals"]

    /// Notes the sessions of a stream, and waits until the feed has told of all their states that
    /// the client may know.
    ///
    /// - Returns: the sessions, and those that have ended since the client knew them.
    private func begin(
        _ opening: inout StreamOpening, with names: [String], _ resumption: Resumption
    ) throws(OperationError) -> (handles: [SessionHandle], ended: [SessionID]) {
        guard names.count <= Self.sessionsMax else {
            throw .problem(
                Problem(
                    .limitExceeded, "A stream can name at most \(Self.sessionsMax) sessions."))
        }
        var handles: [SessionHandle] = []
        var ended: [SessionID] = []
        var missing: [LoadRequest] = []
        for name in names {
            let handle: SessionHandle
            do {
                handle = try context.existing(name)
            } catch {
                guard case .problem(let problem) = error, problem.kind == .sessionNotFound,
                    resumption.isResumed, let id = SessionID(name)
                else { throw error }
                ended.append(id)
                continue
            }
            handles.append(handle)
            opening.visibleAfter.insert(context.store.reading.version(of: handle).ticket)
            do throws(StoreError) { try context.store.reading.awaitFeed(of: handle) } catch {
                guard case .notInMemory(let requests) = error else { throw OperationError(error) }
                missing += requests
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        opening.subscription.scope = .sessions(Set(names.map(SessionID.init(trusted:))))
        return (handles, ended)
    }

    /// A page shows some dozens of sessions; a client that needs more can take the stream of all.
    private static let sessionsMax = 256

    /// Refuses a stream of several sessions whose ids would be too long.
    private func checkLogs() throws(OperationError) {
        let most = FeedPosition.logsInTextMax
        guard fed.logCount > most else { return }
        throw .problem(
            Problem(
                .limitExceeded,
                "The store has \(fed.logCount) shards, and a stream of several sessions can follow "
                    + "at most \(most). Follow each session with GET /v1/sessions/ID/events."))
    }

    /// The position after the changes that the feed has told of.
    private var fed: FeedPosition { context.service.caches.changes.position }

    // MARK: - What the client asks for

    /// The name that the client gives itself: `?as=`.
    private func watcherName(_ query: Query) throws(OperationError) -> WatcherName? {
        guard let text = query.value("as") else { return nil }
        if let name = WatcherName(text) { return name }
        throw .problem(.invalidQuery("as", nameRule(WatcherName.self)))
    }

    private func eventsMax(_ query: Query) throws(OperationError) -> Int? {
        try query.integer("limit", in: 1...Int.max)
    }

    private func format() throws(OperationError) -> ContentType {
        guard context.request[.accept] != nil else { return .eventStream }
        if let best = AcceptedTypes(context.request).best(of: [.eventStream, .ndjson]) {
            return best
        }
        throw .problem(
            Problem(.notAcceptable, "Accept text/event-stream or application/x-ndjson."))
    }

    private func response(_ format: ContentType) -> Response {
        Response(
            .ok, contentType: format, caching: .never,
            fields: [ResponseField("X-Accel-Buffering", "no")])
    }
}
