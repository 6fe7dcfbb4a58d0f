internal import Bytes
internal import Navigation
internal import Sessions

/// Everything the store knows in memory about its sessions and apps, except the cached records.
///
/// Each change returns what is needed to roll it back. The tables always agree with one another:
/// entries, interned names, expiry queue, keys, undo runs and tokens change together.
final class StoreState: AppReading {
    private var tables: StateTables
    /// The number of changes of apps so far, including those that were rolled back.
    private(set) var appsGeneration: UInt64 = 0
    /// A buffer for the bytes of an id.
    private var idBytes: [UInt8] = []

    /// Older records that are kept in addition to the newest: what undo needs for 32 steps.
    static let historyMax = Int64(UndoStacks.stepsMax)

    init(_ tables: StateTables) { self.tables = tables }

    // MARK: Look-ups

    /// The number of live sessions, including those that have expired but were not removed yet.
    var count: Int { tables.index.count }

    /// The session of that id, expired or not.
    func find(_ id: SessionID) -> SessionHandle? {
        setID(id)
        return tables.index.find(idBytes, 0..<idBytes.count)
    }

    /// The same for an id within bytes, which are not copied.
    func find(_ bytes: [UInt8], _ range: Range<Int>) -> SessionHandle? {
        tables.index.find(bytes, range)
    }

    private func setID(_ id: SessionID) {
        idBytes.removeAll(keepingCapacity: true)
        idBytes.append(contentsOf: id.rawValue.utf8)
    }

    /// The entry of a live session.
    subscript(handle: SessionHandle) -> SessionEntry { tables.index[handle] }

    /// Notes where the session's newest record is in the cache.
    func setCached(_ position: UInt64, of handle: SessionHandle) {
        tables.index[handle].cached = position
    }

    func id(of handle: SessionHandle) -> SessionID { tables.index.id(handle) }

    func summary(of handle: SessionHandle) -> SessionSummary {
        let entry = tables.index[handle]
        return SessionSummary(
            id: tables.index.id(handle), sequence: entry.sequence, revision: Int(entry.revision),
            expiresAt: entry.expiresAt == SessionEntry.never ? nil : entry.expiresAt,
            app: tables.appNames[entry.app], bytes: Int(entry.length))
    }

    func labels(of handle: SessionHandle) -> [Label] {
        tables.labelSets[tables.index[handle].labels] ?? []
    }

    /// The runs that the session's newest record names for undo and redo, if it names any.
    func undoRuns(of handle: SessionHandle) -> [UndoRun]? {
        tables.undoRuns.isEmpty ? nil : tables.undoRuns[handle]
    }

    /// The record of an idempotency key, and whether it is its session's newest.
    func place(
        ofKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) -> (place: IdempotencyKeys.Place, newestOf: SessionHandle?)? {
        let hasher = tables.index.hasher
        let idHash =
            switch scope {
            case .creations: UInt64(0)
            case .session(let id): hasher.hash(id.rawValue)
            }
        let hash = StateTables.keyHash(key, idHash: idHash, hasher)
        guard let place = tables.keys.find(hash, now: now) else { return nil }
        guard let handle = place.handle, tables.index.isLive(handle),
            tables.index[handle].sequence == place.sequence
        else { return (place, nil) }
        return (place, handle)
    }

    /// Whether an idempotency key of the session, or of creations, leads to that record.
    func keeps(key: String, id: ArraySlice<UInt8>, sequence: SequenceNumber) -> Bool {
        let hasher = tables.index.hasher
        return [hasher.hash(id.span), 0].contains { idHash in
            tables.keys.holds(
                StateTables.keyHash(key, idHash: idHash, hasher), sequence: sequence)
        }
    }

    /// A page of the sessions in the byte order of their ids.
    func page(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        tables.page(after: after, filter: filter, limit: limit, now: now)
    }

    /// All apps by id.
    var storedApps: [StoredApp] { tables.documents.values.sorted { $0.id < $1.id } }

    func app(_ id: AppID) -> StoredApp? { tables.documents[id] }

    /// The number of live sessions that are bound to the app.
    func sessionCount(of app: AppID) -> Int { tables.appNames.count(app) }

    /// The session's tokens and the record that has them.
    func tokens(of handle: SessionHandle) -> TokenTable.Row? { tables.tokens[handle] }

    /// The session that a token belongs to, expired or not.
    func owner(of digest: TokenDigest) -> (handle: SessionHandle, token: SessionToken)? {
        tables.tokens.owner(of: digest)
    }

    // MARK: Changes

