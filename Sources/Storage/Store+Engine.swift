package import Navigation
internal import POSIX
package import Sessions

extension Store: Engine {
    /// The number of `wakeDescriptor`.
    package var wakeDescriptorNumber: Int32 { wakeDescriptor.number }

    // MARK: Loading

    /// Has another thread read records. Everything else is always in memory.
    package func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        let locations = requests.compactMap { request -> RecordLocation? in
            switch request {
            case .records(let location): location
            case .session, .history, .tokens, .sessionCount, .apps, .allSessions, .acknowledged,
                .feed, .turn, .peers:

                nil
            }
        }
        load(locations, token: token, earlier: earlier as? LoadedRecords)
    }

    /// Returns the records that have been read since the last call.
    package func takeLoaded() -> [any LoadResult] { takeRecords() }

    /// Runs the body. Reads in it see the loaded records.
    package func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reader.with(loaded as? LoadedRecords, body)
    }

    // MARK: Backups

    /// Begins a backup of the store's present contents.
    package func beginBackup(token: UInt64, at: Milliseconds) -> Ticket {
        let backup = beginBackup(at: at)
        backups[token] = backup
        return Ticket(ordered: backup.upTo)
    }

    /// Has another thread read the next piece of a backup.
    package func readBackup(token: UInt64) {
        guard let backup = backups[token] else { return }
        readBackup(backup, ticket: token)
    }

    /// Ends a backup and closes its files.
    package func endBackup(token: UInt64) {
        guard let backup = backups.removeValue(forKey: token) else { return }
        endBackup(backup)
    }

    /// Returns the pieces of backups that have been read since the last call.
    package func takeBackupPieces() -> [BackupPiece] {
        guard !backups.isEmpty else { return [] }
        return takeChunks().compactMap { chunk in
            guard backups[chunk.ticket] != nil else { return nil }
            guard !chunk.hasFailed else { return BackupPiece(token: chunk.ticket, bytes: nil) }
            backups[chunk.ticket] = chunk.backup
            return BackupPiece(token: chunk.ticket, bytes: chunk.bytes)
        }
    }

    // MARK: Health

    /// Returns what has gone wrong in the store's threads since the last call.
    package func takeReports() -> [StoreReport] {
        takeTroubles().map { trouble in
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
        let errors = troubleCounts.map { (value: $0.kind.rawValue, count: $0.count) }
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
