internal import Bytes
internal import Navigation
internal import Sessions

/// All sessions of the store as one node knows them: what the feeds have told, and the node's own
/// changes as soon as they are kept. Records are not in it.
final class SessionTable {
    /// How a record changed the table.
    enum Effect {
        /// It is older than what is known, or the same.
        case none
        /// It began a session, or it is a new revision. If its id belonged to another session
        /// before, which has expired and whose end nobody has written, that one ends here.
        case changed(SessionHandle, replaced: Deletion?)
        /// It ended a session.
        case ended(SessionHandle?)
    }

    /// The live sessions that are bound to an app.
    private struct AppSessions {
        var count = 0
        /// The traits of those without labels.
        let traits: SessionTraits
    }

    private var handles = HandleTable()
    private var entries: [SharedEntry?] = []
    private var free: [SessionHandle] = []
    private var order = OrderedHandles()
    private var expiry = ExpiryQueue()
    /// The idle commands and ends of sheets that are due, apart from the expiry of sessions.
    private(set) var deadlines = Deadlines()
    private var endings: [SessionID: EndedSession] = [:]
    /// The ended sessions by the time of their end. Its handles are places in `endedIDs`.
    private var endingQueue = ExpiryQueue()
    private var endedIDs: [SessionID?] = []
    private var freeSlots: [SessionHandle] = []
    private var apps: [AppID: AppSessions] = [:]
    /// The number of live and ended sessions by shard, each of which has a subject.
    private var subjects: [Int] = []

    /// The number of live sessions, including those that have expired but were not ended yet.
    var count: Int { handles.count }

    /// The session of that id, expired or not.
    func find(_ id: SessionID) -> SessionHandle? {
        // A subscript of the array would copy the whole entry to compare its id.
        let stored = entries
        let entries = stored.span
        for handle in handles.candidates(hash(id)) {
            if let known = entries[Int(handle.rawValue)]?.id, known.rawValue == id.rawValue {
                return handle
            }
        }
        return nil
    }

    private func hash(_ id: SessionID) -> UInt64 { handles.hasher.hash(id.rawValue) }

    /// The entry of a live session.
    subscript(handle: SessionHandle) -> SharedEntry {
        guard let entry = entries[Int(handle.rawValue)] else {
            preconditionFailure("a handle of a session that is gone")
        }
        return entry
    }

    /// The end of the last session of an id, if the id belongs to no session now.
    func ending(_ id: SessionID) -> EndedSession? { endings[id] }

    /// The stream sequence of the last known message of a session's subject; 0 if none is known.
    func lastNumber(_ id: SessionID) -> Int {
        lastNumber(id, find(id))
    }

    func lastNumber(_ id: SessionID, _ handle: SessionHandle?) -> Int {
        if let handle { return entries[Int(handle.rawValue)]?.number ?? 0 }
        return endings[id]?.number ?? 0
    }

    /// The number of live sessions that are bound to an app.
    func sessionCount(of app: AppID) -> Int { apps[app]?.count ?? 0 }

    /// The number of subjects that the messages of sessions have in a shard.
    func subjectCount(in shard: Int) -> Int { shard < subjects.count ? subjects[shard] : 0 }

    // MARK: Changes

    /// Takes a record that is kept at a place.
    ///
    /// - Parameters:
    ///   - handle: the session of the record's id, if there is one.
    ///   - size: the size of the event and the state, if the record is without them.
    ///   - describe: completes the end of a session with what only others know.
    func apply(
        _ record: SharedRecord, of handle: SessionHandle?, at place: StreamPlace,
        size: Int? = nil, describing describe: (inout Deletion) -> Void
    ) -> Effect {
        guard place.number > lastNumber(record.id, handle) else {
            // The record that was waited for, or a newer one, is known.
            return .none
        }
        switch record.content {
        case .revision(let revision):
            let entry = SharedEntry(
                revision, born: record.born, at: place, size: size, traits: traits(of: revision))
            return put(entry, revision, over: handle, describing: describe)
        case .end(let tombstone): return end(tombstone, of: handle, at: place, describe)
        }
    }

    /// The traits of a record, if other sessions have the same.
    private func traits(of record: SessionRecord) -> SessionTraits? {
        record.labels.isEmpty ? record.app.flatMap { apps[$0]?.traits } : nil
    }

    private func put(
        _ entry: SharedEntry, _ record: SessionRecord, over handle: SessionHandle?,
        describing describe: (inout Deletion) -> Void
    ) -> Effect {
        guard let handle else {
            removeEnding(of: entry.id)
            return .changed(insert(entry, record.due), replaced: nil)
        }
        let former = self[handle]
        guard former.born != entry.born else {
            replace(former, with: entry, handle)
            noteDue(record.due, handle)
            return .changed(handle, replaced: nil)
        }
        var deletion = Deletion(
            id: entry.id, sequence: entry.place.sequence, revision: former.revision, at: record.at,
            why: .expired, key: nil)
        complete(&deletion, from: former, describing: describe)
        remove(handle)
        return .changed(insert(entry, record.due), replaced: deletion)
    }

