import Glibc
import POSIX
import Synchronization

/// A call that waits in the kernel, on a thread of its own, and can be interrupted by signals.
final class BlockedCall<Value: Sendable>: Sendable {
    private struct State: Sendable {
        /// The thread, and the file in which the kernel tells its state.
        var thread: (identity: pthread_t, status: FileDescriptor)?
        var result: Result<Value, SystemError>?
    }

    private let state: Lock<State>
    private let thread: Thread

    init(_ call: @escaping @Sendable () throws(SystemError) -> Value) throws(SystemError) {
        InterruptingSignal.install()
        let state = Lock(State())
        self.state = state
        thread = try Thread(named: "blocked") {
            InterruptingSignal.unblock()
            guard let status = try? FileDescriptor.open("/proc/thread-self/stat", .readOnly) else {
                preconditionFailure("no /proc")
            }
            state.withLock { $0.thread = (pthread_self(), status) }
            let result: Result<Value, SystemError>
            do throws(SystemError) {
                result = .success(try call())
            } catch {
                result = .failure(error)
            }
            state.withLock { $0.result = result }
        }
    }

    /// Waits until the call sleeps in the kernel, and wakes it with a signal. Does nothing if the
    /// call has returned.
    func interrupt() {
        waitUntilAsleep()
        let count = InterruptingSignal.count
        guard !isDone, let identity = state.withLock({ $0.thread?.identity }) else { return }
        pthread_kill(identity, InterruptingSignal.number)
        while InterruptingSignal.count == count, !isDone { sched_yield() }
    }

    func waitUntilAsleep() { while !isDone, !isAsleep { sched_yield() } }

    /// Waits for what the call returned.
    func finish() throws(SystemError) -> Value {
        thread.join()
        switch state.withLock({ $0.result }) {
        case .success(let value): return value
        case .failure(let error): throw error
        case nil: preconditionFailure("the thread has ended without a result")
        }
    }

    var isDone: Bool { state.withLock { $0.result != nil } }

    /// Whether the kernel says `S` behind the thread's name.
    private var isAsleep: Bool {
        guard let status = state.withLock({ $0.thread?.status }),
            let bytes = try? status.bytes(at: 0, count: 512),
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return false }
        return bytes[(end + 1)...].starts(with: Array(" S".utf8))
    }
}

/// SIGUSR2, whose handler only counts; without SA_RESTART, so that it interrupts calls.
private enum InterruptingSignal {
    static let number = SIGUSR2
    private static let handled = Atomic<Int>(0)

    static var count: Int { handled.load(ordering: .relaxed) }

    static func install() {
        _ = count
        var action = sigaction()
        action.__sigaction_handler = .init(sa_handler: { _ in
            InterruptingSignal.handled.wrappingAdd(1, ordering: .relaxed)
        })
        _ = unsafe sigaction(number, &action, nil)
    }

    /// Threads of POSIX are started with all signals blocked.
    static func unblock() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
