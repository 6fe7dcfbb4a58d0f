import Navigation
import Sessions
import Testing

@testable import Server

/// A server with an engine that decides each change separately, and whose sessions are also changed
/// elsewhere.
@Suite struct RemoteEngineTests {
    private let storage = SharedStorage()

    private func server() throws -> RemoteServer { try RemoteServer.withSessions(storage) }

    // MARK: Tickets

    @Test func `an answer waits only for its own change`() throws {
        let server = try server()
        let first = try server.begin(.push("a", "one"))
        let second = try server.begin(.push("b", "two"))
        let read = try server.begin(.get("/v1/sessions/a"))
        #expect(first.answers == 0 && second.answers == 0)
        #expect(read.statuses == [200] && !read.text.contains("one"), "it is not kept yet")
        try server.decide("b")
        for client in [first, second] { try client.receive() }
        #expect(first.answers == 0 && second.statuses == [200])
        try server.decide("a")
        try first.receive()
        #expect(first.statuses == [200] && first.text.contains(#""route":"one""#))
    }

    @Test func `an answer has the same entity tag as later reads`() throws {
        let server = try server()
        let change = try server.begin(.push("a", "one"))
        try server.decide("a")
        try change.receive()
        let read = try server.begin(.get("/v1/sessions/a"))
        #expect(read.etag == change.etag && read.etag?.hasPrefix("\"remote-1000001-2") == true)
        let tag = try #require(read.etag)
        let same = try server.begin(.get("/v1/sessions/a", "If-None-Match: \(tag)\r\n"))
        #expect(same.statuses == [304])
        let next = try server.begin(.push("a", "two", "If-Match: \(tag)\r\n"))
        try server.decide("a")
        try next.receive()
        let stale = try server.begin(.push("a", "three", "If-Match: \(tag)\r\n"))
        #expect(next.statuses == [200] && stale.statuses == [412])
    }

    @Test func `a change waits while another change of the session is undecided`() throws {
        let server = try server()
        let first = try server.begin(.push("a", "one"))
        let second = try server.begin(.push("a", "two"))
        #expect(server.engine.proposals.count == 1)
        try server.decide("a")
        try server.turn(until: { server.engine.proposals.count == 1 })
        try server.decide("a")
        for client in [first, second] { try client.receive() }
        #expect(first.statuses == [200] && second.statuses == [200])
        #expect(second.text.contains(#""revision":3"#) && second.text.contains("one"))
    }

    // MARK: Outcomes

