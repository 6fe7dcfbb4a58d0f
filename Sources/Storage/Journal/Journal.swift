internal import Navigation
internal import POSIX
internal import Synchronization

// The journal thread: pipelined group commit.
//
// The loop appends lines to a buffer of its own and hands it over at the end of each turn
// (`submit`). The thread takes everything that was handed over, writes it with one call, syncs,
// publishes the number that is durable now and wakes the loop; what arrives meanwhile is the
// next batch. There is no delay by design and never more than one batch in flight.
//
// A batch is bytes and *parts*: which stretch belongs to which file. All lines, also seals and
// headers, are made by the loop, so that the thread knows nothing of records. When a part
// belongs to another file than the one before, the old file has just got its seal: it is synced,
// and the thread turns to the spare, which the upkeep thread has made ahead of need.
//
//     fdatasync fails              failed: nothing of the batch is acknowledged, nothing is retried
//     write fails, no room         rolled back: cut to the last durable line, synced; the loop
//                                  takes back what it decided since; then new changes are refused
//     write fails otherwise        failed
//     truncating or its sync fails failed
//
// With `--fsync always` blank lines stand behind the last one, 256 KiB of them at a time: a sync
// of bytes that replace others need not make the file's new size and extents durable as well, which
// is a third to a half of its time with ext4. JSON readers skip blank lines, the scanner takes them
// for the end, and the file is cut to its lines when it is sealed.
//
// Invariants: `released` only grows while the state is working · a number is released only after
// a sync that covers it returned (with `--fsync always`) · after `failed` no byte is written.

/// Bytes for the disk, and to which files they belong.
struct Batch: Sendable {
    var bytes: [UInt8] = []
    var parts: [Part] = []

    struct Part: Sendable {
        var segment: Segment
        /// Within `bytes`; up to the next part's start.
        var start: Int
        /// The highest number in it; 0 if there is only a header.
        var last: UInt64
    }

    /// Adds what came later.
    mutating func append(_ other: Batch) {
        let shift = bytes.count
        bytes.append(contentsOf: other.bytes)
        for part in other.parts {
            if let last = parts.indices.last, parts[last].segment === part.segment {
                parts[last].last = max(parts[last].last, part.last)
            } else {
                parts.append(
                    Part(segment: part.segment, start: part.start + shift, last: part.last))
            }
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
    }
}

/// Where the journal went back to after the disk was full.
struct Rollback: Sendable {
    /// The file that is written to; nil if only the next one was missing.
    var segment: Segment?
    var end: Int
    var sequence: UInt64
    /// The number of the next file.
    var next: Int
    /// What the disk said.
    var error: SystemError
}

final class Journal: Sendable {
    enum Condition: Sendable {
        case working
        /// The disk was full; the loop has not yet taken back its changes.
        case rolledBack(Rollback)
        case failed(SystemError)
    }

    struct State: Sendable {
        var inbox = Batch()
        var emptied: Batch?
        var condition = Condition.working
        /// The highest number that the kernel has.
        var written: UInt64
        /// What others wait for to be durable: it is synced as soon as it is written.
        var wantsSyncOf: UInt64 = 0
        var spare: (number: Int, file: LogFile)?
        /// The file that is written to; nil if it has its seal and there is no next one yet.
        var active: Segment?
        /// The number of the file after it, which the spare has.
        var next: Int
        /// Why the upkeep could not make a spare, at the last try.
        var roomError: SystemError?
        var isStopping = false
        var rollbacks = 0
        /// How often the upkeep has looked for room again.
        var roomTries = 0
    }

    let state: Lock<State>
    let wakeUp: WakeUp
    /// What may be shown, and what a sync has covered.
    let released: Atomic<UInt64>
    let synced: Atomic<UInt64>
    /// Bytes handed over and not yet done.
    let waitingBytes = Atomic<Int>(0)
    let statistics = Lock(JournalStatistics())

    private let disk: Disk
    private let fsync: FsyncMode
    private let segmentBytes: Int
    private let onTurn: @Sendable (Turn) -> Void

    /// A file whose header is synced, and the one before, which has its seal.
    struct Turn: Sendable {
        var from: Segment?
        var to: Segment
    }

    /// - Parameters:
    ///   - first: the number of the first file.
    ///   - last: the record that is durable already.
    init(
        _ options: StoreOptions, first: Int, last: UInt64, wakeUp: WakeUp,
        onTurn: @escaping @Sendable (Turn) -> Void
    ) {
        disk = options.disk
        fsync = options.fsync
        segmentBytes = options.segmentBytes
        self.wakeUp = wakeUp
        self.onTurn = onTurn
        state = Lock(State(written: last, next: first))
        released = Atomic(last)
        synced = Atomic(last)
    }

