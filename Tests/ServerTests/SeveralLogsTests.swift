import Navigation
import Sessions
import Testing

import Server

/// Streams of a store with several logs, which several servers share. The log of a session follows
/// from the first letter of its id.
@Suite struct SeveralLogsTests {
    private let storage = SharedStorage(logCount: 3)

    private func servers() throws -> (RemoteServer, RemoteServer) {
        let server = try RemoteServer.withSessions(storage)
        server.engine.isPrompt = true
        return (server, try RemoteServer(storage))
    }

    /// A stream of a server, and the servers that change what it shows.
    private func open(_ server: RemoteServer, _ target: String) throws -> TestClient {
        try server.begin(.get(target))
    }

    private func settle(_ servers: RemoteServer..., client: TestClient) throws {
        for server in servers { try server.settle() }
        try client.receive()
    }

    /// The position after everything, but for one session.
    private func position(
        _ change: (inout FeedPosition) -> Void = { _ in }
    ) -> String {
        var position = storage.fedUpTo
        change(&position)
        return String(decoding: position.text, as: UTF8.self)
    }

    // MARK: Ids

    @Test func `ids are positions, but numbers in the stream of one session`() throws {
        let (server, _) = try servers()
        let one = try open(server, "/v1/sessions/a/events")
        let named = try open(server, "/v1/events?session=a&session=b")
        let all = try open(server, "/v1/events")
        let lines = try server.begin(
            .get("/v1/events?session=a&limit=1", "Accept: application/x-ndjson\r\n"))
        #expect(all.ids == [position()])
        #expect(lines.text.contains(#"{"id":"\#(position())","event":"snapshot""#))
        try server.ask(.push("a", "one"))
        for client in [one, named, all] { try client.receive() }
        #expect(one.events == ["snapshot", "change"])
        #expect(one.ids.last == "\(storage.number)")
        #expect(named.events == ["snapshot", "snapshot", "change"])
        #expect(named.ids.last == position() && all.ids.last == position())
        #expect(named.ids.allSatisfy { $0.hasPrefix("p") } && Set(named.ids).count == 3)
    }

    @Test func `a stream of one session takes positions, too`() throws {
        let (server, _) = try servers()
        let before = position()
        try server.ask(.push("b", "two"))
        try server.ask(.push("a", "one"))
        let stream = try open(server, "/v1/sessions/a/events?after=\(before)")
        #expect(stream.events == ["change"])
        #expect(try open(server, "/v1/sessions/a/events?after=\(position())").events == [])
    }

    @Test(arguments: [
        "17", "p", "pAAAA", "p0123456789012345678901234567890123456789",
    ])
    func `an id of another store begins with a gap`(id: String) throws {
        let (server, _) = try servers()
        let field = "Last-Event-ID: \(id)\r\n"
        for target in ["/v1/events", "/v1/events?session=a"] {
            let stream = try server.begin(.get(target, field))
            #expect(stream.events.count == 1 && stream.text.contains(#""gap":true"#))
        }
        let stream = try server.begin(.get("/v1/sessions/a/events", field))
        #expect(stream.events == ["snapshot"] && stream.text.contains(#""gap":true"#))
        let query = try server.begin(.get("/v1/events?after=\(id)"))
        #expect(query.statuses == [id == "p" ? 422 : 200])
        let other = try TestServer()
        let elsewhere = try other.ask(.get("/v1/events?limit=1", field))
        #expect(elsewhere.text.contains(#""gap":true"#))
    }

    @Test func `a store with very many logs has no streams of several sessions`() throws {
        let server = try RemoteServer.withSessions(SharedStorage(logCount: 65))
        for target in ["/v1/events", "/v1/events?session=a"] {
            let refused = try server.begin(.get(target))
            #expect(refused.statuses == [422] && refused.text.contains("65 shards"))
        }
        #expect(try open(server, "/v1/sessions/a/events").statuses == [200])
        let most = try RemoteServer.withSessions(SharedStorage(logCount: 64))
        #expect(try open(most, "/v1/events").statuses == [200])
    }

    // MARK: Resuming elsewhere

    @Test func `a stream is continued at another server without a gap and nothing twice`() throws {
        let (server, other) = try servers()
        let stream = try open(server, "/v1/events")
        for (id, route) in [("a", "one"), ("b", "two"), ("a", "three"), ("c", "four")] {
            try server.ask(.push(id, route))
        }
        try settle(other, client: stream)
        let routes = ["one", "two", "three", "four"]
        for (index, id) in stream.ids.enumerated() {
            for target in ["/v1/events?", "/v1/events?session=a&session=b&session=c&"] {
                let resumed = try open(other, target + "after=\(id)")
                #expect(resumed.routes == Array(routes[index...]), "after \(index) changes")
                #expect(!resumed.events.contains("hello") && !resumed.text.contains("gap"))
                #expect(resumed.ids == Array(stream.ids[(index + 1)...]))
            }
        }
    }