    /// Where a put's line is, and what it names.
    struct PutLine {
        var sequence: SequenceNumber
        /// The session's first record.
        var born: SequenceNumber
        /// The length of the line in bytes.
        var length: Int
        /// The position in the cache.
        var cached: UInt64
        var runs: UndoRuns
    }

    /// Applies a put that has been written.
    ///
    /// - Parameter found: the session, if it exists already.
    func put(
        _ record: SessionRecord, _ line: PutLine, in found: SessionHandle?
    ) -> RollbackLog.Item {
        let handle = found ?? insert(record.id)
        let prior = tables.index[handle]
        var entry = prior
        entry.sequence = line.sequence
        entry.born = line.born
        entry.revision = Int64(record.revision)
        entry.second = ExpiryQueue.seconds(record.at)
        entry.expiresAt = record.expiresAt ?? SessionEntry.never
        entry.length = UInt32(line.length)
        entry.cached = line.cached
        entry.app = record.app.map { tables.appNames.take($0, mostly: entry.app) } ?? 0
        entry.labels =
            record.labels.isEmpty
            ? 0 : tables.labelSets.take(record.labels, mostly: entry.labels)
        tables.index[handle] = entry
        if record.expiresAt != nil { tables.enqueue(handle) }
        var more = putExtras(of: record, line, handle)
        if !tables.deadlines.isEmpty || !record.due.isEmpty {
            noteDue(record, of: handle, &more)
        }
        return RollbackLog.Item(
            sequence: line.sequence, handle: handle, kind: found == nil ? .created : .changed,
            prior: found == nil ? SessionEntry() : prior, more: more)
    }

    private func insert(_ id: SessionID) -> SessionHandle {
        setID(id)
        return tables.index.insert(idBytes, 0..<idBytes.count)
    }

    /// Applies what a put says about the time at which something is due.
    private func noteDue(
        _ record: SessionRecord, of handle: SessionHandle, _ more: inout RollbackLog.More?
    ) {
        if let item = tables.deadlines[handle] {
            let kept = more ?? RollbackLog.More()
            kept.deadline = item
            more = kept
        }
        tables.deadlines.note(
            record.due, of: handle, at: ExpiryQueue.seconds(record.at), app: record.app)
    }

    /// Applies a put's undo runs and its key.
    private func putExtras(
        of record: SessionRecord, _ line: PutLine, _ handle: SessionHandle
    ) -> RollbackLog.More? {
        var more: RollbackLog.More?
        let old = undoRuns(of: handle)
        if old != nil || !line.runs.isEmpty {
            let kept = RollbackLog.More()
            kept.undoRuns = old
            more = kept
            tables.undoRuns[handle] = line.runs.isEmpty ? nil : line.runs.all
        }
        if let key = record.key {
            let kept = more ?? RollbackLog.More()
            kept.addedKeys = tables.keepKey(
                key.key, idHash: tables.index.hasher.hash(record.id.rawValue),
                place: IdempotencyKeys.Place(
                    sequence: line.sequence, at: record.at, handle: handle),
                isCreation: record.revision == 1)
            more = kept
        }
        return more
    }

    /// Adds to a deletion what is known about the session: its app and its labels.
    func describe(_ deletion: inout Deletion, of handle: SessionHandle) {
        let entry = tables.index[handle]
        deletion.app = tables.appNames[entry.app]
        deletion.labels = tables.labelSets[entry.labels] ?? []
    }

    /// Applies a deletion that has been written.
    func remove(_ handle: SessionHandle, _ deletion: Deletion) -> RollbackLog.Item {
        let prior = tables.index[handle]
        let name = Array(deletion.id.rawValue.utf8)
        let more = RollbackLog.More()
        more.name = name
        more.undoRuns = tables.undoRuns.removeValue(forKey: handle)
        more.removedKeys = tables.keys.removeAll(of: handle)
        if !tables.tokens.isEmpty { more.tokens = tables.tokens.replace(handle, nil) }
        if !tables.deadlines.isEmpty {
            more.deadline = tables.deadlines[handle]
            tables.deadlines.remove(handle)
        }
        tables.index.remove(handle)
        if let key = deletion.key {
            more.addedKeys = tables.keepKey(
                key.key, idHash: tables.index.hasher.hash(name.span),
                place: IdempotencyKeys.Place(
                    sequence: deletion.sequence, at: deletion.at, handle: nil),
                isCreation: false)
        }
        return RollbackLog.Item(
            sequence: deletion.sequence, handle: handle, kind: .removed, prior: prior, more: more)
    }

    /// Applies a list of tokens that has been written.
    func putTokens(_ row: TokenTable.Row, of handle: SessionHandle) -> RollbackLog.Item {
        let more = RollbackLog.More()
        more.tokens = tables.tokens.replace(handle, row)
        return RollbackLog.Item(
            sequence: row.sequence, handle: handle, kind: .tokens, prior: SessionEntry(),
            more: more)
    }

