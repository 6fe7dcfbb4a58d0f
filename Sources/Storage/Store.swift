public import Navigation
public import POSIX
public import Sessions

// The store: sessions and apps in one log of JSON lines, and an index of them in memory.
//
// An acknowledged change survives `kill -9`, a crash of the kernel and a power failure. What
// survives is JSON that people and `jq` can read. Nothing is shown to a client before it is
// durable.
//
// Every change of a session is one line with the whole session in it, appended to the newest file
// of `log/` (see `RecordText` for the keys, `Line` for the frame). The last line of a session is
// its current state. The index maps each session to the number of its newest record, and the cache
// holds the records that were used last. Any other record is read from the disk by a thread while
// the request waits.
//
// The store knows no rule of navigation, parses no state, and reads no clock: times are passed to
// it (but the journal measures its own syncs).
//
// Rules:
//   1. One thread, the event loop, makes all calls, and no call waits.
//   2. A change is durable when `durable` has reached its number. A caller that shows a record to
//      a client waits for that, also after a read.
//   3. The loop calls `submit` at the end of each turn, `collect` when `wakeDescriptor` became
//      readable, and `tick` no later than `nextTick`.
//   4. A record that is neither in the cache nor in the page cache is thrown as `notInMemory`. The
//      loop has it loaded (`load`) and repeats the request inside `with(loaded)`.
//   5. When `collect` returns `isRolledBack`, every change above `durable` has been undone: the
//      requests that made them are answered with 507.
//   6. After a failure of the disk nothing is written any more; `failure` says so.
//
//     let handle = try parts.reading.find(id, now: now)       // one turn of the loop
//     let version = try parts.writing.put(records, …)         // the answer is held
//     store.submit()                                          // the end of the turn
//     …
//     store.collect()                                         // after the wake-up
//     if store.keptUpTo >= version.ticket { release the answer }
//
// The parts, each with state of its own:
//
//     StoreState           the index and the tables beside it: changes, and how to take them back;
//                          reads apps
//     LogWriter            lines, their numbers, the active file and the pending batch
//     StoreReader          reads sessions and tokens: the index, the cache, and what was loaded for
//                          a request
//     StoreWriter          one change: its line, its effect on the state, its rollback item
//     DurabilityTracker    how far changes are durable, and whether the disk is full or has failed
//     IdleMarker           the mark that is written after a pause
//     CompactionScheduler  which files are compacted, and which of their records are alive
//     StoreThreads         Journal, RecordLoader, SegmentMaintenance, Compaction
//
// The threads share `Journal`, `SegmentList` and messages with the loop, never the index.

/// The store on one machine: its parts, and how a turn of the loop connects them.
public final class Store {
    let state: StoreState
    let reader: StoreReader
    let writer: StoreWriter
    let log: LogWriter
    let durability: DurabilityTracker
    let marker: IdleMarker
    let compaction: CompactionScheduler
    let threads: StoreThreads
    let segments: SegmentList
    let faults = FaultLog()
    /// The backups that are being read.
    public let backups: any BackupReading
    private var isClosed = false

    /// Opens the directory, recovers what is in it and starts the threads.
    ///
    /// - Parameter now: milliseconds since 1970.
    public static func open(
        _ options: StoreOptions, now: Milliseconds
    ) throws(StartError) -> (store: Store, report: StartReport) {
        let recovered = try Recovery(options: options, now: now).run()
        let store = try StartError.naming(room: options.segmentBytes) { () throws(StartError) in
            try StartError.catching(try Store(options, recovered, now: now))
        }
        // The first file gets its header, so that the next one can be made ahead of need.
        store.submit()
        return (store, recovered.report)
    }