    /// Hands over a batch, whose place an empty one takes; nothing happens while the journal
    /// does not work.
    func submit(_ batch: inout Batch) {
        guard !batch.bytes.isEmpty else { return }
        let count = batch.bytes.count
        let isTaken = state.withLock { state -> Bool in
            guard case .working = state.condition else { return false }
            if state.inbox.bytes.isEmpty {
                swap(&state.inbox, &batch)
                if let emptied = state.emptied, batch.bytes.capacity < emptied.bytes.capacity {
                    batch = emptied
                    state.emptied = nil
                }
            } else {
                state.inbox.append(batch)
            }
            return true
        }
        guard isTaken else { return }
        batch.removeAll()
        waitingBytes.wrappingAdd(count, ordering: .relaxed)
        state.notify()
    }

    /// Ends the thread once everything that was handed over is done.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.notify()
    }

    /// Waits until the kernel has the record; false if that will not be.
    func waitUntilWritten(_ sequence: UInt64) -> Bool {
        let rollbacks = state.withLock { $0.rollbacks }
        return state.wait { state in
            if state.written >= sequence { return true }
            guard case .working = state.condition, !state.isStopping,
                state.rollbacks == rollbacks
            else { return false }
            return nil
        }
    }

    /// Has the record synced, whatever the mode, and waits for it; false if that will not be.
    ///
    /// - Parameter rollbacks: how many there were when the number was learnt. After another one
    ///   the number means another record.
    func makeDurable(_ sequence: UInt64, rollbacks: Int) -> Bool {
        state.withLock { $0.wantsSyncOf = max($0.wantsSyncOf, sequence) }
        state.notify()
        return state.wait { state in
            guard state.rollbacks == rollbacks else { return false }
            if self.synced.load(ordering: .acquiring) >= sequence { return true }
            guard case .working = state.condition, !state.isStopping else { return false }
            return nil
        }
    }

    // MARK: The thread

    private struct Position {
        /// Nil before the first file.
        var segment: Segment?
        var file: LogFile?
        /// Bytes that the kernel has.
        var end = 0
        /// Where the blank lines behind them end.
        var blankEnd = 0
        var syncedLast: UInt64
        /// When the oldest unsynced byte was written.
        var dirtySince: Int64?
        /// The file is new: it is told of when its header is synced.
        var turn: Turn?
    }

    enum Work: Sendable {
        case batch(Batch)
        case syncDue
        case stop
    }

    /// The thread's body.
    func run() {
        var position = Position(syncedLast: synced.load(ordering: .relaxed))
        while true {
            switch nextWork(position) {
            case .stop: return
            case .syncDue:
                perform(&position) { (position) throws(SystemError) in
                    try self.syncNow(&position, publishing: nil)
                }
            case .batch(let batch):
                perform(&position) { (position) throws(SystemError) in
                    try self.write(batch, &position)
                }
                finish(batch)
            }
        }
    }

    private func nextWork(_ position: Position) -> Work {
        let unsyncedAfter = position.dirtySince.map { _ in position.syncedLast }
        guard case .interval(let interval) = fsync, let since = position.dirtySince else {
            return state.wait { $0.takeWork(unsyncedAfter) }
        }
        let rest = Int64(interval) - (Clock.monotonicMilliseconds - since)
        if rest <= 0 { return .syncDue }
        return state.wait(atMost: Int(rest)) { $0.takeWork(unsyncedAfter) } ?? .syncDue
    }

    private func finish(_ batch: Batch) {
        waitingBytes.wrappingSubtract(batch.bytes.count, ordering: .relaxed)
        var emptied = batch
        state.withLock { state in
            emptied.removeAll()
            if emptied.bytes.capacity < 8 << 20 { state.emptied = emptied }
        }
    }

    /// Does something with the disk and draws the conclusions if it fails.
    private func perform(
        _ position: inout Position,
        _ body: (inout Position) throws(SystemError) -> Void
    ) {
        do {
            try body(&position)
        } catch {
            if error.isFull && error.call == "pwrite" && rollBack(&position, error) {
                // Changes are refused now, reads go on.
            } else {
                state.withLock { $0.condition = .failed(error) }
                position.dirtySince = nil
            }
        }
        state.notify()
        wakeUp.signal()
    }

    private func write(_ batch: Batch, _ position: inout Position) throws(SystemError) {
        statistics.withLock { statistics in
            statistics.batches += 1
            statistics.bytes += UInt64(batch.bytes.count)
        }
        for (index, part) in batch.parts.enumerated() {
            let end =
                index + 1 < batch.parts.count ? batch.parts[index + 1].start : batch.bytes.count
            let file = try self.file(of: part.segment, &position)
            try disk.write(file, batch.bytes, part.start..<end, at: position.end)
            position.end += end - part.start
            if position.dirtySince == nil { position.dirtySince = Clock.monotonicMilliseconds }
            if part.last > 0 { publishWritten(part.last) }
            if index + 1 == batch.parts.count { try writeBlank(file, &position) }
            if isSyncDue(position) || index + 1 < batch.parts.count {
                try syncNow(&position, publishing: part.last)
            }
            if let turn = position.turn {
                onTurn(turn)
                position.turn = nil
            }
        }
    }

