internal import Navigation
internal import POSIX
package import Sessions

extension Store: Engine {
    /// The number of `wakeDescriptor`.
    package var wakeDescriptorNumber: Int32 { wakeDescriptor.number }

    /// The parts that read and write.
    package var parts: SessionStore {
        SessionStore(
            reading: reader, writing: writer, tokens: reader, apps: state, status: self)
    }

    // MARK: Status

    /// Distinguishes this store from any other, and from itself before a restore.
    package var lineage: String { log.activeSegment.header.lineage }

    /// The highest number that a power failure cannot take back, as a ticket.
    package var keptUpTo: Ticket { Ticket(ordered: durable) }

    /// The number of the last change that was taken from the feed.
    package var fedUpTo: FeedPosition { FeedPosition(writer.fedUpTo) }

    /// The changes that are not durable or have not been taken from the feed.
    package var undecided: (changes: [SessionChange], ticket: Ticket) {
        let changes = writer.feed.changesLeft
        return (changes, Ticket(ordered: changes.last?.sequence ?? 0))
    }

    /// Why changes are refused now, if they are.
    package var refusal: StoreError? { failure ?? (hasNoRoom ? .full : nil) }

    /// The number of files in which damage was found since the start.
    package var damage: (what: String, count: Int) { ("files", troubles.damagedFiles) }

    // MARK: Loading

    /// Has another thread read records. Everything else is always in memory.
    package func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        var locations: [RecordLocation] = []
        for case .records(let location) in requests { locations.append(location) }
        threads.loader.load(
            RecordLoader.Request(
                token: token, locations: locations, earlier: earlier as? LoadedRecords))
    }

    /// Returns the records that have been read since the last call.
    package func takeLoaded() -> [any LoadResult] { threads.loader.takeLoaded() }

    /// Runs the body. Reads in it see the loaded records.
    package func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reader.with(loaded as? LoadedRecords, body)
    }

    /// Returns the changes that have become durable since the last call, in order.
    package func takeChanges() -> [StoreChange] { writer.takeChanges() }

    // MARK: Health

    /// Returns what has gone wrong in the store's threads since the last call.
    package func takeReports() -> [StoreReport] {
        troubles.take().map { trouble in
            let message =
                switch trouble.kind {
                case .damage:
                    "a file of the log is damaged; sessions in it may be unreadable, and no backup "
                        + "can be made"
                case .compaction: "compaction failed; the log takes more space than it needs"
                case .files: "a file of the log could not be made or removed"
                }
            return StoreReport(message, error: trouble.text, file: trouble.path)
        }
    }

    /// The metrics of the store.
    package var metrics: [StoreMetric] {
        let errors = troubles.counts.map { (value: $0.kind.rawValue, count: $0.count) }
        return [
            StoreMetric(
                "navstate_store_errors_total",
                help: "Disk errors, except those that make the store refuse changes.",
                .counters(label: "kind", errors))
        ] + journalMetrics(statistics)
    }

    private func journalMetrics(_ statistics: StoreStatistics) -> [StoreMetric] {
        [
            StoreMetric(
                "navstate_journal_batches_total", help: "Batches written to the log.",
                .counter("\(statistics.batches)")),
            StoreMetric(
                "navstate_journal_bytes_total", help: "Bytes written to the log.",
                .counter("\(statistics.bytes)")),
            StoreMetric(
                "navstate_journal_sync_duration_seconds", help: "Time to sync a batch to the disk.",
                .durations(statistics.syncs)),
            StoreMetric(
                "navstate_durable_lag_records", help: "Records that are not durable yet.",
                .gauge("\(statistics.lag)")),
            StoreMetric(
                "navstate_pending_bytes", help: "Bytes of changes waiting for the disk.",
                .gauge("\(statistics.pendingBytes)")),
            StoreMetric(
                "navstate_log_bytes", help: "Size of the log.", .gauge("\(statistics.logBytes)")),
            StoreMetric(
                "navstate_compactions_total", help: "Compactions completed.",
                .counter("\(statistics.compactions)")),
            StoreMetric(
                "navstate_compaction_busy", help: "1 while a compaction is running.",
                .gauge(statistics.isCompacting ? "1" : "0")),
        ]
    }
}
