import API
import JSON
import Navigation
import Testing

/// Sessions whose app is replaced.
@Suite struct ReplacedAppTests {
    private static let two = #"""
        {"routes":{"r":{}},"tabs":[{"id":"t0","routes":["r"]},{"id":"t1","routes":["r"]}]}
        """#
    private static let one = #"{"routes":{"r":{}},"tabs":[{"id":"t0","routes":["r"]}]}"#

    /// The session `s` in the second tab of an app that has just lost this tab.
    private func client(decodedBytesMax: Int = 1 << 20) throws -> Client {
        var options = ServiceOptions()
        options.decodedBytesMax = decodedBytesMax
        let client = try Client(options: options)
        try client.call("PUT", "/v1/apps/x", Self.two)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
        try client.command("s", "navigate", #"{"route":"r","in":"t1"}"#)
        #expect(try client.call("PUT", "/v1/apps/x", Self.one).status == 200)
        return client
    }

    /// The commands of the session's revisions from the third on.
    private func commands(_ client: Client) throws -> [String] {
        let items = try client.call("GET", "/v1/sessions/s/history").json["history"]?.array ?? []
        return items.filter { ($0["revision"]?.integer ?? 0) > 2 }
            .compactMap { $0["command"]?["command"]?.string }.reversed()
    }

    struct Aside: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var target = ""
        var method: String
        var body: String?
        var query = ""
    }

    static let asides = [
        Aside(testDescription: "new labels", method: "PATCH", body: #"{"labels":{"a":"b"}}"#),
        Aside(testDescription: "nothing", method: "PATCH", body: "{}"),
        Aside(
            testDescription: "a dry run", target: "/back", method: "POST", body: "{}",
            query: "?dryRun=true"),
        Aside(
            testDescription: "a token", target: "/tokens", method: "POST",
            body: #"{"scope":"read"}"#),
        Aside(testDescription: "a read", method: "GET"),
        Aside(testDescription: "a refused command", target: "/select", method: "POST", body: "{}"),
    ]

    /// With and without sessions that stay decoded.
    @Test(arguments: asides, [1 << 20, 0])
    func `whatever comes between, a session is reconciled before its next command`(
        _ aside: Aside, _ decodedBytesMax: Int
    ) throws {
        let client = try client(decodedBytesMax: decodedBytesMax)
        let url = "/v1/sessions/s\(aside.target)\(aside.query)"
        for _ in 0..<2 { _ = try client.call(aside.method, url, aside.body) }
        let before = try commands(client)
        #expect(before == (aside.testDescription == "new labels" ? ["update"] : []))
        let answer = try client.command("s", "setBadge", #"{"tab":"t0","badge":1}"#)
        #expect(answer.session.picture == "t0* []")
        #expect(try commands(client) == before + ["reconcile", "setBadge"])
        try client.call("PATCH", "/v1/sessions/s", #"{"ttlSeconds":60}"#)
        try client.command("s", "setBadge", #"{"tab":"t0","badge":2}"#)
        #expect(try commands(client) == before + ["reconcile", "setBadge", "update", "setBadge"])
    }

    @Test func `a session with new labels is reconciled by PUT, by undo and after a restart`()
        throws
    {
        let patch = #"{"labels":{"a":"b"}}"#
        var client = try client()
        let state = try client.call("GET", "/v1/sessions/s").text
        try client.call("PATCH", "/v1/sessions/s", patch)
        #expect(try client.call("PUT", "/v1/sessions/s", state).session.picture == "t0* []")
        #expect(try commands(client) == ["update", "reconcile", "restore"])

        client = try self.client()
        try client.call("PATCH", "/v1/sessions/s", patch)
        let undone = try client.command("s", "undo")
        #expect(undone.json["undone"]?.integer == 1)
        #expect(undone.session.picture == "t0* []")
        #expect(try commands(client) == ["update", "reconcile", "undo"])
        #expect(try client.command("s", "undo").json["reason"]?.string == "nothing-to-undo")

        client = try self.client()
        try client.call("PATCH", "/v1/sessions/s", patch)
        let later = Client(over: client.store)
        try later.command("s", "navigate", #"{"route":"r"}"#)
        #expect(try commands(later) == ["update", "reconcile", "navigate"])
    }

    /// The reconciliation is the only change, and the repeated request finds it.
    @Test func `a repeated PUT of the state that is shown changes nothing more`() throws {
        let client = try client()
        let shown = try client.call("GET", "/v1/sessions/s")
        let fields = ["Idempotency-Key": "k", "If-Match": shown.etag]
        let first = try client.call("PUT", "/v1/sessions/s", shown.text, fields)
        #expect(first.status == 200 && first.json["revision"]?.integer == 3)
        #expect(try commands(client) == ["reconcile"])
        try client.command("s", "navigate", #"{"route":"r"}"#)
        let second = try client.call("PUT", "/v1/sessions/s", shown.text, fields)
        #expect(second.status == 200 && second.text == first.text)
        #expect(try commands(client) == ["reconcile", "navigate"])
    }

    @Test(arguments: [1 << 20, 0])
    func `the response to what changes nothing is what GET returns`(
        _ decodedBytesMax: Int
    ) throws {
        var options = ServiceOptions()
        options.decodedBytesMax = decodedBytesMax
        let client = try Client(options: options)
        try client.call("PUT", "/v1/apps/x", #"{"tabs":[{"id":"t0"}]}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
        let replaced = #"{"routes":{"r":{"hidesTabBar":true}},"tabs":[{"id":"t0","root":"r"}]}"#
        #expect(try client.call("PUT", "/v1/apps/x", replaced).status == 200)
        let read = try client.call("GET", "/v1/sessions/s")
        #expect(read.json["visible"]?["route"]?.string == "t0")
        for _ in 0..<2 {
            let back = try client.command("s", "back")
            #expect(back.json["changed"] == .bool(false))
            #expect(back.text.hasSuffix(#","session":\#(read.text)}"#))
            #expect(back.etag == read.etag)
            for (method, body) in [("PATCH", "{}"), ("PUT", read.text)] {
                let same = try client.call(method, "/v1/sessions/s", body)
                #expect(same.text == read.text)
            }
        }
        let changed = try client.command("s", "setBadge", #"{"tab":"t0","badge":1}"#)
        #expect(changed.session["visible"]?["route"]?.string == "r")
        #expect(changed.session["visible"]?["tabBarHidden"] == .bool(true))
        #expect(try client.call("GET", "/v1/sessions/s").json == changed.session)
    }
}
