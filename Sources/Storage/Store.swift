internal import Bytes
internal import JSON
package import Navigation
package import POSIX
package import Sessions
internal import Synchronization

// The store: sessions and apps in one log of JSON lines, and an index of them in memory.
//
// Promise: an acknowledged change survives `kill -9`, a crash of the kernel and a pulled plug;
// what survives is JSON that people and `jq` can read; and nothing is shown to anybody before it
// is that safe.
//
// What it is: every change of a session is one line with the whole session in it, appended to
// the newest file of `log/` (see `RecordText` for the words, `Line` for the frame). The last
// line of a session wins. The index knows where each session's newest line is; the cache holds
// the lines that were used last. The rest is read from the disk by a thread of its own while
// the request waits.
//
// What it is not: it knows no rule of navigation, parses no state, and has no clock but the
// values that it is given (the journal times its own syncs).
//
// Rules:
//   1. Everything of this class is called by one thread, the loop, and never waits.
//   2. A change counts when `durable` has reached its number. Whoever shows a record to others
//      waits for that, also after a read.
//   3. The loop calls `submit` at the end of each turn, `collect` when `wakeDescriptor` became
//      readable, and `tick` no later than `nextTick`.
//   4. What is not in memory, the kernel's included, is thrown as `notInMemory`. The loop has it
//      loaded (`load`), and repeats the request inside `with(loaded)`.
//   5. After `collect` said `rolledBack` every change above `durable` is undone: 507 to who waits.
//   6. After a failure of the disk nothing is written any more; `failure` says so.
//
//     let handle = store.find(id, now: now)                   // one turn of the loop
//     let number = try store.put(record)                      // answer held back
//     store.submit()                                          // the turn's end
//     …
//     store.collect()                                         // woken
//     if store.durable >= number { release the answer }
//
// Threads: the journal's (`Journal`), the reader's (`RecordLoader`), the upkeep's (`SegmentMaintenance`: spare
// files and the manifest) and compaction's (`Compaction`). They see `Journal`, `SegmentList` and messages, never the index.

