internal import Navigation
internal import POSIX

// Compaction: files of which less than half is alive are rewritten without the dead records.
//
// Alive are: a live session's newest record, its last 32 before that, the records that its undo
// and redo can go to, records of kept keys, the apps' newest documents, and deletions as long as
// an older file may still hold a record of the session.
//
// Neighbouring files with the numbers a…b become one file with the number a that says
// `"covers":b`. Records keep their `n`, and `n` is the only address that the index knows, so
// nothing in the index has to move. The steps, each durable before the next:
//
//   1. The alive lines go to `a.jsonl.tmp`, a seal last, a MiB at a time, each synced.
//   2. Wait until every change is durable that the judgement was based on: all that the loop knew
//      when it gave its last answer, since a record may be dead because of a change that a power
//      failure could still take back.
//   3. The manifest allows the new file besides the old ones.
//   4. Rename over `a`. This is the commit: before it the old files count, after it the new one
//      does, and the files up to b are leftovers that a start drops because they are covered.
//   5. The manifest without the old files; then the covered ones are removed.
//
// Only the loop knows which records are alive. So a thread (`CompactionThread`) reads the lines
// and asks in slices of about 120 KiB; the loop answers one slice a turn, in less than a
// millisecond (`CompactionScheduler`). This class carries the messages between the two.
//
// A compacted file also says `"cleaned":n`: no record that was dead when `n` was the newest is
// in it. A deletion is no longer needed once all older files that overlap the session's life
// were cleaned after it.

/// The messages between the loop and the compaction thread: one job at a time, and the thread's
/// questions about it.
final class Compaction: Sendable {
    /// Neighbouring files to compact.
    struct Job: Sendable {
        var segments: [Segment]
        /// The newest number when the loop sent it.
        var from: UInt64
        /// How often changes had been taken back by then; after another rollback numbers mean
        /// other records.
        var rollbacks: Int
        var now: Milliseconds
    }

    /// Lines to be judged.
    struct Question: Sendable {
        var bytes: [UInt8]
        /// The lines' headers; nil for a line that cannot be read.
        var headers: [RecordHeader?]
        /// The files of the job; deletions are judged by the others.
        var segments: [Segment]
    }

    /// The loop's judgement of a question.
    struct Answer: Sendable {
        var isAlive: [Bool]
        /// The newest number that it took into account.
        var upTo: UInt64
    }

    /// The result of a job.
    struct Outcome: Sendable {
        var looked: [Segment]
        var replaced: [Segment] = []
        /// The file that replaces them; nil if nothing was rewritten.
        var new: Segment?
    }

    /// What the thread has to do next.
    enum Work: Sendable {
        case job(Job)
        case close([Segment])
        case stop
    }

    private struct State: Sendable {
        var job: Job?
        var question: Question?
        var answer: Answer?
        var outcome: Outcome?
        var retired: [Segment] = []
        var isStopped = false
    }

    private let state = Lock(State())
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    // MARK: The loop

    /// Sends a job; the one before must be finished.
    func add(_ job: Job) {
        state.withLock { $0.job = job }
        state.notify()
    }

    /// The thread's question, once.
    func takeQuestion() -> Question? {
        state.withLock { state in
            defer { state.question = nil }
            return state.question
        }
    }

    /// Answers the question that was taken last.
    func answer(_ answer: Answer) {
        state.withLock { $0.answer = answer }
        state.notify()
    }

    /// The result of the job, once.
    func takeOutcome() -> Outcome? {
        state.withLock { state in
            defer { state.outcome = nil }
            return state.outcome
        }
    }

    /// Has files closed by the thread. If a file was removed, closing its last descriptor frees all
    /// its blocks, which takes longer than a turn of the loop may.
    func retire(_ segments: [Segment]) {
        state.withLock { $0.retired += segments }
        state.notify()
    }

    /// Ends the thread; a job under way is abandoned.
    func stop() {
        state.withLock { $0.isStopped = true }
        state.notify()
    }

    // MARK: The thread

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Waits for something to do.
    func nextWork() -> Work {
        state.wait { state -> Work? in
            if state.isStopped { return .stop }
            if !state.retired.isEmpty {
                defer { state.retired = [] }
                return .close(state.retired)
            }
            defer { state.job = nil }
            return state.job.map { .job($0) }
        }
    }

    /// Waits for the loop's answer; nil if the store is closing.
    func ask(_ question: Question) -> Answer? {
        state.withLock { $0.question = question }
        wakeUp.signal()
        return state.wait { state -> Answer?? in
            if state.isStopped { return .some(nil) }
            guard let answer = state.answer else { return nil }
            state.answer = nil
            return .some(answer)
        }
    }

    /// Waits; returns true, at once, if the store is closing.
    func pause(milliseconds: Int) -> Bool {
        state.wait(atMost: milliseconds) { $0.isStopped ? true : nil } ?? false
    }

    /// Sends the result of the job.
    func finish(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        wakeUp.signal()
    }
}
