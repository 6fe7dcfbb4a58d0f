import API
import JSON
import Testing

/// The names of tokens, and where a change says with which one it came.
@Suite struct TokenNameTests {
    let client: Client

    init() throws {
        var options = ServiceOptions()
        let file = "owner admin\nremote control wall.1\n\treader  read\treading-room "
        try options.tokens.add(file: Array(file.utf8))
        client = try Client(options: options)
        client.service.environment.audience = { _ in 1 }
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#, bearer("owner"))
    }

    private var history: [JSON] {
        get throws {
            try client.call("GET", "/v1/sessions/a/history", nil, bearer("owner")).json["history"]?
                .array ?? []
        }
    }

    private var told: JSON? {
        client.announcements.last.flatMap { try? JSON(parsing: $0.data) }
    }

    @Test func `history and events name the token of a change`() throws {
        let first = try client.command("a", "navigate", #"{"route":"r"}"#, bearer("remote"))
        #expect(first.status == 200 && first.json["by"] == nil)
        #expect(told?["by"]?.string == "wall.1")
        try client.call("PATCH", "/v1/sessions/a", #"{"ttlSeconds":60}"#, bearer("remote"))
        #expect(try history.map { $0["by"]?.string } == ["wall.1", "wall.1", nil])
        let state = try client.call("GET", "/v1/sessions/a", nil, bearer("reader"))
        #expect(!state.text.contains("wall.1"))
    }

    @Test func `a repeated request gets the first answer, without the name`() throws {
        let fields = bearer("remote").merging(["Idempotency-Key": "k"]) { $1 }
        let first = try client.command("a", "navigate", #"{"route":"r"}"#, fields)
        let again = try client.command("a", "navigate", #"{"route":"r"}"#, fields)
        #expect(first.text == again.text)
    }

    @Test func `the end of a session names the token too`() throws {
        try client.call("DELETE", "/v1/sessions/a", nil, bearer("remote"))
        #expect(client.announcements.last?.name == .deleted)
        #expect(told?["by"]?.string == "wall.1")
    }

    @Test func `without a name nothing is said`() throws {
        try client.command("a", "navigate", #"{"route":"r"}"#, bearer("owner"))
        #expect(told != nil && told?["by"] == nil)
        try client.call("DELETE", "/v1/sessions/a", nil, bearer("owner"))
        #expect(told != nil && told?["by"] == nil)
    }

    @Test func `the token of a session has a name, and a time`() throws {
        let body = #"{"scope":"control","name":"lobby-left","ttlSeconds":60}"#
        let made = try client.call("POST", "/v1/sessions/a/tokens", body, bearer("owner"))
        #expect(made.status == 201 && made.json["name"]?.string == "lobby-left")
        #expect(made.json["createdAt"]?.string == "2026-11-21T01:36:40Z")
        let list = try client.call("GET", "/v1/sessions/a/tokens", nil, bearer("reader"))
        let row = try #require(list.json["tokens"]?[0])
        #expect(row["name"]?.string == "lobby-left")
        #expect(row["createdAt"] == made.json["createdAt"])
        let token = try #require(made.json["token"]?.string)
        try client.command("a", "navigate", #"{"route":"r"}"#, bearer(token))
        #expect(told?["by"]?.string == "lobby-left")
    }

    @Test(arguments: ["", "-a", "a b", "é", String(repeating: "a", count: 65)])
    func `a name is made like the key of a label`(name: String) throws {
        let body = #"{"scope":"read","name":"\#(name)"}"#
        let refused = try client.call("POST", "/v1/sessions/a/tokens", body, bearer("owner"))
        #expect(refused.problem == "invalid-request")
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/name")
    }
}
