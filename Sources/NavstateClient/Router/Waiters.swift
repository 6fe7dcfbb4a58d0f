/// Everybody who waits for a router.
struct Waiters {
    /// What became of a sheet that asks something: its id on the server once it is presented there.
    typealias Answer = Result<String, NavstateError>

    private var answers: [Int: CheckedContinuation<Answer, Never>] = [:]
    private var quiet: [CheckedContinuation<Void, Never>] = []

    /// Waits for the answer to the change with this number.
    mutating func add(_ waiter: CheckedContinuation<Answer, Never>, for change: Int) {
        answers[change] = waiter
    }

    /// The change with this number has an answer. Does nothing if nobody waits for it.
    mutating func answer(_ change: Int, _ answer: Answer) {
        answers.removeValue(forKey: change)?.resume(returning: answer)
    }

    /// Nothing that is waited for will be answered.
    mutating func failAnswers(_ error: NavstateError) {
        answers.values.forEach { $0.resume(returning: .failure(error)) }
        answers = [:]
    }

    /// Waits until every change is answered, or the router is offline.
    mutating func addQuiet(_ waiter: CheckedContinuation<Void, Never>) { quiet.append(waiter) }

    /// Every change is answered, or the router is offline.
    mutating func tellQuiet() {
        quiet.forEach { $0.resume() }
        quiet = []
    }
}
