internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// What outlives a request: the store, the environment, and the caches of what is stored.
final class ServiceState {
    let store: any SessionStore
    var environment: ServiceEnvironment
    var caches: ServiceCaches
    /// The work that the current request may still cause. Requests are answered one after another,
    /// so they share one budget, which each of them renews.
    let work = WorkBudget()
    /// The beginning of every entity tag: the lineage of the store.
    private let tag: ResponseTag
    /// Entity tags in JSON.
    let tagMember: EntityTagMember

    init(store: any SessionStore, options: ServiceOptions) {
        self.store = store
        environment = ServiceEnvironment(options)
        tag = ResponseTag(store.lineage)
        tagMember = EntityTagMember(lineage: store.lineage)
        caches = ServiceCaches(
            apps: AppTable(store),
            sessions: RecentSessions(bytesMax: options.decodedBytesMax),
            changes: RecentChanges(completeAfter: store.fedUpTo))
    }

    /// The entity tag for this version.
    func etag(_ version: EntityVersion) -> ResponseTag {
        version.first == 0
            ? tag.numbered(version.second) : tag.numbered(version.first, version.second)
    }

    /// Forgets what the store has taken back.
    func rollBack() {
        caches.sessions.removeAll()
        caches.longBodies.removeAll()
        caches.apps = AppTable(store)
    }

    /// Reads the apps again if they have changed in the store.
    func refreshApps() {
        if caches.apps.generation != store.appsGeneration { caches.apps.refresh(from: store) }
    }

    /// Adds a change from the store's feed to the recent ones.
    ///
    /// - Returns: what to announce to clients; nil if no client is listening.
    func take(_ change: StoreChange) -> Announcement? {
        switch change {
        case .put(let change):
            caches.changes.append(
                RecentChanges.Item(
                    id: change.id, revision: change.revision, sequence: change.sequence))
            guard let details = change.details, environment.audience(change.id) > 0 else {
                return nil
            }
            var told = MissedChange(stored: details.stored, steps: details.steps)
            if told.steps == nil, environment.wantsSteps(change.id) {
                told.steps = steps(to: details.stored)
            }
            return Announcement(told, tagMember)
        case .deleted(let deletion):
            caches.changes.append(
                RecentChanges.Item(
                    id: deletion.id, revision: deletion.revision, sequence: deletion.sequence))
            return Announcement(deletion)
        }
    }

    /// The steps to a state as JSON, if the previous revision is in memory. Only changes that were
    /// made elsewhere, or before anybody wanted the steps, need this.
    private func steps(to stored: StoredRecord) -> [UInt8]? {
        let (id, revision) = (stored.record.id, stored.record.revision)
        guard revision > 1, let handle = try? store.find(id, now: stored.record.at),
            let before = try? store.revision(revision - 1, of: handle),
            let start = try? SessionDecoder.decode(before.record),
            let end = try? SessionDecoder.decode(stored.record)
        else { return nil }
        return SessionEncoder.encode(start.state.steps(to: end.state))
    }
}

/// Copies in memory of what is stored. All of them can be made again from the store.
struct ServiceCaches {
    var apps: AppTable
    var sessions: RecentSessions
    var longBodies = LongBodies()
    var changes: RecentChanges
}
