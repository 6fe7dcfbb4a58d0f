import Glibc
import POSIX
import Synchronization
import TestSupport
import Testing

/// The behavior of a process that has used up the system's resources. Limits hold for a whole
/// process, so each test is one of its own.
@Suite struct ExhaustionTests {
    @Test func `without free descriptors every call that needs one fails`() async {
        await #expect(processExitsWith: .success) {
            let place = try TemporaryDirectory()
            let path = place.path
            let listener = try Socket.listen(address: "127.0.0.1", port: 0)
            let port = try Socket.port(of: listener)
            let clients = try (0..<20).map { _ in
                try Socket.connect(address: "127.0.0.1", port: port)
            }
            let before = setLimit(RLIMIT_NOFILE, 100)
            var taken: [FileDescriptor] = []
            /// Takes all descriptors and makes the call; again if another thread of the system's
            /// has given one back meanwhile.
            func refusal(_ call: () throws -> Void) -> SystemError? {
                var last: SystemError?
                for _ in 0..<10 where last?.isOutOfDescriptors != true {
                    while let file = try? FileDescriptor.open("/dev/null", .readOnly) {
                        taken.append(file)
                    }
                    do { try call() } catch { last = error as? SystemError }
                }
                return last
            }
            let calls: [(String, () throws -> Void)] = [
                ("open", { _ = try FileDescriptor.open(path, .directory) }),
                ("open", { _ = try FileDescriptor.contents(of: "\(path)/x") }),
                ("open", { try Directory.sync(path) }),
                ("opendir", { _ = try Directory.names(path) }),
                ("epoll_create1", { _ = try Epoll() }),
                ("eventfd", { _ = try WakeUp() }),
                ("signalfd", { _ = try Signals.descriptor([Signals.hangUp]) }),
                ("socket", { _ = try Socket.listen(address: "127.0.0.1", port: 0) }),
                ("socket", { _ = try Socket.listen(address: "::1", port: 0) }),
                ("socket", { _ = try Socket.listen(path: "\(path)/s") }),
                ("socket", { _ = try Socket.connect(address: "127.0.0.1", port: port) }),
                ("socket", { _ = try Socket.connect(path: "\(path)/s") }),
                ("socket", { try Socket.sendDatagram([1], to: "\(path)/s") }),
                ("accept4", { _ = try Socket.accept(listener) }),
            ]
            for (call, body) in calls {
                let error = refusal(body)
                #expect(error?.call == call && error?.number == EMFILE, "\(call)")
                #expect(error?.isOutOfDescriptors == true)
            }
            // Who could not be accepted waits until there is a descriptor again.
            taken.removeLast()
            #expect(try Socket.accept(listener) != nil)
            taken.removeAll()
            setLimit(RLIMIT_NOFILE, before)
            withExtendedLifetime(clients) {}
        }
    }

    @Test func `the limit of descriptors is raised as far as allowed`() async {
        await #expect(processExitsWith: .success) {
            setLimit(RLIMIT_NOFILE, 100)
            let limit = Process.raiseDescriptorLimit()
            #expect(limit > 100)
            #expect(Process.raiseDescriptorLimit() == limit)
            #expect(Process.statistics.descriptorsMax == limit)
        }
    }

    @Test
    func `a file that reaches its largest size is written as far as possible, then it is full`()
        async
    {
        await #expect(processExitsWith: .success) {
            Signals.ignoreFatalWrites()
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/x"
            let file = try FileDescriptor.open(path, [.readWrite, .create])
            let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            setLimit(RLIMIT_FSIZE, 1_000)
            let calls: [(String, () throws -> Void)] = [
                ("write", { try file.writeAll(bytes) }),
                ("write", { _ = try file.write(bytes, 0..<1) }),
                ("pwrite", { try file.writeAll(bytes, 0..<3_000, at: 0) }),
                ("pwrite", { try file.writeAll(bytes, 500..<3_000, at: 500) }),
                ("ftruncate", { try file.truncate(to: 1_001) }),
            ]
            for (call, body) in calls {
                let error = #expect(throws: SystemError.self) { try body() }
                #expect(error == SystemError(call, number: EFBIG))
                #expect(error?.isFull == true)
                #expect(try file.bytes(at: 0, count: 3_000) == Array(bytes[..<1_000]))
            }
        }
    }

    @Test func `writing to a closed pipe is an error and does not end the process`() async {
        await #expect(processExitsWith: .success) {
            Signals.ignoreFatalWrites()
            let writer = try Pipe().writer
            #expect(throws: SystemError("write", number: EPIPE)) { try writer.writeAll([1]) }
        }
    }

    @Test func `a thread that cannot be started is an error, and its closure is released`() async {
        await #expect(processExitsWith: .success) {
            final class Witness: Sendable {}
            weak var witness: Witness?
            let isOver = Lock(false)
            var threads: [Thread] = []
            let statm = try FileDescriptor.open("/proc/self/statm", .readOnly)
            let pages = String(decoding: try statm.bytes(at: 0, count: 64), as: UTF8.self)
            let used = (UInt(pages.prefix { $0 != " " }) ?? 0) * UInt(getpagesize())
            let before = setLimit(RLIMIT_AS, used + 32 << 20)
            var failure: SystemError?
            while failure == nil, threads.count < 100 {
                let new = Witness()
                witness = new
                do throws(SystemError) {
                    threads.append(
                        try Thread(named: "more") {
                            _ = withExtendedLifetime(new) { isOver.wait { $0 ? true : nil } }
                        })
                } catch {
                    failure = error
                }
            }
            setLimit(RLIMIT_AS, before)
            isOver.withLock { $0 = true }
            isOver.notify()
            for thread in threads { thread.join() }
            #expect(failure == SystemError("pthread_create", number: EAGAIN))
            #expect(witness == nil)
        }
    }

    @Test func `what is printed arrives whole, however slowly it is read`() async {
        await #expect(processExitsWith: .success) {
            let pipe = try Pipe()
            dup2(pipe.writer.number, 2)
            // The test's own process may write to standard error when nobody reads it any more.
            Signals.ignoreFatalWrites()
            let text = (0..<5_000).map { "line \($0)\n" }.joined()
            let reader = Lock([UInt8]())
            let thread = try Thread(named: "reader") {
                let bytes = (try? pipe.reader.readAll(text.utf8.count)) ?? []
                reader.withLock { $0 = bytes }
            }
            Process.print(text, toError: true)
            thread.join()
            #expect(reader.withLock { String(decoding: $0, as: UTF8.self) } == text)
        }
    }

    @Test func `standard error is written to without waiting`() async {
        await #expect(processExitsWith: .success) {
            Signals.ignoreFatalWrites()
            var reader: FileDescriptor?
            do {
                let pipe = try Pipe()
                dup2(pipe.writer.number, 2)
                reader = pipe.reader
            }
            let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            #expect(ErrorStream.write(bytes, 100..<103) == 3)
            #expect(try reader?.readNow() == Array(bytes[100..<103]))
            var total = 0
            while case let count = ErrorStream.write(bytes, total..<bytes.count), count > 0 {
                #expect(count <= 4096)
                total += count
            }
            #expect(total == 4096, "what the pipe holds, and then nothing")
            #expect(try reader?.readNow() == Array(bytes[..<4096]))
            reader = nil
            #expect(ErrorStream.write(bytes, 0..<10) == 10, "nobody will ever read it")
        }
    }
}
