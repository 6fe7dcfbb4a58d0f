import Dispatch
import Glibc
import POSIX
import Synchronization
import TestSupport

// The simulated machine.
//
// Threads stay threads of the kernel, but one of them runs at a time. Each has a gate (a semaphore)
// at which it waits until it is chosen. A thread gives up its turn where it could be interrupted or
// would wait: before it takes a lock, before it reads a file, in each call of the disk, in epoll.
// The seed decides which thread is next, so a seed stands for one order of events.
//
// Time passes by a few hundred nanoseconds with each step. When no thread can run, it jumps to the
// next moment that one waits for: a sync of eight seconds costs nothing.

/// A machine on which a seed determines the order of threads, the time and all random numbers.
final class World: Simulation {
    private let state: Mutex<Schedule>
    /// The wall clock's time when the other clock is at zero.
    private static let realtimeOffset: Int64 = 1_795_000_000_000_000_000

    init(seed: UInt64) { state = Mutex(Schedule(seed: seed)) }

    /// Runs the closure as the first thread of the world.
    func run(_ body: () -> Void) { SimulatedThread(named: "first", in: self).run(body) }

    /// Why nothing moves any more, if so: all threads wait for each other, or there is no end. From
    /// then on the first thread runs alone, and is to return.
    var stuck: String? { state.withLock { $0.stuck } }
    /// A number that two runs of a seed have in common if they took the same way.
    var trace: UInt64 { state.withLock { $0.trace } }
    var steps: Int { state.withLock { $0.steps } }

    /// Ends the run, which then is stuck for this reason: no other thread gets a turn any more.
    func giveUp(_ why: String) { state.withLock { $0.getStuck(why) } }

    /// A random number below the count.
    func below(_ count: Int) -> Int { state.withLock { $0.below(count) } }
    func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Waits until so many nanoseconds have passed.
    func sleep(_ nanoseconds: Int64) {
        if nanoseconds > 0 { _ = wait(.time, monotonicNanoseconds + nanoseconds) }
    }

    // MARK: - Network

    /// Has connections to a port of any address lead to the Unix socket at a path.
    func route(port: UInt16, to path: String) { state.withLock { $0.routes[port] = path } }

    func path(toAddress address: String, port: UInt16) -> String? {
        state.withLock { $0.routes[port] }
    }

    // MARK: - Time and chance

    var monotonicNanoseconds: Int64 { state.withLock { $0.tell() } }
    /// The time, without taking any. A look that the run does not need does not change it.
    var nanosecondsNow: Int64 { state.withLock { $0.now } }
    var realtimeNanoseconds: Int64 { Self.realtimeOffset + monotonicNanoseconds }
    func randomWord() -> UInt64 { state.withLock { $0.word() } }
    func isInMemory() -> Bool { oneIn(2) }
    func portion(of count: Int) -> Int { count > 1 && oneIn(12) ? 1 + below(count) : count }

    // MARK: - Waiting

    func pause() {
        if state.withLock({ $0.isInterrupted() }) { give { _ in } }
    }

    func acquire(_ lock: ObjectIdentifier) {
        pause()
        while !state.withLock({ $0.take(lock) }) { _ = wait(.lock(lock), nil) }
    }

    func release(_ lock: ObjectIdentifier) { state.withLock { $0.free(lock) } }

    func wait(for lock: ObjectIdentifier, until deadline: Int64?) -> Bool {
        wait(.notice(lock), deadline)
    }

    func notify(_ lock: ObjectIdentifier) { state.withLock { $0.wake(.notice(lock)) } }

    func wait(for descriptor: FileDescriptor, until deadline: Int64?) -> Bool {
        wait(.descriptor(descriptor.number), deadline)
    }

    private func wait(_ reason: Schedule.Reason, _ deadline: Int64?) -> Bool {
        give { $0.park(reason, until: deadline) }
        return state.withLock { $0.wasInTime }
    }

    // MARK: - Threads

    func add(thread name: String) -> Int { state.withLock { $0.add(name) } }

    func begin(_ thread: Int) {
        if thread > 0 { state.withLock { $0.gate(of: thread) }.wait() }
    }

    func end(_ thread: Int) { state.withLock { $0.end(thread) }?.signal() }

    func join(_ thread: Int) {
        while state.withLock({ $0.isLiving(thread) && $0.stuck == nil }) {
            _ = wait(.end(of: thread), nil)
        }
    }

    /// Gives the turn to a thread that can run, which may be the same.
    private func give(_ change: (inout Schedule) -> Void) {
        let gates = state.withLock { schedule -> (DispatchSemaphore, DispatchSemaphore)? in
            let before = schedule.running
            change(&schedule)
            schedule.choose()
            guard schedule.running != before else { return nil }
            return (schedule.gate(of: schedule.running), schedule.gate(of: before))
        }
        guard let (next, own) = gates else { return }
        next.signal()
        own.wait()
    }
}

/// Which thread runs, what the others wait for, and what time it is.
struct Schedule {
    enum Reason: Equatable {
        /// To take the lock.
        case lock(ObjectIdentifier)
        /// For `notify`.
        case notice(ObjectIdentifier)
        case descriptor(Int32)
        case end(of: Int)
        case time
    }

    private enum Phase {
        case ready
        case waiting(Reason, until: Int64?)
        case ended
    }

