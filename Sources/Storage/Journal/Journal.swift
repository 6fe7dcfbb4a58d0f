internal import Navigation
internal import POSIX
internal import Sessions
internal import Synchronization

// The journal: pipelined group commit.
//
// The loop appends lines to a buffer of its own and hands it over at the end of each turn
// (`submit`). The journal thread (`JournalThread`) takes everything that was handed over, writes it
// with one call, syncs, publishes the number that is now durable, and wakes the loop; what arrives
// in the meantime is the next batch. There is no artificial delay and never more than one batch in
// flight.
//
// A batch consists of bytes and *parts*, which tell which range belongs to which file. The loop
// writes all lines, including seals and headers, so the thread knows nothing of records. If a part
// belongs to another file than the part before, the old file has just received its seal: it is
// synced, and the thread changes to the spare file, which the maintenance thread has made ahead of
// need.
//
//     fdatasync fails              failed: nothing of the batch is acknowledged, nothing is retried
//     write fails, no room         rolled back: cut to the last durable line and synced; the loop
//                                  undoes the changes made since; then new changes are refused
//     write fails otherwise        failed
//     truncating or its sync fails failed
//
// Invariants: `released` grows only while the condition is working. A number is released only after
// a sync that covers it has returned (with `--fsync always`). After `failed`, nothing is written.

/// The state that the journal thread, the loop and the other threads share: batches that wait, how
/// far they have come, and the spare file.
final class Journal: Sendable {
    enum Condition: Sendable {
        case working
        /// The disk was full, and the loop has not yet undone its changes.
        case rolledBack(Rollback)
        case failed(SystemError)
    }

    /// A change to a file whose header is synced, from one that has its seal.
    struct Turn: Sendable {
        var from: Segment?
        var to: Segment
    }

    /// The part that the loop looks at.
    struct Status: Sendable {
        var condition = Condition.working
        /// Why no spare file could be made, at the last attempt.
        var roomError: SystemError?
        /// The number of attempts to find room after the disk was full.
        var roomTries = 0

        var failure: SystemError? { if case .failed(let why) = condition { why } else { nil } }
    }

    /// The next work of the journal thread.
    enum Work: Sendable {
        case batch(Batch)
        case sync
        case stop
    }

    fileprivate struct State: Sendable {
        var inbox = Batch()
        /// A batch that was written, whose memory can be reused.
        var emptied: Batch?
        var status = Status()
        /// The highest number that was written to the kernel.
        var written: UInt64
        /// The number that threads wait for to be durable: it is synced as soon as it is written.
        var wantsSyncOf: UInt64 = 0
        var spare: LogFile?
        /// The file that is written to, or nil if it has its seal and there is no next file yet.
        var active: Segment?
        /// The number of the next file, which is the spare.
        var next: Int
        var isStopping = false
        var rollbacks = 0
    }

    private let state: Lock<State>
    private let wakeUp: WakeUp
    private let releasedNumber: Atomic<UInt64>
    private let syncedNumber: Atomic<UInt64>
    private let bytesInFlight = Atomic<Int>(0)
    private let counted = Lock(JournalStatistics())

    /// - Parameter last: the number of the last record, which is durable already.
    init(first: Int, last: UInt64, wakeUp: WakeUp) {
        self.wakeUp = wakeUp
        state = Lock(State(written: last, next: first))
        releasedNumber = Atomic(last)
        syncedNumber = Atomic(last)
    }

    /// The highest number that may be shown to clients.
    var released: UInt64 { releasedNumber.load(ordering: .acquiring) }
    /// The highest number that a sync has covered.
    var synced: UInt64 { syncedNumber.load(ordering: .acquiring) }
    /// The number of bytes that were handed over and are not written yet.
    var waitingBytes: Int { bytesInFlight.load(ordering: .relaxed) }

    var statistics: JournalStatistics { counted.withLock { $0 } }

    // MARK: The loop

    /// Hands over a batch and leaves an empty one in its place. Does nothing while the condition is
    /// not `working`.
    func submit(_ batch: inout Batch) {
        guard !batch.bytes.isEmpty else { return }
        let count = batch.bytes.count
        let isTaken = state.withLock { state -> Bool in
            guard case .working = state.status.condition else { return false }
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
        bytesInFlight.wrappingAdd(count, ordering: .relaxed)
        state.notify()
    }

    var status: Status { state.withLock { $0.status } }

    /// Continues after the loop has undone its changes.
    func resume() { state.withLock { $0.status.condition = .working } }

    /// Ends the thread once everything that was handed over is written.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.notify()
    }

    // MARK: Waiting

    /// Waits until the kernel has the record. Returns false if that will not happen.
    func waitUntilWritten(_ sequence: UInt64) -> Bool {
        let rollbacks = state.withLock { $0.rollbacks }
        return state.wait { state in
            if state.written >= sequence { return true }
            return state.canAdvance(since: rollbacks) ? nil : false
        }
    }

    /// Has the record synced in every mode, and waits for it. Returns false if that will not
    /// happen.
    ///
    /// - Parameter rollbacks: the number of rollbacks when the number was read. After another one,
    ///   the number stands for another record.
    func makeDurable(_ sequence: UInt64, rollbacks: Int) -> Bool {
        state.withLock { $0.wantsSyncOf = max($0.wantsSyncOf, sequence) }
        state.notify()
        return state.wait { state in
            guard state.rollbacks == rollbacks else { return false }
            if self.synced >= sequence { return true }
            return state.canAdvance(since: rollbacks) ? nil : false
        }
    }

