import POSIX
import Testing

@testable import Server

/// Streams, and what comes before and after them on a connection.
@Suite struct StreamTests {
    @Test(arguments: [
        ["HEAD", "/v1/sessions/a/events"], ["HEAD", "/v1/events"], ["HEAD", "/v1/backup"],
        ["GET", "/v1/sessions/a/events?limit=1"], ["GET", "/v1/events?limit=1"],
        ["GET", "/v1/events?session=a&limit=1"],
    ])
    func `what follows a stream that ends at once is answered at once`(request: [String]) throws {
        let server = try TestServer()
        try server.makeSession("a")
        let client = try server.pair()
        let first = "\(request[0]) \(request[1]) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let change = String.post("/v1/sessions/a/navigate", #"{"route":"r"}"#)
        try client.send(.get("/readyz") + first + change + first + .get("/nothing"))
        try server.turn(until: { client.answers == 5 }, clients: client)
        #expect(client.statuses == [200, 200, 200, 200, 404])
    }

    @Test func `a stream of HTTP 1.0 that ends at once closes the connection`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let client = try server.pair()
        try client.send("GET /v1/sessions/a/events?limit=1 HTTP/1.0\r\n\r\n" + .get("/livez"))
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(client.statuses == [200])
    }

    private func stream(_ server: TestServer) throws -> TestClient {
        try server.makeSession("a")
        let client = try server.connect()
        try client.send(.get("/v1/sessions/a/events"))
        try server.turn(until: { client.text.contains("snapshot") }, clients: client)
        return client
    }

    @Test func `a stream ends when its client ends its side`() throws {
        let server = try TestServer()
        let client = try stream(server)
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(server.loop.parts.streams.subscriberCount == 0)
    }

    @Test func `a request that comes during a stream is answered after it`() throws {
        let server = try TestServer()
        let client = try stream(server)
        try server.settle()
        try client.send(.get("/livez"))
        #expect(try server.work(ofTurns: 10) == 0)
        #expect(server.loop.parts.streams.subscriberCount == 1)
        try server.ask("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.text.contains("event: deleted"))
    }

    @Test func `a stream that cannot be shown is refused after what was owed before`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try server.makeSession("a")
        try server.makeSession("long", entries: 1, bytes: 25_000)
        let client = try server.pair()
        try server.almostFill(client, with: .get("/v1/sessions/long"))
        failure.set(SystemError.ioError)
        let other = try server.pair()
        try other.send(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        try client.send(.get("/v1/sessions/long") + .get("/v1/sessions/a/events"))
        try server.loop.turn(waitingAtMost: 0)
        #expect(server.loop.parts.connections.all.contains { $0.held != nil && !$0.outbox.isEmpty })
        try server.turn(until: { other.answers == 1 }, clients: other)
        #expect(other.statuses == [503])
        try server.turn(until: { client.statuses.last == 503 }, clients: client)
        #expect(client.statuses.dropLast().allSatisfy { $0 == 200 })
        #expect(client.text.hasSuffix("}"))
    }

    @Test func `a stream is not told of a change that the store has taken back`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        let client = try stream(server)
        failure.set(SystemError.noSpace)
        let refused = try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"lost"}"#))
        #expect(refused.statuses == [507])
        failure.set(nil)
        let kept = String.post("/v1/sessions/a/navigate", #"{"route":"kept"}"#)
        try server.turn(until: {
            server.clock.advance(milliseconds: 1_000)
            return try server.ask(kept).statuses == [200]
        })
        try server.turn(until: { client.text.contains("kept") }, clients: client)
        #expect(!client.text.contains("lost"))
    }
}
