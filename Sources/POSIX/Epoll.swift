internal import CLinux
internal import Glibc

/// epoll(7), level-triggered. Each descriptor has a token, a number that its events carry.
@safe
public final class Epoll {
    /// A set of kinds of events: those to wait for, or those that happened.
    public struct Interest: OptionSet, Sendable {
        /// The bits as in epoll_ctl(2).
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// There are bytes to read, or the end of the stream.
        public static let readable = Interest(rawValue: EPOLLIN.rawValue)
        /// There is room for bytes to be written.
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The peer has shut down its writing side. It is reported only if it was asked for.
        public static let readHangUp = Interest(rawValue: EPOLLRDHUP.rawValue)
        /// Both sides are shut down. It is always reported.
        public static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// The descriptor has an error. It is always reported.
        public static let failed = Interest(rawValue: EPOLLERR.rawValue)

        // The event loop compares these at every event; a literal would be computed each time.

        /// Nothing but what is always reported.
        public static var nothing: Interest { [] }
        /// Bytes to read, and the end of the peer's writing.
        public static let input = readable.union(readHangUp)
    }

    /// The events of one descriptor.
    public struct Event: Equatable, Sendable {
        /// The token of the descriptor.
        public var token: UInt64
        /// The kinds of events.
        public var happened: Interest
    }

    /// The descriptor of the instance. It is readable while any watched descriptor has an event, so
    /// one instance can watch another.
    public let descriptor: FileDescriptor
    private var buffer: [epoll_event]

    /// An instance without descriptors: epoll_create1(2).
    ///
    /// - Parameter eventsMax: the greatest number of events that one `wait` returns.
    public init(eventsMax: Int = 512) throws(SystemError) {
        let result = retryingOnInterrupt { Int(epoll_create1(Int32(EPOLL_CLOEXEC))) }
        descriptor = FileDescriptor(owning: Int32(try check(result, "epoll_create1")))
        unsafe buffer = unsafe [epoll_event](repeating: epoll_event(), count: eventsMax)
    }

    /// Starts to watch a descriptor.
    public func add(
        _ other: FileDescriptor, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        try control(EPOLL_CTL_ADD, of: other.number, interest, token: token)
    }

    /// Starts to watch a descriptor by its number. The caller keeps it open.
    public func add(
        number: Int32, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        try control(EPOLL_CTL_ADD, of: number, interest, token: token)
    }

    /// Changes the events that are waited for and the token of a descriptor.
    public func change(
        _ other: FileDescriptor, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        try control(EPOLL_CTL_MOD, of: other.number, interest, token: token)
    }

    /// Stops watching a descriptor. It is needed only if the descriptor was duplicated: closing the
    /// last duplicate does the same.
    public func remove(_ other: FileDescriptor) throws(SystemError) {
        try control(EPOLL_CTL_DEL, of: other.number, .nothing, token: 0)
    }

    private func control(
        _ operation: Int32, of number: Int32, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.events = interest.rawValue
        unsafe event.data.u64 = token
        let result = retryingOnInterrupt {
            unsafe Int(epoll_ctl(descriptor.number, operation, number, &event))
        }
        try check(result, "epoll_ctl")
    }

    /// Waits for events and replaces the contents of the array with them. A signal ends the wait
    /// without events, so that the caller computes its timeout again.
    ///
    /// - Parameter timeoutMilliseconds: the longest wait, 0 for no wait, or nil for no limit.
    public func wait(
        into events: inout [Event], timeoutMilliseconds: Int?
    ) throws(SystemError) {
        events.removeAll(keepingCapacity: true)
        if let simulation {
            wait(in: simulation, timeoutMilliseconds)
            return try take(into: &events, timeout: 0)
        }
        let timeout = timeoutMilliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        try take(into: &events, timeout: timeout)
    }

    /// The simulation decides when to look, the kernel what has happened.
    private func wait(in simulation: any Simulation, _ timeout: Int?) {
        let deadline = timeout.map {
            simulation.monotonicNanoseconds + Int64(max(0, $0)) * 1_000_000
        }
        _ = simulation.wait(for: descriptor, until: deadline)
    }

    private func take(into events: inout [Event], timeout: Int32) throws(SystemError) {
        let (number, countMax) = unsafe (descriptor.number, Int32(buffer.count))
        let result = unsafe buffer.withUnsafeMutableBufferPointer { pointer -> Int in
            let count = unsafe epoll_wait(number, pointer.baseAddress, countMax, timeout)
            return count >= 0 ? Int(count) : (errno == EINTR ? 0 : -Int(errno))
        }
        let count = try check(result, "epoll_wait")
        for index in 0..<count {
            let event = unsafe buffer[index]
            let happened = unsafe Interest(rawValue: event.events)
            events.append(Event(token: unsafe event.data.u64, happened: happened))
        }
    }
}