    // MARK: The maintenance thread

    /// The file after the active one: its number, and whether it has been made.
    var next: (number: Int, isMade: Bool) { state.withLock { ($0.next, $0.spare != nil) } }

    /// The file that is written to.
    var active: Segment? { state.withLock { $0.active } }

    /// Takes the file that was made ahead of need. Its number is `next`.
    func setSpare(_ file: LogFile) { state.withLock { $0.spare = file } }

    /// Takes the result of an attempt to make room.
    ///
    /// - Parameters:
    ///   - error: why there is no room, or nil if there is some.
    ///   - isRetry: whether the loop requested the attempt after the disk was full.
    func setRoom(_ error: SystemError?, isRetry: Bool = false) {
        state.withLock { state in
            state.status.roomError = error
            if isRetry { state.status.roomTries += 1 }
        }
        announce()
    }

    /// Wakes the loop, and the threads that wait for the journal.
    func announce() {
        // A thread that has looked, and found that it has to wait, waits once this lock is free. It
        // would miss the wake-up otherwise.
        state.withLock { _ in }
        state.notify()
        wakeUp.signal()
    }

    // MARK: The journal thread

    /// Waits for something to do. Returns nil after `milliseconds`.
    ///
    /// - Parameter unsyncedAfter: the last synced number, or nil if everything written is synced.
    func nextWork(unsyncedAfter: UInt64?, atMost milliseconds: Int?) -> Work? {
        guard let milliseconds else { return state.wait { $0.takeWork(unsyncedAfter) } }
        return state.wait(atMost: milliseconds) { $0.takeWork(unsyncedAfter) }
    }

    /// Counts a batch that is about to be written.
    func count(_ batch: Batch) {
        counted.withLock { statistics in
            statistics.batches += 1
            statistics.bytes += UInt64(batch.bytes.count)
        }
    }

    /// Counts a sync that has returned.
    func countSync(nanoseconds: Int64) { counted.withLock { $0.syncs.add(nanoseconds) } }

    /// Takes back the memory of a written batch.
    func recycle(_ batch: Batch) {
        bytesInFlight.wrappingSubtract(batch.bytes.count, ordering: .relaxed)
        var emptied = batch
        state.withLock { state in
            emptied.removeAll()
            if emptied.bytes.capacity < 8 << 20 { state.emptied = emptied }
        }
    }

    /// The highest number that was written to the kernel.
    var written: UInt64 { state.withLock { $0.written } }

    /// - Parameter isRelease: whether the number may be shown although it is not synced.
    func setWritten(_ last: UInt64, isRelease: Bool) {
        if isRelease { releasedNumber.store(last, ordering: .releasing) }
        state.withLock { $0.written = last }
    }

    func setSynced(_ last: UInt64) {
        syncedNumber.store(last, ordering: .releasing)
        releasedNumber.store(last, ordering: .releasing)
    }

    /// Waits for the segment's file, which is the spare. Returns nil if there will be none.
    func openNext(_ segment: Segment) -> LogFile? {
        state.wait { state -> LogFile?? in
            if let spare = state.spare, state.next == segment.number {
                segment.withState { $0.file = spare }
                state.spare = nil
                state.active = segment
                state.next = segment.number + 1
                return .some(spare)
            }
            guard state.status.roomError != nil || state.status.failure != nil else { return nil }
            state.active = nil
            return .some(nil)
        }
    }

    /// Notes that the disk has failed: nothing is written any more.
    func fail(_ error: SystemError) {
        var error = error
        if error.number == SystemError.notFound {
            error = SystemError(
                error.call, number: error.number, path: error.path,
                explanation: "It was removed or moved while the server was using it")
        }
        state.withLock { $0.status.condition = .failed(error) }
    }

    /// Notes that the disk is full and the active file was cut to `end`; waiting batches are
    /// dropped.
    func rollBack(to end: Int, _ error: SystemError) {
        let dropped = state.withLock { state in
            let rollback = Rollback(
                segment: state.active, end: end, sequence: state.written, next: state.next,
                error: error)
            let dropped = state.inbox.bytes.count
            state.inbox.removeAll()
            if state.status.failure == nil { state.status.condition = .rolledBack(rollback) }
            state.rollbacks += 1
            return dropped
        }
        bytesInFlight.wrappingSubtract(dropped, ordering: .relaxed)
    }
}

extension Journal.State {
    /// Whether more can be written to the same log as after `rollbacks` rollbacks.
    fileprivate func canAdvance(since rollbacks: Int) -> Bool {
        guard case .working = status.condition else { return false }
        return !isStopping && self.rollbacks == rollbacks
    }

    /// Takes the next work, if there is any.
    fileprivate mutating func takeWork(_ unsyncedAfter: UInt64?) -> Journal.Work? {
        if let unsyncedAfter, wantsSyncOf > unsyncedAfter, written >= wantsSyncOf { return .sync }
        if !inbox.bytes.isEmpty, case .working = status.condition {
            let batch = inbox
            inbox = Batch()
            return .batch(batch)
        }
        return isStopping ? (unsyncedAfter != nil ? .sync : .stop) : nil
    }
}

/// The counters of the journal.
struct JournalStatistics: Sendable {
    var batches: UInt64 = 0
    var bytes: UInt64 = 0
    /// The syncs, by duration.
    var syncs = Histogram()
}
