import API
import HTTP
import JSON
import Navigation
import Testing

/// Every exceeded limit is the same problem, wherever it is.
@Suite struct LimitTests {
    private static let long = String(repeating: "x", count: 300)
    private static let longFact = String(repeating: "x", count: 4096)

    /// Members with these many names and the same value.
    private static func many(_ count: Int, _ value: String) -> String {
        (1...count).map { #""n\#($0)":\#(value)"# }.joined(separator: ",")
    }

    private static let detents =
        "[" + Array(repeating: #""large""#, count: 17).joined(separator: ",") + "]"
    private static let path =
        "["
        + Array(repeating: #"{"route":"r"}"#, count: 5)
        .joined(separator: ",") + "]"

    private func client() throws -> Client {
        var options = ServiceOptions()
        options.limits.tabsMax = 2
        options.limits.pathDepthMax = 4
        options.limits.labelsMax = 1
        options.limits.sheetsMax = 1
        options.limits.batchCommandsMax = 1
        options.limits.paramsBytesMax = 100
        let client = try Client(options: options)
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        return client
    }

    @Test(arguments: [
        ("POST", "/v1/sessions", #"{"tabs":["a","b","c"]}"#),
        ("POST", "/v1/sessions", #"{"labels":{"a":"","b":""}}"#),
        ("POST", "/v1/sessions", #"{"labels":{"a":"\#(long)"}}"#),
        ("PATCH", "/v1/sessions/a", #"{"labels":{"a":"","b":""}}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a","path":\#(path)}]}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a","badge":"\#(long)"}]}"#),
        (
            "PUT", "/v1/sessions/a",
            #"{"tabs":[{"id":"a"}],"sheets":[{"route":"r"},{"route":"r"}]}"#
        ),
        (
            "PUT", "/v1/sessions/a",
            #"{"tabs":[{"id":"a","path":[{"route":"r","params":{"x":"\#(long)"}}]}]}"#
        ),
        (
            "PUT", "/v1/sessions/b",
            #"{"tabs":[{"id":"a","path":[{"id":"e2147483649","route":"r"}]}]}"#
        ),
        ("POST", "/v1/sessions/a/setBadge", #"{"tab":"main","badge":"\#(long)"}"#),
        ("POST", "/v1/sessions/a/setPath", #"{"in":"main","path":\#(path)}"#),
        ("POST", "/v1/sessions/a/navigate", #"{"route":"r","params":{"x":"\#(long)"}}"#),
        ("POST", "/v1/sessions/a/present", #"{"route":"r","tag":"\#(long)"}"#),
        ("POST", "/v1/sessions/a/present", #"{"route":"r","detents":\#(detents)}"#),
        ("POST", "/v1/sessions/a/batch", #"{"commands":[{"command":"back"},{"command":"back"}]}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"}],"facts":{\#(many(33, #"{"default":1}"#))}}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"}],"facts":{"f":{"default":"\#(longFact)"}}}"#),
        (
            "PUT", "/v1/apps/x",
            #"{"tabs":[{"id":"a"}],"facts":{"f":{"default":1}},"#
                + #""guards":{\#(many(101, #"{"when":{"f":1}}"#))}}"#
        ),
        (
            "PUT", "/v1/apps/x",
            #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"a","routes":["r"]}],"#
                + #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":1},"#
                + #""instead":{"command":"navigate","route":"r","params":{"x":"\#(long)"}}}}}"#
        ),
    ])
    func `an exceeded limit is told as one`(method: String, target: String, body: String) throws {
        let answer = try client().call(method, target, body)
        #expect(answer.status == 422 && answer.problem == "limit-exceeded", "\(answer.text)")
    }

    @Test(arguments: [
        ("POST", "/v1/sessions", #"{"tabs":[]}"#, "invalid-request"),
        ("POST", "/v1/sessions", #"{"tabs":["a","b","c"],"x":1}"#, "invalid-request"),
        ("POST", "/v1/sessions/a/setBadge", #"{"tab":"main","badge":""}"#, "invalid-request"),
        ("POST", "/v1/sessions/a/batch", #"{"commands":[]}"#, "invalid-request"),
        ("PUT", "/v1/apps/x", #"{"tabs":[]}"#, "invalid-app"),
    ])
    func `what is wrong in another way is not`(
        method: String, target: String, body: String, problem: String
    ) throws {
        #expect(try client().call(method, target, body).problem == problem)
    }

    @Test func `a key may be too long, and a stream may name too many sessions`() throws {
        let client = try client()
        let key = ["Idempotency-Key": Self.long]
        #expect(try client.command("a", "back", "{}", key).problem == "limit-exceeded")
        let empty = try client.command("a", "back", "{}", ["Idempotency-Key": ""])
        #expect(empty.problem == "invalid-request")
        let head = "POST /v1/sessions/a/back HTTP/1.1\r\nHost: localhost:8080\r\nIdempotency-Key: "
        let latin = try client.answer(to: Array(head.utf8) + [0xE4] + Array("\r\n\r\n".utf8))
        #expect(latin.problem == "invalid-request" && latin.text.contains("bytes of UTF-8"))
        let names = (0..<257).map { "session=s\($0)" }.joined(separator: "&")
        #expect(try client.call("GET", "/v1/events?\(names)").problem == "limit-exceeded")
    }

    /// `visible` repeats the params of the screen that it shows, which may be longer than all that
    /// a command removes.
    @Test(arguments: ["dismiss", "back"])
    func `screens can be removed from a session of the maximum size`(_ command: String) throws {
        var options = ServiceOptions()
        options.limits.sessionBytesMax = 3_000
        options.limits.paramsBytesMax = 1_200
        let client = try Client(options: options)
        try client.call("POST", "/v1/sessions", #"{"id":"s"}"#)
        try client.command("s", "present", #"{"route":"r"}"#)
        let text = String(repeating: "x", count: 1_100)
        let below = #"{"route":"r","in":"main","params":{"x":"\#(text)"}}"#
        for _ in 0..<2 { #expect(try client.command("s", "navigate", below).status == 200) }
        // A change that adds a screen is refused as ever.
        #expect(try client.command("s", "navigate", below).problem == "limit-exceeded")
        let answer = try client.command("s", command)
        #expect(answer.json["changed"] == .bool(true), "\(answer.text)")
        let state = try client.call("GET", "/v1/sessions/s").text
        #expect(state.utf8.count > 3_000)
        #expect(try client.call("PUT", "/v1/sessions/s", state).json["revision"]?.integer == 5)
        #expect(try client.command("s", "back").json["changed"] == .bool(true))
    }

    @Test func `screens can be removed from a session that was made with larger limits`() throws {
        let former = try Client()
        try former.call("POST", "/v1/sessions", #"{"id":"s"}"#)
        let text = String(repeating: "x", count: 1_100)
        let body = #"{"route":"r","params":{"x":"\#(text)"}}"#
        for _ in 0..<9 { #expect(try former.command("s", "navigate", body).status == 200) }
        var options = ServiceOptions()
        options.limits.sessionBytesMax = 2_000
        options.limits.paramsBytesMax = 1_200
        let client = Client(over: former.store, options: options)
        #expect(try client.command("s", "navigate", body).problem == "limit-exceeded")
        for depth in (0..<9).reversed() {
            let answer = try client.command("s", "back")
            #expect(answer.status == 200, "\(depth): \(answer.text)")
        }
    }

    // MARK: - Names of members

    /// A body with `@` for a name, and the pointer of the object that has the name.
    static let named: [(target: String, body: String, pointer: String)] = [
        ("POST /v1/sessions/a/navigate", #"{"route":"r","params":{"@":1}}"#, "/params"),
        (
            "POST /v1/sessions/a/navigate", #"{"route":"r","params":{"a":[0,{"@":1}]}}"#,
            "/params/a/1"
        ),
        ("POST /v1/sessions/a/navigate", #"{"route":"r","@":1}"#, ""),
        (
            "POST /v1/sessions/a/present",
            #"{"route":"r","path":[{"route":"r","params":{"@":1}}]}"#, "/path/0/params"
        ),
        ("POST /v1/sessions/a/setParams", #"{"params":{"@":1}}"#, "/params"),
        ("POST /v1/sessions/a/dismiss", #"{"result":{"@":1}}"#, "/result"),
        ("POST /v1/sessions/a/setFacts", #"{"facts":{"@":1}}"#, "/facts"),
        (
            "POST /v1/sessions/a/batch",
            #"{"commands":[{"command":"navigate","route":"r","params":{"@":1}}]}"#,
            "/commands/0/params"
        ),
        (
            "POST /v1/commands", #"{"command":"setParams","sessions":["a"],"params":{"@":1}}"#,
            "/params"
        ),
        ("POST /v1/sessions", #"{"labels":{"@":""}}"#, "/labels"),
        ("PATCH /v1/sessions/a", #"{"labels":{"@":""}}"#, "/labels"),
        (
            "PUT /v1/sessions/a", #"{"tabs":[{"id":"t","path":[{"route":"r","params":{"@":1}}]}]}"#,
            "/tabs/0/path/0/params"
        ),
        (
            "PUT /v1/apps/x",
            #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"properties":{"@":{}}}}}}"#,
            "/routes/r/params/properties"
        ),
    ]

    @Test(arguments: named)
    func `a name of more than 255 bytes is refused at the object that has it`(
        _ target: String, _ body: String, _ pointer: String
    ) throws {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let words = target.split(separator: " ").map(String.init)
        let parts = body.split(separator: "@", omittingEmptySubsequences: false)
        let long = String(repeating: "\u{301}", count: 128)
        let answer = try client.call(words[0], words[1], parts.joined(separator: long))
        #expect(answer.status == 422)
        #expect(answer.problem == "limit-exceeded")
        #expect(answer.json["errors"]?.array.map { $0["pointer"]?.string } == [pointer])
        #expect(answer.response.body.count < 1000)
        #expect(try client.call("GET", "/v1/sessions/a").json["revision"]?.integer == 1)
    }

    @Test func `a name of 255 bytes is stored, and stored text may have longer ones`() throws {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let name = "x" + String(repeating: "\u{301}", count: 127)
        let answer = try client.command(
            "a", "navigate", #"{"route":"r","params":{"\#(name)":1}}"#)
        #expect(answer.session["visible"]?["params"]?[name]?.integer == 1)
        let long = #"{"\#(name)\#(name)":1}"#
        #expect(try JSON(parsing: Array(long.utf8), limits: .stored).text == long)
    }

    @Test func `a tool's arguments have names of at most 255 bytes`() throws {
        let agent = Agent(client: try Client())
        try agent.value("createSession", #"{"id":"s"}"#)
        let long = String(repeating: "x", count: 256)
        let problem = try agent.problem(
            "navigate", #"{"session":"s","route":"r","params":{"\#(long)":1}}"#)
        #expect(problem["type"] == .string("/problems/limit-exceeded"))
        #expect(problem["errors"]?[0]?["pointer"] == .string("/params"))
    }
}
