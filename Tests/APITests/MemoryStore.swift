import Navigation
import Sessions

/// A store without a disk: for the API's own tests.
final class MemoryStore: SessionReading, TokenReading, AppReading, StoreWriting, StatusReading {
    /// The store as a service uses it.
    var parts: SessionStore {
        SessionStore(reading: self, writing: self, tokens: self, apps: self, status: self)
    }

    let lineage = "test"
    private(set) var durable: SequenceNumber = 0
    var failure: StoreError?
    var refusal: StoreError? { failure }
    var damage: (what: String, count: Int) = ("files", 0)
    var warnings: [String] = []
    var reading: StoreProgress?
    var keptUpTo: Ticket { Ticket(ordered: durable) }
    private(set) var fedUpTo = FeedPosition(0)
    var undecided: (changes: [SessionChange], ticket: Ticket) {
        let changes = feed.map { sequence, change in
            switch change {
            case .put(let put): put
            case .deleted(let deletion):
                SessionChange(id: deletion.id, revision: deletion.revision, sequence: sequence)
            }
        }
        return (changes, Ticket(ordered: changes.last?.sequence ?? 0))
    }
    let namesSessionsInTokens = false
    private(set) var appsGeneration: UInt64 = 0
    /// Everything that is written counts as durable at once, unless this is off.
    var isInstant = true
    /// Every record has to be asked for twice, as if it came from the disk.
    var isForgetful = false

    private var last: SequenceNumber = 0
    private var histories: [SessionID: [StoredRecord]] = [:]
    private var ids: [UInt32: SessionID] = [:]
    private var handles: [SessionID: UInt32] = [:]
    private var keys: [IdempotencyScope: [String: IdempotentResult]] = [:]
    private var loaded: Set<SequenceNumber> = []
    private var tokenLists: [SessionID: (SequenceNumber, [SessionToken])] = [:]
    private var appTable: [AppID: StoredApp] = [:] { didSet { appsGeneration += 1 } }
    /// Changes that were not taken yet.
    private var feed: [(sequence: SequenceNumber, change: StoreChange)] = []

    var sessionCount: Int { histories.count }
    func checkSessions() throws(StoreError) { if reading != nil { throw .starting } }
    var storedApps: [StoredApp] { appTable.values.sorted { $0.id < $1.id } }

    /// Everything written so far survives from here on.
    func sync() { durable = last }

    /// Takes back the changes that are not durable; their numbers are given again.
    func rollBack() {
        last = durable
        feed.removeAll { $0.sequence > durable }
        histories = histories.mapValues { $0.filter { $0.sequence <= durable } }
            .filter { !$0.value.isEmpty }
    }

    /// The work of the server between two attempts.
    func load(_ requests: [LoadRequest]) {
        bytesOfLoads.append(0)
        for case .records(let place) in requests {
            let session = histories.values.first { $0.contains { $0.sequence == place.sequence } }
            let upTo = (session ?? []).filter { (place.after + 1...place.sequence) ~= $0.sequence }
            for stored in upTo.suffix(place.behind + 1) {
                guard loaded.insert(stored.sequence).inserted else { continue }
                let bytes = stored.record.event.count + stored.record.state.count
                bytesOfLoads[bytesOfLoads.count - 1] += bytes
            }
            loaded.insert(place.sequence)
        }
    }

    /// Of each time that a request had to wait for the disk.
    private(set) var bytesOfLoads: [Int] = []
    var loads: Int { bytesOfLoads.count }

    /// Nothing is in memory any more.
    func forget() {
        isForgetful = true
        loaded = []
        bytesOfLoads = []
    }

    /// The session's records before that number are no longer kept.
    func forget(before sequence: SequenceNumber, of name: String) {
        histories[SessionID(trusted: name)]?.removeAll { $0.sequence < sequence }
    }

    /// All records of a session, oldest first.
    func history(_ id: SessionID) -> [StoredRecord] { histories[id] ?? [] }

    /// The changes that survive and were not taken yet.
    func takeChanges() -> [StoreChange] {
        let taken = feed.prefix { $0.sequence <= durable }
        feed.removeFirst(taken.count)
        if let last = taken.last { fedUpTo = FeedPosition(last.sequence) }
        return taken.map(\.change)
    }

    private func next() -> SequenceNumber {
        last += 1
        if isInstant { durable = last }
        return last
    }

    func find(_ id: SessionID, now: Milliseconds) -> SessionHandle? {
        guard let newest = histories[id]?.last, (newest.record.expiresAt ?? .max) > now else {
            return nil
        }
        return handles[id].map(SessionHandle.init)
    }

    func find(_ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds) -> SessionHandle? {
        SessionID(String(decoding: bytes[range], as: UTF8.self)).flatMap { find($0, now: now) }
    }

    func summary(_ handle: SessionHandle) -> SessionSummary {
        let newest = latest(handle)
        return SessionSummary(
            id: newest.record.id, sequence: newest.sequence, revision: newest.record.revision,
            expiresAt: newest.record.expiresAt, app: newest.record.app,
            bytes: newest.record.event.count + newest.record.state.count)
    }

    func sequence(of handle: SessionHandle) -> SequenceNumber { latest(handle).sequence }

