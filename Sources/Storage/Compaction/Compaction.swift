internal import Bytes
internal import Navigation
internal import POSIX
internal import Synchronization

// Compaction: files of which less than half is alive are written anew without the dead.
//
// Alive are: a live session's newest record, its last 32 before that, what its undo and redo
// reach, records of kept keys, the apps' newest documents, and deletions as long as an older
// file may still hold a record of the session.
//
// Neighbouring files with the numbers a…b become one file with the number a that says
// `"covers":b`. Records keep their `n`, and `n` is the only address that the index knows, so
// nothing in the index has to move. Steps, each durable before the next:
//
//   1. The alive lines go to `a.jsonl.tmp`, a seal last, a MiB at a time, each synced.
//   2. Wait until everything is durable that the judgement was based on: all that the loop knew
//      when it gave its last answer, since a record may be dead because of a change that a power
//      cut could still take back.
//   3. The manifest allows the new file beside the old ones.
//   4. Rename over `a`. This is the commit: before it the old files count, after it the new one
//      does, and the files up to b are leftovers that a start drops because they are covered.
//   5. The manifest without the old files; then the covered ones go.
//
// Who is alive only the loop knows. So a thread of its own reads lines and asks in slices of about
// 120 KiB; the loop answers one slice a turn, less than a millisecond each.
//
// A compacted file also says `"cleaned":n`: no record that was dead when `n` was the newest is
// in it. A deletion is needed no longer once all older files that overlap the session's life
// are cleaned behind it.

final class Compaction: Sendable {
    /// Lines to be judged.
    struct Question: Sendable {
        var bytes: [UInt8]
        /// nil: what stands there cannot be read.
        var headers: [RecordHeader?]
        /// The files that are looked at; deletions are judged by the others.
        var segments: [Segment]
    }

    /// What became of it, for the loop.
    struct Outcome: Sendable {
        var looked: [Segment]
        var replaced: [Segment]
        var new: Segment?
    }

    /// Neighbouring files to look at.
    struct Job: Sendable {
        var segments: [Segment]
        /// The newest number when the loop sent it.
        var from: UInt64
        /// How often changes had been taken back then: after another time numbers mean others.
        var rollbacks: Int
        var now: Milliseconds
    }

    /// The loop's judgement of a question.
    struct Answer: Sendable {
        var isAlive: [Bool]
        /// The newest number that it took into account.
        var upTo: UInt64
    }

    fileprivate struct State: Sendable {
        var question: Question?
        var answer: Answer?
        var outcome: Outcome?
        var job: Job?
        var retired: [Segment] = []
        var isStopped = false
    }

    fileprivate enum Work: Sendable {
        case job(Job)
        case close([Segment])
        case stop
    }

    private let state = Lock(State())
    private let options: StoreOptions
    private let layout: Layout
    private let wakeUp: WakeUp
    private let journal: Journal
    private let maintenance: SegmentMaintenance
    private let troubles: Troubles
    private var disk: Disk { options.disk }

    /// Below the size from which the allocator maps memory anew each time.
    private static let slice = 120 << 10
    private static let piece = 1 << 20

    private struct Stopped: Error {}

    init(
        options: StoreOptions, wakeUp: WakeUp, journal: Journal, maintenance: SegmentMaintenance,
        troubles: Troubles
    ) {
        self.options = options
        self.troubles = troubles
        layout = Layout(root: options.path)
        self.wakeUp = wakeUp
        self.journal = journal
        self.maintenance = maintenance
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        state.notify()
    }

    // MARK: The loop's side

    func takeQuestion() -> Question? {
        state.withLock { state in
            let question = state.question
            state.question = nil
            return question
        }
    }

    func answer(_ answer: Answer) {
        state.withLock { $0.answer = answer }
        state.notify()
    }

    func takeOutcome() -> Outcome? {
        state.withLock { state in
            let outcome = state.outcome
            state.outcome = nil
            return outcome
        }
    }

