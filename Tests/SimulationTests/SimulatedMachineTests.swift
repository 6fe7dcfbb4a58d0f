import POSIX
import Testing

@Suite struct SimulatedMachineTests {
    /// Two threads add to a number, with a look and a write that others can come between.
    private func racyCount(seed: UInt64) -> (count: Int, trace: UInt64) {
        let world = World(seed: seed)
        let count = Lock(0)
        world.run {
            let threads = (0..<2).map { number in
                try? Thread(named: "adder \(number)") {
                    let before = count.withLock { $0 }
                    count.withLock { $0 = before + 1 }
                }
            }
            for thread in threads { thread?.join() }
        }
        return (count.withLock { $0 }, world.trace)
    }

    @Test func `a seed gives the same order of threads each time, and seeds give all orders`() {
        var found: Set<Int> = []
        for seed in 0..<40 {
            let first = racyCount(seed: UInt64(seed))
            #expect(first == racyCount(seed: UInt64(seed)))
            found.insert(first.count)
        }
        #expect(found == [1, 2])
    }

    @Test func `time jumps to the next moment that a thread waits for`() {
        let world = World(seed: 1)
        world.run {
            let begun = Clock.monotonicMilliseconds
            let flag = Lock(false)
            #expect(flag.wait(atMost: 3_600_000) { $0 ? true : nil } == nil)
            let passed = Clock.monotonicMilliseconds - begun
            #expect((3_600_000...3_600_001).contains(passed))
        }
    }

    @Test func `a thread that is notified goes on, whatever the order`() {
        for seed in 0..<40 {
            let world = World(seed: UInt64(seed))
            world.run {
                let flag = Lock(false)
                let waiter = try? Thread(named: "waiter") { flag.wait { $0 ? () : nil } }
                flag.withLock { $0 = true }
                flag.notify()
                waiter?.join()
            }
            #expect(world.stuck == nil)
        }
    }

    @Test func `threads that wait for each other are told`() {
        let world = World(seed: 1)
        world.run {
            let flag = Lock(false)
            flag.wait { $0 || world.stuck != nil ? () : nil }
        }
        #expect(world.stuck?.hasPrefix("all threads wait for each other") == true)
    }

    @Test func `epoll waits for another thread's signal`() throws {
        for seed in 0..<20 {
            let (wakeUp, epoll) = (try WakeUp(), try Epoll())
            try epoll.add(wakeUp.descriptor, .readable, token: 7)
            World(seed: UInt64(seed)).run {
                let waker = try? Thread(named: "waker") { wakeUp.signal() }
                var events: [Epoll.Event] = []
                while events.isEmpty {
                    try? epoll.wait(into: &events, timeoutMilliseconds: nil)
                }
                #expect(events.map(\.token) == [7])
                waker?.join()
            }
        }
    }
}
