internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// State that outlives a request: the store, the environment, and the caches of stored items.
final class ServiceState {
    let store: SessionStore
    var environment: ServiceEnvironment
    var caches: ServiceCaches
    var texts = ChangeTexts()
    /// A transaction for the next change, if the last one has ended.
    var spareTransaction: SessionTransaction?
    /// The work that the current request may still cause. Requests are answered one after another,
    /// so they share one budget, which each of them renews.
    let work = WorkBudget()
    /// The beginning of every entity tag: the lineage of the store.
    private let tag: ResponseTag
    /// Entity tags in JSON.
    let tagMember: EntityTagMember

    init(store: SessionStore, options: ServiceOptions) {
        self.store = store
        environment = ServiceEnvironment(options)
        tag = ResponseTag(store.status.lineage)
        tagMember = EntityTagMember(lineage: store.status.lineage)
        caches = ServiceCaches(
            apps: AppTable(store),
            sessions: RecentSessions(bytesMax: options.decodedBytesMax),
            changes: RecentChanges(completeAfter: store.status.fedUpTo))
    }

    /// Whether an entity tag may name a newer state than the one with this version, which is the
    /// newest that is known here. It cannot in a store that knows the newest states of all
    /// sessions, whose versions have a single number.
    func isNewer(_ tag: EntityTag, than known: EntityVersion) -> Bool {
        guard known.first > 0 else { return false }
        let parts = tag.opaque.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == store.status.lineage, let first = UInt64(parts[1]),
            let second = UInt64(parts[2])
        else { return false }
        return first != known.first || second > known.second
    }

    /// The entity tag for this version.
    func etag(_ version: EntityVersion) -> ResponseTag {
        version.first == 0
            ? tag.numbered(version.second) : tag.numbered(version.first, version.second)
    }

    /// Forgets what the store has taken back.
    func rollBack() {
        caches.sessions.removeAll()
        caches.longBody = nil
        caches.apps = AppTable(store)
    }

    /// Reads the apps again if they have changed in the store.
    func refreshApps() {
        if caches.apps.generation != store.apps.appsGeneration { caches.apps.refresh(from: store) }
    }

    /// Adds a change from the store's feed to the recent ones.
    ///
    /// - Parameter isHeard: whether any client listens to the session, or waits for its change.
    /// - Returns: the event for these clients; nil if there are none.
    func take(_ change: StoreChange, isHeard: Bool) -> StreamEvent? {
        let event: StreamEvent
        switch change {
        case .put(let change):
            caches.changes.append(
                RecentChanges.Item(
                    id: change.id, revision: change.revision, sequence: change.sequence),
                followsGap: change.followsGap)
            guard isHeard, let details = change.details else { return nil }
            event = self.event(of: details, followsGap: change.followsGap)
        case .deleted(let deletion):
            caches.changes.append(
                RecentChanges.Item(
                    id: deletion.id, revision: deletion.revision, sequence: deletion.sequence))
            guard isHeard else { return nil }
            event = StreamEvent(deletion)
        }
        // In a store with one log, the number of the change is the position.
        if caches.changes.position.hasSeveralLogs { event.position = caches.changes.position }
        return event
    }

    private func event(of details: SessionChange.Details, followsGap: Bool) -> StreamEvent {
        guard !followsGap else {
            return StreamEvent(snapshot: details.stored, hasGap: true, tagMember)
        }
        guard details.steps == nil, environment.wantsSteps(details.stored.record.id) else {
            return StreamEvent(details, tagMember)
        }
        let stored = details.stored
        return StreamEvent(SessionChange.Details(stored, steps: steps(to: stored)), tagMember)
    }

    /// The steps to a state as JSON, if the previous revision is in memory. Only changes that were
    /// made elsewhere, or before anybody wanted the steps, need this.
    private func steps(to stored: StoredRecord) -> [UInt8]? {
        guard let before = store.reading.before(stored),
            let start = try? SessionDecoder.decode(before.record),
            let end = try? SessionDecoder.decode(stored.record)
        else { return nil }
        let app = end.app.flatMap { caches.apps[$0]?.app }
        return SessionEncoder.encode(start.state.steps(to: end.state, app: app), app: app)
    }
}

/// Copies in memory of what is stored, and of what was found out. All of them can be made again.
struct ServiceCaches {
    var apps: AppTable
    var sessions: RecentSessions
    var changes: RecentChanges
    var heads = HeadVerdicts()
    var longBody: LongBody?
}

/// The JSON of the long session that was read last. Clients that read it share its bytes. Otherwise
/// each client that requests 900 KB and does not read them takes memory of its own and four times
/// the CPU time, and with 200 of them other clients wait three times as long (p99).
struct LongBody {
    let handle: SessionHandle
    let version: EntityVersion
    let body: [UInt8]

    /// A shorter body is not kept.
    static let bytesMin = 64 << 10
}
