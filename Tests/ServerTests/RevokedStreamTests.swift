import API
import Sessions
import Testing

@testable import Server

/// A stream ends within 15 seconds after its token was revoked, also if nothing happens.
@Suite struct RevokedStreamTests {
    private let clock = TestClock()

    private func change(_ options: inout ServerOptions) {
        options.clock = clock
        try? options.service.tokens.add("owner", .admin)
    }

    @Test func `with a store of its own`() throws {
        try check(TestServer(clock: clock, change))
    }

    @Test func `with a shared store`() throws {
        let server = try RemoteServer(SharedStorage(), change)
        server.engine.isPrompt = true
        try check(server)
    }

    private func check(_ server: some LoopDriver) throws {
        _ = try ask(server, "POST", "/v1/sessions", #"{"id":"a"}"#)
        let (revoked, good) = (try token(server), try token(server))
        let streams = try [revoked, good].map { token in
            try ask(server, "GET", "/v1/sessions/a/events", as: token.text)
        }
        let path = "/v1/sessions/a/tokens/\(revoked.id)"
        #expect(try ask(server, "DELETE", path).statuses == [204])
        #expect(server.loop.parts.streams.subscriberCount == 2)
        clock.advance(milliseconds: 15_000)
        try server.turn(until: { server.loop.parts.streams.subscriberCount < 2 })
        for _ in 0..<3 { try server.settle() }
        #expect(server.loop.parts.streams.subscriberCount == 1)
        for stream in streams { try stream.receive() }
        #expect(streams.map { $0.text.hasSuffix("\r\n0\r\n\r\n") } == [true, false])
    }

    private func token(_ server: some LoopDriver) throws -> (id: Substring, text: Substring) {
        let made = try ask(server, "POST", "/v1/sessions/a/tokens", #"{"scope":"read"}"#).text
        func member(_ name: String) throws -> Substring {
            try #require(made.split(separator: "\"\(name)\":\"").last).prefix { $0 != "\"" }
        }
        return (try member("id"), try member("token"))
    }

    private func ask(
        _ server: some LoopDriver, _ method: String, _ path: String, _ body: String = "",
        as token: Substring = "owner"
    ) throws -> TestClient {
        let client = try server.pair()
        try client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        try server.turn(until: { client.answers == 1 && server.loop.isQuiet }, clients: client)
        return client
    }
}