    @Test func `a server that is behind the client tells only what the client has not`() throws {
        let (server, other) = try servers()
        #expect(try open(other, "/v1/events?session=a&session=b&session=c").events.count == 3)
        other.engine.isBehind = true
        let stream = try open(server, "/v1/events")
        for (id, route) in [("a", "one"), ("b", "two"), ("a", "three")] {
            try server.ask(.push(id, route))
        }
        try stream.receive()
        // The client knows everything but the change of b.
        let missed = try #require(storage.sessions[SessionID(trusted: "b")]?.last?.sequence)
        let known = position { $0.retreat(before: missed) }
        let all = try open(other, "/v1/events?after=\(known)")
        let named = try open(other, "/v1/events?session=a&session=c&session=b&after=\(known)")
        for resumed in [all, named] {
            #expect(resumed.statuses == [200] && resumed.events == [])
        }
        other.engine.isBehind = false
        for resumed in [all, named] {
            try settle(other, client: resumed)
            #expect(resumed.routes == ["two"])
            #expect(resumed.ids == [position()], "an id does not go back in the log of a")
        }
    }

    @Test func `the stream of a session is resumed at a server that does not know its last event`()
        throws
    {
        let (server, other) = try servers()
        #expect(try other.begin(.get("/v1/sessions/a")).statuses == [200])
        other.engine.isBehind = true
        try server.ask(.push("a", "one"))
        let first = storage.number
        try server.ask(.push("a", "two"))
        let stream = try open(other, "/v1/sessions/a/events?after=\(first)")
        #expect(stream.routes == ["two"] && stream.events == ["change"])
        let gap = try open(other, "/v1/sessions/a/events?after=\(storage.number + 3 << 10)")
        #expect(gap.events == ["snapshot"] && gap.text.contains(#""gap":true"#))
        other.engine.isBehind = false
        try server.ask(.push("a", "three"))
        try settle(other, client: stream)
        #expect(stream.routes == ["two", "three"])
    }

    @Test func `snapshots wait until the feed has told of what they show`() throws {
        let (server, other) = try servers()
        try server.settle()
        server.engine.isBehind = true
        try server.ask(.push("a", "mine"))
        try other.ask(.push("b", "theirs"))
        let stream = try open(server, "/v1/events?session=a&session=b")
        #expect(stream.answers == 0 && stream.statuses.isEmpty)
        server.engine.isBehind = false
        try settle(server, client: stream)
        #expect(stream.events == ["snapshot", "snapshot"])
        #expect(stream.routes == ["mine", "theirs"])
        let again = try open(other, "/v1/events?session=a&session=b&after=\(stream.ids[1])")
        #expect(again.events == [] && again.statuses == [200])
    }

    // MARK: Gaps

    @Test func `a change after a gap is told as a snapshot with a gap`() throws {
        let (server, _) = try servers()
        let before = position()
        let streams = try ["/v1/sessions/a/events", "/v1/events", "/v1/events?session=a"].map {
            try open(server, $0)
        }
        let steps = try open(server, "/v1/events?steps=true")
        try server.engine.loseChanges(of: "a") { try server.ask(.push("a", "lost")) }
        try server.ask(.push("a", "two"))
        try server.ask(.push("a", "three"))
        for stream in streams + [steps] {
            try stream.receive()
            #expect(Array(stream.events.dropFirst()) == ["snapshot", "change"])
            #expect(stream.text.contains(#""gap":true"#))
            #expect(stream.routes.suffix(2) == ["two", "three"])
        }
        let resumed = try open(server, "/v1/events?after=\(before)")
        #expect(resumed.events == ["hello"] && resumed.text.contains(#""gap":true"#))
        let named = try open(server, "/v1/events?session=a&after=\(before)")
        #expect(named.routes == ["lost", "two", "three"], "the store still has them")
    }
}

extension TestClient {
    private var lines: [String] {
        received.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    private func values(_ name: String) -> [String] {
        lines.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    /// The ids of the events that came.
    var ids: [String] { values("id: ") }

    /// The names of the events that came.
    var events: [String] { values("event: ") }

    /// The visible routes in the events that came, without those of tabs.
    var routes: [String] {
        values("data: ").compactMap { data in
            data.split(separator: #""visible":{"#).last?.split(separator: #""route":""#)
                .dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
        }.filter { $0 != "main" }
    }
}
