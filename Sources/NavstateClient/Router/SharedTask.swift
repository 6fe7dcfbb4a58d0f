/// A single task shared by several callers. It runs for as long as at least one of them wants it.
@MainActor final class SharedTask {
    private var task: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var count = 0

    /// Whether any caller wants the task to run.
    var isRunning: Bool { !waiters.isEmpty }

    /// Starts the work, or joins it if it is already running. Returns when the work has ended or
    /// the calling task is cancelled. The work is cancelled when the last caller leaves.
    func join(_ work: @escaping @MainActor () async -> Void) async {
        count += 1
        let number = count
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                waiters[number] = waiter
                start(work)
            }
        } onCancel: {
            Task { @MainActor in leave(number) }
        }
    }

    private func start(_ work: @escaping @MainActor () async -> Void) {
        guard task == nil else { return }
        task = Task {
            await work()
            task = nil
            // A new caller may have joined while the work was being cancelled.
            if Task.isCancelled, isRunning { return start(work) }
            waiters.values.forEach { $0.resume() }
            waiters = [:]
        }
    }

    private func leave(_ number: Int) {
        waiters.removeValue(forKey: number)?.resume()
        if !isRunning { task?.cancel() }
    }
}

/// The continuations that wait for a router.
@MainActor struct Waiters {
    /// The outcome of presenting a sheet that asks a question.
    typealias Answer = Result<Question, NavstateError>

    /// A question once it is asked.
    enum Question: Sendable {
        /// The server presents the sheet with this id.
        case presented(String)
        /// The sheet is gone again, which is all that a router without a server says.
        case dismissed(SheetState)
    }

    private var answers: [Int: CheckedContinuation<Answer, Never>] = [:]
    private var quiet: [CheckedContinuation<Void, Never>] = []
    /// The changes that have presented sheets without a server, by their ids.
    var asked: [String: Int] = [:]
    /// Whether a state is on its way to the router.
    var isBehind: @MainActor () -> Bool = { false }

    /// Waits for the answer to the change with this number.
    mutating func add(_ waiter: CheckedContinuation<Answer, Never>, for change: Int) {
        answers[change] = waiter
    }

    /// Resumes the caller that waits for the answer to this change, if there is one.
    mutating func answer(_ change: Int, _ answer: Answer) {
        answers.removeValue(forKey: change)?.resume(returning: answer)
    }

    /// Resumes the caller that has presented this sheet, if there is one.
    mutating func dismissed(_ sheet: SheetState) {
        guard let change = asked.removeValue(forKey: sheet.sheet) else { return }
        answer(change, .success(.dismissed(sheet)))
    }

    /// Fails all callers that wait for an answer, because there will be none.
    mutating func failAnswers(_ error: NavstateError) {
        answers.values.forEach { $0.resume(returning: .failure(error)) }
        answers = [:]
    }

    /// Waits until every change has been answered, or the router is offline.
    mutating func addQuiet(_ waiter: CheckedContinuation<Void, Never>) { quiet.append(waiter) }

    /// Resumes the callers that wait until every change has been answered or the router is
    /// offline.
    mutating func resumeQuiet() {
        quiet.forEach { $0.resume() }
        quiet = []
    }
}