    func add(_ job: Job) {
        state.withLock { $0.job = job }
        state.notify()
    }

    /// Takes files that may be gone from the directory already. Closing the last descriptor of
    /// one frees all its blocks, which takes longer than a turn of the loop may.
    func retire(_ segments: [Segment]) {
        state.withLock { $0.retired += segments }
        state.notify()
    }

    // MARK: The thread's side

    func run() {
        while true {
            switch state.wait(for: { $0.takeWork() }) {
            case .job(let job): run(job)
            case .close(let segments): close(segments)
            case .stop: return
            }
        }
    }

    /// Lets go of the files last, once the loop has.
    private func close(_ segments: [Segment]) {
        withExtendedLifetime(segments) {
            _ = state.wait(atMost: 50) { $0.isStopped ? true : nil }
        }
    }

    /// Looks at the files and rewrites the first few of them if that is worth it.
    private func run(_ job: Job) {
        let segments = job.segments
        var outcome = Outcome(looked: segments, replaced: [], new: nil)
        do {
            let fates = try segments.map { try judge($0, among: segments) }
            let count = worth(segments, fates)
            if count > 0 {
                let old = Array(segments.prefix(count))
                let (file, segment) = try write(old, Array(fates.prefix(count)), job)
                let judgedUpTo = fates.reduce(job.from) { max($0, $1.judgedUpTo) }
                guard journal.makeDurable(judgedUpTo, rollbacks: job.rollbacks),
                    !state.withLock({ $0.isStopped })
                else {
                    try disk.remove(file.path)
                    throw Stopped()
                }
                try maintenance.expect(segment)
                try disk.rename(file.path, to: layout.segment(segment.number))
                outcome.replaced = old
                outcome.new = segment
                try retire(old, for: segment)
            }
        } catch let error as SystemError {
            // The old files count as before; or the new one does, and the next start drops what is
            // left over.
            troubles.report(error.isDamage ? .damage : .compaction, error)
        } catch {
            // The store is closing, or changes that this was based on were taken back.
        }
        let final = outcome
        state.withLock { $0.outcome = final }
        wakeUp.signal()
    }

    /// Removes what the new file covers.
    private func retire(_ old: [Segment], for new: Segment) throws(SystemError) {
        try disk.syncDirectory(layout.log)
        try maintenance.replace(old, with: new)
        guard old.count > 1 else { return }
        for segment in old.dropFirst() { try disk.remove(layout.segment(segment.number)) }
        try disk.syncDirectory(layout.log)
    }

    /// How many of the files, from the first, are worth being written as one; 0 for none.
    private func worth(_ segments: [Segment], _ fates: [Fates]) -> Int {
        var (best, alive, total) = (0, 0, 0)
        for (index, segment) in segments.enumerated() {
            alive += fates[index].aliveBytes
            total += segment.end
            if index > 0, alive > options.segmentBytes { break }
            let areSmall = index >= 3 && total <= options.segmentBytes
            if alive * 2 < total || areSmall { best = index + 1 }
        }
        return best
    }

    private struct Fates {
        var isAlive: [Bool] = []
        var aliveBytes = 0
        /// The newest number that the judgement took into account.
        var judgedUpTo: UInt64 = 0
    }

    private func judge(_ segment: Segment, among segments: [Segment]) throws -> Fates {
        var fates = Fates()
        try forEachSlice(of: segment) { bytes, lines in
            let headers = lines.map { RecordHeader(bytes, $0) }
            let question = Question(bytes: bytes, headers: headers, segments: segments)
            let answer = try ask(question)
            fates.isAlive.append(contentsOf: answer.isAlive)
            fates.judgedUpTo = answer.upTo
            for (line, isAlive) in zip(lines, answer.isAlive) where isAlive {
                fates.aliveBytes += line.count
            }
        }
        return fates
    }

