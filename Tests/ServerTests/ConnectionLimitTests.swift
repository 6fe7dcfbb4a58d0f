import POSIX
import Testing

@testable import Server

/// The limits of connections, and which connections are closed to make room for new ones.
@Suite struct ConnectionLimitTests {
    private static let near = ClientAddress(ipv4: 0xC0A8_0001)
    private static let far = ClientAddress(ipv4: 0xC0A8_0002)

    private func answer(_ server: TestServer, from address: ClientAddress) throws -> TestClient {
        let client = try server.pair(from: address)
        try client.send(.get("/livez"))
        try server.turn(until: { client.answers == 1 }, clients: client)
        return client
    }

    /// A client that connects like any other and asks for something short.
    private func newcomer(_ server: TestServer) throws -> TestClient {
        let client = try server.connect()
        try client.send(.get("/livez"))
        return client
    }

    @Test func `the connections of one address are limited`() throws {
        let server = try TestServer { $0.addressConnectionsMax = 3 }
        var clients = try (0..<3).map { _ in try answer(server, from: Self.near) }
        for _ in 0..<2 {
            let refused = try server.pair(from: Self.near)
            try refused.receive()
            #expect(refused.isClosed && refused.statuses == [429])
            #expect(refused.text.contains("Retry-After: 1\r\n"))
            #expect(refused.text.contains("too-many-requests"))
        }
        #expect(server.loop.parts.observer.metrics.connectionsRefused == 2)
        #expect(try answer(server, from: Self.far).statuses == [200])
        clients.removeLast()
        try server.turn(until: { server.loop.parts.connections.count(from: Self.near) == 2 })
        #expect(try answer(server, from: Self.near).statuses == [200])
        clients.removeAll()
        try server.turn(until: { server.loop.parts.connections.addressCount == 0 })
    }

    @Test func `connections from this machine are not limited by address`() throws {
        let server = try TestServer { $0.addressConnectionsMax = 1 }
        let clients = try (0..<8).map { _ in
            try answer(server, from: ClientAddress(ipv4: 0x7F00_0001))
        }
        #expect(clients.allSatisfy { $0.statuses == [200] && !$0.isClosed })
        #expect(server.loop.parts.observer.metrics.connectionsRefused == 0)
    }

    @Test(arguments: [(20_000, 5_000), (4_000, 1_000), (900, 512), (16, 512)])
    func `an address may have a quarter of all connections`(all: Int, one: Int) {
        var options = ServerOptions()
        options.connectionsMax = all
        #expect(options.connectionsOfAddressMax == one)
    }

    // MARK: - Making room

    private func waiting(_ server: TestServer) throws -> TestClient {
        let tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        let client = try server.pair()
        try client.send(.wait("a", etag: tag))
        try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
        return client
    }

    @Test func `idle connections make room first, and streams last`() throws {
        let server = try TestServer { $0.connectionsMax = 5 }
        try server.makeSession("a")
        try server.makeSession("long", entries: 8, bytes: 60_000)
        let stream = try server.pair()
        try stream.send(.get("/v1/sessions/a/events"))
        try server.turn(until: { stream.text.contains("snapshot") }, clients: stream)
        let wait = try waiting(server)
        try server.settle()
        let unread = try server.pair()
        try unread.send(.get("/v1/sessions/long"))
        let half = try server.pair()
        try half.send("POST /v1/sessions HTTP/1.1\r\nHost: local")
        let idle = try server.pair()
        try server.settle()
        #expect(server.loop.parts.connections.count == 5)
        server.clock.advance(milliseconds: 2_000)
        let inOrder = [idle, half, unread, wait, stream]
        var newcomers: [TestClient] = []
        for count in 1...5 {
            let client = try newcomer(server)
            newcomers.append(client)
            try server.turn(until: { client.answers == 1 }, clients: client)
            for other in inOrder where other !== unread || count >= 3 { try other.receive() }
            #expect(inOrder.map(\.isClosed) == (1...5).map { $0 <= count })
            #expect(server.loop.parts.connections.count == 5)
        }
        #expect(half.statuses == [408])
        #expect(wait.statuses == [304])
        #expect(stream.text.contains("retry: "))
        #expect(newcomers.allSatisfy { $0.statuses == [200] && !$0.isClosed })
        #expect(server.loop.parts.observer.metrics.connectionsEvicted == 5)
    }

    @Test func `a message in transit is given its time before it makes room`() throws {
        let server = try TestServer { $0.connectionsMax = 4 }
        let slow = try (0..<4).map { _ in try server.pair() }
        let head = "PUT /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n"
        for client in slow {
            try client.send(
                head + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
        }
        try server.settle()
        let late = try newcomer(server)
        for _ in 0..<19 {
            server.clock.advance(milliseconds: 100)
            try server.settle()
            try late.receive()
            #expect(late.answers == 0)
        }
        server.clock.advance(milliseconds: 101)
        try server.turn(until: { late.answers == 1 }, clients: late)
        for client in slow { try client.receive() }
        #expect(slow.count { $0.isClosed } == 1)
    }

    @Test func `the address with the most connections makes room first`() throws {
        let server = try TestServer { $0.connectionsMax = 6 }
        let few = try (0..<2).map { _ in try server.pair(from: Self.far) }
        server.clock.advance(milliseconds: 1_000)
        try server.settle()
        let many = try (0..<4).map { _ in try server.pair(from: Self.near) }
        server.clock.advance(milliseconds: 1_000)
        try server.settle()
        for _ in 0..<2 {
            let client = try newcomer(server)
            try server.turn(until: { client.answers == 1 }, clients: client)
        }
        for client in few + many { try client.receive() }
        #expect(few.allSatisfy { !$0.isClosed })
        #expect(many.map(\.isClosed) == [true, true, false, false])
    }

    @Test func `a client that has just connected is given time for its first bytes`() throws {
        let server = try TestServer { $0.connectionsMax = 1 }
        let first = try server.pair()
        try server.settle()
        server.clock.advance(milliseconds: 249)
        let second = try newcomer(server)
        try server.settle()
        try first.receive()
        #expect(!first.isClosed && second.answers == 0)
        server.clock.advance(milliseconds: 101)
        try server.turn(until: { second.answers == 1 }, clients: second)
        try first.receive()
        #expect(first.isClosed)
    }

    @Test func `a backup does not make room`() throws {
        let server = try TestServer { $0.connectionsMax = 2 }
        for number in 0..<6 { try server.makeSession("s\(number)", entries: 8, bytes: 60_000) }
        try server.settle()
        let backup = try server.pair()
        try backup.send(.get("/v1/backup"))
        try server.turn(until: { server.loop.parts.backups.count == 1 })
        let idle = try server.pair()
        server.clock.advance(milliseconds: 3_000)
        let first = try newcomer(server)
        try server.turn(until: { first.answers == 1 }, clients: first)
        let second = try newcomer(server)
        for _ in 0..<20 { try server.loop.turn(waitingAtMost: 0) }
        try second.receive()
        try idle.receive()
        #expect(idle.isClosed && second.answers == 0 && server.loop.parts.backups.count == 1)
    }
}
