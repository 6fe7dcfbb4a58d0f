import Testing

@testable import Server

/// Reads that wait for a change, and what their clients do meanwhile.
@Suite struct WaitingReadTests {
    private func waiting(_ server: TestServer, then rest: String = "") throws -> TestClient {
        try server.makeSession("a")
        let tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        let client = try server.connect()
        try client.send(.wait("a", etag: tag) + rest)
        try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
        return client
    }

    @Test func `a client that ends its side is answered at once`() throws {
        let server = try TestServer()
        let client = try waiting(server)
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(client.statuses == [304])
        #expect(server.loop.parts.streams.waiterCount == 0)
    }

    @Test func `a client that ends its side gets the answers to all that it has sent`() throws {
        let server = try TestServer()
        let client = try waiting(server, then: .get("/livez"))
        try client.send(.get("/nothing"))
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(client.statuses == [304, 200, 404])
    }

    @Test func `a client that is gone is noticed, and its connection is given back`() throws {
        let server = try TestServer()
        try server.settle()
        let before = server.loop.parts.connections.count
        var client: TestClient? = try waiting(server)
        #expect(client?.received.isEmpty == true)
        client = nil
        try server.turn(until: { server.loop.parts.streams.waiterCount == 0 })
        try server.turn(until: { server.loop.parts.connections.count <= before })
    }

    @Test func `what comes during the wait is left in the kernel and costs nothing`() throws {
        let server = try TestServer()
        let client = try waiting(server)
        try server.settle(after: { try client.send("GET /livez HTTP/1.1\r\nHost: loc") })
        #expect(try server.work(ofTurns: 10) == 0)
        try client.send("alhost\r\n\r\n")
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [200, 200])
    }

    @Test(arguments: [0, 1, 9, 10, 500, 995, 999])
    func `the wait ends at its time, and the connection goes on`(begin: Int64) throws {
        let server = try TestServer()
        server.clock.advance(milliseconds: begin)
        let client = try waiting(server, then: .get("/livez"))
        server.clock.advance(milliseconds: 59_999)
        try server.settle()
        try client.receive()
        #expect(client.answers == 0)
        #expect(server.loop.timeout.map { $0 <= 11 } == true)
        server.clock.advance(milliseconds: 11)
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [304, 200])
    }

    @Test func `waits that begin at different times each have their own`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        var clients: [TestClient] = []
        for number in 1...8 {
            clients.append(try server.connect())
            try clients[number - 1].send(.wait("a", seconds: 1, etag: tag))
            try server.turn(until: { server.loop.parts.streams.waiterCount == number })
            server.clock.advance(milliseconds: 100)
        }
        server.clock.advance(milliseconds: 110)
        for number in 1...8 {
            server.clock.advance(milliseconds: 100)
            try server.settle()
            for client in clients { try client.receive() }
            #expect(clients.map(\.answers) == (1...8).map { $0 <= number ? 1 : 0 })
        }
    }

    @Test func `an earlier answer that is read slowly does not let the next request overtake`()
        throws
    {
        let server = try TestServer()
        try server.makeSession("long", entries: 1, bytes: 25_000)
        try server.makeSession("a")
        let tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        let client = try server.pair()
        try server.almostFill(client, with: .get("/v1/sessions/long"))
        try client.send(.get("/v1/sessions/long") + .wait("a", etag: tag) + .get("/livez"))
        try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
        try #require(server.loop.parts.connections.all.contains { !$0.outbox.isEmpty })
        try server.settle()
        try server.turn(
            until: { server.loop.parts.connections.all.allSatisfy { $0.outbox.isEmpty } },
            clients: client)
        try client.receive()
        let answered = client.answers
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        try server.turn(until: { client.answers == answered + 2 }, clients: client)
        #expect(client.text.hasSuffix("\r\n\r\nok\n"))
    }

    @Test func `many waits on one connection leave one time to look at it`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let client = try server.connect()
        var tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        for number in 0..<50 {
            client.forget()
            try client.send(.wait("a", seconds: 60 - number, etag: tag))
            try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
            let change = #"{"tab":"main","badge":\#(number + 1)}"#
            try server.ask(.post("/v1/sessions/a/setBadge", change))
            try server.turn(until: { client.answers == 1 }, clients: client)
            tag = try #require(client.etag)
        }
        try client.send(.get("/v1/sessions/a/events"))
        try server.turn(until: { client.text.contains("snapshot") }, clients: client)
        client.forget()
        for _ in 0..<120 {
            server.clock.advance(milliseconds: 1_000)
            try server.settle()
        }
        try client.receive()
        let comments = client.received.count { $0 == UInt8(ascii: ":") }
        #expect(comments == 8)
    }
}
