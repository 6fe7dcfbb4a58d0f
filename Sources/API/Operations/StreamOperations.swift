internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Operations that open streams.

extension Service {
    /// One session's stream.
    func sessionEvents(_ context: RequestContext) throws(OperationError) -> StreamOpening {
        let query = try Query(context, allowed: ["after", "limit"])
        let format = try streamFormat(context)
        let handle = try find(context)
        let id = store.summary(handle).id
        let after = try resumption(query, context)
        let newest = store.sequence(of: handle)
        let events = try beginning(of: [handle], after: after, last: newest)
        return StreamOpening(
            response: streamResponse(format),
            subscription: Subscription(
                scope: .sessions([id]), format: format, eventsMax: try eventsMax(query),
                endsWithSession: true, after: newest,
                credentials: try credentials(to: .sessionEvents, context)),
            events: events, visibleAfter: newest)
    }

    /// The stream of several sessions, or of all.
    func allEvents(_ context: RequestContext) throws(OperationError) -> StreamOpening {
        let query = try Query(context, allowed: Self.streamQuery)
        let format = try streamFormat(context)
        let after = try resumption(query, context)
        let names = query.values("session")
        var opening = StreamOpening(
            response: streamResponse(format),
            subscription: Subscription(
                scope: .all(try filter(query)), format: format, eventsMax: try eventsMax(query),
                endsWithSession: false, after: lastSequence,
                credentials: try credentials(to: .allEvents, context)),
            events: [], visibleAfter: lastSequence)
        if names.isEmpty {
            opening.events = try missed(opening.subscription, after: after, context)
        } else {
            try open(names, after: after, &opening, context)
        }
        return opening
    }

    static let streamQuery = ["session", "app", "label", "after", "limit"]

    private func open(
        _ names: [String], after: SequenceNumber?, _ opening: inout StreamOpening,
        _ context: RequestContext
    ) throws(OperationError) {
        guard names.count <= Self.streamSessionsMax else {
            throw .problem(
                .invalidQuery("session", "can name at most \(Self.streamSessionsMax) sessions"))
        }
        var handles: [SessionHandle] = []
        for name in names {
            guard let id = SessionID(name), let handle = store.find(id, now: context.now) else {
                throw .problem(.sessionNotFound)
            }
            handles.append(handle)
        }
        // The last event that the client has may be of one that has gone since.
        opening.events = try beginning(of: handles, after: after, last: lastSequence)
        opening.subscription.scope = .sessions(Set(names.map(SessionID.init(trusted:))))
    }

    /// A page shows some dozens of sessions; who wants more takes all.
    private static let streamSessionsMax = 256

    // MARK: - What is said first

    /// Of each session the changes since `after` if they are all still known, else a snapshot; in the
    /// order of their numbers. A number beyond `last`, the last that the stream can have told, or of
    /// another lineage is from another store, or from before this one was restored.
    private func beginning(
        of handles: [SessionHandle], after: SequenceNumber?, last: SequenceNumber
    ) throws(OperationError) -> [StreamEvent] {
        guard let after, after <= last, after.isOfSameLineage(as: lastSequence) else {
            return try snapshots(of: handles, hasGap: after != nil).inOrder
        }
        let behind = handles.filter { store.sequence(of: $0) > after }
        var (events, untold) = ([StreamEvent](), [SessionHandle]())
        for (handle, changes) in zip(behind, try changes(of: behind, after: after)) {
            // A session that was created since is another one than the client knows.
            if let changes, changes.last?.record.revision != 1 {
                events += changes.map { .change($0.record, $0.sequence) }
            } else {
                untold.append(handle)
            }
        }
        return (events + (try snapshots(of: untold, hasGap: true))).inOrder
    }

