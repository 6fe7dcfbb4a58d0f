internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

// Operations that open streams.

extension Service {
    /// One session's stream.
    func sessionEvents(_ call: Call) throws(Interruption) -> StreamOpening {
        let query = try Query(call, allowed: ["after", "limit"])
        let format = try streamFormat(call)
        let handle = try find(call)
        let id = store.summary(handle).id
        let after = try resumption(query, call)
        let newest = try newest(handle)
        let events = try beginning(newest, of: handle, after: after, last: newest.sequence)
        return StreamOpening(
            response: streamResponse(format),
            subscription: Subscription(
                scope: .sessions([id]), format: format, eventsMax: try eventsMax(query),
                endsWithSession: true, after: newest.sequence,
                admission: try admission(to: .sessionEvents, call)),
            events: events, visibleAfter: newest.sequence)
    }

    /// The stream of several sessions, or of all.
    func allEvents(_ call: Call) throws(Interruption) -> StreamOpening {
        let query = try Query(call, allowed: Self.streamQuery)
        let format = try streamFormat(call)
        let after = try resumption(query, call)
        let names = query.values("session")
        var opening = StreamOpening(
            response: streamResponse(format),
            subscription: Subscription(
                scope: .all(try filter(query)), format: format, eventsMax: try eventsMax(query),
                endsWithSession: false, after: lastSequence,
                admission: try admission(to: .allEvents, call)),
            events: [], visibleAfter: lastSequence)
        if names.isEmpty {
            opening.events = try missed(opening.subscription, after: after, call)
        } else {
            try open(names, after: after, &opening, call)
        }
        return opening
    }

    static let streamQuery = ["session", "app", "label", "after", "limit"]

    private func open(
        _ names: [String], after: SequenceNumber?, _ opening: inout StreamOpening, _ call: Call
    ) throws(Interruption) {
        guard names.count <= Self.streamSessionsMax else {
            throw .problem(
                .invalidQuery("session", "can name at most \(Self.streamSessionsMax) sessions"))
        }
        var ids: Set<SessionID> = []
        var found: [(handle: SessionHandle, newest: Stored)] = []
        for name in names {
            guard let id = SessionID(name), let handle = store.find(id, now: call.now) else {
                throw .problem(.sessionNotFound)
            }
            guard ids.insert(id).inserted else { continue }
            found.append((handle, try newest(handle)))
        }
        // The last event that the client has may be of one that has gone since.
        for (handle, newest) in found {
            opening.events += try beginning(newest, of: handle, after: after, last: lastSequence)
        }
        opening.events.sort { $0.sequence < $1.sequence }
        opening.subscription.scope = .sessions(ids)
    }

    /// A page shows some dozens of sessions; who wants more takes all.
    private static let streamSessionsMax = 256

    // MARK: - What is said first

    private func newest(_ handle: SessionHandle) throws(Interruption) -> Stored {
        try stored { () throws(StoreError) in try store.newest(handle) }
    }

    /// A snapshot, or the changes since `after` if they are all still known. A number beyond `last`,
    /// the last that the stream can have told, or of another lineage is from another store, or from
    /// before this one was restored.
    private func beginning(
        _ newest: Stored, of handle: SessionHandle, after: SequenceNumber?, last: SequenceNumber
    ) throws(Interruption) -> [StreamEvent] {
        guard let after else { return [.snapshot(newest, hasGap: false)] }
        guard after <= last, after.isOfSameLineage(as: lastSequence),
            let missed = try changes(from: newest, of: handle, after: after)
        else {
            return [.snapshot(newest, hasGap: true)]
        }
        return missed
    }

    /// The changes behind `after`, oldest first; nil if one of them is not kept.
    private func changes(
        from newest: Stored, of handle: SessionHandle, after: SequenceNumber
    ) throws(Interruption) -> [StreamEvent]? {
        var events: [StreamEvent] = []
        var stored = newest
        while stored.sequence > after {
            guard events.count < Self.missedMax else { return nil }
            events.append(.change(stored.record, stored.sequence))
            let before = stored.record.revision - 1
            guard before >= 1 else { return nil }
            let found = try API.stored { () throws(StoreError) in
                try store.revision(before, of: handle)
            }
            guard let found else { return nil }
            stored = found
        }
        return events.reversed()
    }

    /// A client that has missed more than this is better served with a snapshot.
    private static let missedMax = 256

    /// For the stream of all: what has been announced since; `hello` with a gap if that is not
    /// known any more.
    private func missed(
        _ subscription: Subscription, after: SequenceNumber?, _ call: Call
    ) throws(Interruption) -> [StreamEvent] {
        guard let after else { return [.hello(lastSequence, hasGap: false)] }
        guard after <= lastSequence, let recent = history.since(after) else {
            return [.hello(lastSequence, hasGap: true)]
        }
        var wanted = subscription
        wanted.after = after
        var events: [StreamEvent] = []
        for item in recent {
            guard let handle = store.find(item.id, now: call.now) else {
                return [.hello(lastSequence, hasGap: true)]
            }
            let found = try stored { () throws(StoreError) in
                try store.revision(item.revision, of: handle)
            }
            guard let found, found.sequence == item.sequence else {
                return [.hello(lastSequence, hasGap: true)]
            }
            let event = StreamEvent.change(found.record, found.sequence)
            let announcement = Announcement(
                id: item.id, app: found.record.app, labels: found.record.labels,
                revision: item.revision, sequence: item.sequence, event: event)
            if wanted.takes(announcement) { events.append(event) }
        }
        return events
    }

    // MARK: - What was asked for

    /// `Last-Event-ID` or `?after=`; an odd one is as good as none, but for the gap.
    private func resumption(_ query: Query, _ call: Call) throws(Interruption) -> SequenceNumber? {
        if let after = try query.integer("after", in: 0...Int.max) { return SequenceNumber(after) }
        guard let text = call.request.value(of: .lastEventID), !text.isEmpty else { return nil }
        return Decimal.number(text.utf8, digitsMax: 15).map { SequenceNumber($0) } ?? .max
    }

    private func eventsMax(_ query: Query) throws(Interruption) -> Int? {
        try query.integer("limit", in: 1...Int.max)
    }

    private func streamFormat(_ call: Call) throws(Interruption) -> ContentType {
        guard call.request[.accept] != nil else { return .eventStream }
        if let best = AcceptedTypes(call.request).best(of: [.eventStream, .ndjson]) { return best }
        throw .problem(
            Problem(.notAcceptable, "Accept text/event-stream or application/x-ndjson."))
    }

    private func streamResponse(_ format: ContentType) -> Response {
        Response(
            .ok, contentType: format, caching: .never,
            fields: [ResponseField("X-Accel-Buffering", "no")])
    }
}
