import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// What happens to the messages of `/mcp` between their beginning and their answer: waits, loads,
/// and changes that are kept later or not at all.
@Suite struct AgentPortionTests {
    private func request(_ body: String, revision: String = "2025-03-26") throws -> Request {
        let message =
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "MCP-Protocol-Version: \(revision)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body
        return try #require(try Request.parsed(Array(message.utf8)))
    }

    private func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":"#
            + #"{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    private func push(_ id: Int, _ route: String = "r") -> String {
        call(id, "navigate", #"{"session":"s","route":"\#(route)"}"#)
    }

    /// A client with the session `s`.
    private func client() throws -> Client {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"s"}"#)
        return client
    }

    private func respond(
        _ client: Client, _ request: Request, _ stage: RequestStage = .begun
    ) -> Outcome {
        client.service.respond(to: request, at: client.now, stage: stage)
    }

    private func pause(_ outcome: Outcome) throws -> Pause {
        guard case .pause(let pause) = outcome else {
            Issue.record("no pause: \(outcome)")
            throw Client.Unanswered(target: "/mcp")
        }
        return pause
    }

    private func json(_ outcome: Outcome) throws -> JSON {
        guard case .reply(let reply) = outcome else {
            Issue.record("no reply: \(outcome)")
            throw Client.Unanswered(target: "/mcp")
        }
        return try JSON(parsing: reply.response.body)
    }

    private func body(_ answer: JSON?) throws -> JSON {
        try Agent.body(of: try #require(answer?["result"]))
    }

    private func revision(_ client: Client) throws -> Int? {
        try client.call("GET", "/v1/sessions/s").json["revision"]?.integer
    }

    // MARK: - Changes

    @Test func `a change is answered once it is kept`() throws {
        let client = try client()
        client.store.isInstant = false
        let request = try request(push(1))
        let pause = try pause(respond(client, request))
        #expect(!client.store.hasKept(pause.visibleAfter))
        client.store.sync()
        #expect(client.store.hasKept(pause.visibleAfter))
        let answer = try json(respond(client, request, .portions(pause.progress)))
        #expect(try body(answer)["session"]?["revision"]?.integer == 2)
        #expect(try revision(client) == 2)
    }

    @Test func `a read of what is not kept yet is answered once it is`() throws {
        let client = try client()
        client.store.isInstant = false
        try client.command("s", "navigate", #"{"route":"r"}"#)
        let pause = try pause(
            respond(client, request(call(1, "readSession", #"{"session":"s"}"#))))
        #expect(!client.store.hasKept(pause.visibleAfter))
    }

    private func refused(_ error: StoreError) -> TicketDecision {
        TicketDecision(keptUpTo: .none, refusal: error)
    }

    @Test(arguments: [
        (StoreError.full, "storage-full"), (.unavailable, "store-unavailable"),
    ])
    func `a change that is not kept has a problem that says so`(
        _ error: StoreError, _ kind: String
    ) throws {
        let client = try client()
        client.store.isInstant = false
        let request = try request(push(1))
        let pause = try pause(respond(client, request))
        client.store.rollBack()
        client.service.storeWentBack()
        #expect(!pause.progress.endsWithStore)
        let settled = pause.progress.settling(refused(error))
        let outcome = respond(client, request, .portions(settled))
        let answer = try json(outcome)
        #expect(answer["result"]?["isError"] == .bool(true))
        #expect(try body(answer)["type"] == .string("/problems/\(kind)"))
        guard case .reply(let reply) = outcome else { return }
        #expect(reply.problem?.rawValue == kind)
        #expect(reply.response.status == .ok)
        client.store.isInstant = true
        #expect(try revision(client) == 1)
    }

    @Test func `a read of a change that was undone is repeated`() throws {
        let client = try client()
        client.store.isInstant = false
        try client.command("s", "navigate", #"{"route":"r"}"#)
        let request = try request(call(1, "readSession", #"{"session":"s"}"#))
        let pause = try pause(respond(client, request))
        client.store.rollBack()
        client.service.storeWentBack()
        let settled = pause.progress.settling(refused(.full))
        let answer = try json(respond(client, request, .portions(settled)))
        #expect(try body(answer)["revision"]?.integer == 1)
    }

    @Test func `a change that lost to another one is made again, but not without end`() throws {
        let client = try client()
        client.store.isInstant = false
        let request = try request(push(1))
        var decision = TicketDecision(keptUpTo: .none)
        decision.add(DecidedTicket(Ticket(single: 1), .conflict))
        var progress = try pause(respond(client, request)).progress
        for _ in 1...8 {
            client.store.rollBack()
            client.service.storeWentBack()
            let next = respond(client, request, .portions(progress.settling(decision)))
            progress = try pause(next).progress
        }
        let kept = try json(respond(client, request, .portions(progress)))
        #expect(try body(kept)["changed"] == .bool(true))
        let last = try json(respond(client, request, .portions(progress.settling(decision))))
        #expect(try body(last)["type"] == .string("/problems/store-unavailable"))
    }

    @Test func `it is told that the outcome of a change is unknown`() throws {
        let client = try client()
        client.store.isInstant = false
        let request = try request(push(1))
        var decision = TicketDecision(keptUpTo: .none)
        decision.add(DecidedTicket(Ticket(single: 1), .unknown))
        let progress = try pause(respond(client, request)).progress.settling(decision)
        let answer = try json(respond(client, request, .portions(progress)))
        #expect(try body(answer)["detail"]?.string?.contains("unknown") == true)
    }

    // MARK: - Arrays

    @Test func `the messages of an array are carried out in order, each once`() throws {
        let client = try client()
        client.store.isInstant = false
        client.store.isForgetful = true
        let messages = [
            push(1, "a"), call(2, "navigate", #"{"session":"t","route":"x"}"#), push(3, "b"),
            call(4, "readSession", #"{"session":"s"}"#),
        ]
        var pauses = 0
        client.onPause = { client, _ in
            pauses += 1
            client.store.sync()
        }
        let answer = try client.call("POST", "/mcp", "[\(messages.joined(separator: ","))]")
        #expect(answer.json.array.map { $0["id"]?.integer } == [1, 2, 3, 4])
        #expect(answer.json[1]?["result"]?["isError"] == .bool(true))
        let session = try body(answer.json[3])
        #expect(session["revision"]?.integer == 3)
        #expect(session.picture == "main* [a, b]")
        #expect(pauses == 3)
    }

    @Test func `a change in an array that is not kept leaves the others`() throws {
        let client = try client()
        client.store.isInstant = false
        let request = try request("[\(push(1, "a")),\(push(2, "b"))]")
        let first = try pause(respond(client, request))
        client.store.rollBack()
        client.service.storeWentBack()
        client.store.isInstant = true
        let settled = first.progress.settling(refused(.full))
        let answer = try json(respond(client, request, .portions(settled)))
        #expect(try body(answer[0])["type"] == .string("/problems/storage-full"))
        #expect(try body(answer[1])["session"]?.picture == "main* [b]")
        #expect(first.progress.heldBytes > 256)
    }

    // MARK: - Waits

    private func wait(_ revision: Int, seconds: Int = 5) -> String {
        call(1, "waitForChange", #"{"session":"s","revision":\#(revision),"seconds":\#(seconds)}"#)
    }

    @Test func `a call waits while the session has the revision`() throws {
        let client = try client()
        let request = try request(wait(1), revision: "2025-11-25")
        guard case .wait(let poll) = respond(client, request) else {
            Issue.record("no wait")
            return
        }
        #expect(poll.id.rawValue == "s")
        #expect(poll.seconds == 5)
        let same = try json(respond(client, request, .waited))
        #expect(try body(same)["revision"]?.integer == 1)
        try client.command("s", "navigate", #"{"route":"r"}"#)
        #expect(try body(json(respond(client, request)))["revision"]?.integer == 2)
        try client.call("DELETE", "/v1/sessions/s")
        let gone = try json(respond(client, request))
        #expect(try body(gone)["type"] == .string("/problems/session-not-found"))
    }

    @Test func `a wait in an array keeps what is done, and waits only once`() throws {
        let client = try client()
        let request = try request("[\(push(1)),\(wait(2)),\(wait(2))]")
        let first = try pause(respond(client, request))
        guard case .wait = respond(client, request, .portions(first.progress)) else {
            Issue.record("no wait")
            return
        }
        let waited = RequestStage.portions(first.progress, hasWaited: true)
        let second = try pause(respond(client, request, waited))
        guard case .wait = respond(client, request, .portions(second.progress)) else {
            Issue.record("no wait")
            return
        }
        let answer = try json(
            respond(client, request, .portions(second.progress, hasWaited: true)))
        #expect(answer.array.count == 3)
        #expect(try revision(client) == 2)
    }

    // MARK: - What cannot be read

    @Test func `a body that is too large has an error of JSON-RPC`() throws {
        let client = try client()
        let head = try #require(
            try Request.parsed(Array("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)))
        let other = try #require(
            try Request.parsed(Array("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)))
        let problem = Problem(.bodyTooLarge, "The body can have at most 9 bytes. Send less.")
        let response = client.service.response(to: problem, head: head, id: .made(1))
        #expect(response.status == .bodyTooLarge)
        #expect(response.contentType == .json)
        #expect(try JSON(parsing: response.body)["error"]?["code"]?.integer == -32600)
        for request in [other, nil] {
            let response = client.service.response(to: problem, head: request, id: .made(1))
            #expect(response.contentType == .problemJSON)
        }
    }
}
