internal import POSIX

/// The compaction thread: reads files, has their records judged, and rewrites them.
struct CompactionThread: Sendable {
    private let messages: Compaction
    private let journal: Journal
    private let maintenance: SegmentMaintenance
    private let faults: FaultLog
    private let options: StoreOptions
    private let layout: Layout
    private var disk: Disk { options.disk }

    /// Below the size from which the allocator maps new memory each time.
    private static let sliceBytes = 120 << 10

    init(
        _ messages: Compaction, _ options: StoreOptions, journal: Journal,
        maintenance: SegmentMaintenance, faults: FaultLog
    ) {
        self.messages = messages
        self.journal = journal
        self.maintenance = maintenance
        self.options = options
        self.faults = faults
        layout = Layout(root: options.path)
    }

    /// Works until compaction is stopped.
    func run() {
        while true {
            switch messages.nextWork() {
            case .job(let job): run(job)
            case .close(let segments): close(segments)
            case .stop: return
            }
        }
    }

    /// Holds the files until the loop no longer does, so that they are closed on this thread.
    private func close(_ segments: [Segment]) {
        withExtendedLifetime(segments) { _ = messages.pause(milliseconds: 50) }
    }

    private func run(_ job: Compaction.Job) {
        var outcome = Compaction.Outcome(looked: job.segments)
        do throws(SystemError) {
            try compact(job, &outcome)
        } catch {
            // Either the old files are still valid, or the new one is and the next start drops the
            // leftovers. An unfinished file would take the space that a full disk needs.
            if let first = job.segments.first { try? disk.remove(unfinished(first)) }
            faults.report(error.isDamage ? .damage : .compaction, error)
        }
        messages.finish(outcome)
    }

    /// Rewrites the first few files of the job if that is worth it. Does nothing if the store is
    /// closing, or if changes that the judgement was based on were rolled back.
    private func compact(
        _ job: Compaction.Job, _ outcome: inout Compaction.Outcome
    ) throws(SystemError) {
        var judgements: [Judgement] = []
        for segment in job.segments {
            guard let judgement = try judge(segment, among: job.segments) else { return }
            judgements.append(judgement)
        }
        let count = worthwhile(job.segments, judgements)
        guard count > 0 else { return }
        let old = Array(job.segments.prefix(count))
        guard let new = try rewrite(old, judgements, for: job) else { return }
        let judgedUpTo = judgements.reduce(job.from) { max($0, $1.upTo) }
        guard journal.makeDurable(judgedUpTo, rollbacks: job.rollbacks), !messages.isStopped
        else { return try disk.remove(new.path) }
        try maintenance.expect(new.segment)
        try disk.rename(new.path, to: layout.segment(new.segment.number))
        (outcome.replaced, outcome.new) = (old, new.segment)
        try removeCovered(old, by: new.segment)
    }

    private func removeCovered(_ old: [Segment], by new: Segment) throws(SystemError) {
        try disk.syncDirectory(layout.log)
        try maintenance.replace(old, with: new)
        guard old.count > 1 else { return }
        for segment in old.dropFirst() { try disk.remove(layout.segment(segment.number)) }
        try disk.syncDirectory(layout.log)
    }

    // MARK: Judging

    /// Which records of a file are alive.
    private struct Judgement {
        var isAlive: [Bool] = []
        var aliveBytes = 0
        /// The newest number that was taken into account.
        var upTo: UInt64 = 0
    }

    /// Has the records of a file judged. Returns nil if the store is closing.
    private func judge(
        _ segment: Segment, among segments: [Segment]
    ) throws(SystemError) -> Judgement? {
        var judgement = Judgement()
        var slices = slices(of: segment)
        while let slice = try slices.next() {
            let lines = records(in: slice)
            let question = Compaction.Question(
                bytes: slice.bytes, headers: lines.map { RecordHeader(slice.bytes, $0) },
                segments: segments)
            guard let answer = messages.ask(question) else { return nil }
            judgement.isAlive.append(contentsOf: answer.isAlive)
            judgement.upTo = answer.upTo
            for (line, isAlive) in zip(lines, answer.isAlive) where isAlive {
                judgement.aliveBytes += line.count
            }
        }
        return judgement
    }

    private func slices(of segment: Segment) -> SegmentSlices {
        SegmentSlices(of: segment, upTo: segment.end, countMax: Self.sliceBytes)
    }

    /// The lines of a slice without the file's header.
    private func records(in slice: SegmentSlices.Slice) -> ArraySlice<Range<Int>> {
        slice.offset == 0 ? slice.lines.dropFirst() : slice.lines[...]
    }

    /// How many of the files, from the first on, are worth being rewritten as one file. 0 for none.
    private func worthwhile(_ segments: [Segment], _ judgements: [Judgement]) -> Int {
        var (best, alive, total) = (0, 0, 0)
        for (index, segment) in segments.enumerated() {
            alive += judgements[index].aliveBytes
            total += segment.end
            if index > 0, alive > options.segmentBytes { break }
            let areSmall = index >= 3 && total <= options.segmentBytes
            if alive * 2 < total || areSmall { best = index + 1 }
        }
        return best
    }

    // MARK: Rewriting

    /// The path of the copy of a file and of some that follow it, until it is finished.
    private func unfinished(_ first: Segment) -> String { layout.segment(first.number) + ".tmp" }

    /// Writes the alive lines and a seal to an unfinished file. Returns nil if the store is
    /// closing.
    private func rewrite(
        _ segments: [Segment], _ judgements: [Judgement], for job: Compaction.Job
    ) throws(SystemError) -> (path: String, segment: Segment)? {
        guard let first = segments.first, let last = segments.last else { return nil }
        let header = SegmentHeader(
            lineage: first.header.lineage, file: first.number, first: first.header.first,
            at: job.now, covers: last.header.covers, cleaned: job.from)
        var file = SegmentFile(
            header, in: try disk.createUnfinished(unfinished(first)), disk: disk)
        for (segment, judgement) in zip(segments, judgements) {
            var (slices, index) = (slices(of: segment), 0)
            while let slice = try slices.next() {
                for line in records(in: slice) {
                    if judgement.isAlive[index] {
                        let number = RecordHeader.sequence(slice.bytes, line) ?? 0
                        file.append(slice.bytes, line, number: number, hasOtherSalt: true)
                    }
                    index += 1
                }
                if file.isFlushDue { guard try flush(&file) else { return nil } }
            }
        }
        file.appendSeal(last.last, at: job.now)
        guard try flush(&file) else { return nil }
        return (file.path, file.segment)
    }

    /// Writes and syncs a piece, then leaves the disk to others for as long as that took.
    ///
    /// - Returns: false, after removing the file, if the store is closing.
    private func flush(_ file: inout SegmentFile) throws(SystemError) -> Bool {
        let started = Clock.monotonicNanoseconds
        try file.flush()
        try file.sync()
        let took = Int((Clock.monotonicNanoseconds - started) / 1_000_000)
        guard messages.pause(milliseconds: min(took, 200)) else { return true }
        // Otherwise, the next start removes it.
        try? disk.remove(file.path)
        return false
    }
}
