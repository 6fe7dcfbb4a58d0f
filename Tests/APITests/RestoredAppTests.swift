import API
import JSON
import Testing

/// The statements of a `PUT` of a session on its app and its tabs.
@Suite struct RestoredAppTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call(
            "PUT", "/v1/apps/x", #"{"routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}]}"#)
        try client.call("PUT", "/v1/apps/y", #"{"tabs":[{"id":"t"}]}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"bound","app":"x"}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"free","tabs":["t"]}"#)
    }

    private func put(_ id: String, _ rest: String = "") throws -> Client.Answer {
        let body = #"{"tabs":[{"id":"t","path":[{"route":"r"},{"route":"gone"}]}]\#(rest)}"#
        return try client.call("PUT", "/v1/sessions/\(id)", body)
    }

    @Test func `without an app, a session keeps the one that it has`() throws {
        let answer = try put("bound")
        #expect(answer.status == 200 && answer.json["app"]?.string == "x")
        #expect(answer.json.picture == "t* [r]")
        #expect(try put("bound", #","app":"x""#).status == 200)
        #expect(try put("free").json.picture == "t* [r, gone]")
    }

    @Test func `another app is refused`() throws {
        for (id, app) in [("bound", "y"), ("free", "x")] {
            let answer = try put(id, #","app":"\#(app)""#)
            #expect(answer.problem == "invalid-request")
            #expect(answer.json["errors"]?[0]?["pointer"]?.string == "/app")
        }
    }

    @Test func `a tab to select that is not there is not found, as at creation`() throws {
        for id in ["bound", "free", "new"] {
            let answer = try put(id, #","selectedTab":"u""#)
            #expect(answer.status == 404 && answer.problem == "tab-not-found", "\(id)")
        }
    }

    @Test func `after a deletion, new ids are behind those that are brought`() throws {
        try client.call("DELETE", "/v1/sessions/free")
        let body = #"{"tabs":[{"id":"t","path":[{"id":"e2147483648","route":"r"}]}]}"#
        #expect(try client.call("PUT", "/v1/sessions/free", body).status == 201)
        let added = try client.command("free", "navigate", #"{"route":"r"}"#).json["added"]
        #expect(added?[0]?.string == "e2147483649")
        // Its own state may be put back, also with the ids that have become higher.
        let state = try client.call("GET", "/v1/sessions/free").text
        try client.command("free", "back")
        #expect(try client.call("PUT", "/v1/sessions/free", state).status == 200)
    }

    private static let stale = """
        {"tabs":[{"id":"t","path":[{"route":"r"},{"route":"gone"}]},
        {"id":"attic","path":[{"id":"e9","route":"r"}]},{"id":"empty"}],
        "sheets":[{"route":"gone","path":[{"route":"r"}]}],"dropped":[7],"droppedTabs":"x"}
        """
    private static let losses =
        #""dropped":[{"id":"e11","route":"gone","why":"route-gone"},"#
        + #"{"id":"e9","route":"r","why":"tab-gone"},{"id":"e12","route":"gone","why":"route-gone"},"#
        + #"{"id":"e13","route":"r","why":"sheet-dropped"}],"droppedTabs":["attic","empty"]}"#

    @Test func `what a restore drops is answered, when it creates, replaces and is tried`() throws {
        let creating = String(Self.stale.dropLast()) + #","app":"x"}"#
        for (id, body, status) in [("new", creating, 201), ("bound", Self.stale, 200)] {
            let path = "/v1/sessions/\(id)"
            let dry = try client.call("PUT", path + "?dryRun=true", body)
            let key = ["Idempotency-Key": "k"]
            let stored = try client.call("PUT", path, body, key)
            #expect(stored.status == status && stored.text.hasSuffix("," + Self.losses))
            #expect(dry.status == status && dry.text.hasSuffix("," + Self.losses))
            let again = try client.call("PUT", path, body, key)
            #expect(again.status == status && again.text == stored.text)
            let change = try client.call("GET", path + "/history?limit=1").text
            #expect(change.contains(Self.losses.dropLast()), "\(change)")
            #expect(try !client.call("GET", path).text.contains("dropped"))
        }
    }

    @Test func `it is answered also if the state is there already`() throws {
        let body = #"{"tabs":[{"id":"t","path":[]},{"id":"attic"}]}"#
        let answer = try client.call("PUT", "/v1/sessions/bound", body)
        #expect(answer.json["revision"]?.integer == 1)
        #expect(answer.text.hasSuffix(#","droppedTabs":["attic"]}"#))
        let minimal = try client.call(
            "PUT", "/v1/sessions/bound", body, ["Prefer": "return=minimal"])
        #expect(minimal.text == answer.text)
        #expect(try !put("free").text.contains("dropped"))
    }

    @Test func `reconciling says which tabs are gone`() throws {
        try client.call("PUT", "/v1/apps/x", #"{"routes":{"r":{}},"tabs":[{"id":"u"}]}"#)
        try client.command("bound", "select", #"{"tab":"u"}"#)
        let history = try client.call("GET", "/v1/sessions/bound/history").text
        #expect(history.contains(#""droppedTabs":["t"]"#))
    }

    @Test func `facts and a pending command are refused without an app`() throws {
        let facts = try put("free", #","facts":{"in":true}"#)
        #expect(facts.problem == "unknown-fact")
        #expect(facts.json["errors"]?[0]?["pointer"]?.string == "/facts/in")
        let escaped = try put("new", #","facts":{"a/b":1}"#).json["errors"]?[0]?["pointer"]
        #expect(escaped?.string == "/facts/a~1b")
        let pending = try put(
            "free", #","pending":{"guard":"g","command":{"command":"select","tab":"t"}}"#)
        #expect(pending.json["errors"]?[0]?["pointer"]?.string == "/pending")
        #expect(try put("free", #","facts":{}"#).status == 200)
        #expect(try put("bound", #","facts":{"in":true}"#).status == 200)
    }
}
