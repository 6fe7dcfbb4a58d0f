/// A task that runs as long as anybody wants it to, once for all of them.
@MainActor final class SharedTask {
    private var task: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var count = 0

    /// Whether anybody wants the task to run.
    var isRunning: Bool { !waiters.isEmpty }

    /// Runs the work, or joins it if it runs already. Returns when the work has ended or the
    /// calling task is cancelled. The work is cancelled with the last caller.
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
            // Somebody may have come while the work was being cancelled.
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
