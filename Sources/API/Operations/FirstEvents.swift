internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The first events of a stream: what the client has missed, or the states of its sessions.
///
/// They show nothing that comes after a position. What comes after it is told when the feed brings
/// it, so nothing is left out and nothing is told twice. The id of each of them is a position from
/// which the stream can be resumed.
struct FirstEvents {
    private let context: RequestContext
    private let end: FeedPosition
    private let withSteps: Bool

    /// - Parameters:
    ///   - end: the position after the first events.
    ///   - withSteps: whether the client wants the steps of changes.
    init(_ context: RequestContext, upTo end: FeedPosition, withSteps: Bool) {
        self.context = context
        self.end = end
        self.withSteps = withSteps
    }

    /// How many times as many bytes as are sent may be loaded to find them. Some stores can only
    /// load all records of a session.
    private static let historiesPerRecords = 16

    private var tagMember: EntityTagMember { context.service.tagMember }

    // MARK: - Named sessions

    /// The first events of each session: its changes after `after` if all of them are still kept,
    /// otherwise a snapshot; in the order of their numbers.
    ///
    /// - Parameters:
    ///   - after: the position that the client has, or nil if it has none that is known.
    ///   - hasGap: whether a client without a known position may have missed changes.
    func events(
        of handles: [SessionHandle], after: FeedPosition?, hasGap: Bool
    ) throws(OperationError) -> [StreamEvent] {
        guard let after else {
            let snapshots = try snapshots(of: handles, hasGap: hasGap)
            var start = end
            for event in snapshots { start.retreat(before: event.sequence) }
            return snapshots.inOrder(after: start)
        }
        let changed = handles.filter { !after.covers(context.store.reading.sequence(of: $0)) }
        var (events, incomplete) = ([StreamEvent](), [SessionHandle]())
        let missed = try changes(of: changed, after: after)
        for (handle, changes) in zip(changed, missed) {
            // A session that was created since is not the one that the client knows.
            if let changes, changes.last?.subject?.revision != 1 {
                events += changes
            } else {
                incomplete.append(handle)
            }
        }
        return (events + (try snapshots(of: incomplete, hasGap: true))).inOrder(after: after)
    }

