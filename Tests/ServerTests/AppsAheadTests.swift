import Navigation
import Sessions
import Testing

import Server

/// Requests whose clients have changed an app, or deleted its sessions, at another server a moment
/// ago.
@Suite struct AppsAheadTests {
    private let storage = SharedStorage()
    private let server: RemoteServer
    private let other: RemoteServer

    /// Two servers, of which `server` knows only the first definition of the app.
    init() throws {
        other = try RemoteServer(storage)
        server = try RemoteServer(storage)
        let first = #"{"routes":{"home":{}},"tabs":[{"id":"main","root":"home"}]}"#
        #expect(try other.ask(.put("/v1/apps/shop", first)).statuses == [201])
        let session = #"{"id":"a","app":"shop"}"#
        #expect(try other.ask(.post("/v1/sessions", session)).statuses == [201])
        #expect(try server.ask(.get("/v1/sessions/a")).statuses == [200])
        server.engine.isBehind = true
        let second = #"""
            {"routes":{"home":{},"sale":{}},"facts":{"signedIn":{"default":false}},
             "tabs":[{"id":"main","root":"home","routes":["sale"]},{"id":"offers","root":"home"}],
             "links":[{"pattern":"/sale","tab":"main","path":["sale"]}],
             "templates":{"sale":{"commands":[{"command":"navigate","route":"sale"}]}}}
            """#
        #expect(try other.ask(.put("/v1/apps/shop", second)).statuses == [200])
    }

    @Test(arguments: [
        #"POST /v1/sessions/a/navigate {"route":"sale"}"#,
        #"POST /v1/sessions/a/open {"url":"/sale"}"#,
        #"POST /v1/sessions/a/setFacts {"facts":{"signedIn":true}}"#,
        #"POST /v1/commands {"command":{"command":"navigate","route":"sale"},"sessions":["a"]}"#,
        #"POST /v1/sessions {"app":"shop","template":"sale"}"#,
        #"POST /v1/sessions {"app":"shop","facts":{"signedIn":true}}"#,
        #"POST /v1/sessions {"app":"shop","selectedTab":"offers"}"#,
        "GET /v1/apps/shop/resolve?url=/sale",
    ])
    func `a request that needs the newest definition of an app is not refused`(
        line: String
    ) throws {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let answer = try server.ask(
            words.count == 3 ? .post(words[1], words[2]) : .get(words[1]))
        #expect((200..<300).contains(answer.statuses.first ?? 0), "\(answer.text)")
        #expect(!answer.text.contains("unknown-route"))
    }

    @Test(
        arguments: ["a", "new"],
        [
            (#""tabs":[{"id":"main","path":[{"route":"sale"}]}]"#, #""route":"sale""#),
            (#""tabs":[{"id":"main"},{"id":"offers","badge":"3"}]"#, #""badge":"3""#),
            (#""tabs":[{"id":"main"}],"facts":{"signedIn":true}"#, #""signedIn":true"#),
        ])
    func `a state that the newest definition allows is restored whole`(
        id: String, state: (members: String, kept: String)
    ) throws {
        let body = #"{"app":"shop","selectedTab":"main",\#(state.members)}"#
        let answer = try server.ask(.put("/v1/sessions/\(id)", body))
        #expect(answer.text.contains(state.kept), "\(answer.text)")
    }

    @Test func `a copy has what the newest definition allows`() throws {
        try other.ask(.push("a", "sale"))
        let id = SessionID(trusted: "a")
        server.engine.cells[id] = storage.sessions[id]
        let copy = try server.ask(.post("/v1/sessions", #"{"id":"copy","copyOf":"a"}"#))
        #expect(copy.statuses == [201] && copy.text.contains(#""route":"sale""#))
    }

    @Test func `a link that the newest state has is found`() throws {
        try other.ask(.push("a", "sale"))
        let link = try server.ask(.get("/v1/sessions/a/link"))
        #expect(link.statuses == [200] && link.text.contains("/sale"))
    }

    @Test func `the session and the app are asked for together`() throws {
        let before = server.engine.loads
        #expect(try server.ask(.push("a", "cellar")).statuses == [422])
        #expect(server.engine.loads == before + 1)
    }

    @Test func `commands for many sessions that are refused ask together`() throws {
        for id in ["b", "c", "d", "e"] {
            try other.ask(.post("/v1/sessions", #"{"id":"\#(id)","app":"shop"}"#))
            try server.ask(.get("/v1/sessions/\(id)"))
        }
        let before = server.engine.loads
        let many = #"""
            {"command":{"command":"navigate","route":"cellar"},"sessions":["a","b","c","d","e"]}
            """#
        let answer = try server.ask(.post("/v1/commands", many))
        #expect(answer.text.ranges(of: "unknown-route").count == 5, "\(answer.text)")
        #expect(server.engine.loads == before + 1)
    }

    @Test func `what no definition has is refused`() throws {
        let answer = try server.ask(.push("a", "cellar"))
        #expect(answer.statuses == [422] && answer.text.contains("unknown-route"))
    }

    @Test func `an app whose sessions were deleted elsewhere is not in use`() throws {
        func delete(_ target: String) -> String {
            "DELETE \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        let inUse = try server.ask(delete("/v1/apps/shop"))
        #expect(inUse.statuses == [409] && inUse.text.contains(#""sessions":1"#))
        #expect(try other.ask(delete("/v1/sessions/a")).statuses == [204])
        #expect(try server.ask(delete("/v1/apps/shop")).statuses == [204])
    }

    @Test func `an app to which another server has bound a session is in use`() throws {
        let app = #"{"tabs":[{"id":"t","root":"r"}],"routes":{"r":{}}}"#
        try other.ask(.put("/v1/apps/inn", app))
        #expect(try server.ask(.get("/v1/apps/inn")).statuses == [200])
        #expect(try other.ask(.post("/v1/sessions", #"{"id":"i","app":"inn"}"#)).statuses == [201])
        let deleted = try server.ask("DELETE /v1/apps/inn HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(deleted.statuses == [409] && deleted.text.contains(#""sessions":1"#))
    }
}