    private func end(
        _ tombstone: SharedRecord.Tombstone, of handle: SessionHandle?, at place: StreamPlace,
        _ describe: (inout Deletion) -> Void
    ) -> Effect {
        var deletion = Deletion(tombstone, at: place)
        if let handle {
            complete(&deletion, from: self[handle], describing: describe)
            remove(handle)
        }
        removeEnding(of: tombstone.id)
        let slot = freeSlots.popLast() ?? SessionHandle(rawValue: UInt32(endedIDs.count))
        if Int(slot.rawValue) == endedIDs.count { endedIDs.append(nil) }
        endedIDs[Int(slot.rawValue)] = tombstone.id
        endings[tombstone.id] = EndedSession(
            number: place.number, deletion: deletion, standsFor: tombstone.standsFor, slot: slot)
        endingQueue.push(
            ExpiryQueue.Item(seconds: ExpiryQueue.seconds(deletion.at), handle: slot))
        countSubject(in: place.shard, by: 1)
        return .ended(handle)
    }

    private func removeEnding(of id: SessionID) {
        guard let ending = endings.removeValue(forKey: id) else { return }
        endedIDs[Int(ending.slot.rawValue)] = nil
        freeSlots.append(ending.slot)
        countSubject(in: ending.deletion.sequence.log, by: -1)
    }

    private func complete(
        _ deletion: inout Deletion, from entry: SharedEntry,
        describing describe: (inout Deletion) -> Void
    ) {
        deletion.ticket = .none
        (deletion.app, deletion.labels) = (entry.app, entry.labels)
        describe(&deletion)
    }

    /// Another node has made a newer record of the session than the one that is known.
    func setStale(_ id: SessionID) {
        guard let handle = find(id) else { return }
        entries[Int(handle.rawValue)]?.isStale = true
    }

    /// Some sessions of a shard may not have the record any more that is known.
    func setStale(allOf shard: Int) {
        for index in entries.indices where entries[index]?.shard == shard {
            entries[index]?.isStale = true
        }
    }

    /// The leader of the stream was asked and has nothing newer than what is known.
    func setFresh(_ id: SessionID) {
        guard let handle = find(id) else { return }
        entries[Int(handle.rawValue)]?.isStale = false
    }

    /// The leader of the stream was asked and has no message of the session. Its messages were
    /// removed, so the next one follows none.
    func forget(_ id: SessionID) {
        removeEnding(of: id)
        if let handle = find(id) { remove(handle) }
    }

    private func insert(_ entry: SharedEntry, _ due: DueTimes) -> SessionHandle {
        let handle = free.popLast() ?? SessionHandle(rawValue: UInt32(entries.count))
        if Int(handle.rawValue) == entries.count { entries.append(nil) }
        entries[Int(handle.rawValue)] = entry
        let hasher = handles.hasher
        handles.insert(handle, hash(entry.id)) { hasher.hash(self[$0].id.rawValue) }
        order.insert(handle) { compare($0, with: entry.id) }
        count(entry.app, by: 1)
        countSubject(in: entry.shard, by: 1)
        enqueue(handle)
        noteDue(due, handle)
        return handle
    }

    private func replace(
        _ former: SharedEntry, with entry: SharedEntry, _ handle: SessionHandle
    ) {
        var entry = entry
        entry.queuedFor = former.queuedFor
        entries[Int(handle.rawValue)] = entry
        if former.app != entry.app {
            count(former.app, by: -1)
            count(entry.app, by: 1)
        }
        enqueue(handle)
    }

    private func remove(_ handle: SessionHandle) {
        let entry = self[handle]
        order.remove(handle) { compare($0, with: entry.id) }
        let hasher = handles.hasher
        handles.remove(handle, hash(entry.id)) { hasher.hash(self[$0].id.rawValue) }
        entries[Int(handle.rawValue)] = nil
        if !deadlines.isEmpty { deadlines.remove(handle) }
        free.append(handle)
        count(entry.app, by: -1)
        countSubject(in: entry.shard, by: -1)
    }

    private func compare(_ handle: SessionHandle, with id: SessionID) -> Int {
        entries[Int(handle.rawValue)]?.id.rawValue.order(id.rawValue) ?? 0
    }

    private func count(_ app: AppID?, by difference: Int) {
        guard let app else { return }
        var known = apps[app] ?? AppSessions(traits: SessionTraits(app: app, labels: []))
        known.count += difference
        apps[app] = known.count > 0 ? known : nil
    }

    private func countSubject(in shard: Int, by difference: Int) {
        while subjects.count <= shard { subjects.append(0) }
        subjects[shard] += difference
    }

    // MARK: Lists

