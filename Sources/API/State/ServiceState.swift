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
            apps: AppTable(store.apps),
            sessions: RecentSessions(bytesMax: options.decodedBytesMax),
            changes: RecentChanges(completeAfter: store.durable))
    }

    /// The entity tag of what was stored with this number.
    func etag(_ sequence: SequenceNumber) -> ResponseTag { tag.numbered(sequence) }

    /// Forgets what the store has taken back.
    func rollBack() {
        caches.sessions.removeAll()
        caches.longBodies.removeAll()
        caches.changes.removeAll(after: store.durable)
        caches.apps = AppTable(store.apps)
    }

    /// Adds a stored change to the recent ones.
    ///
    /// - Parameter steps: the steps of the change as JSON, if any client wants them.
    /// - Returns: what streams are to be told, or nil if no client watches the session.
    func add(
        _ record: SessionRecord, _ sequence: SequenceNumber, steps: [UInt8]?
    ) -> Announcement? {
        caches.changes.append(
            RecentChanges.Item(id: record.id, revision: record.revision, sequence: sequence))
        guard environment.isWatched(record.id) else { return nil }
        return Announcement(
            id: record.id, app: record.app, labels: record.labels,
            revision: record.revision, sequence: sequence,
            event: .change(record, sequence, tag: tagMember, steps: steps))
    }

    /// Adds the end of a session to the recent changes, and returns what streams are to be told.
    func add(_ deletion: Deletion) -> Announcement {
        caches.changes.append(
            RecentChanges.Item(
                id: deletion.id, revision: deletion.revision, sequence: deletion.sequence))
        return Announcement(
            id: deletion.id, app: deletion.app, labels: deletion.labels,
            revision: deletion.revision,
            sequence: deletion.sequence, event: .end(deletion), endedTokens: deletion.tokens)
    }
}

/// Copies in memory of what is stored. All of them can be made again from the store.
struct ServiceCaches {
    var apps: AppTable
    var sessions: RecentSessions
    var longBodies = LongBodies()
    var changes: RecentChanges
}
