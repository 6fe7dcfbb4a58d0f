internal import Navigation
internal import POSIX

// Compaction: files of which less than half is alive are rewritten without the dead records.
//
// A record is alive if it is one of these: the newest record of a live session, one of the 32
// before it, a record that undo or redo of the session can lead to, a record with a kept key, the
// newest document of an app, or a deletion, as long as an older file may still hold a record of the
// session.
//
// Neighbouring files with the numbers a…b become one file with the number a that says `"covers":b`.
// Records keep their `n`, and `n` is the only address that the index knows, so nothing in the index
// has to change. The steps, each durable before the next:
//
//   1. The alive lines are written to `a.jsonl.tmp`, a MiB at a time, each synced, and a seal last.
//   2. Wait until every change that the judgement was based on is durable: all that the loop knew
//      when it gave its last answer, because a record may be dead because of a change that a power
//      failure could still undo.
//   3. The manifest lists the new file besides the old ones.
//   4. Rename it to `a`. This is the commit: before it the old files are valid, after it the new
//      one is, and a start drops the files up to b because they are covered.
//   5. The manifest lists only the new file; then the covered ones are removed.
//
// Only the loop knows which records are alive. A thread (`CompactionThread`) therefore reads the
// lines and asks in slices of about 120 KiB; the loop answers one slice a turn, in less than a
// millisecond (`CompactionScheduler`). This class carries the messages between the two.
//
// A compacted file also says `"cleaned":n`: it contains no record that was dead when `n` was the
// newest. A deletion is no longer needed once all older files that overlap the session's life were
// cleaned after it.

/// The messages between the loop and the compaction thread: one job at a time, and the thread's
/// questions about it.
final class Compaction: Sendable {
    /// Neighbouring files to compact.
    struct Job: Sendable {
        var segments: [Segment]
        /// The newest number when the loop sent the job.
        var from: UInt64
        /// The number of rollbacks by then; after another rollback, numbers stand for other
        /// records.
        var rollbacks: Int
        var now: Milliseconds
    }

    /// Lines to be judged.
    struct Question: Sendable {
        var bytes: [UInt8]
        /// The headers of the lines; nil for a line that cannot be read.
        var headers: [RecordHeader?]
        /// The files of the job. Deletions are judged by the other files.
        var segments: [Segment]
    }

    /// The loop's judgement of a question.
    struct Answer: Sendable {
        var isAlive: [Bool]
        /// The newest number that the judgement took into account.
        var upTo: UInt64
    }

    /// The result of a job.
    struct Outcome: Sendable {
        var looked: [Segment]
        var replaced: [Segment] = []
        /// The file that replaces them, or nil if nothing was rewritten.
        var new: Segment?
    }

    /// The next work of the thread.
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

    /// Sends a job. The previous one must be finished.
    func add(_ job: Job) {
        state.withLock { $0.job = job }
        state.notify()
    }

    /// Returns the thread's question, once.
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

    /// Returns the result of the job, once.
    func takeOutcome() -> Outcome? {
        state.withLock { state in
            defer { state.outcome = nil }
            return state.outcome
        }
    }

    /// Has files closed by the thread. If a file was removed, closing its last descriptor frees all
    /// its blocks, which takes longer than a turn of the loop may take.
    func retire(_ segments: [Segment]) {
        state.withLock { $0.retired += segments }
        state.notify()
    }

    /// Ends the thread. A job that is under way is abandoned.
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

    /// Waits for the loop's answer. Returns nil if the store is closing.
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

    /// Waits. Returns true at once if the store is closing.
    func pause(milliseconds: Int) -> Bool {
        state.wait(atMost: milliseconds) { $0.isStopped ? true : nil } ?? false
    }

    /// Sends the result of the job.
    func finish(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        wakeUp.signal()
    }
}