    func version(of handle: SessionHandle) -> StoredVersion { latest(handle).version }

    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let newest = try present(latest(handle))
        bytes += newest.record.state
        return newest.version
    }

    func labels(of handle: SessionHandle) -> [Label] { latest(handle).record.labels }

    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try present(latest(handle))
    }

    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord? {
        let all = history(latest(handle).record.id)
        guard let found = all.first(where: { $0.record.revision == revision }) else { return nil }
        return try present(found)
    }

    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        let all = history(latest(handle).record.id).filter { $0.sequence > after }
        bytesLeft -= all.reduce(0) { $0 + $1.record.event.count + $1.record.state.count }
        guard bytesLeft >= 0 else { return nil }
        if isForgetful, let newest = all.last,
            all.contains(where: { !loaded.contains($0.sequence) })
        {
            throw .notInMemory([
                .records(
                    RecordLocation(
                        sequence: newest.sequence, behind: all.count - 1, after: after))
            ])
        }
        return all.reversed()
    }

    private func latest(_ handle: SessionHandle) -> StoredRecord {
        guard let newest = ids[handle.rawValue].flatMap({ histories[$0]?.last }) else {
            preconditionFailure("a handle of a session that is gone")
        }
        return newest
    }

    private func present(_ stored: StoredRecord) throws(StoreError) -> StoredRecord {
        guard !isForgetful || loaded.contains(stored.sequence) else {
            throw .notInMemory([.records(RecordLocation(sequence: stored.sequence))])
        }
        return stored
    }

    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        keys[scope]?[key]
    }

    /// How often a request has waited for the apps.
    private(set) var appsAwaited = 0

    func awaitApps() { appsAwaited += 1 }

    /// Forgets all idempotency keys.
    func forgetKeys() { keys = [:] }

    /// Whether the ids of sessions follow from the keys with which they are created.
    var derivesIDs = false

    func creationID(forKey key: String, now: Milliseconds) -> SessionID? {
        derivesIDs ? SessionID("of-\(key)") : nil
    }

    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        let found = histories.keys.sorted().filter { id in
            guard let record = histories[id]?.last?.record else { return false }
            return id.rawValue.hasPrefix(filter.prefix) && after.map { id > $0 } ?? true
                && filter.matches(app: record.app, labels: record.labels)
                && find(id, now: now) != nil
        }
        let page = found.prefix(limit)
        return SessionPage(
            handles: page.compactMap { find($0, now: now) },
            next: found.count > limit ? page.last : nil)
    }

    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        if let failure { throw failure }
        for record in records {
            let stored = write(record)
            var change = SessionChange(
                id: record.id, revision: record.revision, sequence: stored.sequence)
            if case .records(let steps) = details {
                change.details = .init(stored, steps: steps[record.revision])
            }
            feed.append((stored.sequence, .put(change)))
        }
        return StoredVersion(last)
    }

    /// Writes the next revision of a session.
    func put(_ record: SessionRecord) throws(StoreError) -> StoredVersion {
        try put([record], of: nil, details: .none)
    }

    private func write(_ record: SessionRecord) -> StoredRecord {
        let stored = StoredRecord(sequence: next(), record: record)
        loaded.insert(stored.sequence)
        if handles[record.id] == nil {
            handles[record.id] = UInt32(ids.count)
            ids[UInt32(ids.count)] = record.id
        }
        let before = record.revision == 1 ? [] : histories[record.id] ?? []
        precondition(before.last.map { $0.record.revision + 1 == record.revision } ?? true)
        histories[record.id] = before + [stored]
        if let key = record.key?.key {
            keys[.session(record.id), default: [:]][key] = .change(stored)
            if record.revision == 1 { keys[.creations, default: [:]][key] = .change(stored) }
        }
        return stored
    }

    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        if let failure { throw failure }
        let newest = latest(handle)
        let id = newest.record.id
        var deletion = Deletion(
            id: id, sequence: next(), revision: newest.record.revision, at: at, why: .deleted,
            key: key)
        deletion.tokens = tokenLists[id]?.1 ?? []
        deletion.author = author
        histories[id] = nil
        tokenLists[id] = nil
        keys[.session(id)] = key.map { [$0.key: .deletion(deletion)] }
        feed.append((deletion.sequence, .deleted(deletion)))
        return deletion.ticket
    }

    func tokens(of handle: SessionHandle) -> (ticket: Ticket, tokens: [SessionToken]) {
        let (sequence, tokens) = tokenLists[latest(handle).record.id] ?? (0, [])
        return (Ticket(ordered: sequence), tokens)
    }

    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        for (id, list) in tokenLists {
            let good = list.1.first { $0.digest == digest && $0.isValid(at: now) }
            if let good, let handle = find(id, now: now) { return (handle, good) }
        }
        return nil
    }

    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        if let failure { throw failure }
        tokenLists[latest(handle).record.id] = (next(), tokens)
        return Ticket(ordered: last)
    }

    func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        if let failure, !documents.isEmpty { throw failure }
        return documents.map { id, text in
            let sequence = next()
            appTable[id] = StoredApp(id: id, sequence: sequence, at: at, document: text)
            return StoredVersion(sequence)
        }
    }

    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        if let failure { throw failure }
        appTable[id] = nil
        return Ticket(ordered: next())
    }

    func sessionCount(of app: AppID) -> Int {
        histories.values.count { $0.last?.record.app == app }
    }
}