    private func isSyncDue(_ position: Position) -> Bool {
        // What the manifest says of a new file has to be so.
        if position.turn != nil { return true }
        switch fsync {
        case .always: return true
        case .never: return false
        case .interval(let interval):
            return Clock.monotonicMilliseconds - (position.dirtySince ?? 0) >= interval
        }
    }

    private static let blank = [UInt8](repeating: 0x0A, count: 256 << 10)

    /// Writes blank lines ahead, within what is reserved, once those before are used up.
    private func writeBlank(
        _ file: LogFile, _ position: inout Position
    ) throws(SystemError) {
        guard fsync == .always, position.end > position.blankEnd else { return }
        let count = min(Self.blank.count, segmentBytes - position.end)
        guard count > 0 else { return }
        do {
            try disk.write(file, Self.blank, 0..<count, at: position.end)
            position.blankEnd = position.end + count
        } catch {
            // Without room for them only the next syncs are slower: the lines have theirs.
            guard error.isFull else { throw error }
        }
    }

    private func publishWritten(_ last: UInt64) {
        if fsync != .always { released.store(last, ordering: .releasing) }
        state.withLock { $0.written = last }
    }

    private func syncNow(
        _ position: inout Position, publishing last: UInt64?
    ) throws(SystemError) {
        let last = last ?? state.withLock { $0.written }
        let begun = Clock.monotonicNanoseconds
        if let file = position.file { try disk.sync(file) }
        let duration = Clock.monotonicNanoseconds - begun
        statistics.withLock { $0.addSync(duration) }
        publishSynced(last, &position)
    }

    private func publishSynced(_ last: UInt64, _ position: inout Position) {
        position.dirtySince = nil
        guard last > position.syncedLast else { return }
        position.syncedLast = last
        synced.store(last, ordering: .releasing)
        released.store(last, ordering: .releasing)
    }

    /// The file that a part belongs to: the one that is written to, or else the spare. Then the
    /// file before has its seal and is synced.
    private func file(
        of segment: Segment, _ position: inout Position
    ) throws(SystemError) -> LogFile {
        if let file = position.file, position.segment === segment { return file }
        let spare = state.wait { state -> LogFile?? in
            if let spare = state.spare, spare.number == segment.number {
                segment.withState { $0.file = spare.file }
                state.spare = nil
                state.active = segment
                state.next = segment.number + 1
                return .some(spare.file)
            }
            guard state.roomError != nil else { return nil }
            state.active = nil
            return .some(nil)
        }
        guard let file = spare else {
            throw SystemError("pwrite", number: SystemError.noSpace, path: "the next file")
        }
        position = Position(
            segment: segment, file: file, syncedLast: position.syncedLast,
            turn: Turn(from: position.segment, to: segment))
        return file
    }

    /// Cuts the file back to its last whole write; false if that fails.
    private func rollBack(_ position: inout Position, _ error: SystemError) -> Bool {
        do {
            if let file = position.file {
                try disk.truncate(file, to: position.end)
                try disk.sync(file)
            }
        } catch {
            return false
        }
        publishSynced(state.withLock { $0.written }, &position)
        position.blankEnd = 0
        let end = position.end
        let dropped = state.withLock { state in
            let rollback = Rollback(
                segment: state.active, end: end, sequence: state.written, next: state.next,
                error: error)
            let dropped = state.inbox.bytes.count
            state.inbox.removeAll()
            state.condition = .rolledBack(rollback)
            state.rollbacks += 1
            return dropped
        }
        waitingBytes.wrappingSubtract(dropped, ordering: .relaxed)
        return true
    }
}

extension Journal.State {
    /// The number of the spare that has to be made; nil while there is one.
    var missingSpare: Int? { spare == nil ? next : nil }

    /// What there is to do, if anything.
    ///
    /// - Parameter unsyncedAfter: the last number that is synced; nil if all that is written is.
    fileprivate mutating func takeWork(_ unsyncedAfter: UInt64?) -> Journal.Work? {
        if let unsyncedAfter, wantsSyncOf > unsyncedAfter, written >= wantsSyncOf {
            return .syncDue
        }
        if !inbox.bytes.isEmpty, case .working = condition {
            let batch = inbox
            inbox = Batch()
            return .batch(batch)
        }
        return isStopping ? (unsyncedAfter != nil ? .syncDue : .stop) : nil
    }
}
