import Navigation
import Sessions
import Testing

@testable import Server

/// Requests that know more than the server: their clients have seen at another server what this one
/// has not been told yet.
@Suite struct RequestsAheadTests {
    private let storage = SharedStorage()
    private let server: RemoteServer
    private let other: RemoteServer

    /// Two servers, of which `server` does not know the second revision of the session a.
    init() throws {
        other = try RemoteServer.withSessions(storage)
        other.engine.isPrompt = true
        server = try RemoteServer(storage)
        for id in ["a", "b"] { try server.ask(.get("/v1/sessions/\(id)")) }
        try server.settle()
        server.engine.isBehind = true
        try other.ask(.push("a", "theirs"))
    }

    private func tag(_ id: String) throws -> String {
        try #require(try other.ask(.get("/v1/sessions/\(id)")).etag)
    }

    /// A request, how many questions the server asks for it, and the answer.
    private func ask(_ text: String) throws -> (answer: TestClient, loads: Int) {
        let before = server.engine.loads
        return (try server.ask(text), server.engine.loads - before)
    }

    @Test func `a read without conditions is answered from what is known`() throws {
        let (read, loads) = try ask(.get("/v1/sessions/a"))
        #expect(read.text.contains(#""revision":1"#) && loads == 0)
    }

    // MARK: Preconditions

    @Test func `a change of a state that is not known yet is no conflict`() throws {
        let field = "If-Match: \(try tag("a"))\r\n"
        let (answer, loads) = try ask(.push("a", "mine", field))
        #expect(answer.statuses == [200] && answer.text.contains(#""revision":3"#) && loads == 1)
        #expect(storage.state("a").contains("theirs"))
    }

    @Test func `a precondition that names an older state is refused without asking`() throws {
        let field = "If-Match: \(try tag("b"))\r\n"
        try other.ask(.push("b", "one"))
        server.engine.isBehind = false
        try server.settle()
        let (answer, loads) = try ask(.push("b", "mine", field))
        #expect(answer.statuses == [412] && loads == 0)
    }

    @Test func `a precondition that names a state that never was is refused`() throws {
        for tag in ["remote-1000001-9", "remote-7-1"] {
            let (answer, loads) = try ask(.push("b", "mine", "If-Match: \"\(tag)\"\r\n"))
            #expect(answer.statuses == [412] && loads == 1, "\(tag)")
        }
        for tag in ["x", "other-1000001-9", "remote-1000001", "remote--1", "remote-1-2-3"] {
            let (answer, loads) = try ask(.push("b", "mine", "If-Match: \"\(tag)\"\r\n"))
            #expect(answer.statuses == [412] && loads == 0, "\(tag)")
        }
    }

    @Test func `a read of a state that is not known yet shows nothing older`() throws {
        let newest = try tag("a")
        let (same, loads) = try ask(.get("/v1/sessions/a", "If-None-Match: \(newest)\r\n"))
        #expect(same.statuses == [304] && loads == 1)
        try other.ask(.push("a", "more"))
        let match = try ask(.get("/v1/sessions/a", "If-Match: \(try tag("a"))\r\n"))
        #expect(match.answer.statuses == [200] && match.answer.text.contains("more"))
        let (next, again) = try ask(.get("/v1/sessions/a", "If-None-Match: \(newest)\r\n"))
        #expect(next.statuses == [200] && next.text.contains("more") && again == 0)
    }

    @Test func `a read waits for the change after the state that the client has`() throws {
        let read = try server.begin(.wait("a", etag: try tag("a")))
        #expect(read.answers == 0 && server.loop.parts.streams.waiterCount == 1)
        server.engine.isBehind = false
        try other.ask(.push("a", "more"))
        try server.settle()
        try read.receive()
        #expect(read.statuses == [200] && read.text.contains("more"))
    }

