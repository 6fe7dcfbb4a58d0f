internal import CLinux
internal import Glibc

/// epoll(7), level-triggered, with a number of 64 bits for each descriptor.
@safe
package final class Epoll {
    /// What is waited for, and what happened.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The other side has shut down its writing; told only if asked for.
        package static let readHangUp = Interest(rawValue: EPOLLRDHUP.rawValue)
        /// Both sides are shut; always told.
        package static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// Always told.
        package static let failed = Interest(rawValue: EPOLLERR.rawValue)
    }

    package struct Event: Equatable, Sendable {
        package var token: UInt64
        package var happened: Interest
    }

    private let descriptor: FileDescriptor
    private var buffer: [epoll_event]

    /// - Parameter eventsMax: the most that one `wait` returns.
    package init(eventsMax: Int = 512) throws(SystemError) {
        let result = retryingOnInterrupt { Int(epoll_create1(Int32(EPOLL_CLOEXEC))) }
        descriptor = FileDescriptor(owning: Int32(try check(result, "epoll_create1")))
        unsafe buffer = unsafe [epoll_event](repeating: epoll_event(), count: eventsMax)
    }

    package func add(
        _ other: FileDescriptor, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        try control(EPOLL_CTL_ADD, other, interest, token)
    }

    package func change(
        _ other: FileDescriptor, _ interest: Interest, token: UInt64
    ) throws(SystemError) {
        try control(EPOLL_CTL_MOD, other, interest, token)
    }

    /// Must come before the descriptor is closed if it was duplicated; else closing does it.
    package func remove(_ other: FileDescriptor) throws(SystemError) {
        try control(EPOLL_CTL_DEL, other, [], 0)
    }

    private func control(
        _ operation: Int32, _ other: FileDescriptor, _ interest: Interest, _ token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.events = interest.rawValue
        unsafe event.data.u64 = token
        let result = retryingOnInterrupt {
            unsafe Int(epoll_ctl(descriptor.number, operation, other.number, &event))
        }
        try check(result, "epoll_ctl")
    }

    /// Waits and replaces the array's contents with what happened.
    ///
    /// - Parameter timeoutMilliseconds: how long at most; nil for ever, 0 not at all. A signal
    ///   ends the wait with nothing, so that the caller computes its timeouts anew.
    package func wait(
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

    /// The simulation says when to look, and the kernel what has happened.
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
