import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct SocketTests {
    static let hasIPv6 = (try? Socket.listen(address: "::1", port: 0)) != nil

    /// A listening socket, a client that is connected to it, and the server's end of that.
    struct Connected {
        let listener: FileDescriptor
        let client: FileDescriptor
        let accepted: Socket.Accepted

        init(_ address: String = "127.0.0.1") throws {
            listener = try Socket.listen(address: address, port: 0)
            client = try Socket.connect(address: address, port: try Socket.port(of: listener))
            let found = try Socket.accept(listener)
            accepted = try #require(found)
        }
    }

    @Test(arguments: ["127.0.0.1", "::1"].filter { $0 != "::1" || hasIPv6 })
    func `bytes go both ways, and the end is told`(address: String) throws {
        let ends = try Connected(address)
        let server = ends.accepted.descriptor
        setBlocking(ends.client, true)
        _ = try ends.client.send(Array("ask".utf8), 0..<3)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(try server.receive(into: &bytes, 2..<8) == 3)
        #expect(bytes == [0, 0] + Array("ask".utf8) + [0, 0, 0])
        #expect(try server.receive(into: &bytes, 0..<8) == nil)
        #expect(try server.send(Array("answer".utf8), 0..<6) == 6)
        #expect(try ends.client.readAll(6) == Array("answer".utf8))
        try Socket.shutdownWriting(ends.client)
        #expect(try server.receive(into: &bytes, 0..<8) == 0)
        try Socket.shutdownWriting(server)
        #expect(try ends.client.readNow().isEmpty)
        try Socket.shutdownWriting(server)
    }

    @Test(arguments: ["127.0.0.1", "::1"].filter { $0 != "::1" || hasIPv6 })
    func `the address is the one that was asked for, with the port that was free`(
        address: String
    ) throws {
        let listener = try Socket.listen(address: address, port: 0)
        let port = try Socket.port(of: listener)
        #expect(try port > 0 && Socket.path(of: listener) == nil)
        let host = address.contains(":") ? "[\(address)]" : address
        #expect(Socket.boundAddress(listener) == "\(host):\(port)")
    }

    @Test func `a Unix socket has no port, and its clients have no address`() throws {
        let directory = try TemporaryDirectory()
        let listener = try Socket.listen(path: "\(directory.path)/s")
        #expect(try Socket.port(of: listener) == 0)
        #expect(try Socket.path(of: listener) == "\(directory.path)/s")
        #expect(Socket.boundAddress(listener) == "unix")
        let client = try Socket.connect(path: "\(directory.path)/s")
        #expect(try Socket.accept(listener)?.client == .unix)
        #expect(try Socket.path(of: client) == "")
        #expect(Socket.boundAddress(try Pipe().reader) == "unix")
        withExtendedLifetime(client) {}
    }

    @Test func `connections from one address are one client`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        let clients = try (0..<3).map { _ in try Socket.connect(address: "127.0.0.1", port: port) }
        let accepted = try clients.map { _ in try #require(try Socket.accept(listener)) }
        #expect(Set(accepted.map(\.client)).count == 1)
        #expect(accepted.first?.client != .unix)
        #expect(try Socket.accept(listener) == nil)
    }

    @Test func `sockets do not wait and are not inherited`() throws {
        let ends = try Connected()
        let directory = try TemporaryDirectory()
        let unix = try Socket.listen(path: "\(directory.path)/s")
        for socket in [ends.listener, ends.client, ends.accepted.descriptor, unix] {
            #expect(!isBlocking(socket) && closesOnExec(socket))
        }
    }

    @Test func `connections send at once, and the kernel keeps little that is unsent`() throws {
        let ends = try Connected()
        let server = ends.accepted.descriptor
        #expect(option(server, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
        #expect(option(server, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT) == 128 << 10)
    }

    @Test func `an answer that does not fit goes in parts and arrives whole`() throws {
        let pair = try SocketPair()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 11) }
        var (sent, waits, received) = (0, 0, [UInt8]())
        while received.count < bytes.count {
            if sent < bytes.count, let count = try pair.near.send(bytes, sent..<bytes.count) {
                #expect(count > 0)
                sent += count
            } else {
                waits += 1
                received += try pair.far.readNow(1_000)
            }
        }
        #expect(received == bytes && waits > 10)
    }

    @Test func `a socket that is reset when closed leaves its peer an error`() throws {
        var bytes: [UInt8] = [0]
        let peer: FileDescriptor
        do {
            let ends = try Connected()
            peer = ends.accepted.descriptor
            Socket.resetWhenClosed(ends.client)
        }
        #expect(throws: SystemError("recv", number: ECONNRESET)) {
            try peer.receive(into: &bytes, 0..<1)
        }
        #expect(throws: SystemError("send", number: EPIPE)) { try peer.send([1], 0..<1) }
        try Socket.shutdownWriting(peer)
    }

    @Test func `a connection that ends before it is accepted is no error`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        do {
            let client = try Socket.connect(
                address: "127.0.0.1", port: try Socket.port(of: listener))
            Socket.resetWhenClosed(client)
        }
        let accepted = try Socket.accept(listener)
        if let accepted {
            var bytes: [UInt8] = [0]
            #expect(throws: SystemError("recv", number: ECONNRESET)) {
                try accepted.descriptor.receive(into: &bytes, 0..<1)
            }
        }
        #expect(try Socket.accept(listener) == nil)
    }

    @Test(arguments: [false, true])
    func `a datagram arrives under a name`(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = isAbstract ? "@navstate-test-\(directory.path)" : "\(directory.path)/notify"
        let receiver = try DatagramReceiver(path)
        try Socket.sendDatagram(Array("READY=1".utf8), to: path)
        try Socket.sendDatagram([], to: path)
        try Socket.sendDatagram([7], to: path)
        #expect(try receiver.descriptor.readNow() == Array("READY=1".utf8))
        #expect(try receiver.descriptor.readNow().isEmpty)
        #expect(try receiver.descriptor.readNow() == [7])
    }

    @Test func `a socket that was open before is taken over`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let number = dup(listener.number)
        setBlocking(listener, true)
        let inherited = try Socket.inherited(number)
        #expect(inherited.number == number)
        #expect(!isBlocking(inherited) && closesOnExec(inherited))
        #expect(try Socket.port(of: inherited) == Socket.port(of: listener))
    }

    @Test func `connecting to a socket whose queue is full ends after its time`() throws {
        let directory = try TemporaryDirectory()
        let listener = try Socket.listen(path: "\(directory.path)/s", backlog: 0)
        let first = try Socket.connect(path: "\(directory.path)/s", waitingAtMost: 10_000)
        let error = #expect(throws: SystemError.self) {
            _ = try Socket.connect(path: "\(directory.path)/s", waitingAtMost: 20)
        }
        #expect(error?.number == SystemError.timedOut)
        _ = (listener, first)
    }
}
