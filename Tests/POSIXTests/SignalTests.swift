import Glibc
import POSIX
import Testing

@Suite struct SignalTests {
    /// Runs on a thread of its own, whose blocked signals are nobody else's.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let result = Lock(Result<Value, any Error>?.none)
        let thread = try Thread(named: "signals") {
            let value = Result { try body() }
            result.withLock { $0 = value }
        }
        thread.join()
        return try #require(result.withLock { $0 }).get()
    }

    @Test func `signals are read one after the other`() throws {
        let seen = try onThread {
            let all = [Signals.terminate, Signals.interrupt, Signals.hangUp]
            let descriptor = try Signals.descriptor(all)
            var seen = [try Signals.next(descriptor)]
            for signal in all { pthread_kill(pthread_self(), signal) }
            // A signal that waits already is not counted twice.
            pthread_kill(pthread_self(), Signals.hangUp)
            for _ in 0..<4 { seen.append(try Signals.next(descriptor)) }
            return seen
        }
        #expect(seen.first == .some(nil) && seen.last == .some(nil))
        #expect(
            Set(seen.compactMap { $0 })
                == [Signals.terminate, Signals.interrupt, Signals.hangUp])
        #expect(seen.count == 5)
    }

    @Test func `epoll reports the descriptor of signals`() throws {
        let counts = try onThread {
            let descriptor = try Signals.descriptor([Signals.hangUp])
            let epoll = try Epoll()
            try epoll.add(descriptor, .readable, token: 1)
            var (events, counts) = ([Epoll.Event](), [Int]())
            for step in 0..<3 {
                if step == 1 { pthread_kill(pthread_self(), Signals.hangUp) }
                if step == 2 { _ = try Signals.next(descriptor) }
                try epoll.wait(into: &events, timeoutMilliseconds: 0)
                counts.append(events.count)
            }
            return counts + [closesOnExec(descriptor) && !isBlocking(descriptor) ? 1 : 0]
        }
        #expect(counts == [0, 1, 0, 1])
    }

    @Test func `a wake-up is readable until it is cleared, however often it was signalled`() throws
    {
        let wakeUp = try WakeUp()
        #expect(!wakeUp.clear())
        for _ in 0..<3 { wakeUp.signal() }
        let epoll = try Epoll()
        try epoll.add(wakeUp.descriptor, .readable, token: 1)
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: 0)
        #expect(events.count == 1)
        #expect(wakeUp.clear())
        #expect(!wakeUp.clear())
        try epoll.wait(into: &events, timeoutMilliseconds: 0)
        #expect(events.isEmpty)
        #expect(closesOnExec(wakeUp.descriptor) && !isBlocking(wakeUp.descriptor))
    }

    @Test func `signalling a wake-up whose counter is full does not block`() throws {
        let wakeUp = try WakeUp()
        let most = [0xFE] + [UInt8](repeating: 0xFF, count: 7)
        try wakeUp.descriptor.writeAll(most)
        for _ in 0..<3 { wakeUp.signal() }
        #expect(wakeUp.clear())
        #expect(!wakeUp.clear())
    }
}