    private func snapshots(
        of handles: [SessionHandle], hasGap: Bool
    ) throws(OperationError) -> [StreamEvent] {
        let bytes = handles.reduce(0) { $0 + store.summary($1).bytes }
        guard handles.count <= 1 || bytes <= options.snapshotBytesMax else {
            let most = options.snapshotBytesMax >> 10
            let detail =
                "The named sessions are larger than \(most) KiB together. Name fewer of them."
            throw .problem(Problem(.limitExceeded, detail))
        }
        var (events, missing) = ([StreamEvent](), [RecordLocation]())
        for handle in handles {
            do throws(StoreError) {
                let newest = try store.newest(handle)
                if missing.isEmpty { events.append(.snapshot(newest, hasGap: hasGap)) }
            } catch {
                guard case .notInMemory(let places) = error else { throw OperationError(error) }
                missing += places
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return events
    }

    /// What has happened to each session since, newest first; nil for one of which that is not known
    /// any more, and for those for which no bytes are left. All that has to be read is read at once.
    private func changes(
        of handles: [SessionHandle], after: SequenceNumber
    ) throws(OperationError) -> [[StoredRecord]?] {
        var (found, missing) = ([[StoredRecord]?](), [RecordLocation]())
        var bytesLeft = options.recordBytesMax
        for handle in handles {
            let newest = store.summary(handle).bytes
            guard newest <= bytesLeft else {
                found.append(nil)
                continue
            }
            do throws(StoreError) {
                found.append(
                    try store.changes(of: handle, after: after, bytesLeft: &bytesLeft))
            } catch {
                guard case .notInMemory(var places) = error else { throw OperationError(error) }
                for index in places.indices { places[index].bytesMax = options.recordBytesMax }
                missing += places
                bytesLeft -= newest
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return found
    }

    /// For the stream of all: what has been announced since; `hello` with a gap if that is not
    /// known any more.
    private func missed(
        _ subscription: Subscription, after: SequenceNumber?, _ context: RequestContext
    ) throws(OperationError) -> [StreamEvent] {
        guard let after else { return [.hello(lastSequence, hasGap: false)] }
        let gap = [StreamEvent.hello(lastSequence, hasGap: true)]
        guard after <= lastSequence, let recent = history.since(after) else { return gap }
        var counts: [SessionID: Int] = [:]
        var handles: [SessionHandle] = []
        for item in recent {
            counts[item.id, default: 0] += 1
            guard counts[item.id] == 1 else { continue }
            guard let handle = store.find(item.id, now: context.now) else { return gap }
            handles.append(handle)
        }
        var wanted = subscription
        wanted.after = after
        var events: [StreamEvent] = []
        for changes in try changes(of: handles, after: after) {
            // Fewer than were announced: the session is another one than it was.
            guard let changes, let id = changes.first?.record.id, changes.count == counts[id]
            else { return gap }
            for change in changes {
                let announcement = Announcement(change, id: id)
                if wanted.takes(announcement) { events.append(announcement.event) }
            }
        }
        return events.inOrder
    }

    // MARK: - What was asked for

    /// `Last-Event-ID` or `?after=`; an odd one is as good as none, but for the gap.
    private func resumption(_ query: Query, _ context: RequestContext) throws(OperationError)
        -> SequenceNumber?
    {
        if let after = try query.integer("after", in: 0...Int.max) { return SequenceNumber(after) }
        guard let text = context.request.value(of: .lastEventID), !text.isEmpty else { return nil }
        return Decimal.number(text.utf8, digitsMax: 15).map { SequenceNumber($0) } ?? .max
    }

    private func eventsMax(_ query: Query) throws(OperationError) -> Int? {
        try query.integer("limit", in: 1...Int.max)
    }

    private func streamFormat(_ context: RequestContext) throws(OperationError) -> ContentType {
        guard context.request[.accept] != nil else { return .eventStream }
        if let best = AcceptedTypes(context.request).best(of: [.eventStream, .ndjson]) {
            return best
        }
        throw .problem(
            Problem(.notAcceptable, "Accept text/event-stream or application/x-ndjson."))
    }

    private func streamResponse(_ format: ContentType) -> Response {
        Response(
            .ok, contentType: format, caching: .never,
            fields: [ResponseField("X-Accel-Buffering", "no")])
    }
}

extension [StreamEvent] {
    fileprivate var inOrder: [StreamEvent] { sorted { $0.sequence < $1.sequence } }
}
