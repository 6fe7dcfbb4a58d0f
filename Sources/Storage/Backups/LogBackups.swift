internal import Navigation
internal import Sessions

/// The backups that are being read, a chunk at a time by the loader's thread.
final class LogBackups: BackupReading {
    private let log: LogWriter
    private let segments: SegmentList
    private let threads: StoreThreads
    private let durability: DurabilityTracker
    private var backups: [UInt64: Backup] = [:]

    init(
        log: LogWriter, segments: SegmentList, threads: StoreThreads,
        durability: DurabilityTracker
    ) {
        (self.log, self.segments) = (log, segments)
        (self.threads, self.durability) = (threads, durability)
    }

    /// Begins a backup of everything as it is now. Its first piece waits until that is on the disk.
    func begin(token: UInt64, at: Milliseconds) -> Ticket {
        if durability.failure == nil { log.submit() }
        let backup = Backup(
            segments.all, lineage: log.activeSegment.header.lineage, upTo: log.last, at: at)
        backups[token] = backup
        return Ticket(ordered: backup.upTo)
    }

    /// Has the next chunk read.
    func read(token: UInt64) {
        guard let backup = backups[token] else { return }
        threads.loader.read(BackupChunk(token: token, backup: backup))
    }

    /// Ends a backup, and closes the files that it held open on another thread, since that takes
    /// time.
    func end(token: UInt64) {
        guard let backup = backups.removeValue(forKey: token) else { return }
        threads.compactor.retire(backup.segments)
    }

    /// The chunks that were read since the last call.
    func takePieces() -> [BackupPiece] {
        guard !backups.isEmpty else { return [] }
        return threads.loader.takeChunks().compactMap { chunk in
            guard backups[chunk.token] != nil else { return nil }
            if chunk.bytes != nil { backups[chunk.token] = chunk.backup }
            return BackupPiece(token: chunk.token, bytes: chunk.bytes)
        }
    }
}

/// A chunk of a backup.
struct BackupChunk: Sendable {
    /// The token of the backup.
    let token: UInt64
    /// The rest of the backup, after this chunk.
    var backup: Backup
    /// The bytes: none at the end. Nil if the disk failed or a line is damaged: the response must
    /// be aborted.
    var bytes: [UInt8]? = []

    func reading(_ journal: Journal, _ troubles: Troubles) -> BackupChunk {
        var chunk = self
        do {
            chunk.bytes =
                journal.waitUntilWritten(backup.upTo) ? try chunk.backup.next() : nil
        } catch {
            troubles.report(.damage, error)
            chunk.bytes = nil
        }
        return chunk
    }
}
