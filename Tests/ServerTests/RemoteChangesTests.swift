import API
import Navigation
import Sessions
import Testing

@testable import Server

/// Changes that are made elsewhere, loading, and commands for many sessions.
@Suite struct RemoteChangesTests {
    private let storage = SharedStorage()

    private func server(_ change: (inout ServerOptions) -> Void = { _ in }) throws -> RemoteServer {
        try RemoteServer.withSessions(storage, change)
    }

    private static let many = String.post(
        "/v1/commands",
        #"{"command":{"command":"navigate","route":"r"},"labels":{"room":"hall"}}"#)

    private func rows(_ client: TestClient, _ part: String) -> Int {
        client.text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    // MARK: Loading

    @Test func `a session that is not in memory is loaded`() throws {
        let server = try server()
        server.engine.forget()
        #expect(try server.begin(.get("/v1/sessions/a")).statuses == [200])
        #expect(server.engine.loads == 1 + 3, "three were looked for before they were created")
        #expect(try server.begin(.get("/v1/sessions/a")).statuses == [200])
        #expect(try server.begin(.get("/v1/sessions/none")).statuses == [404])
        #expect(try server.begin(.get("/v1/sessions/none")).statuses == [404])
        #expect(server.engine.loads == 5 + 2, "each time it may have been created elsewhere")
    }

    @Test func `a list, a stream and a change load what they need`() throws {
        let server = try server()
        server.engine.forget()
        let list = try server.begin(.get("/v1/sessions"))
        #expect(rows(list, #""revision":1"#) == 3)
        server.engine.forget()
        let stream = try server.begin(.get("/v1/events?session=a&session=b&limit=2"))
        #expect(rows(stream, "event: snapshot") == 2)
        server.engine.forget()
        let change = try server.begin(.push("c", "one"))
        try server.decide("c")
        try change.receive()
        #expect(change.statuses == [200])
    }

    @Test func `the tokens of the session named in a token are loaded`() throws {
        let server = try server { options in
            try? options.service.tokens.add("owner", .admin)
        }
        #expect(storage.sessions.isEmpty, "the server asks for a token")
        server.engine.isPrompt = true
        let owner = "Authorization: Bearer owner\r\n"
        func post(_ path: String, _ body: String) -> String {
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(owner)Content-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        try server.ask(post("/v1/sessions", #"{"id":"a"}"#))
        try server.ask(post("/v1/sessions", #"{"id":"b"}"#))
        let made = try server.ask(post("/v1/sessions/a/tokens", #"{"scope":"read"}"#))
        let text = try #require(made.text.split(separator: #""token":""#).last)
        let token = text.prefix { $0 != "\"" }
        server.engine.forget()
        let field = "Authorization: Bearer \(token)\r\n"
        #expect(try server.begin(.get("/v1/sessions/a", field)).statuses == [200])
        #expect(try server.begin(.get("/v1/sessions/b", field)).statuses == [403])
        let wrong = "Authorization: Bearer nvt_a_x\r\n"
        #expect(try server.begin(.get("/v1/sessions/a", wrong)).statuses == [401])
        #expect(try server.begin(.get("/v1/sessions/b", wrong)).statuses == [401])
    }

    @Test func `a stream with a token of its session gets the last changes and the end`() throws {
        let server = try server { options in
            try? options.service.tokens.add("owner", .admin)
        }
        server.engine.isPrompt = true
        let owner = "Authorization: Bearer owner\r\n"
        func send(_ method: String, _ path: String, _ body: String) throws -> TestClient {
            try server.ask(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(owner)"
                    + "Content-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        _ = try send("POST", "/v1/sessions", #"{"id":"a"}"#)
        let made = try send("POST", "/v1/sessions/a/tokens", #"{"scope":"read"}"#)
        let text = try #require(made.text.split(separator: #""token":""#).last)
        let field = "Authorization: Bearer \(text.prefix { $0 != "\"" })\r\n"
        let stream = try server.begin(.get("/v1/sessions/a/events", field))
        // The session has ended here before the feed tells of its last change.
        server.engine.isBehind = true
        _ = try send("POST", "/v1/sessions/a/navigate", #"{"route":"last"}"#)
        _ = try send("DELETE", "/v1/sessions/a", "")
        server.engine.isBehind = false
        try server.settle()
        try stream.receive()
        #expect(stream.events == ["snapshot", "change", "deleted"])
    }

    // MARK: Changes that are made elsewhere

    @Test func `a stream and a waiting read get a change that is made elsewhere`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let tag = try #require(try server.begin(.get("/v1/sessions/a")).etag)
        let stream = try server.begin(.get("/v1/sessions/a/events"))
        let all = try server.begin(.get("/v1/events"))
        let read = try server.begin(.wait("a", etag: tag))
        #expect(read.answers == 0 && rows(stream, "event: change") == 0)
        try other.ask(.push("a", "theirs"))
        try other.ask(.push("b", "quiet"))
        try server.settle()
        for client in [stream, all, read] { try client.receive() }
        #expect(rows(stream, "event: change") == 1 && stream.text.contains("theirs"))
        #expect(rows(all, "event: change") == 2)
        #expect(read.statuses == [200] && read.text.contains("theirs"))
    }

    @Test func `a change is sent to streams once, when it is kept`() throws {
        let server = try server()
        let stream = try server.begin(.get("/v1/events"))
        let first = try server.begin(.push("a", "one"))
        let second = try server.begin(.push("b", "two"))
        try stream.receive()
        #expect(rows(stream, "event: change") == 0)
        try server.decide("b")
        try server.decide("a", .refused(.full))
        for client in [stream, first, second] { try client.receive() }
        #expect(rows(stream, "event: change") == 1 && stream.text.contains("two"))
        #expect(first.statuses == [507] && second.statuses == [200])
    }

    @Test func `a stream gets the steps of a change that is made elsewhere`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let stream = try server.begin(.get("/v1/sessions/a/events?steps=true"))
        try other.ask(.push("a", "theirs"))
        try server.settle()
        try stream.receive()
        #expect(stream.text.contains(#""steps":[{"#))
    }

    @Test func `a stream resumes after changes that were made elsewhere`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let last = storage.number
        for route in ["one", "two"] { try other.ask(.push("a", route)) }
        try server.settle()
        server.engine.forget()
        let stream = try server.begin(.get("/v1/events?after=\(last)&limit=2"))
        #expect(rows(stream, "event: change") == 2 && !stream.text.contains("gap"))
        let single = try server.begin(.get("/v1/sessions/a/events?after=\(last)&limit=2"))
        #expect(rows(single, "event: change") == 2)
    }

    @Test func `changes wait while too many events, even of undecided ones, are pending`() throws {
        let server = try server()
        let hub = server.loop.parts.streams
        let streams = try (0..<4).map { _ in try server.begin(.get("/v1/sessions/a/events")) }
        #expect(hub.audience(of: SessionID(trusted: "a")) == 4)
        hub.expect(4_096 - 3)
        let first = try server.begin(.push("a", "one"))
        #expect(hub.isFarBehind)
        let second = try server.begin(.push("b", "two"))
        #expect(server.engine.proposals.count == 1, "the second change waits")
        try server.decide("a")
        try server.turn(until: { server.engine.proposals.count == 1 })
        try server.decide("b")
        for client in [first, second] + streams { try client.receive() }
        #expect(first.statuses == [200] && second.statuses == [200])
        #expect(streams.allSatisfy { rows($0, "event: change") == 1 })
        hub.expect(3 - 4_096)
        #expect(!hub.isFarBehind && hub.eventsUndelivered == 0)
    }

    @Test func `an app that is stored elsewhere is known here`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        #expect(try server.begin(.get("/v1/apps/x")).statuses == [404])
        let app = #"{"tabs":[{"id":"t","root":"r"}],"routes":{"r":{}}}"#
        let stored = try other.ask(.put("/v1/apps/x", app))
        #expect(stored.statuses == [201])
        let read = try server.begin(.get("/v1/apps/x"))
        #expect(read.statuses == [200] && read.etag == stored.etag)
    }

    // MARK: Commands for many sessions

    @Test func `a row with a conflict is retried, the others are not`() throws {
        let (server, other) = (try server(), try RemoteServer(storage))
        let client = try server.begin(Self.many)
        #expect(server.engine.proposals.count == 3)
        try other.ask(.push("b", "theirs"))
        for id in ["c", "b", "a"] { try server.decide(id) }
        try client.receive()
        #expect(client.answers == 0)
        #expect(server.engine.proposals.map(\.id?.rawValue) == ["b"])
        try server.decide("b")
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [200] && rows(client, #""changed":true"#) == 3)
        let order = ["a", "b", "c"].map { client.text.firstRange(of: #"{"session":"\#($0)""#) }
        #expect(order.compactMap { $0?.lowerBound } == order.compactMap { $0?.lowerBound }.sorted())
        #expect(client.text.contains(#"{"session":"b","changed":true,"revision":3}"#))
    }

    @Test func `each row has the outcome of its own change`() throws {
        let server = try server()
        let client = try server.begin(Self.many)
        try server.decide("a", .refused(.full))
        try server.decide("b", .unknown)
        try server.decide("c")
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [200])
        #expect(rows(client, #""changed":true"#) == 1)
        #expect(rows(client, "/problems/storage-full") == 1)
        #expect(rows(client, "/problems/store-unavailable") == 1)
        #expect(rows(client, "is unknown whether") == 1)
    }

    @Test func `a row with too many conflicts is given up`() throws {
        let server = try server()
        let client = try server.begin(Self.many)
        for id in ["a", "c"] { try server.decide(id) }
        for _ in 0..<9 { try server.decide("b", .conflict) }
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(rows(client, #""changed":true"#) == 2)
        #expect(rows(client, "Others keep changing") == 1)
    }
}