    @Test func `a request with a conflict is processed again`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let client = try server.begin(.push("a", "mine"))
        try other.ask(.push("a", "theirs"))
        #expect(client.answers == 0)
        try server.decide("a")
        try client.receive()
        #expect(client.answers == 0, "it is tried again")
        try server.decide("a")
        try client.receive()
        #expect(client.statuses == [200])
        #expect(client.text.contains(#""revision":3"#) && client.text.contains("theirs"))
        #expect(storage.state("a").contains("mine") && storage.state("a").contains("theirs"))
    }

    @Test func `a precondition is checked again after a conflict`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let tag = try #require(try server.begin(.get("/v1/sessions/a")).etag)
        let client = try server.begin(.push("a", "mine", "If-Match: \(tag)\r\n"))
        try other.ask(.push("a", "theirs"))
        try server.decide("a")
        try client.receive()
        #expect(client.statuses == [412] && client.text.contains("theirs"))
    }

    @Test func `a request with too many conflicts is given up`() throws {
        let server = try server()
        let client = try server.begin(.push("a", "mine"))
        for _ in 0..<9 {
            #expect(client.answers == 0)
            try server.decide("a", .conflict)
            try client.receive()
        }
        #expect(client.statuses == [503] && client.text.contains("Retry-After: 1"))
        #expect(server.engine.proposals.isEmpty && !storage.state("a").contains("mine"))
        let next = try server.begin(.push("a", "next"))
        try server.decide("a", .conflict)
        try server.decide("a")
        try next.receive()
        #expect(next.statuses == [200], "each request has its own count")
    }

    @Test func `an unknown outcome is reported with the time to retry after`() throws {
        let server = try server()
        let client = try server.begin(.push("a", "mine"))
        try server.decide("a", .unknown)
        try client.receive()
        #expect(client.statuses == [503])
        #expect(client.text.contains("Retry-After: 2"))
        #expect(client.text.contains("is unknown whether"))
    }

    @Test func `the refusal of a change affects only its own request`() throws {
        let server = try server()
        let refused = try server.begin(.push("a", "one"))
        let kept = try server.begin(.push("b", "two"))
        try server.decide("a", .refused(.full))
        try server.decide("b")
        for client in [refused, kept] { try client.receive() }
        #expect(refused.statuses == [507] && kept.statuses == [200])
        let again = try server.begin(.push("a", "three"))
        try server.decide("a")
        try again.receive()
        #expect(again.text.contains(#""revision":2"#) && !storage.state("a").contains("one"))
    }

    @Test func `a key has one effect, even after a conflict with the same request`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        other.engine.isPrompt = false
        let key = "Idempotency-Key: k\r\n"
        let client = try server.begin(.push("a", "once", key))
        let retry = try other.begin(.push("a", "once", key))
        try other.decide("a")
        try server.decide("a")
        for each in [client, retry] { try each.receive() }
        #expect(client.statuses == [200] && retry.statuses == [200])
        #expect(client.etag == retry.etag && client.text.contains(#""revision":2"#))
        #expect(storage.sessions[SessionID(trusted: "a")]?.count == 2)
    }

    @Test func `creations, deletions and tokens are decided in the same way`() throws {
        let server = try server()
        let made = try server.begin(.post("/v1/sessions", #"{"id":"d"}"#))
        let gone = try server.begin("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let token = try server.begin(.post("/v1/sessions/b/tokens", #"{"scope":"read"}"#))
        for client in [made, gone, token] { #expect(client.answers == 0) }
        for id in ["d", "a", "b"] { try server.decide(id) }
        for client in [made, gone, token] { try client.receive() }
        #expect(made.statuses == [201] && gone.statuses == [204] && token.statuses == [201])
        #expect(token.text.contains(#""token":"nvt_b_"#))
        #expect(try server.begin(.get("/v1/sessions/a")).statuses == [404])
    }

    @Test func `a session without an id is created once, though its random id is unknown`() throws {
        let server = try server()
        server.engine.isPrompt = true
        let loads = server.engine.loads
        let created = try server.begin(.post("/v1/sessions", "{}"))
        #expect(created.statuses == [201])
        #expect(server.engine.loads == loads && storage.sessions.count == 4)
    }

    @Test func `streams end when the store becomes unavailable, and readiness tells`() throws {
        let server = try server()
        let stream = try server.begin(.get("/v1/sessions/a/events"))
        #expect(!stream.text.contains("retry:"))
        server.engine.refusal = .unavailable
        try server.settle()
        try stream.receive()
        #expect(stream.text.contains("retry:"))
        #expect(try server.begin(.get("/readyz")).statuses == [503])
        server.engine.refusal = nil
        try server.settle()
        #expect(try server.begin(.get("/readyz")).statuses == [200])
    }

    @Test func `the change of a client that disconnects is still kept`() throws {
        let server = try server()
        var client: TestClient? = try server.begin(.push("a", "one"))
        #expect(client?.answers == 0)
        client = nil
        let other = try server.begin(.push("b", "two"))
        for id in ["a", "b"] { try server.decide(id) }
        try other.receive()
        #expect(other.statuses == [200] && storage.state("a").contains("one"))
        #expect(server.loop.parts.gate.releasedCount == 0)
    }

    // MARK: Waiting reads

    /// A read that waits for a change of a session which each request has to load.
    private func waiting(_ server: RemoteServer) throws -> TestClient {
        let tag = try #require(try server.begin(.get("/v1/sessions/a")).etag)
        server.engine.readsFromQuorum = true
        let client = try server.begin(.wait("a", seconds: 10, etag: tag))
        #expect(client.answers == 0 && server.loop.parts.streams.waiterCount == 1)
        return client
    }

    @Test func `a wait ends at its time, though the answer needs the store`() throws {
        let clock = TestClock()
        let server = try RemoteServer.withSessions(storage) { $0.clock = clock }
        let client = try waiting(server)
        let loads = server.engine.loads
        clock.advance(milliseconds: 10_011)
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [304])
        #expect(server.engine.loads == loads + 1)
    }

    @Test func `a client that ends its side is answered, though that needs something too`() throws {
        let server = try server()
        let client = try waiting(server)
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(client.statuses == [304])
    }
}
