import Navigation
import Testing

@testable import Server

/// Reads that wait until a sheet is gone.
@Suite struct SheetWaitTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        try server.makeSession("a")
        try server.ask(.post("/v1/sessions/a/present", #"{"route":"ask"}"#))
    }

    private var waiterCount: Int { server.loop.parts.streams.waiterCount }

    private func waiting(seconds: Int = 60, then rest: String = "") throws -> TestClient {
        let client = try server.connect()
        let wait = String.get("/v1/sessions/a/sheets/e1", "Prefer: wait=\(seconds)\r\n")
        try client.send(wait + rest)
        try server.turn(until: { waiterCount == 1 })
        return client
    }

    @Test func `the answer of the person comes to the one that waits for it`() throws {
        let client = try waiting()
        try server.ask(.post("/v1/sessions/a/dismiss", #"{"result":true}"#))
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.text.contains(#""state":"dismissed","revision":3"#))
        #expect(client.text.contains(#""command":"dismiss","result":true"#))
        #expect(waiterCount == 0)
    }

    @Test func `other changes leave it waiting, and do not make the wait longer`() throws {
        let client = try waiting(seconds: 30, then: .get("/livez"))
        for number in 1...5 {
            server.clock.advance(milliseconds: 5_000)
            let change = #"{"tab":"main","badge":\#(number)}"#
            try server.ask(.post("/v1/sessions/a/setBadge", change))
            try server.settle()
            try client.receive()
            #expect(client.answers == 0)
            #expect(waiterCount == 1)
        }
        server.clock.advance(milliseconds: 5_010)
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.text.contains(#"{"sheet":"e1","state":"presented"}"#))
        #expect(client.statuses == [200, 200])
    }

    @Test func `each request on a connection has its own time`() throws {
        let client = try waiting(seconds: 1)
        server.clock.advance(milliseconds: 1_010)
        try server.turn(until: { client.answers == 1 }, clients: client)
        try client.send(.get("/v1/sessions/a/sheets/e1", "Prefer: wait=10\r\n"))
        try server.turn(until: { waiterCount == 1 })
        server.clock.advance(milliseconds: 9_000)
        try server.settle()
        try client.receive()
        #expect(client.answers == 1)
        try server.ask(.post("/v1/sessions/a/back"))
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.text.contains(#""command":"back"}"#))
    }

    @Test func `the end of the session is the end of the wait`() throws {
        let client = try waiting()
        try server.ask("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [404])
    }
}

/// Streams with and without the steps of changes, side by side.
@Suite struct StepStreamTests {
    private func stream(_ server: TestServer, _ target: String) throws -> TestClient {
        let client = try server.connect()
        let before = server.loop.parts.streams.subscriberCount
        try client.send(.get(target))
        try server.turn(until: { server.loop.parts.streams.subscriberCount == before + 1 })
        return client
    }

    @Test func `each stream is told in its own form, also after others have gone`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        try server.makeSession("b")
        let hub = server.loop.parts.streams
        let plain = try stream(server, "/v1/sessions/a/events")
        let stepped = try stream(server, "/v1/sessions/a/events?steps=true")
        var named: TestClient? = try stream(server, "/v1/events?session=a&session=b&steps=true")
        #expect(hub.wantsSteps(.init(trusted: "a")) && hub.wantsSteps(.init(trusted: "b")))
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        let step = #","steps":[{"step":"push","in":"main","entry":{"id":"e1","route":"r""#
        for client in [stepped, try #require(named)] {
            try server.turn(until: { client.text.contains(step) }, clients: client)
        }
        try server.turn(until: { plain.text.contains("event: change") }, clients: plain)
        #expect(!plain.text.contains(#""steps""#))
        named = nil
        try server.turn(until: { hub.subscriberCount == 2 })
        #expect(hub.wantsSteps(.init(trusted: "a")) && !hub.wantsSteps(.init(trusted: "b")))
        let all = try stream(server, "/v1/events?steps=true")
        #expect(hub.wantsSteps(.init(trusted: "b")))
        try server.ask(.post("/v1/sessions/b/select", #"{"tab":"main"}"#))
        try server.ask(.post("/v1/sessions/b/navigate", #"{"route":"r"}"#))
        try server.turn(until: { all.text.contains(step) }, clients: all)
        #expect(all.text.contains(#""command":"navigate""#))
    }
}