    private func snapshots(
        of handles: [SessionHandle], hasGap: Bool
    ) throws(OperationError) -> [StreamEvent] {
        let bytes = handles.reduce(0) { $0 + context.store.reading.summary($1).bytes }
        guard handles.count <= 1 || bytes <= context.options.snapshotBytesMax else {
            let most = context.options.snapshotBytesMax >> 10
            let detail =
                "The named sessions are larger than \(most) KiB together. Name fewer of them."
            throw .problem(Problem(.limitExceeded, detail))
        }
        var (events, missing) = ([StreamEvent](), [LoadRequest]())
        for handle in handles {
            do throws(StoreError) {
                let newest = try newest(handle)
                if missing.isEmpty {
                    events.append(StreamEvent(snapshot: newest, hasGap: hasGap, tagMember))
                }
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

    /// The newest record that is not after the end.
    private func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        var newest = try context.store.reading.newest(handle)
        while !end.covers(newest.sequence), newest.record.revision > 1,
            let before = try context.store.reading.revision(newest.record.revision - 1, of: handle)
        {
            newest = before
        }
        return newest
    }

    // MARK: - Changes

    /// The changes of each session after the position, newest first. Nil for a session whose
    /// changes are not all kept, and for sessions that exceed the bytes left.
    private func changes(
        of handles: [SessionHandle], after: FeedPosition
    ) throws(OperationError) -> [[StreamEvent]?] {
        let found = try records(of: handles, after: after)
        var changes: [[StreamEvent]?] = []
        for (handle, records) in zip(handles, found) {
            let told = records.map { $0.drop { !end.covers($0.sequence) } }
            if withSteps {
                changes.append(
                    try told.flatMap { records throws(OperationError) in
                        try context.withSteps(Array(records), of: handle)
                    })
            } else {
                changes.append(
                    told?.map { StreamEvent(SessionChange.Details($0), tagMember) })
            }
        }
        return changes
    }

    /// The records of these changes. All that are not in memory are loaded together.
    private func records(
        of handles: [SessionHandle], after: FeedPosition
    ) throws(OperationError) -> [[StoredRecord]?] {
        var (found, missing) = ([[StoredRecord]?](), [LoadRequest]())
        var bytesLeft = context.options.recordBytesMax
        var historyBytesLeft = context.options.recordBytesMax * Self.historiesPerRecords
        for (index, handle) in handles.enumerated() {
            let newest = context.store.reading.summary(handle)
            guard newest.bytes <= bytesLeft else {
                found.append(nil)
                continue
            }
            historyBytesLeft -= newest.bytes * min(newest.revision, LoadRequest.historyCountMax)
            do throws(StoreError) {
                found.append(
                    try context.store.reading.changes(
                        of: handle, after: after.last(inLogOf: newest.sequence),
                        bytesLeft: &bytesLeft))
            } catch {
                guard case .notInMemory(let requests) = error else {
                    throw OperationError(error)
                }
                guard historyBytesLeft >= 0 || index == 0 || !requests.contains(where: \.isWhole)
                else {
                    found.append(nil)
                    continue
                }
                missing += requests.map { $0.limited(to: context.options.recordBytesMax) }
                bytesLeft -= newest.bytes
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return found
    }

    // MARK: - All sessions

    /// For a stream of all sessions that is resumed: the changes after the position; `hello` with a
    /// gap if they are not all kept.
    ///
    /// - Parameters:
    ///   - after: the position that the client has, or nil if it has none that is known.
    ///   - undecided: the changes that the feed has not delivered.
    func missed(
        _ subscription: Subscription, after: FeedPosition?, _ undecided: [SessionChange]
    ) throws(OperationError) -> [StreamEvent] {
        let gap = [StreamEvent(hello: end, hasGap: true)]
        guard let after, let recent = context.service.caches.changes.since(after)
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
        for changes in try changes(of: handles, after: after) {
            // With fewer changes than there were, the id belongs to another session now.
            guard let changes, let id = changes.first?.subject?.id, changes.count == counts[id]
            else { return gap }
            events += changes.filter(wanted.takes)
        }
        return events.inOrder(after: after)
    }
}

extension RequestContext {
    /// The changes of a session with their steps.
    ///
    /// - Parameters:
    ///   - changes: consecutive changes of the session, newest first.
    /// - Returns: nil if the revision before the first of them is no longer kept, or if there are
    ///   more than one request may examine.
    func withSteps(
        _ changes: [StoredRecord], of handle: SessionHandle
    ) throws(OperationError) -> [StreamEvent]? {
        guard let oldest = changes.last else { return [] }
        let first = oldest.record.revision - 1
        let before = first > 0 ? try revision(first, of: handle) : nil
        guard first == 0 || before != nil else { return nil }
        let bytes = (changes + (before.map { [$0] } ?? [])).reduce(0) { $0 + $1.record.state.count }
        guard work.canAfford(.parsing(bytes: bytes)) else { return nil }
        try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try work.spend(.parsing(bytes: bytes))
        }
        var state = try before.map { stored throws(OperationError) in try session(stored).state }
        let app = oldest.record.app.flatMap { apps[$0]?.app }
        var missed: [StreamEvent] = []
        for change in changes.reversed() {
            let next = try session(change).state
            let steps = state.map { SessionEncoder.encode($0.steps(to: next, app: app), app: app) }
            let details = SessionChange.Details(change, steps: steps)
            missed.append(StreamEvent(details, service.tagMember))
            state = next
        }
        return missed.reversed()
    }
}

extension LoadRequest {
    /// Whether all records of a session are loaded, however large they are.
    fileprivate var isWhole: Bool { if case .history = self { true } else { false } }

    /// The same request, limited to this many bytes.
    fileprivate func limited(to bytesMax: Int) -> LoadRequest {
        guard case .records(var location) = self else { return self }
        location.bytesMax = bytesMax
        return .records(location)
    }
}

extension [StreamEvent] {
    /// The events in the order of their numbers, with their positions.
    ///
    /// - Parameter start: the position before the first of them.
    fileprivate func inOrder(after start: FeedPosition) -> [StreamEvent] {
        var position = start
        return sorted { $0.sequence < $1.sequence }.map { event in
            position.advance(to: event.sequence)
            event.position = position
            return event
        }
    }
}
