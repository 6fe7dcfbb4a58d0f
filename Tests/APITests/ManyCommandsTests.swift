import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// `POST /v1/commands`: one command for many sessions.
@Suite struct ManyCommandsTests {
    private static let app = #"""
        {"routes":{"r":{},"n":{"params":{"required":["n"],"properties":{"n":{"type":"integer"}}}}},
         "tabs":[{"id":"home","routes":["r","n"]},{"id":"other"}],
         "links":[{"pattern":"/r","path":["r"]}]}
        """#

    /// The sessions `a` and `b` of an app, of which `b` is in a room, and the free-form `c`, in it
    /// too.
    private func client() throws -> Client {
        let client = try Client()
        #expect(try client.call("PUT", "/v1/apps/x", Self.app).status == 201)
        for body in [
            #"{"id":"b","app":"x","labels":{"room":"lobby","floor":"1"}}"#,
            #"{"id":"a","app":"x"}"#, #"{"id":"c","labels":{"room":"lobby"}}"#,
        ] {
            #expect(try client.call("POST", "/v1/sessions", body).status == 201)
        }
        client.announcements = []
        return client
    }

    private func send(
        _ client: Client, _ command: String, _ rest: String, query: String = "",
        _ fields: [String: String] = [:]
    ) throws -> Client.Answer {
        let body = #"{"command":\#(command),\#(rest)}"#
        return try client.call("POST", "/v1/commands" + query, body, fields)
    }

    private static let push = #"{"command":"navigate","route":"r"}"#

    private func ids(_ answer: Client.Answer) -> [String?] {
        (answer.json["results"]?.array ?? []).map { $0["session"]?.string }
    }

    private func revisions(_ client: Client) throws -> [Int?] {
        try ["a", "b", "c"].map {
            try client.call("GET", "/v1/sessions/\($0)").json["revision"]?.integer
        }
    }

    // MARK: - Which sessions

    static let selections: [(rest: String, ids: [String])] = [
        (#""app":"x""#, ["a", "b"]), (#""labels":{"room":"lobby"}"#, ["b", "c"]),
        (#""labels":{"room":"lobby","floor":"1"}"#, ["b"]),
        (#""sessions":["c","a","c"]"#, ["a", "c"]),
        (#""app":"x","labels":{"room":"lobby"}"#, ["b"]),
        (#""app":"x","sessions":["c","b"]"#, ["b"]),
        (#""labels":{"room":"lobby"},"sessions":["a","b"]"#, ["b"]),
        (#""app":"y""#, []), (#""labels":{"room":"attic"}"#, []), (#""sessions":[]"#, []),
    ]

    @Test(arguments: selections)
    func `the command is carried out on what fits all that is named, in the order of ids`(
        _ rest: String, _ expected: [String]
    ) throws {
        let client = try client()
        let answer = try send(client, Self.push, rest)
        #expect(answer.status == 200)
        #expect(ids(answer) == expected)
        let rows = expected.map { #"{"session":"\#($0)","changed":true,"revision":2}"# }
        #expect(answer.text == #"{"results":[\#(rows.joined(separator: ","))]}"#)
        #expect(
            try revisions(client) == ["a", "b", "c"].map { expected.contains($0) ? 2 : 1 })
        let history = try client.call("GET", "/v1/sessions/a/history").json["history"]?[0]
        if expected.contains("a") {
            #expect(history?["command"]?.text == Self.push)
        }
    }

    @Test func `each session is changed or refused by itself`() throws {
        let client = try client()
        try client.command("a", "navigate", #"{"route":"r"}"#)
        let command = #"{"command":"open","url":"/r"}"#
        let answer = try send(client, command, #""sessions":["a","b","c","d"]"#)
        let rows = answer.json["results"]?.array ?? []
        #expect(
            rows.first?.text
                == #"{"session":"a","changed":false,"reason":"already-there","revision":2}"#)
        #expect(rows.dropFirst().first?["revision"]?.integer == 2)
        #expect(
            rows.dropFirst(2).first?["problem"]?["type"]?.string == "/problems/no-route-for-url")
        #expect(rows.dropFirst(2).first?["problem"]?["instance"]?.string == "/v1/sessions/c/open")
        #expect(rows.last?["problem"]?["type"]?.string == "/problems/session-not-found")
        #expect(try revisions(client) == [2, 2, 1])
    }

    @Test func `pointers are those of the body, where a rule refuses the command`() throws {
        let client = try client()
        let answer = try send(
            client, #"{"command":"navigate","route":"n","params":{"n":"x"}}"#, #""app":"x""#)
        let error = answer.json["results"]?[0]?["problem"]?["errors"]?[0]
        #expect(error?["pointer"]?.string == "/command/params/n")
        let batch =
            #"{"command":"batch","commands":[\#(Self.push),{"command":"select","tab":"z"}]}"#
        let other = try send(client, batch, #""sessions":["a"]"#)
        #expect(other.json["results"]?[0]?["problem"]?["index"]?.integer == 1)
        #expect(try revisions(client) == [1, 1, 1])
    }

    @Test func `a guard that holds the command back is in the row, also when it is repeated`()
        throws
    {
        let client = try Client()
        let app = #"""
            {"facts":{"in":{"default":false}},"guards":{"in":{"when":{"in":true},
              "instead":{"command":"present","route":"login"}}},
             "routes":{"r":{"guard":"in"},"login":{"presentation":"sheet"}},
             "tabs":[{"id":"home","routes":["r"]}]}
            """#
        #expect(try client.call("PUT", "/v1/apps/x", app).status == 201)
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"x"}"#)
        let key = ["Idempotency-Key": "k"]
        let push = #"{"command":"navigate","route":"r","in":"home"}"#
        let row = #"{"results":[{"session":"a","changed":true,"held":"in","revision":2}]}"#
        #expect(try send(client, push, #""app":"x""#, key).text == row)
        #expect(try send(client, push, #""app":"x""#, key).text == row)
        let again = try send(client, push, #""app":"x""#).json["results"]?[0]
        #expect(again?["reason"]?.string == "held")
    }

    @Test func `every command can be given, also undo`() throws {
        let client = try client()
        _ = try send(client, Self.push, #""app":"x""#)
        let answer = try send(client, #"{"command":"undo"}"#, #""sessions":["a","b","c"]"#)
        #expect(answer.json["results"]?[0]?["revision"]?.integer == 3)
        #expect(answer.json["results"]?[2]?["reason"]?.string == "nothing-to-undo")
    }

    // MARK: - What a request may say

    static let wrong: [(body: String, problem: String, pointers: [String])] = [
        (#"{"command":{"command":"back"}}"#, "invalid-request", [""]),
        (#"{"app":"x"}"#, "invalid-request", ["/command"]),
        (#"{"app":"x","command":"back"}"#, "invalid-request", ["/command"]),
        (#"{"app":"x","command":{}}"#, "invalid-request", ["/command/command"]),
        (#"{"app":"x","command":{"command":"bark"}}"#, "invalid-request", ["/command/command"]),
        (#"{"app":"x","command":{"command":"open"}}"#, "invalid-request", ["/command/url"]),
        (
            #"{"app":"x","command":{"command":"back","x":1}}"#, "invalid-request", ["/command/x"]
        ),
        (
            #"{"app":"x","command":{"command":"batch","commands":[{"command":"select"}]}}"#,
            "invalid-request", ["/command/commands/0/tab"]
        ),
        (#"{"labels":{},"command":{"command":"back"}}"#, "invalid-request", ["/labels"]),
        (
            #"{"sessions":["a","-"],"to":1,"command":{"command":"back"}}"#, "invalid-request",
            ["/sessions/1", "/to"]
        ),
        ("[]", "invalid-request", [""]),
    ]

    @Test(arguments: wrong)
    func `a request that cannot be is refused as a whole`(
        _ body: String, _ problem: String, _ pointers: [String]
    ) throws {
        let client = try client()
        let answer = try client.call("POST", "/v1/commands", body)
        #expect(answer.status == 422)
        #expect(answer.problem == problem)
        let found = (answer.json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
        #expect(found == pointers)
        #expect(try revisions(client) == [1, 1, 1])
    }

    @Test func `If-Match is refused, as it names the state of one session`() throws {
        let client = try client()
        let answer = try send(client, Self.push, #""app":"x""#, ["If-Match": "*"])
        #expect(answer.status == 400)
        #expect(try revisions(client) == [1, 1, 1])
        #expect(try send(client, Self.push, #""app":"x""#, query: "?in=a").status == 422)
        #expect(try client.call("GET", "/v1/commands").status == 405)
    }

    @Test func `a dry run says what would be, and changes nothing`() throws {
        let client = try client()
        let answer = try send(client, Self.push, #""app":"x""#, query: "?dryRun=true")
        #expect(answer.json["results"]?[1]?.text == #"{"session":"b","changed":true,"revision":2}"#)
        #expect(try revisions(client) == [1, 1, 1])
        #expect(client.announcements.isEmpty)
    }

    @Test func `strict handling makes what has no effect a problem of its session`() throws {
        let client = try client()
        try client.command("a", "navigate", #"{"route":"r"}"#)
        let answer = try send(
            client, #"{"command":"back"}"#, #""app":"x""#, ["Prefer": "handling=strict"])
        #expect(answer.json["results"]?[0]?["changed"] == .bool(true))
        #expect(answer.json["results"]?[1]?["problem"]?["status"]?.integer == 409)
        #expect(answer.response.fields.contains { $0.value == "handling=strict" })
    }

    @Test func `a key is kept for each session, and does what is missing`() throws {
        let client = try client()
        let key = ["Idempotency-Key": "k"]
        let first = try send(client, Self.push, #""labels":{"room":"lobby"}"#, key)
        let second = try send(client, Self.push, #""labels":{"room":"lobby"}"#, key)
        #expect(first.text == second.text)
        #expect(try revisions(client) == [1, 2, 2])
        try client.call("PATCH", "/v1/sessions/a", #"{"labels":{"room":"lobby"}}"#)
        let third = try send(client, Self.push, #""labels":{"room":"lobby"}"#, key)
        #expect(ids(third) == ["a", "b", "c"])
        #expect(try revisions(client) == [3, 2, 2])
        let other = try send(client, #"{"command":"back"}"#, #""labels":{"room":"lobby"}"#, key)
        #expect(
            other.json["results"]?[0]?["problem"]?["type"]?.string
                == "/problems/idempotency-key-reused")
    }

    // MARK: - Limits and portions

    private func crowd(_ count: Int) throws -> Client {
        let client = try Client()
        for number in 0..<count {
            let id = String(10_000 + number).dropFirst()
            let body = #"{"id":"s\#(id)","labels":{"room":"hall"}}"#
            #expect(try client.call("POST", "/v1/sessions", body).status == 201)
        }
        return client
    }

    @Test func `a thousand sessions are changed in portions, in their order`() throws {
        let client = try crowd(1_000)
        var portions = 0
        client.onPause = { _, _ in portions += 1 }
        let before = client.service.work.unitsSpent
        let answer = try send(client, Self.push, #""labels":{"room":"hall"}"#)
        #expect(ids(answer).count == 1_000)
        #expect(ids(answer).compactMap(\.self) == ids(answer).compactMap(\.self).sorted())
        let spent = client.service.work.unitsSpent - before
        #expect(portions > spent / 200_000)
        #expect(portions > 3)
    }

    @Test func `more than a thousand are refused, and nothing is done`() throws {
        let client = try crowd(1_001)
        let answer = try send(client, Self.push, #""labels":{"room":"hall"}"#)
        #expect(answer.status == 422)
        #expect(answer.problem == "limit-exceeded")
        let names = (0..<1_001).map { "\"s\($0)\"" }.joined(separator: ",")
        let other = try send(client, Self.push, #""sessions":[\#(names)]"#)
        #expect(other.problem == "limit-exceeded")
        let list = try client.call("GET", "/v1/sessions?limit=1000").json["sessions"]?.array ?? []
        #expect(list.allSatisfy { $0["revision"]?.integer == 1 })
    }

    @Test func `records that are not in memory are loaded, and nothing is done twice`() throws {
        let client = try crowd(100)
        client.store.forget()
        let answer = try send(client, Self.push, #""labels":{"room":"hall"}"#)
        let rows = answer.json["results"]?.array ?? []
        #expect(rows.count == 100)
        #expect(rows.allSatisfy { $0["revision"]?.integer == 2 })
        #expect(client.store.loads < 30)
        client.store.forget()
        let undone = try send(client, #"{"command":"undo"}"#, #""labels":{"room":"hall"}"#)
        #expect(undone.json["results"]?.array.allSatisfy { $0["revision"]?.integer == 3 } == true)
    }

    @Test func `a session that goes between two portions is told, and others are done`() throws {
        let client = try crowd(400)
        var portions = 0
        client.onPause = { client, _ in
            portions += 1
            guard portions == 2 else { return }
            _ = try? client.call("DELETE", "/v1/sessions/s0399")
        }
        let answer = try send(client, Self.push, #""labels":{"room":"hall"}"#)
        let rows = answer.json["results"]?.array ?? []
        #expect(rows.count == 400)
        #expect(rows.last?["problem"]?["status"]?.integer == 404)
        #expect(rows.dropLast().allSatisfy { $0["revision"]?.integer == 2 })
    }

    @Test func `the answer waits until every change that it shows is durable`() throws {
        let client = try client()
        client.store.isInstant = false
        var waits = 0
        client.onPause = { client, pause in
            if !client.store.hasKept(pause.visibleAfter) { waits += 1 }
            try? client.store.sync()
        }
        let answer = try send(client, Self.push, #""app":"x""#)
        #expect(waits == 1)
        #expect(answer.visibleAfter <= client.store.durable)
    }

    @Test func `a change that the store takes back is told in its row`() throws {
        let client = try client()
        let wanted = #"{"command":\#(Self.push),"app":"x"}"#
        let message = """
            POST /v1/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
            Content-Length: \(wanted.utf8.count)\r\n\r\n\(wanted)
            """
        let request = try #require(try Request.parsed(Array(message.utf8)))
        client.store.isInstant = false
        var stage = RequestStage.begun
        var text = ""
        for _ in 0..<10 {
            switch client.service.respond(to: request, at: client.now, stage: stage) {
            case .pause(let pause):
                stage = .portions(pause.progress)
                guard !client.store.hasKept(pause.visibleAfter) else { continue }
                try client.store.rollBack()
                client.service.storeWentBack()
                let decision = TicketDecision(keptUpTo: client.store.keptUpTo, refusal: .full)
                stage = .portions(pause.progress.settling(decision))
            case .reply(let reply): text = String(decoding: reply.response.body, as: UTF8.self)
            case .load, .wait, .shown, .stream, .backup: Issue.record("not expected")
            }
            if !text.isEmpty { break }
        }
        #expect(text.split(separator: "/problems/storage-full").count == 3)
        #expect(try revisions(client) == [1, 1, 1])
    }

    @Test func `it takes a token of the server that may control all sessions`() throws {
        var options = ServiceOptions()
        try options.tokens.add(
            file: Array("reader read\ncontroller control\nowner admin".utf8))
        let client = try Client(options: options)
        let admin = ["Authorization": "Bearer owner"]
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#, admin)
        let own = try client.call(
            "POST", "/v1/sessions/a/tokens", #"{"scope":"control"}"#, admin)
        let token = try #require(own.json["token"]?.string)
        for (bearer, status) in [("controller", 200), ("reader", 403), (token, 403)] {
            let answer = try send(
                client, Self.push, #""sessions":["a"]"#, ["Authorization": "Bearer \(bearer)"])
            #expect(answer.status == status)
        }
    }
}
