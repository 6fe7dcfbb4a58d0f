internal import POSIX
internal import Sessions
internal import Synchronization

/// Decides on the loop which files are compacted and when, and answers the compaction thread's
/// questions about which records are alive: one step a turn.
final class CompactionScheduler {
    /// The known facts of a file when it was last examined, so that it is not examined again before
    /// enough has changed.
    private struct Look {
        var superseded: Int
        var written: Int
    }

    /// The jobs that are to give room back, because the disk is full.
    private struct JobsForRoom {
        /// The last request for room that led to a job.
        var request = 0
        /// The number of jobs since the last one that gave room back.
        var attempts = 0

        static let pauseMax = 10
    }

    /// A job is under way.
    private(set) var isBusy = false
    /// Compactions that were completed since the start.
    private(set) var completed: UInt64 = 0
    /// How much of the log's turnover has been used up by jobs. What was superseded before the
    /// start counts as turnover, too.
    private var spent: Int
    private var looks: [ObjectIdentifier: Look] = [:]
    private var forRoom = JobsForRoom()
    private let isEnabled: Bool
    private let segmentBytes: Int
    private let compactor: Compaction
    private let journal: Journal
    private let log: LogWriter
    private let segments: SegmentList
    private let liveness: Liveness

    init(
        _ options: StoreOptions, threads: StoreThreads, log: LogWriter, segments: SegmentList,
        state: StoreState
    ) {
        isEnabled = options.compacts
        segmentBytes = options.segmentBytes
        compactor = threads.compactor
        journal = threads.journal
        self.log = log
        self.segments = segments
        spent = -segments.all.reduce(options.segmentBytes / 4) {
            $0 + $1.superseded.load(ordering: .relaxed)
        }
        liveness = Liveness(state: state, segments: segments)
    }

    /// Answers the thread's question, accepts its result, and starts a job once a quarter of a
    /// segment has been written or superseded since the last one, after a start, and while there is
    /// no room.
    func step(_ durability: DurabilityTracker) {
        if let question = compactor.takeQuestion() {
            compactor.answer(
                Compaction.Answer(isAlive: liveness.areAlive(question), upTo: log.last))
        }
        if let outcome = compactor.takeOutcome() { finish(outcome) }
        guard isEnabled, !isBusy, durability.failure != .unavailable else { return }
        if let segment = segmentForRoom(durability) { return start([segment], durability) }
        let (turnover, step) = (log.turnover.written + log.turnover.superseded, segmentBytes / 4)
        guard turnover - spent >= step else { return }
        guard let run = candidates() else {
            // A full file that is not synced yet may be worth a job in a moment.
            if sealed.count == segments.all.count - 1 { spent = turnover }
            return
        }
        spent += step
        start(run, durability)
    }

    private func start(_ run: [Segment], _ durability: DurabilityTracker) {
        isBusy = true
        compactor.add(
            Compaction.Job(
                segments: run, from: log.last, rollbacks: durability.rollbacks, now: log.latest))
    }

    private func finish(_ outcome: Compaction.Outcome) {
        isBusy = false
        for segment in outcome.looked {
            look(at: segment, superseded: segment.superseded.load(ordering: .relaxed))
        }
        guard let new = outcome.new else { return }
        completed += 1
        forRoom.attempts = 0
        var superseded = 0
        for segment in outcome.replaced {
            superseded += segment.superseded.load(ordering: .relaxed) - segment.end
            looks[ObjectIdentifier(segment)] = nil
        }
        // Superseded records that were kept are alive for reasons other than being the newest.
        let kept = max(0, new.end + superseded)
        new.superseded.store(kept, ordering: .relaxed)
        segments.replace(outcome.replaced, with: new)
        compactor.retire(outcome.replaced)
        look(at: new, superseded: kept)
    }

    private func look(at segment: Segment, superseded: Int) {
        looks[ObjectIdentifier(segment)] = Look(
            superseded: superseded, written: log.turnover.written)
    }

    // MARK: Candidates

    /// The files that are full and synced.
    private var sealed: [Segment] {
        let (active, synced) = (log.activeSegment, journal.synced)
        return segments.all.filter { $0 !== active && $0.last <= synced }
    }

    /// The file to compact when there is no room, although nothing is written, since changes are
    /// refused. A job needs room for what is alive in the file before it gives the file's room
    /// back. Therefore it takes a single file, the one with the least that is alive. If a job
    /// fails, the next one takes another file, after a pause of at most ten requests for room.
    private func segmentForRoom(_ durability: DurabilityTracker) -> Segment? {
        let pause = min(forRoom.attempts, JobsForRoom.pauseMax)
        guard durability.wantsRoom, durability.roomRequests - forRoom.request > pause
        else { return nil }
        forRoom.request = durability.roomRequests
        let worth = sealed.filter(isHalfSuperseded).sorted { aliveBytes($0) < aliveBytes($1) }
        guard !worth.isEmpty else { return nil }
        defer { forRoom.attempts += 1 }
        return worth[forRoom.attempts % worth.count]
    }

    private func isHalfSuperseded(_ segment: Segment) -> Bool {
        segment.superseded.load(ordering: .relaxed) * 2 >= segment.end
    }

    private func aliveBytes(_ segment: Segment) -> Int {
        max(0, segment.end - segment.superseded.load(ordering: .relaxed))
    }

    /// Neighbouring sealed files that are worth examining, if there are any.
    private func candidates() -> [Segment]? {
        let sealed = sealed
        let total = sealed.reduce(0) { $0 + $1.end }
        let worth = sealed.map { isWorthALook($0, total) }
        let small = sealed.map { $0.end < segmentBytes / 4 }
        guard let first = leastRecent(sealed, worth) ?? smallRun(small) else { return nil }
        var (run, alive, bytes) = ([Segment](), 0, 0)
        for index in first..<sealed.count where run.count < 64 {
            let segment = sealed[index]
            alive += aliveBytes(segment)
            bytes += segment.end
            guard run.isEmpty || worth[index] || small[index],
                run.isEmpty || alive <= segmentBytes && bytes <= 4 * segmentBytes
            else { break }
            run.append(segment)
        }
        return run
    }

    /// Whether at least half of the file is superseded, and enough has changed since the last look:
    /// a tenth of the file was superseded, or a quarter of the whole log was written.
    private func isWorthALook(_ segment: Segment, _ total: Int) -> Bool {
        guard isHalfSuperseded(segment) else { return false }
        guard let look = looks[ObjectIdentifier(segment)] else { return true }
        let superseded = segment.superseded.load(ordering: .relaxed)
        return superseded - look.superseded >= segment.end / 10
            || log.turnover.written - look.written >= total / 4
    }

    /// Of the files that are worth a look, the one whose last look was longest ago.
    private func leastRecent(_ sealed: [Segment], _ worth: [Bool]) -> Int? {
        sealed.indices.filter { worth[$0] }.min { a, b in
            let first = looks[ObjectIdentifier(sealed[a])]?.written ?? -1
            let second = looks[ObjectIdentifier(sealed[b])]?.written ?? -1
            return first < second
        }
    }

    /// The first of at least eight small files in a row, as many short runs of the server leave.
    private func smallRun(_ small: [Bool]) -> Int? {
        var (start, count) = (0, 0)
        for (index, isSmall) in small.enumerated() {
            if isSmall {
                if count == 0 { start = index }
                count += 1
                if count == 8 { return start }
            } else {
                count = 0
            }
        }
        return nil
    }
}
