import Glibc
import POSIX
import Testing

@Suite struct ThreadTests {
    @Test func `a thread receives no signals, and the thread that started it still does`() throws {
        @Sendable func blocked() -> [Int32] {
            var set = sigset_t()
            unsafe pthread_sigmask(SIG_SETMASK, nil, &set)
            return (1...31).filter { unsafe sigismember(&set, $0) == 1 }
        }
        let before = blocked()
        let within = Lock([Int32]())
        let thread = try Thread(named: "x") {
            let found = blocked()
            within.withLock { $0 = found }
        }
        #expect(blocked() == before)
        thread.join()
        let all = Set(Int32(1)...31).subtracting([SIGKILL, SIGSTOP])
        #expect(Set(within.withLock { $0 }) == all)
    }

    @Test(arguments: [
        ("reader", "reader"), ("a name that is too long", "a name that is "), ("", ""),
        ("fünfzehn Bytes!", "fünfzehn Bytes"),
    ])
    func `a thread's name is what the system shows`(name: String, shown: String) throws {
        let found = Lock([UInt8]())
        let thread = try Thread(named: name) {
            // The starter gives the name, perhaps only now.
            for _ in 0..<1_000_000 {
                let bytes =
                    (try? FileDescriptor.open("/proc/thread-self/comm", .readOnly).readNow())
                found.withLock { $0 = bytes ?? [] }
                if bytes == Array(shown.utf8) + [0x0A] { return }
            }
        }
        thread.join()
        #expect(String(decoding: found.withLock { $0 }, as: UTF8.self) == shown + "\n")
    }

    @Test func `a background thread is nicer than the one that started it`() throws {
        @Sendable func niceValue() -> Int32 {
            getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        }
        let own = niceValue()
        let found = Lock([Int32]())
        for priority in [Thread.Priority.normal, .background] {
            let thread = try Thread(named: "x", priority: priority) {
                let value = niceValue()
                found.withLock { $0.append(value) }
            }
            thread.join()
        }
        #expect(found.withLock { $0 } == [own, min(own + 10, 19)])
        #expect(niceValue() == own)
    }

    @Test func `a value is accessed by one thread at a time`() throws {
        let lock = Lock((inside: 0, most: 0, total: 0))
        let threads = try (0..<4).map { _ in
            try Thread(named: "counter") {
                for _ in 0..<2_000 {
                    lock.withLock { value in
                        value.inside += 1
                        value.most = max(value.most, value.inside)
                        value.total += 1
                        value.inside -= 1
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        let (most, total) = lock.withLock { ($0.most, $0.total) }
        #expect(most == 1 && total == 8_000)
    }

    @Test func `a lock is released when its closure throws`() {
        let lock = Lock([1])
        #expect(throws: SystemError("x", number: 1)) {
            try lock.withLock { (value) throws(SystemError) in
                value.append(2)
                throw SystemError("x", number: 1)
            }
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }

    @Test func `values go from one thread to another and back`() throws {
        let lock = Lock((request: 0, answer: 0))
        let thread = try Thread(named: "echo") {
            for number in 1...500 {
                _ = lock.wait { $0.request == number ? true : nil }
                lock.withLock { $0.answer = number }
                lock.notify()
            }
        }
        for number in 1...500 {
            lock.withLock { $0.request = number }
            lock.notify()
            let answer = lock.wait { $0.answer == number ? number : nil }
            #expect(answer == number)
        }
        thread.join()
    }

    @Test func `all waiting threads are notified`() throws {
        let lock = Lock((isOpen: false, through: 0))
        let threads = try (0..<5).map { _ in
            try Thread(named: "waiter") {
                _ = lock.wait { state in
                    guard state.isOpen else { return Bool?.none }
                    state.through += 1
                    return true
                }
            }
        }
        lock.withLock { $0.isOpen = true }
        lock.notify()
        for thread in threads { thread.join() }
        #expect(lock.withLock { $0.through } == 5)
    }

    @Test(arguments: [-1_500, -1, 0, 1, 5])
    func `a wait with a timeout ends without a value`(timeout: Int) {
        let lock = Lock(0)
        var asked = 0
        let found: Int? = lock.wait(atMost: timeout) { _ in
            asked += 1
            return nil
        }
        #expect(found == nil && asked >= 1)
    }

    @Test func `a wait with a timeout returns a value that arrives in time`() throws {
        let lock = Lock(0)
        let thread = try Thread(named: "giver") {
            lock.withLock { $0 = 3 }
            lock.notify()
        }
        #expect(lock.wait(atMost: 60_000) { $0 == 3 ? $0 : nil } == 3)
        thread.join()
    }

    @Test func `a lock releases its value`() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let new = Witness()
            witness = new
            let lock = Lock(new)
            #expect(lock.withLock { $0 } === new)
        }
        #expect(witness == nil)
    }
}
