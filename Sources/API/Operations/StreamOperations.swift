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
            context, allowed: ["after", "limit", "as", "watchers", "steps"])
        let format = try format()
        let handle = try context.find()
        let id = context.store.summary(handle).id
        let after = try resumption(query)
        let newest = context.store.sequence(of: handle)
        let visibleAfter = Tickets(context.store.version(of: handle).ticket)
        let subscription = Subscription(
            scope: .sessions([id]), format: format, eventsMax: try eventsMax(query),
            endsWithSession: true, after: newest,
            credentials: try access.credentials(for: .sessionEvents, context),
            name: try watcherName(query), tellsWatchers: try query.flag("watchers"),
            wantsSteps: try query.flag("steps"))
        let events = try beginning(
            of: [handle], after: after, last: newest, withSteps: subscription.wantsSteps)
        return StreamOpening(
            response: response(format), subscription: subscription, events: events,
            visibleAfter: visibleAfter)
    }

    /// The stream of several sessions, or of all.
    func allEvents() throws(OperationError) -> StreamOpening {
        let query = try Query(context, allowed: Self.queryOfAll)
        let format = try format()
        let after = try resumption(query)
        let names = query.values("session")
        let undecided = context.store.undecided
        var opening = StreamOpening(
            response: response(format),
            subscription: Subscription(
                scope: .all(try query.sessionFilter()), format: format,
                eventsMax: try eventsMax(query), endsWithSession: false,
                after: undecided.changes.last?.sequence ?? lastFed,
                credentials: try access.credentials(for: .allEvents, context),
                name: try watcherName(query), wantsSteps: try query.flag("steps")),
            events: [], visibleAfter: Tickets(undecided.ticket))
        if names.isEmpty {
            guard opening.subscription.name == nil else {
                throw .problem(.invalidQuery("as", "is only allowed together with session"))
            }
            opening.events = try missed(
                opening.subscription, after: after, undecided.changes)
        } else {
            try begin(&opening, with: names, after: after)
        }
        return opening
    }

    /// The query parameters of a stream of several sessions.
    static let queryOfAll = ["session", "app", "label", "after", "limit", "as", "steps"]

    /// Completes the opening of a stream of these sessions.
    private func begin(
        _ opening: inout StreamOpening, with names: [String], after: SequenceNumber?
    ) throws(OperationError) {
        guard names.count <= Self.sessionsMax else {
            throw .problem(
                Problem(
                    .limitExceeded, "A stream can name at most \(Self.sessionsMax) sessions."))
        }
        var handles: [SessionHandle] = []
        for name in names {
            guard let id = SessionID(name), let handle = try context.find(id) else {
                throw .problem(.sessionNotFound(name))
            }
            handles.append(handle)
            opening.visibleAfter.insert(context.store.version(of: handle).ticket)
            // Changes that the first events already show are not sent again.
            opening.subscription.after = max(
                opening.subscription.after, context.store.sequence(of: handle))
        }
        // The last event that the client has may be of a session that has ended since.
        opening.events = try beginning(
            of: handles, after: after, last: opening.subscription.after,
            withSteps: opening.subscription.wantsSteps)
        opening.subscription.scope = .sessions(Set(names.map(SessionID.init(trusted:))))
    }

    /// A page shows some dozens of sessions; a client that needs more can take the stream of all.
    private static let sessionsMax = 256

    // MARK: - The first events

    /// The first events of each session: its changes after `after` if all of them are still kept,
    /// otherwise a snapshot; in the order of their numbers. A number after `last`, the last that
    /// the stream can have sent, or of another lineage is from another store, or from before this
    /// store was restored.
    private func beginning(
        of handles: [SessionHandle], after: SequenceNumber?, last: SequenceNumber, withSteps: Bool
    ) throws(OperationError) -> [StreamEvent] {
        guard let after, after <= last, after.isOfSameLineage(as: lastFed) else {
            return try snapshots(of: handles, hasGap: after != nil).inOrder
        }
        let changed = handles.filter { context.store.sequence(of: $0) > after }
        var (events, incomplete) = ([StreamEvent](), [SessionHandle]())
        let missed = try changes(of: changed, after: after, withSteps: withSteps)
        for (handle, changes) in zip(changed, missed) {
            // A session that was created since is not the one that the client knows.
            if let changes, changes.last?.stored.record.revision != 1 {
                events += changes.map { $0.event(tagMember) }
            } else {
                incomplete.append(handle)
            }
        }
        return (events + (try snapshots(of: incomplete, hasGap: true))).inOrder
    }

    private func snapshots(
        of handles: [SessionHandle], hasGap: Bool
    ) throws(OperationError) -> [StreamEvent] {
        let bytes = handles.reduce(0) { $0 + context.store.summary($1).bytes }
        guard handles.count <= 1 || bytes <= context.options.snapshotBytesMax else {
            let most = context.options.snapshotBytesMax >> 10
            let detail =
                "The named sessions are larger than \(most) KiB together. Name fewer of them."
            throw .problem(Problem(.limitExceeded, detail))
        }
        var (events, missing) = ([StreamEvent](), [LoadRequest]())
        for handle in handles {
            do throws(StoreError) {
                let newest = try context.store.newest(handle)
                if missing.isEmpty { events.append(.snapshot(newest, hasGap: hasGap, tagMember)) }
            } catch {
                guard case .notInMemory(let requests) = error else {
                    throw OperationError(error)
                }
                missing += requests
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return events
    }

    /// The changes of each session after the number, newest first. Nil for a session whose changes
    /// are not all kept, and for sessions that exceed the bytes left.
    private func changes(
        of handles: [SessionHandle], after: SequenceNumber, withSteps: Bool
    ) throws(OperationError) -> [[MissedChange]?] {
        let found = try records(of: handles, after: after)
        var changes: [[MissedChange]?] = []
        for (handle, records) in zip(handles, found) {
            if withSteps {
                changes.append(
                    try records.flatMap { records throws(OperationError) in
                        try context.withSteps(records, of: handle)
                    })
            } else {
                changes.append(records?.map { MissedChange(stored: $0) })
            }
        }
        return changes
    }

    /// The records of these changes. All that are not in memory are loaded together.
    private func records(
        of handles: [SessionHandle], after: SequenceNumber
    ) throws(OperationError) -> [[StoredRecord]?] {
        var (found, missing) = ([[StoredRecord]?](), [LoadRequest]())
        var bytesLeft = context.options.recordBytesMax
        for handle in handles {
            let newest = context.store.summary(handle).bytes
            guard newest <= bytesLeft else {
                found.append(nil)
                continue
            }
            do throws(StoreError) {
                found.append(
                    try context.store.changes(of: handle, after: after, bytesLeft: &bytesLeft))
            } catch {
                guard case .notInMemory(let requests) = error else {
                    throw OperationError(error)
                }
                missing += requests.map { $0.limited(to: context.options.recordBytesMax) }
                bytesLeft -= newest
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return found
    }

    /// For the stream of all sessions: the changes after the number; `hello` with a gap if they are
    /// not all kept.
    private func missed(
        _ subscription: Subscription, after: SequenceNumber?, _ undecided: [SessionChange]
    ) throws(OperationError) -> [StreamEvent] {
        let last = subscription.after
        guard let after else { return [.hello(last, hasGap: false)] }
        let gap = [StreamEvent.hello(last, hasGap: true)]
        guard after <= last, let recent = context.service.caches.changes.since(after)
        else { return gap }
        var counts: [SessionID: Int] = [:]
        var handles: [SessionHandle] = []
        for id in recent.map(\.id) + undecided.map(\.id) {
            counts[id, default: 0] += 1
            guard counts[id] == 1 else { continue }
            guard let handle = try context.find(id) else { return gap }
            handles.append(handle)
        }
        var wanted = subscription
        wanted.after = after
        var events: [StreamEvent] = []
        let missed = try changes(of: handles, after: after, withSteps: subscription.wantsSteps)
        for changes in missed {
            // With fewer changes than there were, the id belongs to another session now.
            guard let changes, let id = changes.first?.stored.record.id,
                changes.count == counts[id]
            else { return gap }
            for change in changes {
                let announcement = Announcement(change, tagMember)
                if wanted.takes(announcement) { events.append(announcement.event) }
            }
        }
        return events.inOrder
    }

    private var tagMember: EntityTagMember { context.service.tagMember }

    /// The number of the last change in the feed, of any session.
    private var lastFed: SequenceNumber { context.service.caches.changes.lastSequence }

    // MARK: - What the client asks for

    /// The number of the last event that the client has: `?after=` or `Last-Event-ID`. A malformed
    /// id becomes a number that no event has, so that the stream begins with a gap.
    private func resumption(_ query: Query) throws(OperationError) -> SequenceNumber? {
        if let after = try query.integer("after", in: 0...Int.max) { return SequenceNumber(after) }
        guard let text = context.request.value(of: .lastEventID), !text.isEmpty else { return nil }
        return Decimal.number(text.utf8, digitsMax: 15).map { SequenceNumber($0) } ?? .max
    }

    /// What the client calls itself: `?as=`.
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

extension LoadRequest {
    /// The same request, limited to this many bytes.
    fileprivate func limited(to bytesMax: Int) -> LoadRequest {
        guard case .records(var location) = self else { return self }
        location.bytesMax = bytesMax
        return .records(location)
    }
}

extension [StreamEvent] {
    fileprivate var inOrder: [StreamEvent] { sorted { $0.sequence < $1.sequence } }
}
