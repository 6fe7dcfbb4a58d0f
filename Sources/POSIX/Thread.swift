internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of the operating system, which runs one closure.
public struct Thread: Sendable {
    /// How a thread competes for a processor with the others.
    public enum Priority: Sendable {
        case normal
        /// For work that nobody waits for: the thread gets about a tenth of a processor that
        /// normal threads want, and does not interrupt them.
        case background

        /// Sets the priority of the calling thread: on Linux each thread has a nice value of its
        /// own, although POSIX has one for the process.
        fileprivate func apply() {
            switch self {
            case .normal: break
            case .background: _ = nice(10)
            }
        }
    }

    private let identity: pthread_t
    private let simulated: SimulatedThread?

    /// Starts a thread. All signals are blocked in it: a signal would otherwise end the process if
    /// it arrived before the main thread has set up its handling.
    ///
    /// - Parameters:
    ///   - name: the name that `top -H` shows; only the first 15 bytes are used.
    ///   - priority: how it competes with others. A simulated thread runs alone anyway.
    public init(
        named name: String, priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let simulated = simulation.map { SimulatedThread(named: name, in: $0) }
        let task = ThreadTask(body, at: priority, as: simulated)
        let argument = unsafe Unmanaged.passRetained(task).toOpaque()
        var identity = pthread_t()
        let result = unsafe pthread_create(&identity, nil, runTask, argument)
        guard result == 0 else {
            unsafe Unmanaged<ThreadTask>.fromOpaque(argument).release()
            throw SystemError("pthread_create", number: result)
        }
        _ = unsafe pthread_setname_np(
            identity, String(decoding: name.utf8.prefix(15), as: UTF8.self))
        self.identity = identity
        self.simulated = simulated
    }

    /// Detaches the thread, so that nothing has to wait for its end. `join` must not be called any
    /// more.
    public func detach() {
        let result = pthread_detach(identity)
        precondition(result == 0, "a thread is detached once")
    }

    /// Waits for the thread to end. This must be called exactly once, unless the thread was
    /// detached.
    public func join() {
        if let simulated { simulated.simulation.join(simulated.number) }
        let result = pthread_join(identity, nil)
        precondition(result == 0, "a thread is joined once")
    }
}

/// The work of a thread.
private final class ThreadTask: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>
    private let priority: Thread.Priority
    private let simulated: SimulatedThread?

    init(
        _ body: @escaping @Sendable () -> Void, at priority: Thread.Priority,
        as simulated: SimulatedThread?
    ) {
        self.body = Mutex(body)
        self.priority = priority
        self.simulated = simulated
    }

    func run() {
        if let simulated {
            // The simulation, too, decides when the thread releases what its closure holds.
            simulated.run { runBody() }
        } else {
            priority.apply()
            runBody()
        }
    }

    /// Runs the closure, and releases what it holds.
    private func runBody() {
        let body = self.body.withLock { $0.take() }
        body?()
    }
}

private func runTask(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<ThreadTask>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