    /// A page of the sessions in the byte order of their ids.
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        var page = SessionPage(handles: [], next: nil)
        var (examined, last) = (0, SessionID?.none)
        let latest = filter.latestSecond(now: now) ?? .max
        order.walk(
            isBefore: { handle in
                let id = self[handle].id
                if let after, !(after < id) { return true }
                return id.rawValue < filter.prefix
            }
        ) { handle in
            let entry = self[handle]
            guard entry.id.rawValue.utf8.starts(with: filter.prefix.utf8) else { return false }
            guard examined < SessionPage.examinedMax, page.handles.count < limit else {
                page.next = last
                return false
            }
            examined += 1
            last = entry.id
            if entry.expiresAt > now, entry.second <= latest,
                filter.matches(app: entry.app, labels: entry.labels)
            {
                page.handles.append(handle)
            }
            return true
        }
        return page
    }

    // MARK: Expiry

    /// When the next session may expire.
    var nextExpiry: Milliseconds? { expiry.first.map { Milliseconds($0.seconds) * 1000 } }

    /// Takes a session out of the queue that has expired by now, if there is one.
    func popExpired(now: Milliseconds) -> SessionHandle? {
        while let item = expiry.first, Milliseconds(item.seconds) * 1000 <= now {
            _ = expiry.popFirst()
            let index = Int(item.handle.rawValue)
            guard let entry = entries[index], entry.queuedFor == item.seconds else { continue }
            entries[index]?.queuedFor = 0
            if entry.expiresAt <= now { return item.handle }
            enqueue(item.handle)
        }
        return nil
    }

    /// The end of a session could not be written, or something else was written instead.
    func checkExpiry(of id: SessionID, notBefore time: Milliseconds) {
        if let handle = find(id) { enqueue(handle, notBefore: time) }
    }

    /// Queues a session for the time at which it expires, or for a later one.
    func enqueue(_ handle: SessionHandle, notBefore time: Milliseconds = 0) {
        let entry = self[handle]
        guard entry.expiresAt != SharedEntry.never else { return }
        let seconds = ExpiryQueue.seconds(max(entry.expiresAt, time))
        guard entry.queuedFor == 0 || seconds < entry.queuedFor else { return }
        entries[Int(handle.rawValue)]?.queuedFor = seconds
        expiry.push(ExpiryQueue.Item(seconds: seconds, handle: handle))
    }

    /// Takes the sessions out of the queue that ended first, if that was before a time. An id that
    /// was used again has no end, or a later one.
    ///
    /// - Parameter limit: the most sessions to take.
    func popEndings(before time: Milliseconds, limit: Int) -> [EndedSession] {
        var old: [EndedSession] = []
        while old.count < limit, let item = endingQueue.first {
            let ending = endedIDs[Int(item.handle.rawValue)].flatMap { endings[$0] }
            let isQueued = ending.map { ExpiryQueue.seconds($0.deletion.at) == item.seconds }
            if let ending, isQueued == true {
                guard ending.deletion.at < time else { break }
                old.append(ending)
            }
            _ = endingQueue.popFirst()
        }
        return old
    }

    // MARK: Deadlines

    private func noteDue(_ due: DueTimes, _ handle: SessionHandle) {
        guard !deadlines.isEmpty || !due.isEmpty else { return }
        let entry = self[handle]
        deadlines.note(due, of: handle, at: entry.second, app: entry.app)
    }

    /// Takes out a session in which something is due. If the idle time of an app has changed, a
    /// part of the sessions is looked at instead, and nil is returned.
    func takeDue(now: Milliseconds) -> (handle: SessionHandle, mayBeIdle: Bool)? {
        guard deadlines.isRenewing else { return deadlines.takeDue(now: now) }
        let start = deadlines.renewalPlace
        let end = min(start + Self.renewedTogether, entries.count)
        for index in start..<max(start, end) {
            guard let entry = entries[index], let app = entry.app, deadlines.isRenewing(app)
            else { continue }
            let handle = SessionHandle(rawValue: UInt32(index))
            deadlines.renew(handle, at: entry.second, app: app)
        }
        deadlines.renewed(upTo: end < entries.count ? end : nil)
        return nil
    }

    /// The sessions that one call looks at, which takes about a millisecond.
    private static let renewedTogether = 8_192

    /// Sets the idle times of all apps that have an idle command, in seconds.
    func setIdleSeconds(_ seconds: [AppID: Int]) { deadlines.setIdleSeconds(seconds) }

    /// Notes that what is due in a session could not be done, or is not to be done here.
    func postponeDue(of id: SessionID, until time: Milliseconds) {
        if let handle = find(id) { deadlines.postpone(handle, until: time) }
    }

    /// Notes that the idle command of a session had no effect.
    func settleIdle(of id: SessionID) {
        if let handle = find(id) { deadlines.settleIdle(handle) }
    }
}
