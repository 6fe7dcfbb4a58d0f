internal import Glibc
internal import Synchronization

// Where the order of threads, the time and chance come from.
//
// The service takes them from the kernel. A test can take them from a number instead, so that a run
// of many threads can be repeated: it starts the service in a `Simulation`, which lets one of its
// threads run at a time and decides which, keeps a clock of its own, and draws the random bytes.
// `Lock`, `Thread`, `Clock`, `Random`, `Epoll` and the calls on descriptors ask it here; the rest of
// the program does not know of it.
//
// A thread belongs to the simulation that started it, or that the thread which started it belongs
// to. In a process without simulations the question costs one load and a branch.

/// A machine whose threads, clock and chance a test decides, in place of the kernel.
///
/// All calls but `begin` come from the one thread that runs.
package protocol Simulation: AnyObject, Sendable {
    /// Nanoseconds by a clock that never goes back.
    var monotonicNanoseconds: Int64 { get }
    /// Nanoseconds since 1970.
    var realtimeNanoseconds: Int64 { get }
    /// Random bytes.
    func randomBytes(_ count: Int) -> [UInt8]
    /// How many of the bytes a socket takes or gives at once; at least 1.
    func portion(of count: Int) -> Int
    /// Whether the kernel has a piece of a file in memory.
    func isInMemory() -> Bool

    /// Lets other threads run first, or not.
    func pause()
    /// Waits until no other thread holds the lock, and takes it.
    func acquire(_ lock: ObjectIdentifier)
    func release(_ lock: ObjectIdentifier)
    /// Waits for `notify` with the same lock, which the caller does not hold.
    ///
    /// - Parameter deadline: monotonic nanoseconds; nil for no end.
    /// - Returns: false if the deadline came first.
    func wait(for lock: ObjectIdentifier, until deadline: Int64?) -> Bool
    func notify(_ lock: ObjectIdentifier)
    /// Waits until the descriptor is readable; false if the deadline came first.
    func wait(for descriptor: FileDescriptor, until deadline: Int64?) -> Bool

    /// Makes a thread, which the kernel has not started yet; its number.
    func add(thread name: String) -> Int
    /// Called first by a new thread: waits for its turn.
    func begin(_ thread: Int)
    /// Called last by a thread.
    func end(_ thread: Int)
    /// Waits for a thread's end.
    func join(_ thread: Int)
}

/// A thread's place in a simulation.
package final class SimulatedThread: Sendable {
    package let simulation: any Simulation
    let number: Int

    /// Adds a thread to the simulation; `run` is to be called on it.
    package init(named name: String, in simulation: any Simulation) {
        self.simulation = simulation
        number = simulation.add(thread: name)
        Self.exist.store(true, ordering: .relaxed)
    }

    /// Runs the closure as this thread of the simulation.
    package func run(_ body: () -> Void) {
        let before = unsafe pthread_getspecific(Self.key)
        _ = unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        simulation.begin(number)
        body()
        simulation.end(number)
        _ = unsafe pthread_setspecific(Self.key, before)
    }

    /// The calling thread's place; nil outside of simulations.
    static var current: SimulatedThread? {
        guard exist.load(ordering: .relaxed) else { return nil }
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<SimulatedThread>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let exist = Atomic(false)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key, nil)
        precondition(result == 0, "no key for a thread's simulation")
        return key
    }()
}

/// The calling thread's simulation; nil in the service.
var simulation: (any Simulation)? { SimulatedThread.current?.simulation }