    private struct Member {
        var name: String
        var phase = Phase.ready
        /// The last wait ended because its time had come.
        var isLate = false
        /// How often it was chosen.
        var turns = 0
        let gate = DispatchSemaphore(value: 0)
    }

    private var random: SplitMix64
    private(set) var now: Int64 = 1_000_000_000
    private var members: [Member] = []
    /// Threads that have not ended.
    private var living: [Int] = []
    private(set) var running = 0
    private var owners: [(lock: ObjectIdentifier, owner: Int)] = []
    /// The descriptors that threads wait for, and what was last found at each.
    private var questions: [pollfd] = []
    /// The paths of the Unix sockets that connections to a port lead to.
    var routes: [UInt16: String] = [:]
    private(set) var steps = 0
    private(set) var trace: UInt64 = 0
    private(set) var stuck: String?
    /// How often a thread is interrupted, and is not run for some milliseconds.
    private var interruptedOneIn = 1
    private var delayedOneIn = 0

    /// More steps than any run needs.
    private static let stepsMax = 200_000

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        interruptedOneIn = [1, 2, 4, 12, 40][below(5)]
        delayedOneIn = [0, 0, 200, 1000][below(4)]
    }

    mutating func word() -> UInt64 { random.next() }

    mutating func below(_ count: Int) -> Int { Int(word() >> 33) % count }

    /// The time, which passes while it is told.
    mutating func tell() -> Int64 {
        now += 100
        return now
    }

    mutating func isInterrupted() -> Bool {
        now += 300
        return stuck == nil && below(interruptedOneIn) == 0
    }

    mutating func take(_ lock: ObjectIdentifier) -> Bool {
        if stuck == nil {
            guard !owners.contains(where: { $0.lock == lock }) else { return false }
            owners.append((lock, running))
        }
        return true
    }

    mutating func free(_ lock: ObjectIdentifier) {
        owners.removeAll { $0.lock == lock }
        wake(.lock(lock))
    }

    mutating func wake(_ meant: Reason) {
        for number in living {
            if case .waiting(meant, _) = members[number].phase { members[number].phase = .ready }
        }
    }

    mutating func park(_ reason: Reason, until deadline: Int64?) {
        members[running].isLate = false
        members[running].phase = .waiting(reason, until: deadline)
    }

    var wasInTime: Bool { !members[running].isLate }

    mutating func add(_ name: String) -> Int {
        members.append(Member(name: name))
        living.append(members.count - 1)
        return members.count - 1
    }

    func gate(of number: Int) -> DispatchSemaphore { members[number].gate }
    func isLiving(_ number: Int) -> Bool { living.contains(number) }

    /// - Returns: the gate of the thread that runs next, or nil if that was the last.
    mutating func end(_ number: Int) -> DispatchSemaphore? {
        members[number].phase = .ended
        living.removeAll { $0 == number }
        wake(.end(of: number))
        guard !living.isEmpty, stuck == nil else { return nil }
        choose()
        return gate(of: running)
    }

    /// Decides which thread runs.
    mutating func choose() {
        steps += 1
        if steps > Self.stepsMax { getStuck("no end after \(steps) steps") }
        now += 200 + Int64(below(400))
        while stuck == nil {
            let ready = ready()
            if ready.isEmpty {
                if let next = nextMoment {
                    now = max(now, next)
                } else {
                    getStuck("all threads wait for each other")
                }
                continue
            }
            let chosen = ready[below(ready.count)]
            if delayedOneIn > 0, ready.count > 1, below(delayedOneIn) == 0 {
                let until = now + Int64(below(20_000_000))
                members[chosen].phase = .waiting(.time, until: until)
                continue
            }
            return run(chosen)
        }
        run(0)
    }

    /// Notes why nothing moves any more, and what each thread does.
    mutating func getStuck(_ why: String) {
        guard stuck == nil else { return }
        let threads = living.map {
            "\n    \(members[$0].name): \(members[$0].turns) turns, \(members[$0].phase)"
        }
        stuck = why + threads.joined()
    }

    private mutating func run(_ number: Int) {
        running = number
        members[number].phase = .ready
        members[number].turns += 1
        trace = (trace ^ UInt64(number) ^ UInt64(bitPattern: now)) &* 0x100_0000_01B3
    }

    /// The threads that can run now.
    private mutating func ready() -> [Int] {
        lookAtDescriptors()
        var ready: [Int] = []
        for number in living {
            switch members[number].phase {
            case .ready: ready.append(number)
            case .ended: break
            case .waiting(let reason, let until):
                if case .descriptor(let descriptor) = reason, isReadable(descriptor) {
                    ready.append(number)
                } else if let until, until <= now {
                    members[number].isLate = true
                    ready.append(number)
                }
            }
        }
        return ready
    }

    /// Asks which descriptors that threads wait for have something to read, or, if they are of an
    /// epoll, events.
    private mutating func lookAtDescriptors() {
        questions.removeAll(keepingCapacity: true)
        for number in living {
            if case .waiting(.descriptor(let descriptor), _) = members[number].phase {
                questions.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        if !questions.isEmpty { _ = unsafe poll(&questions, nfds_t(questions.count), 0) }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        questions.contains { $0.fd == descriptor && $0.revents != 0 }
    }

    private var nextMoment: Int64? {
        var next: Int64?
        for number in living {
            if case .waiting(_, let until?) = members[number].phase {
                next = min(next ?? until, until)
            }
        }
        return next
    }
}
