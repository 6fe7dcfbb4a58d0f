import Navigation
import Sessions

/// The parts of a store, with those answers that only a store gives which several servers share.
final class SharedStoreParts: SessionReading, AppReading, StatusReading {
    /// Whether the ids of sessions follow from the keys with which they are created.
    var derivesIDs = false
    /// How often a request has waited for the apps.
    private(set) var appsAwaited = 0
    var warnings: [String] = []
    var reading: StoreProgress?

    let store: ClientStore
    private var base: SessionStore { store.parts }

    init(_ store: ClientStore) { self.store = store }

    var parts: SessionStore {
        SessionStore(
            reading: self, writing: base.writing, tokens: base.tokens, apps: self, status: self)
    }

    func creationID(forKey key: String, now: Milliseconds) -> SessionID? {
        derivesIDs ? SessionID("of-\(key)") : nil
    }

    func awaitApps() { appsAwaited += 1 }

    func checkSessions() throws(StoreError) { if reading != nil { throw .starting } }

    // MARK: The same as in the store

    var lineage: String { base.status.lineage }
    var keptUpTo: Ticket { base.status.keptUpTo }
    var fedUpTo: FeedPosition { base.status.fedUpTo }
    var undecided: (changes: [SessionChange], ticket: Ticket) { base.status.undecided }
    var refusal: StoreError? { base.status.refusal }
    var damage: (what: String, count: Int) { base.status.damage }

    var storedApps: [StoredApp] { base.apps.storedApps }
    var appsGeneration: UInt64 { base.apps.appsGeneration }
    func sessionCount(of app: AppID) throws(StoreError) -> Int {
        try base.apps.sessionCount(of: app)
    }

    var sessionCount: Int { base.reading.sessionCount }
    func find(_ id: SessionID, now: Milliseconds) throws(StoreError) -> SessionHandle? {
        try base.reading.find(id, now: now)
    }
    func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        try base.reading.find(bytes, range, now: now)
    }
    func summary(_ handle: SessionHandle) -> SessionSummary { base.reading.summary(handle) }
    func labels(of handle: SessionHandle) -> [Label] { base.reading.labels(of: handle) }
    func sequence(of handle: SessionHandle) -> SequenceNumber { base.reading.sequence(of: handle) }
    func version(of handle: SessionHandle) -> StoredVersion { base.reading.version(of: handle) }
    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        try base.reading.appendState(handle, to: &bytes)
    }
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try base.reading.newest(handle)
    }
    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord? {
        try base.reading.revision(revision, of: handle)
    }
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        try base.reading.changes(of: handle, after: after, bytesLeft: &bytesLeft)
    }
    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        try base.reading.result(forKey: key, in: scope, now: now)
    }
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage {
        try base.reading.walk(after: after, filter: filter, limit: limit, now: now)
    }
}
