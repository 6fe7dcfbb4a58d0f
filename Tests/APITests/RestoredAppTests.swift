import API
import JSON
import Testing

/// What a `PUT` of a session says of its app and its tabs.
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
}