    private func ask(_ question: Question) throws -> Answer {
        state.withLock { $0.question = question }
        wakeUp.signal()
        let answer = state.wait { state -> Answer?? in
            if state.isStopped { return .some(nil) }
            guard let answer = state.answer else { return nil }
            state.answer = nil
            return .some(answer)
        }
        guard let answer else { throw Stopped() }
        return answer
    }

    /// Reads a sealed file's records, headers left out, whole lines at a time.
    private func forEachSlice(
        of segment: Segment, _ body: ([UInt8], [Range<Int>]) throws -> Void
    ) throws {
        guard let file = segment.file else { return }
        let end = segment.end
        var (offset, size) = (0, Self.slice)
        while offset < end {
            let bytes = try file.bytes(at: offset, count: min(size, end - offset))
            var (lines, start) = ([Range<Int>](), 0)
            while let stop = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
                guard
                    Line.isValid(
                        bytes, start..<stop + 1, salt: offset + start == 0 ? .none : segment.salt)
                else { throw SystemError.damage(file.path) }
                if offset + start > 0 { lines.append(start..<stop + 1) }
                start = stop + 1
            }
            if start == 0 {
                guard bytes.count == size else { throw SystemError.damage(file.path) }
                size *= 2
                continue
            }
            try body(bytes, lines)
            (offset, size) = (offset + start, Self.slice)
        }
    }

    /// Writes the alive lines and a seal into an unfinished file.
    private func write(
        _ segments: [Segment], _ fates: [Fates], _ job: Job
    ) throws -> (LogFile, Segment) {
        guard let first = segments.first, let last = segments.last else { throw Stopped() }
        let header = SegmentHeader(
            lineage: first.header.lineage, file: first.number, first: first.header.first,
            at: job.now,
            covers: last.header.covers, cleaned: job.from)
        var bytes: [UInt8] = []
        let salt = header.append(to: &bytes)
        let file = try disk.createUnfinished(layout.segment(first.number) + ".tmp")
        var (written, lines, state) = (0, UInt64(1), Segment.State(file: file))
        for (segment, fate) in zip(segments, fates) {
            var index = 0
            try forEachSlice(of: segment) { source, ranges in
                for line in ranges {
                    defer { index += 1 }
                    guard fate.isAlive[index] else { continue }
                    state.note(Envelope.sequence(source, line) ?? 0, at: written + bytes.count)
                    Line.copy(source, line, to: &bytes, salt: salt)
                    lines += 1
                }
                if bytes.count >= Self.piece { try flush(&bytes, file, &written) }
            }
        }
        state.note(last.last, at: written + bytes.count)
        Line.appendSeal(last.last, at: job.now, lines: lines + 1, to: &bytes, salt: salt)
        try flush(&bytes, file, &written)
        (state.end, state.last) = (written, last.last)
        return (file, Segment(header: header, salt: salt, state: state))
    }

    /// Writes a piece and syncs it, then leaves the disk to others for as long as that took.
    private func flush(_ bytes: inout [UInt8], _ file: LogFile, _ written: inout Int) throws {
        let started = Clock.monotonicNanoseconds
        try disk.write(file, bytes, 0..<bytes.count, at: written)
        try disk.sync(file)
        written += bytes.count
        bytes.removeAll(keepingCapacity: true)
        let took = Int((Clock.monotonicNanoseconds - started) / 1_000_000)
        let isStopped = state.wait(atMost: min(took, 200)) { $0.isStopped ? true : nil } ?? false
        if isStopped {
            try? disk.remove(file.path)
            throw Stopped()
        }
    }
}

extension Compaction.State {
    /// What there is to do, if anything.
    fileprivate mutating func takeWork() -> Compaction.Work? {
        if isStopped { return .stop }
        if !retired.isEmpty {
            defer { retired = [] }
            return .close(retired)
        }
        defer { job = nil }
        return job.map { .job($0) }
    }
}