    private init(
        _ options: StoreOptions, _ recovered: Recovered, now: Milliseconds
    ) throws(SystemError) {
        segments = recovered.segments
        state = StoreState(recovered.tables)
        threads = try StoreThreads(options, recovered, faults: faults)
        log = LogWriter(
            recovered, threads.journal, segmentBytes: options.segmentBytes, now: now)
        reader = try StoreReader(
            state: state, log: log, segments: segments, faults: faults,
            cacheBytes: options.cacheBytes)
        durability = DurabilityTracker(
            threads, durable: recovered.last, pendingBytesMax: options.pendingBytesMax)
        writer = StoreWriter(
            state: state, log: log, reader: reader, segments: segments, durability: durability)
        backups = LogBackups(
            log: log, segments: segments, threads: threads, durability: durability)
        marker = IdleMarker(log, options, markedUpTo: recovered.last)
        compaction = CompactionScheduler(
            options, threads: threads, log: log, segments: segments, state: state)
        // A number of the new lineage is durable from the start.
        if recovered.isSalvaged { log.appendMark(at: now) }
    }

    // MARK: A turn

    /// Hands what was written in this turn to the journal. Does nothing if nothing was written.
    public func submit() {
        reader.beginTurn()
        if failure == nil { log.submit() }
    }

    /// Readable when there is something to `collect`.
    public var wakeDescriptor: FileDescriptor { threads.wakeDescriptor }

    /// Processes what the threads have done. It is called when `wakeDescriptor` became readable,
    /// and may be called at any time.
    @discardableResult
    public func collect() -> Collected {
        threads.clearWakeUp()
        let (collected, rollback) = durability.update()
        writer.settle()
        if let rollback {
            writer.rollBack(rollback)
            durability.didRollBack(rollback)
        }
        compaction.step(durability)
        return collected
    }

    /// When to call `tick` next, or nil while there is nothing to do.
    public var nextTick: Milliseconds? {
        failure == .unavailable ? nil : durability.nextRoomRequest ?? marker.nextTick
    }

    /// Does what is due: another attempt to find room, or the mark after a pause.
    public func tick(now: Milliseconds) {
        durability.requestRoom(now: now)
        if failure == nil, marker.mark(now: now) { submit() }
    }

    /// When the next session may expire; `expire` finds out whether it does.
    public var nextExpiry: Milliseconds? { writer.nextExpiry }

    /// Removes sessions that have expired, at most `limit` of them in one call.
    ///
    /// - Throws: if no session could be removed.
    public func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion] {
        try writer.expire(now: now, limit: limit)
    }

    /// Makes everything durable, seals the log and ends the threads. Nothing else may be called
    /// afterwards, except `close` again, which does nothing.
    ///
    /// - Returns: whether everything is on the disk.
    @discardableResult
    public func close(at: Milliseconds) -> Bool {
        guard !isClosed else { return false }
        isClosed = true
        if failure == nil, log.hasLines { log.appendSeal(at: at) }
        submit()
        threads.stopWriting()
        collect()
        // On a full disk, only a header, a seal or refused changes were lost.
        let isWhole = log.isSynced && failure?.refusesOnlyChanges != false
        let isComplete = isWhole && failure == nil
        threads.stop(
            leaving: isComplete ? (log.hasLines ? .sealed(log.activeSegment) : .unused) : .asItIs)
        return isWhole
    }

    // MARK: Health

    /// The highest sequence number that a power failure cannot take back.
    public var durable: SequenceNumber { durability.durable }
    /// Why changes are refused, if they are. Only `unavailable` never ends.
    public var failure: StoreError? { durability.failure }
    /// The disk's report when it failed.
    public var failureText: String? { durability.failureText }
    /// Why changes are refused, for the log, if they are.
    public var refusalText: String? { durability.refusalText }

    /// Descriptors that connections must leave to the store and the rest of the program, so that
    /// it can always open its next file: each file holds one, and compaction another for a while.
    public var descriptorsReserved: Int { 128 + 2 * segments.all.count }

    /// Whether a compaction is under way.
    public var isCompacting: Bool { compaction.isBusy }
}