    /// Applies the document or the deletion of an app that has been written.
    func setApp(
        _ id: AppID, _ app: StoredApp?, sequence: SequenceNumber
    ) -> RollbackLog.Item {
        let more = RollbackLog.More()
        more.app = (id, tables.documents[id])
        tables.documents[id] = app
        appsGeneration += 1
        return RollbackLog.Item(
            sequence: sequence, handle: SessionHandle(rawValue: 0), kind: .app,
            prior: SessionEntry(), more: more)
    }

    // MARK: Expiry

    /// When the next session may expire.
    var nextExpiry: Milliseconds? {
        tables.expiry.first.map { Milliseconds($0.seconds) * 1000 }
    }

    /// Removes idempotency keys that are too old.
    func dropKeys(now: Milliseconds) { tables.keys.drop(now: now) }

    /// An expired session, if there is one. It stays at the head of the queue until
    /// `removeFirstExpiry`.
    func firstExpired(now: Milliseconds) -> SessionHandle? {
        while let item = tables.expiry.first, Milliseconds(item.seconds) * 1000 <= now {
            let handle = item.handle
            if tables.index.isLive(handle), tables.index[handle].queuedFor == item.seconds {
                if tables.index[handle].expiresAt <= now { return handle }
                _ = tables.expiry.popFirst()
                tables.index[handle].queuedFor = 0
                tables.enqueue(handle)
            } else {
                _ = tables.expiry.popFirst()
            }
        }
        return nil
    }

    func removeFirstExpiry() { _ = tables.expiry.popFirst() }

    // MARK: Deadlines

    /// When something is due next, or has to be done to find out.
    var nextDue: Milliseconds? { tables.deadlines.next }

    /// Takes out a session in which something is due.
    func takeDue(now: Milliseconds) -> DueSession? { tables.takeDue(now: now) }

    /// Sets the idle times of all apps that have an idle command, in seconds.
    func setIdleSeconds(_ seconds: [AppID: Int]) { tables.deadlines.setIdleSeconds(seconds) }

    /// Notes that what is due in a session could not be done.
    func postponeDue(of id: SessionID, until time: Milliseconds) {
        if let handle = find(id) { tables.deadlines.postpone(handle, until: time) }
    }

    /// Notes that the idle command of a session had no effect.
    func settleIdle(of id: SessionID) {
        if let handle = find(id) { tables.deadlines.settleIdle(handle) }
    }

    // MARK: Rollback

    /// Releases what was kept of a change only to roll it back.
    func settle(_ item: RollbackLog.Item) {
        switch item.kind {
        case .changed, .removed: tables.releaseNames(of: item.prior)
        case .created, .app, .tokens: break
        }
    }

    /// Rolls back the newest change that has not been rolled back yet.
    func takeBack(_ item: RollbackLog.Item) {
        switch item.kind {
        case .app:
            if let app = item.more?.app { tables.documents[app.id] = app.document }
            appsGeneration += 1
        case .tokens:
            tables.tokens.replace(item.handle, item.more?.tokens)
        case .created:
            tables.releaseNames(of: tables.index[item.handle])
            tables.keys.remove(item.more?.addedKeys ?? [], of: item.handle)
            tables.undoRuns[item.handle] = nil
            tables.deadlines.remove(item.handle)
            tables.index.remove(item.handle)
        case .changed:
            tables.releaseNames(of: tables.index[item.handle])
            restoreEntry(item)
            if let more = item.more { tables.keys.remove(more.addedKeys, of: item.handle) }
        case .removed:
            let name = item.more?.name ?? []
            tables.keys.remove(item.more?.addedKeys ?? [], of: nil)
            let handle = tables.index.insert(name, 0..<name.count)
            precondition(handle == item.handle, "handles are taken back in reverse order")
            tables.keys.restore(item.more?.removedKeys ?? [:], of: handle)
            tables.tokens.replace(handle, item.more?.tokens)
            restoreEntry(item)
        }
    }

    private func restoreEntry(_ item: RollbackLog.Item) {
        var entry = item.prior
        let current = tables.index[item.handle]
        (entry.idStart, entry.idCount) = (current.idStart, current.idCount)
        entry.queuedFor = 0
        tables.index[item.handle] = entry
        tables.enqueue(item.handle)
        if let more = item.more { tables.undoRuns[item.handle] = more.undoRuns }
        if !tables.deadlines.isEmpty {
            tables.deadlines.restore(item.handle, item.more?.deadline)
        }
    }
}
