import Testing

@testable import Server

/// The memory of connections, and which of them have to go when it is too much.
@Suite struct BufferTests {
    private static func server(_ bytesMax: Int) throws -> TestServer {
        try TestServer { $0.bufferedBytesMax = bytesMax }
    }

    /// A client that asks and does not read.
    private func stuck(_ server: TestServer, _ path: String) throws -> TestClient {
        let client = try server.pair()
        try client.send(.get(path))
        try server.settle()
        return client
    }

    private func expectWhole(_ server: TestServer, _ path: String) throws {
        let client = try server.pair()
        try client.send(.get(path))
        try server.turn(until: { client.text.hasSuffix("}") || client.isClosed }, clients: client)
        #expect(client.statuses == [200] && !client.isClosed)
    }

    @Test func `clients that hold much are disconnected, and new ones that read are not`() throws {
        let server = try Self.server(2 << 20)
        var clients: [TestClient] = []
        for number in 0..<8 {
            try server.makeSession("s\(number)", entries: 8, bytes: 60_000)
            server.clock.advance(milliseconds: 1_000)
            clients.append(try stuck(server, "/v1/sessions/s\(number)"))
            #expect(server.loop.parts.budget.bytes <= 2 << 20)
        }
        server.clock.advance(milliseconds: 1_000)
        for number in 0..<8 { try expectWhole(server, "/v1/sessions/s\(number)") }
        for client in clients { try client.receive() }
        let left = clients.count { !$0.isClosed }
        #expect((1..<8).contains(left))
    }

    @Test(arguments: [
        "Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nf4240\r\n",
    ])
    func `bodies that are not whole are bounded however small each is`(framing: String) throws {
        let server = try Self.server(1 << 20)
        let head = "PUT /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n"
        let start = head + "Content-Type: application/json\r\n\(framing)\""
        let clients = try (0..<300).map { _ in try server.pair() }
        var highest = 0
        for client in clients {
            try client.send(start + String(repeating: "x", count: 15_000))
            try server.settle()
            server.clock.advance(milliseconds: 5)
            highest = max(highest, server.loop.parts.budget.bytes)
        }
        #expect(highest <= 1 << 20)
        #expect(server.loop.parts.connections.count < 100)
        let whole = try server.pair()
        let body = #"{"tabs":[{"id":"main","path":[]}]}"#
        try whole.send(.put("/v1/sessions/b", body + String(repeating: " ", count: 200_000)))
        try server.turn(until: { whole.answers == 1 || whole.isClosed }, clients: whole)
        #expect(whole.statuses == [201])
    }

    @Test func `a stream that is not read is closed before the others`() throws {
        let server = try Self.server(4 << 20)
        try server.makeSession("a")
        try server.makeSession("b")
        let unread = try stuck(server, "/v1/sessions/a/events")
        let read = try server.pair()
        try read.send(.get("/v1/sessions/b/events"))
        try server.turn(until: { read.text.contains("snapshot") }, clients: read)
        let filler = String(repeating: "x", count: 60_000)
        for number in 0..<60 {
            let entry = #"{"route":"r\#(number)","params":{"f":"\#(filler)"}}"#
            server.clock.advance(milliseconds: 100)
            let command = "/v1/sessions/\(number % 2 == 0 ? "a" : "b")/setPath"
            try server.ask(.post(command, #"{"in":"main","path":[\#(entry)]}"#))
            try read.receive()
        }
        try unread.receive()
        #expect(unread.isClosed)
        #expect(!read.isClosed && server.loop.parts.streams.subscriberCount == 1)
    }

    @Test func `no memory is held after all clients have disconnected`() throws {
        let server = try Self.server(8 << 20)
        try server.makeSession("long", entries: 8, bytes: 60_000)
        var clients = try (0..<5).map { _ in try stuck(server, "/v1/sessions/long") }
        clients.append(try stuck(server, "/v1/sessions/long/events"))
        let half = try server.pair()
        try half.send("POST /v1/sessions HTTP/1.1\r\nHost: local")
        try server.settle()
        clients.append(half)
        #expect(server.loop.parts.budget.bytes > 0)
        for client in clients { try client.shutDownWriting() }
        try server.settle()
        for client in clients {
            try server.turn(until: { client.isClosed }, clients: client)
        }
        #expect(server.loop.parts.budget.bytes == 0)
    }
}
