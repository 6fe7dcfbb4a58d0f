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