/// The engine behind the service on one machine.
package final class Store: SessionStore {
    package let lineage: String
    package internal(set) var durable: SequenceNumber
    package var sessionCount: Int { contents.index.count }

    /// Descriptors that connections must leave to the store and the rest of the program, so that
    /// it can always open its next file: each file holds one, and compaction another for a while.
    package var descriptorsReserved: Int { 128 + 2 * catalogue.all.count }

    /// Readable when there is something to `collect`.
    package var wakeDescriptor: FileDescriptor { wakeUp.descriptor }
    /// Why changes are refused, if they are; `full` may end, `unavailable` does not.
    package internal(set) var failure: StoreError?
    package var refusal: StoreError? { failure ?? (hasNoRoom ? .full : nil) }
    /// What the disk said.
    package internal(set) var failureText: String?
    /// Why changes are refused, for the log; nil if they are not.
    package var refusalText: String? { failureText ?? roomError?.description }

    let options: StoreOptions
    let layout: Layout
    let wakeUp: WakeUp
    let catalogue: SegmentList
    let journal: Journal
    let reader: RecordLoader
    let maintenance: SegmentMaintenance
    let compactor: Compaction
    let troubles: Troubles
    private let threads: [Thread]
    private let lock: DirectoryLock

    var contents: StoreState
    var cache: RecordCache
    var pending = Batch()
    var rollbackLog = RollbackLog()
    /// What a request has loaded, while it is repeated.
    var material: LoadedRecords?
    /// Records that were read out of the kernel's cache since the last `submit`, and the most.
    var readsOfTurn = 0
    static let readsOfTurnMax = 64
    /// The file that is written to, its end with all that waits, and its lines.
    var active: Segment
    var activeEnd: Int
    var activeLines: UInt64
    /// Where a line was last noted for look-ups by number.
    var lastMark = 0
    /// The latest time that was seen.
    var latest: Milliseconds
    /// The last number that was given, and the last that stands in a mark or is durable anyway.
    var last: SequenceNumber
    var markedUpTo: SequenceNumber
    /// When the loop was first seen idle after a change.
    var quietSince: Milliseconds?
    var quietAt: SequenceNumber = 0
    var lastRoomRequest: Milliseconds = 0
    /// How often changes were taken back since the disk was full.
    var rollbacks = 0
    /// How often the upkeep has looked for room, as `collect` saw it last.
    var roomTries = 0
    /// Why the upkeep could not reserve a spare.
    var roomError: SystemError?
    var hasNoRoom: Bool { roomError != nil }
    /// Sessions that left while their name was taken anew.
    var departed: [Deletion] = []
    var idBytes: [UInt8] = []
    /// The line that is being written, without what it ends in.
    var line = ByteWriter(capacity: ByteWriter.smallAllocationCapacity)
    private var isClosed = false
    var compaction = CompactionState()

    /// Opens the directory, recovers what is in it and starts the threads.
    ///
    /// - Parameter now: milliseconds since 1970.
    package static func open(
        _ options: StoreOptions, now: Milliseconds
    ) throws(StartError) -> (store: Store, report: StartReport) {
        let recovered = try Recovery(options: options, now: now).run()
        let store = try StartError.wrapping(room: options.segmentBytes) { () throws in
            try Store(options, recovered, now: now)
        }
        // The first file gets its header, so that the next one can be made ahead of need.
        store.submit()
        return (store, recovered.report)
    }

    private init(
        _ options: StoreOptions, _ recovered: Recovered, now: Milliseconds
    ) throws(SystemError) {
        self.options = options
        layout = recovered.layout
        lineage = recovered.manifest.lineage
        lock = recovered.lock
        latest = now
        contents = recovered.contents
        cache = try RecordCache(bytes: options.cacheBytes)
        wakeUp = try WakeUp()
        last = recovered.last
        durable = recovered.last
        markedUpTo = recovered.last
        let header = SegmentHeader(
            lineage: lineage, file: recovered.nextFile, first: last + 1, at: now)
        let salt = header.append(to: &pending.bytes)
        let segment = Segment(header: header, salt: salt)
        active = segment
        activeEnd = pending.bytes.count
        activeLines = 1
        pending.parts = [Batch.Part(segment: segment, start: 0, last: 0)]
        catalogue = contents.catalogue
        catalogue.append(segment)
        let troubles = Troubles()
        self.troubles = troubles
        let maintenance = SegmentMaintenance(
            options: options, layout: recovered.layout, manifest: recovered.manifest,
            wakeUp: wakeUp, troubles: troubles)
        let journal = Journal(
            options, first: recovered.nextFile, last: recovered.last, wakeUp: wakeUp
        ) { maintenance.turned($0) }
        try maintenance.begin(recovered, journal)
        roomError = journal.state.withLock { $0.roomError }
        reader = RecordLoader(
            catalogue: catalogue, journal: journal, wakeUp: wakeUp, troubles: troubles,
            doneBytesMax: options.cacheBytes / 4)
        self.maintenance = maintenance
        self.journal = journal
        let compactor = Compaction(
            options: options, wakeUp: wakeUp, journal: journal, maintenance: maintenance,
            troubles: troubles)
        self.compactor = compactor
        let reader = reader
        threads = [
            try Thread(named: "journal") { journal.run() },
            try Thread(named: "reader") { reader.run() },
            try Thread(named: "upkeep") { maintenance.run() },
            try Thread(named: "compaction") { compactor.run() },
        ]
        // From the first moment a number tells its lineage.
        if recovered.isSalvaged { appendMark(at: now) }
    }

    /// Hands what was written in this turn to the journal; does nothing if there is nothing.
    package func submit() {
        readsOfTurn = 0
        guard !pending.bytes.isEmpty, failure == nil else { return }
        let (end, last) = (activeEnd, last)
        active.withState { state in
            state.end = end
            state.last = last
        }
        journal.submit(&pending)
    }

    /// Makes everything durable, seals the log and ends the threads. Nothing else may be called
    /// afterwards; closing again does nothing.
    ///
    /// - Returns: whether everything is on the disk.
    @discardableResult
    package func close(at: Milliseconds) -> Bool {
        guard !isClosed else { return false }
        isClosed = true
        if failure == nil, activeLines > 1 { appendSeal(at: at) }
        submit()
        journal.stop()
        compactor.stop()
        threads[0].join()
        threads[3].join()
        collect()
        let isWhole = journal.synced.load(ordering: .acquiring) == last && failure == nil
        maintenance.stop(leaving: isWhole ? (activeLines > 1 ? .sealed(active) : .unused) : .asItIs)
        threads[2].join()
        reader.stop()
        threads[1].join()
        lock.release()
        return isWhole
    }
}
