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
struct Waiters {
    /// The outcome of presenting a sheet that asks a question: its id on the server once it is
    /// presented there, or an error.
    typealias Answer = Result<String, NavstateError>

    private var answers: [Int: CheckedContinuation<Answer, Never>] = [:]
    private var quiet: [CheckedContinuation<Void, Never>] = []

    /// Waits for the answer to the change with this number.
    mutating func add(_ waiter: CheckedContinuation<Answer, Never>, for change: Int) {
        answers[change] = waiter
    }

    /// Resumes whoever waits for the answer to this change. Does nothing if nobody does.
    mutating func answer(_ change: Int, _ answer: Answer) {
        answers.removeValue(forKey: change)?.resume(returning: answer)
    }

    /// Fails everybody who waits for an answer, because none will come.
    mutating func failAnswers(_ error: NavstateError) {
        answers.values.forEach { $0.resume(returning: .failure(error)) }
        answers = [:]
    }

    /// Waits until every change has been answered, or the router is offline.
    mutating func addQuiet(_ waiter: CheckedContinuation<Void, Never>) { quiet.append(waiter) }

    /// Resumes those who wait for this: every change has been answered, or the router is offline.
    mutating func tellQuiet() {
        quiet.forEach { $0.resume() }
        quiet = []
    }
}
