import Navigation
import Sessions
import Testing

@testable import Server

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
             "tabs":[{"id":"main","root":"home","routes":["sale"]}],
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

    @Test func `a state that the newest definition allows is restored whole`() throws {
        let body = #"""
            {"app":"shop","tabs":[{"id":"main","path":[{"route":"sale"}]}],"selectedTab":"main"}
            """#
        for id in ["a", "new"] {
            server.engine.isBehind = true
            let answer = try server.ask(.put("/v1/sessions/\(id)", body))
            #expect(answer.text.contains(#""route":"sale""#), "\(answer.text)")
        }
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
}
