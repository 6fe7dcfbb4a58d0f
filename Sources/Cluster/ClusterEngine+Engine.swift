internal import Bytes
public import Navigation
internal import POSIX
public import Sessions

extension ClusterEngine: Engine {
    /// The number of `wakeDescriptor`.
    public var wakeDescriptorNumber: Int32 { wakeDescriptor.number }

    /// The parts that read, and the part that makes changes.
    public var parts: SessionStore {
        SessionStore(
            reading: reader, writing: proposer, tokens: reader, apps: reader, status: self)
    }

    /// The backups that this node is making.
    public var backups: any BackupReading { clusterBackups }

    // MARK: Status

    /// The letters and digits that the store was given when it was made.
    public var lineage: String { facts.lineage }
    /// None: every change is decided by itself.
    public var keptUpTo: Ticket { .none }
    /// None: reads show only what is kept.
    public var undecided: (changes: [SessionChange], ticket: Ticket) { ([], .none) }
    /// Nil while anything is heard of the store: other shards may take the change.
    public var refusal: StoreError? {
        isInContact && reader.fault == nil && reader.endangering == nil ? nil : .unavailable
    }
    /// Nil once all feeds have been read.
    public var reading: StoreProgress? {
        guard let feeds = links.feeds, !feeds.hasCaughtUp else { return nil }
        let (count, progress) = (facts.shardCount, feeds.progress)
        return StoreProgress(
            parts: (read: (0..<count).count { feeds.isRead($0) }, all: count),
            messages: (read: progress.read, all: progress.read + progress.pending))
    }
    /// Whether a server is connected, whether the store answers or delivers, whether it is the one
    /// that was opened, and whether its streams keep what they acknowledge.
    public var checks: [(name: String, isHealthy: Bool)] {
        [
            ("store-link", isLinked), ("store-shards", isInContact),
            ("store-same", reader.fault == nil), ("store-settings", reader.endangering == nil),
        ]
    }
    /// The messages that are damaged, and the sessions whose messages are gone.
    public var damage: (what: String, count: Int) { ("records", replica.damage.count) }

    // MARK: Expiry

    /// Nil: the keeper of each shard ends its expired sessions in `tick`.
    public var nextExpiry: Milliseconds? { nil }

    /// Does nothing, as `nextExpiry` is nil.
    public func expire(now: Milliseconds, limit: Int) -> [Deletion] { [] }

    // MARK: Health

    /// Why changes are refused at present.
    public var refusalText: String? {
        if let fault = reader.fault { return "\(fault); this server has to be started again" }
        if let endangering = reader.endangering { return endangering.message }
        return isInContact ? nil : "the servers of the store do not answer"
    }

    /// Settings that an operator should change although the store is used, as sentences.
    public var warnings: [String] {
        reader.misfits.filter { !$0.endangersChanges }.map(\.message) + (syncWatch?.faults ?? [])
            + (clockWarning.map { [$0] } ?? [])
            + replica.losses.all.map { loss in
                SubjectLosses.text(loss.missing, in: replica.layout.name(of: loss.shard))
            }
    }
}
