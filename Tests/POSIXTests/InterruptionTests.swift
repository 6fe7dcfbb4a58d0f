import Glibc
import POSIX
import TestSupport
import Testing

/// Calls that are interrupted by a signal while they wait (EINTR).
@Suite(.serialized) struct InterruptionTests {
    typealias Call = @Sendable () throws(SystemError) -> Int

    /// A call that waits, what ends the waiting, and what the call returns then.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Int
        var prepare:
            @Sendable (TemporaryDirectory) throws -> (call: Call, release: () throws -> Void)

        init(
            _ name: String, returns expected: Int,
            _ prepare: @escaping @Sendable (TemporaryDirectory) throws -> (Call, () throws -> Void)
        ) {
            testDescription = name
            self.expected = expected
            self.prepare = prepare
        }
    }

    static let rows = [
        Row("open(2) of a pipe that nobody writes to", returns: 0) { directory in
            let path = "\(directory.path)/fifo"
            #expect(unsafe mkfifo(path, 0o600) == 0)
            return (
                { () throws(SystemError) in try FileDescriptor.open(path, .readOnly).readNow().count
                },
                { _ = try FileDescriptor.open(path, .writeOnly) }
            )
        },
        Row("read(2)", returns: 3) { _ in
            let pipe = try Pipe()
            return (
                { () throws(SystemError) in try pipe.reader.readNow().count },
                { try pipe.writer.writeAll([1, 2, 3]) }
            )
        },
        Row("write(2)", returns: 5) { _ in
            let pipe = try Pipe()
            try pipe.fill()
            return (
                { () throws(SystemError) in try pipe.writer.write([1, 2, 3, 4, 5], 0..<5) ?? -1 },
                { _ = try pipe.reader.readNow() }
            )
        },
        Row("write(2) of more than fits", returns: 0) { _ in
            let pipe = try Pipe()
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            return (
                { () throws(SystemError) in
                    try pipe.writer.writeAll(bytes)
                    return 0
                },
                {
                    let read = try pipe.reader.readAll(bytes.count)
                    #expect(read == bytes)
                }
            )
        },
        Row("recv(2)", returns: 3) { _ in
            let pair = try SocketPair(isBlocking: true)
            return (
                { () throws(SystemError) in
                    var bytes = [UInt8](repeating: 0, count: 8)
                    return try pair.near.receive(into: &bytes, 0..<8) ?? -1
                },
                { try pair.far.writeAll([1, 2, 3]) }
            )
        },
        Row("send(2)", returns: 1) { _ in
            let pair = try SocketPair()
            while try pair.near.send([0], 0..<1) != nil {}
            setBlocking(pair.near, true)
            return (
                { () throws(SystemError) in try pair.near.send([1], 0..<1) ?? -1 },
                { while !(try pair.far.readNow()).isEmpty {} }
            )
        },
        Row("connect(2)", returns: 0) { directory in
            let path = "\(directory.path)/socket"
            let listener = try Socket.listen(path: path, backlog: 0)
            let first = try Socket.connect(path: path)
            return (
                { () throws(SystemError) in
                    _ = try Socket.connect(path: path)
                    return 0
                },
                {
                    let accepted = try Socket.accept(listener)
                    #expect(accepted != nil)
                    withExtendedLifetime(first) {}
                }
            )
        },
        Row("sendto(2)", returns: 0) { directory in
            let path = "\(directory.path)/notify"
            let receiver = try DatagramReceiver(path)
            receiver.fill(path)
            return (
                { () throws(SystemError) in
                    try Socket.sendDatagram([1], to: path)
                    return 0
                },
                {
                    setBlocking(receiver.descriptor, false)
                    while !(try receiver.descriptor.readNow()).isEmpty {}
                }
            )
        },
        Row("a wait for a value", returns: 7) { _ in
            let lock = Lock(0)
            return (
                { () throws(SystemError) in lock.wait { $0 > 0 ? $0 : nil } },
                {
                    lock.withLock { $0 = 7 }
                    lock.notify()
                }
            )
        },
    ]

    @Test(arguments: rows)
    func `an interrupted call is repeated`(row: Row) throws {
        let directory = try TemporaryDirectory()
        let (call, release) = try row.prepare(directory)
        let blocked = try BlockedCall(call)
        for _ in 0..<3 { blocked.interrupt() }
        blocked.waitUntilAsleep()
        try release()
        #expect(try blocked.finish() == row.expected)
    }

    @Test func `an interrupted wait for events returns none`() throws {
        let pipe = try Pipe()
        let blocked = try BlockedCall { () throws(SystemError) -> Int in
            let epoll = try Epoll()
            try epoll.add(pipe.reader, .readable, token: 1)
            var events: [Epoll.Event] = []
            try epoll.wait(into: &events, timeoutMilliseconds: nil)
            return events.count
        }
        // A signal may come before the call, while the thread waits for memory.
        while !blocked.isDone { blocked.interrupt() }
        #expect(try blocked.finish() == 0)
    }
}
