internal import Glibc
internal import Synchronization

// The order of threads, time and randomness.
//
// The service gets them from the kernel. A test can derive them from a seed instead, so that a run
// of many threads can be repeated: it starts the service in a `Simulation`, which lets one of its
// threads run at a time and chooses it, has its own clock and its own random numbers. `Lock`,
// `Thread`, `Clock`, `Random`, `Epoll`, the connections to other servers and the calls on
// descriptors use the simulation; the rest of the program does not know about it.
//
// A thread belongs to the simulation of the thread that started it. In a process without
// simulations the check costs one load and a branch.

/// A machine that decides about threads, time and randomness in place of the kernel, for tests.
///
/// All methods but `begin` are called by the one thread that is running.
public protocol Simulation: AnyObject, Sendable {
    /// Nanoseconds of a clock that never goes back.
    var monotonicNanoseconds: Int64 { get }
    /// Nanoseconds since 1970.
    var realtimeNanoseconds: Int64 { get }
    /// A random number.
    func randomWord() -> UInt64
    /// How many of the bytes a socket sends or receives at once; at least 1.
    func portion(of count: Int) -> Int
    /// Whether a part of a file is in the page cache.
    func isInMemory() -> Bool

    /// The path of the Unix socket that a connection to a TCP address leads to, or nil to use the
    /// network. The kernel may deliver bytes over TCP late, even over loopback, and the time of a
    /// simulation would jump meanwhile.
    func path(toAddress address: String, port: UInt16) -> String?

    /// May let other threads run first.
    func pause()
    /// Waits until no other thread holds the lock, and takes it.
    func acquire(_ lock: ObjectIdentifier)
    /// Releases a lock.
    func release(_ lock: ObjectIdentifier)
    /// Waits for `notify` with a lock, which the caller does not hold.
    ///
    /// - Parameter deadline: monotonic nanoseconds, or nil to wait without limit.
    /// - Returns: false if the deadline was reached.
    func wait(for lock: ObjectIdentifier, until deadline: Int64?) -> Bool
    /// Wakes the threads that wait for a lock.
    func notify(_ lock: ObjectIdentifier)
    /// Waits until a descriptor is readable; false if the deadline was reached.
    func wait(for descriptor: FileDescriptor, until deadline: Int64?) -> Bool

    /// Registers a thread that is about to be started, and returns its number.
    func add(thread name: String) -> Int
    /// Waits for the turn of a new thread, which calls it first.
    func begin(_ thread: Int)
    /// Ends a thread, which calls it last.
    func end(_ thread: Int)
    /// Waits for the end of a thread.
    func join(_ thread: Int)
}

/// A thread that belongs to a simulation.
public final class SimulatedThread: Sendable {
    /// The simulation that it belongs to.
    public let simulation: any Simulation
    let number: Int

    /// Registers a thread, which must then call `run`.
    public init(named name: String, in simulation: any Simulation) {
        self.simulation = simulation
        number = simulation.add(thread: name)
        Self.exist.store(true, ordering: .relaxed)
    }

    /// Runs the closure on the current thread as this thread of the simulation.
    public func run(_ body: () -> Void) {
        let before = unsafe pthread_getspecific(Self.key)
        _ = unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        simulation.begin(number)
        body()
        simulation.end(number)
        _ = unsafe pthread_setspecific(Self.key, before)
    }

    /// The current thread, or nil outside of simulations.
    static var current: SimulatedThread? {
        guard exist.load(ordering: .relaxed) else { return nil }
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<SimulatedThread>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let exist = Atomic(false)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key, nil)
        precondition(result == 0, "there is a key for the simulation of a thread")
        return key
    }()
}

/// The simulation of the current thread, or nil in the service.
var simulation: (any Simulation)? { SimulatedThread.current?.simulation }
