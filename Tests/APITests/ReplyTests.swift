import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// The members of a reply besides the response, and its dependencies.
@Suite struct ReplyTests {
    /// Numbers that are known, in place of random bits.
    private func bits(from seed: UInt64) -> () -> UInt64 {
        var last = seed
        return {
            last = last &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return last
        }
    }

    private func reply(_ client: Client, _ message: String, at now: Milliseconds) throws -> Reply {
        let request = try #require(try Request.parsed(Array(message.utf8)), "not whole")
        guard case .reply(let reply) = client.service.respond(to: request, at: now) else {
            throw Client.Unanswered(target: message)
        }
        return reply
    }

    private func message(_ line: String, _ body: String? = nil) -> String {
        let head = "\(line) HTTP/1.1\r\nHost: localhost\r\n"
        guard let body else { return head + "\r\n" }
        let length = "Content-Length: \(body.utf8.count)\r\n"
        return head + "Content-Type: application/json\r\n" + length + "\r\n" + body
    }

    /// Requests whose responses show ids, tokens and times that the service has made.
    private var program: [String] {
        [
            message(
                "PUT /v1/apps/x",
                #"{"routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}],"links":[{"pattern":"/r","path":["r"]}]}"#
            ),
            message("POST /v1/sessions", #"{"app":"x","ttlSeconds":60}"#),
            message("POST /v1/sessions", #"{}"#),
            message("POST /v1/sessions", #"{"id":"s","app":"x"}"#),
            message("POST /v1/sessions/s/tokens", #"{"scope":"read","ttlSeconds":60}"#),
            message("POST /v1/sessions/s/open", #"{"url":"/r"}"#),
            message("POST /v1/sessions/s/undo"), message("POST /v1/sessions/s/nothing"),
            message("GET /v1/sessions"), message("GET /v1/sessions/s/tokens"),
            message("GET /v1/sessions/s/history"), message("DELETE /v1/sessions/s"),
            message("GET /v1/sessions/s"),
        ]
    }

    private func run(seed: UInt64) throws -> [String] {
        let client = try Client()
        client.service.environment.random = bits(from: seed)
        client.service.environment.audience = { _ in 1 }
        return try program.enumerated().map { index, message in
            let reply = try reply(client, message, at: 1_795_225_000_000 + Milliseconds(index))
            return "\(reply.response) \(reply.visibleAfter) \(reply.audience)"
                + " \(String(describing: reply.endpoint)) \(String(describing: reply.problem))"
        }
    }

    @Test func `the same requests, times and random bits have the same replies`() throws {
        let replies = try run(seed: 1)
        #expect(try run(seed: 1) == replies)
        let others = try run(seed: 7_000)
        let differing = replies.indices.filter { others[$0] != replies[$0] }
        // Two session ids and a token, and the two lists that show them.
        #expect(differing == [1, 2, 4, 8, 9])
    }

    @Test func `the id of a session is made of the random bits`() throws {
        let client = try Client()
        var bits: [UInt64] = [0b00010_00001, 0]
        client.service.environment.random = { bits.popLast() ?? 0 }
        let made = try reply(client, message("POST /v1/sessions", "{}"), at: 1_000)
        #expect(made.response.location == "/v1/sessions/bcaaaaaaaaaaaaaaaaaaaaaaaa")
        let next = try reply(client, message("POST /v1/sessions", "{}"), at: 1_000)
        #expect(next.response.location == "/v1/sessions/aaaaaaaaaaaaaaaaaaaaaaaaaa")
    }

    @Test func `a reply names its endpoint and its problem, and counts those who are to be told`()
        throws
    {
        let client = try Client()
        client.service.environment.audience = { $0.rawValue == "s" ? 1 : 0 }
        func ask(_ message: String) throws -> (String?, ProblemKind?, Int) {
            let reply = try reply(client, message, at: 1_000)
            let template = reply.endpoint.map { Endpoint.all[$0].template }
            return (template, reply.problem, reply.audience)
        }
        #expect(
            try ask(message("POST /v1/sessions", #"{"id":"s"}"#)) == ("/v1/sessions", nil, 1))
        #expect(
            try ask(message("POST /v1/sessions", #"{"id":"t"}"#)) == ("/v1/sessions", nil, 0))
        #expect(try ask(message("GET /v1/sessions/s")) == ("/v1/sessions/{id}", nil, 0))
        #expect(
            try ask(message("GET /v1/sessions/u"))
                == ("/v1/sessions/{id}", .sessionNotFound, 0))
        #expect(try ask(message("GET /v1/nothing")) == (nil, .notFound, 0))
        #expect(try ask(message("PUT /v1/events")) == (nil, .methodNotAllowed, 0))
        #expect(try ask(message("DELETE /v1/sessions/s")) == ("/v1/sessions/{id}", nil, 1))
    }
}
