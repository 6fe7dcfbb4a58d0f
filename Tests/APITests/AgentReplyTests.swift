import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// How messages to `/mcp` are answered while changes are not kept yet, and while they wait.
@Suite struct AgentReplyTests {
    private func request(_ body: String, revision: String = "2025-11-25") throws -> Request {
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

    private func reply(_ outcome: Outcome) throws -> Reply {
        guard case .reply(let reply) = outcome else {
            Issue.record("no reply: \(outcome)")
            throw Client.Unanswered(target: "/mcp")
        }
        return reply
    }

    private func json(_ outcome: Outcome) throws -> JSON {
        try JSON(parsing: try reply(outcome).response.body)
    }

    private func body(_ answer: JSON?) throws -> JSON {
        try Agent.body(of: try #require(answer?["result"]))
    }

    private func revision(_ client: Client) throws -> Int? {
        try client.call("GET", "/v1/sessions/s").json["revision"]?.integer
    }

    // MARK: - Changes

    @Test func `a change is visible once it is kept`() throws {
        let client = try client()
        client.store.isInstant = false
        let reply = try reply(respond(client, request(push(1))))
        #expect(!client.store.hasKept(reply.visibleAfter))
        #expect(reply.form?.isRead == false)
        try client.store.sync()
        #expect(client.store.hasKept(reply.visibleAfter))
        let answer = try JSON(parsing: reply.response.body)
        #expect(try body(answer)["session"]?["revision"]?.integer == 2)
        #expect(try revision(client) == 2)
    }

    @Test(arguments: ["tools/call", "resources/read", "resources/list"])
    func `a read of what is not kept yet is visible once it is`(_ method: String) throws {
        let client = try client()
        client.store.isInstant = false
        try client.command("s", "navigate", #"{"route":"r"}"#)
        let params =
            #"{"name":"readSession","arguments":{"session":"s"},"uri":"navstate://sessions/s"}"#
        let message = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        let reply = try reply(respond(client, request(message)))
        #expect(!client.store.hasKept(reply.visibleAfter))
        #expect(reply.form?.isRead == true)
    }

    @Test(arguments: [
        (StoreError.full, "storage-full"), (.unavailable, "store-unavailable"),
    ])
    func `a change that is not kept is refused in the form of its message`(
        _ error: StoreError, _ kind: String
    ) throws {
        let client = try client()
        client.store.isInstant = false
        let form = try #require(try reply(respond(client, request(push(7)))).form)
        let response = form.response(refusing: try #require(Problem(error)))
        #expect(response.status == .ok)
        #expect(response.contentType == .json)
        let answer = try JSON(parsing: response.body)
        #expect(answer["id"]?.integer == 7)
        #expect(answer["result"]?["isError"] == .bool(true))
        #expect(try body(answer)["type"] == .string("/problems/\(kind)"))
    }

    @Test func `a resource that cannot be shown is refused by an error`() throws {
        let client = try client()
        let message =
            #"{"jsonrpc":"2.0","id":"r","method":"resources/read","params":"#
            + #"{"uri":"navstate://sessions/s"}}"#
        let form = try #require(try reply(respond(client, request(message))).form)
        let answer = try JSON(parsing: form.response(refusing: .unknownOutcome).body)
        #expect(answer["id"] == .string("r"))
        #expect(answer["error"]?["code"]?.integer == -32603)
        #expect(answer["error"]?["message"]?.string?.contains("unknown") == true)
    }

    // MARK: - Waits

    private func wait(_ revision: Int, seconds: Int = 5) -> String {
        call(1, "waitForChange", #"{"session":"s","revision":\#(revision),"seconds":\#(seconds)}"#)
    }

    @Test func `a call waits while the session has the revision`() throws {
        let client = try client()
        let request = try request(wait(1))
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
