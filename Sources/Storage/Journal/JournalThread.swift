internal import Bytes
internal import POSIX

// With `--fsync always`, blank lines follow the last line, 256 KiB of them at a time. A sync of
// bytes that replace others need not make the file's new size and extents durable, which takes a
// third to a half of the time of a sync with ext4. JSON readers skip blank lines, the scanner takes
// them for the end of the file, and the file is cut to its lines when it is sealed.

/// The journal's thread: writes batches to the active file and syncs them.
struct JournalThread {
    private let journal: Journal
    private let disk: Disk
    private let fsync: FsyncMode
    private let segmentBytes: Int
    private let onTurn: @Sendable (Journal.Turn) -> Void
    private var position: Position

    private struct Position {
        /// Nil before the first file.
        var segment: Segment?
        var file: LogFile?
        /// The number of bytes that the kernel has.
        var end = 0
        /// Where the blank lines after them end.
        var blankEnd = 0
        var syncedLast: UInt64
        /// When the oldest byte that is not synced was written.
        var dirtySince: Int64?
        /// The change to this file, which is reported once its header is synced.
        var turn: Journal.Turn?
        /// Whether there was no next file for what had to be written.
        var isWithoutNext = false
    }

    /// - Parameter onTurn: called when a file's header is synced.
    init(
        _ journal: Journal, _ options: StoreOptions,
        onTurn: @escaping @Sendable (Journal.Turn) -> Void
    ) {
        self.journal = journal
        self.onTurn = onTurn
        disk = options.disk
        fsync = options.fsync
        segmentBytes = options.segmentBytes
        position = Position(syncedLast: journal.synced)
    }

    /// Works until the journal is stopped.
    mutating func run() {
        while true {
            switch nextWork() {
            case .stop: return
            case .sync:
                finish { thread throws(SystemError) in try thread.sync(upTo: nil) }
            case .batch(let batch):
                finish { thread throws(SystemError) in try thread.write(batch) }
                journal.recycle(batch)
            }
        }
    }

    private func nextWork() -> Journal.Work {
        let unsyncedAfter = position.dirtySince.map { _ in position.syncedLast }
        var rest: Int?
        if case .interval(let interval) = fsync, let since = position.dirtySince {
            let left = Int64(interval) - (Clock.monotonicMilliseconds - since)
            if left <= 0 { return .sync }
            rest = Int(left)
        }
        return journal.nextWork(unsyncedAfter: unsyncedAfter, atMost: rest) ?? .sync
    }

    /// Calls the closure, and rolls back or fails if it throws.
    private mutating func finish(
        _ body: (inout JournalThread) throws(SystemError) -> Void
    ) {
        do {
            try body(&self)
        } catch {
            // After a rollback changes are refused, and reads are still served.
            let mayPass = position.isWithoutNext || error.isFull && error.call == "pwrite"
            position.isWithoutNext = false
            if !(mayPass && rollBack(error)) {
                journal.fail(error)
                position.dirtySince = nil
            }
        }
        journal.announce()
    }

    private mutating func write(_ batch: Batch) throws(SystemError) {
        journal.count(batch)
        for (index, part) in batch.parts.enumerated() {
            let isLast = index + 1 == batch.parts.count
            let end = isLast ? batch.bytes.count : batch.parts[index + 1].start
            let file = try self.file(of: part.segment)
            try disk.write(batch.bytes, part.start..<end, to: file, at: position.end)
            try file.checkName()
            position.end += end - part.start
            if position.dirtySince == nil { position.dirtySince = Clock.monotonicMilliseconds }
            if part.last > 0 { journal.setWritten(part.last, isRelease: fsync != .always) }
            if isLast { try writeBlank(file) }
            if isSyncDue || !isLast { try sync(upTo: part.last) }
            if let turn = position.turn {
                onTurn(turn)
                position.turn = nil
            }
        }
    }

    private var isSyncDue: Bool {
        // The manifest must be true when it lists a new file.
        if position.turn != nil { return true }
        switch fsync {
        case .always: return true
        case .never: return false
        case .interval(let interval):
            return Clock.monotonicMilliseconds - (position.dirtySince ?? 0) >= interval
        }
    }

    private static let blank = [UInt8](repeating: 0x0A, count: 256 << 10)

    /// Writes blank lines ahead, within the reserved space, once the previous ones are used up.
    private mutating func writeBlank(_ file: LogFile) throws(SystemError) {
        guard fsync == .always, position.end > position.blankEnd else { return }
        let count = min(Self.blank.count, segmentBytes - position.end)
        guard count > 0 else { return }
        do {
            try disk.write(Self.blank, 0..<count, to: file, at: position.end)
            position.blankEnd = position.end + count
        } catch {
            // Without room for them the next syncs are slower, but the lines still have their room.
            guard error.isFull else { throw error }
        }
    }

    /// - Parameter last: the last number that was written, or nil to ask the journal for it.
    private mutating func sync(upTo last: UInt64?) throws(SystemError) {
        let last = last ?? journal.written
        let begun = Clock.monotonicNanoseconds
        if let file = position.file { try disk.sync(file) }
        journal.countSync(nanoseconds: Clock.monotonicNanoseconds - begun)
        publishSynced(last)
    }

    private mutating func publishSynced(_ last: UInt64) {
        position.dirtySince = nil
        guard last > position.syncedLast else { return }
        position.syncedLast = last
        journal.setSynced(last)
    }

    /// The file that a part belongs to: the active one, or else the spare. If it is the spare, the
    /// previous file has its seal and is synced.
    private mutating func file(of segment: Segment) throws(SystemError) -> LogFile {
        if let file = position.file, position.segment === segment { return file }
        guard let file = journal.openNext(segment) else {
            let status = journal.status
            if let error = status.failure { throw error }
            position.isWithoutNext = true
            throw status.roomError
                ?? SystemError("pwrite", number: SystemError.noSpace, path: "the next file")
        }
        position = Position(
            segment: segment, file: file, syncedLast: position.syncedLast,
            turn: Journal.Turn(from: position.segment, to: segment))
        return file
    }

    /// Cuts the file back to its last complete write. Returns false if that fails.
    private mutating func rollBack(_ error: SystemError) -> Bool {
        do {
            if let file = position.file {
                try disk.truncate(file, to: position.end)
                try disk.sync(file)
            }
        } catch {
            return false
        }
        publishSynced(journal.written)
        position.blankEnd = 0
        journal.rollBack(to: position.end, error)
        return true
    }
}
