public import Navigation
internal import POSIX
public import Sessions

extension Store: Engine {
    /// The number of `wakeDescriptor`.
    public var wakeDescriptorNumber: Int32 { wakeDescriptor.number }

    /// The parts that read and write.
    public var parts: SessionStore {
        SessionStore(
            reading: reader, writing: writer, tokens: reader, apps: state, status: self)
    }

    // MARK: Status

    /// Distinguishes this store from any other, and from itself before a restore.
    public var lineage: String { log.activeSegment.header.lineage }

    /// The highest number that a power failure cannot take back, as a ticket.
    public var keptUpTo: Ticket { Ticket(ordered: durable) }

    /// The number of the last change that was taken from the feed.
    public var fedUpTo: FeedPosition { FeedPosition(writer.fedUpTo) }

    /// The changes that are not durable or have not been taken from the feed.
    public var undecided: (changes: [SessionChange], ticket: Ticket) {
        let changes = writer.feed.changesLeft
        return (changes, Ticket(ordered: changes.last?.sequence ?? 0))
    }

    /// Why changes are refused now, if they are.
    public var refusal: StoreError? { failure ?? durability.growthRefusal }

    /// The number of files in which damage was found since the start.
    public var damage: (what: String, count: Int) { ("files", faults.damagedFiles) }

    // MARK: Loading

    /// Has another thread read records. Everything else is always in memory.
    public func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        var locations: [RecordLocation] = []
        for case .records(let location) in requests { locations.append(location) }
        threads.loader.load(
            RecordLoader.Request(
                token: token, locations: locations, earlier: earlier as? LoadedRecords))
    }

    /// Returns the records that have been read since the last call.
    public func takeLoaded() -> [any LoadResult] { threads.loader.takeLoaded() }

    /// Runs the body. Reads in it see the loaded records.
    public func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reader.with(loaded as? LoadedRecords, body)
    }

    /// Returns the changes that have become durable since the last call, in order.
    public func takeChanges() -> [StoreChange] { writer.takeChanges() }

    // MARK: Deadlines

    /// When something is due next in a session by itself, apart from its expiry.
    public var nextDue: Milliseconds? { state.nextDue }

    /// Takes out a session in which something is due.
    public func takeDue(now: Milliseconds) -> DueSession? { state.takeDue(now: now) }

    /// Brings a session back in which something could not be done.
    public func postponeDue(of id: SessionID, until time: Milliseconds) {
        state.postponeDue(of: id, until: time)
    }

    /// Brings a session back whose idle command had no effect.
    public func settleIdle(of id: SessionID) { state.settleIdle(of: id) }

    /// Sets the idle times of all apps that have an idle command.
    public func setIdleSeconds(_ seconds: [AppID: Int]) { state.setIdleSeconds(seconds) }

    // MARK: Health

    /// Returns what has gone wrong in the store's threads since the last call.
    public func takeReports() -> [StoreReport] { faults.takeReports() }

    /// The metrics of the store.
    public var metrics: [StoreMetric] {
        let journal = threads.journal.statistics
        let faults = faults.counts.map { (value: $0.kind.rawValue, count: $0.count) }
        return [
            StoreMetric(
                "navstate_store_errors_total",
                help: "Disk errors, except those that make the store refuse changes.",
                .counters(label: "kind", faults)),
            StoreMetric(
                "navstate_journal_batches_total", help: "Batches written to the log.",
                .counter("\(journal.batches)")),
            StoreMetric(
                "navstate_journal_bytes_total", help: "Bytes written to the log.",
                .counter("\(journal.bytes)")),
            StoreMetric(
                "navstate_journal_sync_duration_seconds", help: "Time to sync a batch to the disk.",
                .durations(journal.syncs)),
            StoreMetric(
                "navstate_durable_lag_records", help: "Records that are not durable yet.",
                .gauge("\(log.last - min(log.last, durable))")),
            StoreMetric(
                "navstate_pending_bytes", help: "Bytes of changes waiting for the disk.",
                .gauge("\(log.waitingBytes)")),
            StoreMetric(
                "navstate_log_bytes", help: "Size of the log.",
                .gauge("\(segments.all.reduce(0) { $0 + $1.end })")),
            StoreMetric(
                "navstate_compactions_total", help: "Compactions completed.",
                .counter("\(compaction.completed)")),
            StoreMetric(
                "navstate_compaction_busy", help: "1 while a compaction is running.",
                .gauge(compaction.isBusy ? "1" : "0")),
        ]
    }
}