    @Test func `a session that was deleted elsewhere can be created and restored`() throws {
        try other.ask("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try other.ask("DELETE /v1/sessions/b HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try ask(.post("/v1/sessions", #"{"id":"a"}"#)).answer.statuses == [201])
        let body = #"{"tabs":[{"id":"t","path":[]}],"selectedTab":"t"}"#
        let restore = String.put("/v1/sessions/b", body)
            .replacing("Host:", with: "If-None-Match: *\r\nHost:", maxReplacements: 1)
        #expect(try ask(restore).answer.statuses == [201])
        let (taken, loads) = try ask(.post("/v1/sessions", #"{"id":"a"}"#))
        #expect(taken.statuses == [409] && loads == 1)
    }

    // MARK: Requests without an effect

    @Test(arguments: [
        (#"POST /back {}"#, #""popped":1"#),
        (#"POST /setPath {"in":"main","path":[]}"#, #""removed":["e1"]"#),
        (#"PUT  {"tabs":[{"id":"main","path":[]}]}"#, #""revision":3"#),
    ])
    func `a request has an effect on a state that is not known yet`(
        line: String, expected: String
    ) throws {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            .map(String.init)
        let target = "/v1/sessions/a\(words[1])"
        let request: String =
            words[0] == "PUT" ? .put(target, words[2]) : .post(target, words[2])
        let (answer, loads) = try ask(request)
        #expect(answer.statuses == [200] && answer.text.contains(expected), "\(answer.text)")
        #expect(loads == 1 && !storage.state("a").contains("theirs"))
    }

    @Test func `a request without an effect is answered with the newest state`() throws {
        let single = #"{"route":"theirs","mode":"single"}"#
        let same = try ask(.post("/v1/sessions/a/navigate", single)).answer.text
        #expect(same.contains(#""changed":false"#) && same.contains(#""revision":2"#))
        let (none, loads) = try ask(.post("/v1/sessions/b/back", "{}"))
        #expect(none.text.contains(#""reason":"at-root""#) && loads == 1)
        #expect(try ask(.post("/v1/sessions/b/back?dryRun=true", "{}")).loads == 0)
    }

    @Test func `a key is found though the request has no effect on what is known`() throws {
        let field = "Idempotency-Key: k\r\n"
        func back() -> String {
            String.post("/v1/sessions/a/back", "{}")
                .replacing("Host:", with: "\(field)Host:", maxReplacements: 1)
        }
        let first = try other.ask(back())
        #expect(first.text.contains(#""popped":1"#))
        let answer = try ask(back()).answer
        #expect(answer.text.contains(#""popped":1"#) && answer.text.contains(#""revision":3"#))
    }

    @Test func `commands for many sessions without an effect are decided together`() throws {
        let many = #"{"command":{"command":"back"},"sessions":["a","b","c"]}"#
        let (answer, loads) = try ask(.post("/v1/commands", many))
        #expect(answer.text.contains(#"{"session":"a","changed":true"#), "\(answer.text)")
        #expect(answer.text.ranges(of: "at-root").count == 2 && loads == 2)
    }

    // MARK: Sessions

    @Test(arguments: [
        "GET /v1/sessions/new", "GET /v1/sessions/n%65w", "DELETE /v1/sessions/new",
        "GET /v1/sessions/new/history", "POST /v1/sessions/new/back {}",
        #"POST /v1/commands {"command":{"command":"back"},"sessions":["new"]}"#,
        "POST /v1/sessions {\"copyOf\":\"new\"}",
    ])
    func `a session that another server has created is not said to be missing`(
        line: String
    ) throws {
        try other.ask(.post("/v1/sessions", #"{"id":"new"}"#))
        // The message of a server of the store that was behind.
        server.engine.cells[SessionID(trusted: "new")] = []
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let request =
            words.count == 3
            ? String.post(words[1], words[2])
            : "\(words[0]) \(words[1]) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let answer = try ask(request).answer
        #expect(
            (200..<300).contains(answer.statuses.first ?? 0) && !answer.text.contains("not-found"))
    }

    @Test func `a session that another server has created meets a precondition`() throws {
        try other.ask(.post("/v1/sessions", #"{"id":"new"}"#))
        server.engine.cells[SessionID(trusted: "new")] = []
        let body = #"{"tabs":[{"id":"t","path":[]}],"selectedTab":"t"}"#
        let restore = String.put("/v1/sessions/new", body)
            .replacing("Host:", with: "If-Match: \(try tag("new"))\r\nHost:", maxReplacements: 1)
        #expect(try ask(restore).answer.statuses == [200])
    }

    @Test func `a session that does not exist is missing`() throws {
        #expect(try ask(.get("/v1/sessions/none")).answer.statuses == [404])
        let events = try server.begin(.get("/v1/events?session=none"))
        #expect(events.statuses == [404])
    }

    @Test func `unknown sessions are asked for together`() throws {
        let ids = (1...20).map { #""none-\#($0)""# }.joined(separator: ",")
        let many = #"{"command":{"command":"back"},"sessions":[\#(ids)]}"#
        let (answer, loads) = try ask(.post("/v1/commands", many))
        #expect(answer.text.ranges(of: "session-not-found").count == 20)
        #expect(loads == 2, "what the stream's leader knows, and whether it still leads")
    }

    @Test func `a session that has all its tokens is asked for before another one is refused`()
        throws
    {
        let token = String.post("/v1/sessions/a/tokens", #"{"scope":"read"}"#)
        for _ in 0..<64 { #expect(try other.ask(token).statuses == [201]) }
        let (answer, loads) = try ask(token)
        #expect(answer.statuses == [422] && loads == 1)
    }

    // MARK: Revisions and entries

    @Test(arguments: [
        "?revision=2", "/history?before=3", "/steps?from=1&to=2",
    ])
    func `a revision that is not known yet is asked for`(target: String) throws {
        let (answer, loads) = try ask(.get("/v1/sessions/a\(target)"))
        #expect(answer.statuses == [200] && answer.text.contains("theirs") && loads == 1)
    }

    @Test func `a revision that never was is refused`() throws {
        for target in ["?revision=3", "/steps?from=1&to=3"] {
            #expect(try ask(.get("/v1/sessions/a\(target)")).answer.statuses == [410])
        }
        #expect(try ask(.get("/v1/sessions/b?revision=1")).loads == 0)
    }

    @Test func `a copy of a revision that is not known yet is made`() throws {
        let body = #"{"id":"copy","copyOf":"a","revision":2}"#
        let (answer, _) = try ask(.post("/v1/sessions", body))
        #expect(answer.statuses == [201] && answer.text.contains("theirs"))
    }

    @Test func `a display that has been told more may report it`() throws {
        let wall = try server.begin(.get("/v1/sessions/a/events?as=wall"))
        #expect(wall.events == ["snapshot"])
        let report = #"{"as":"wall","revision":2}"#
        #expect(try ask(.post("/v1/sessions/a/shown", report)).answer.statuses == [204])
        let wrong = #"{"as":"wall","revision":3}"#
        #expect(try ask(.post("/v1/sessions/a/shown", wrong)).answer.statuses == [422])
        #expect(!wall.isClosed)
    }

    @Test func `an entry or a sheet that is not known yet is found`() throws {
        let entry = #"{"to":{"entry":"e1"}}"#
        let (back, loads) = try ask(.post("/v1/sessions/a/back", entry))
        #expect(back.statuses == [200] && back.text.contains("already-there") && loads == 1)
        try other.ask(.post("/v1/sessions/a/present", #"{"route":"ask"}"#))
        #expect(try ask(.get("/v1/sessions/a/sheets/e2")).answer.statuses == [200])
        let none = #"{"to":{"entry":"e9"}}"#
        #expect(try ask(.post("/v1/sessions/a/back", none)).answer.statuses == [404])
    }

    @Test func `a command for many sessions finds the entry, too`() throws {
        let many = #"{"command":{"command":"back","to":{"entry":"e1"}},"sessions":["b","a"]}"#
        let (answer, _) = try ask(.post("/v1/commands", many))
        #expect(answer.statuses == [200] && answer.text.contains("entry-not-found"))
        #expect(answer.text.contains(#"{"session":"a","changed":false,"reason":"already-there""#))
    }
}
