import HTTP
import Navigation
import POSIX
import Sessions
import Testing

@testable import Server

/// The id of a request, in its answer, in a problem and in the log.
@Suite struct RequestIDTests {
    /// The ids in the fields of all answers.
    private func ids(_ client: TestClient) -> [String] {
        client.text.split(separator: "\r\n").filter { $0.hasPrefix("X-Request-Id: ") }
            .map { String($0.dropFirst(14)) }
    }

    private func isMade(_ id: String) -> Bool {
        id.utf8.count == 16 && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    @Test(
        arguments: [
            .get("/livez"), .get("/v1/sessions/a"), .get("/v1/sessions/none"), .get("/nothing"),
            .get("/"), .head("/v1/sessions/a"), .post("/v1/sessions/a/back"),
            .post("/v1/sessions/a/navigate", #"{"route":"r"}"#), .post("/v1/sessions/a/back", "{"),
            .get("/v1/sessions/a", "If-None-Match: *\r\n"), .get("/v1/sessions/a/events?limit=1"),
            "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nbad line\r\n\r\n",
            "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
            "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
        ] as [String])
    func `every answer has an id, and a problem repeats it`(message: String) throws {
        let server = try TestServer()
        try server.makeSession("a")
        let client = try server.ask(message)
        let found = ids(client)
        #expect(found.count == 1 && found.allSatisfy(isMade), "\(client.text)")
        if client.statuses[0] >= 400 {
            #expect(client.text.contains(#""requestId":"\#(found[0])""#), "\(client.text)")
        }
    }

    @Test func `ids differ, also on one connection, and the client's own are taken`() throws {
        let server = try TestServer()
        let client = try server.pair()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        try client.send(
            .get("/livez") + .get("/livez") + .get("/none", "X-Request-Id: mine\r\n")
                + .get("/none", "traceparent: 00-\(trace)-00f067aa0ba902b7-01\r\n")
                + .get("/livez", "X-Request-Id: a\"b\r\n"))
        try server.turn(until: { client.answers == 5 }, clients: client)
        let found = ids(client)
        #expect(found.count == 5 && Set(found).count == 5)
        #expect(found[2] == "mine" && found[3] == trace)
        #expect([0, 1, 4].allSatisfy { isMade(found[$0]) })
        #expect(client.text.contains(#""requestId":"mine""#))
        #expect(client.text.contains(#""requestId":"\#(trace)""#))
    }

    @Test func `a backup, a stream and a waiting read have one`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let tag = try #require(server.ask(.get("/v1/sessions/a")).etag)
        for request in [
            String.get("/v1/backup"), .get("/v1/sessions/a/events"), .get("/v1/events"),
        ] {
            let client = try server.connect()
            try client.send(request)
            try server.turn(until: { client.answers == 1 }, clients: client)
            #expect(ids(client).count == 1)
        }
        let reader = try server.connect()
        try reader.send(
            .get(
                "/v1/sessions/a",
                "X-Request-Id: mine\r\nIf-None-Match: \(tag)\r\nPrefer: wait=9\r\n"))
        try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        try server.turn(until: { reader.answers == 1 }, clients: reader)
        #expect(ids(reader) == ["mine"])
    }

    @Test func `the answer to a change that the disk refuses has the id of its request`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try server.makeSession("a")
        failure.set(SystemError.noSpace)
        let client = try server.ask(
            .post("/v1/sessions/a/navigate", #"{"route":"r"}"#)
                .replacing("Host:", with: "X-Request-Id: mine\r\nHost:"))
        #expect(client.statuses == [507])
        #expect(ids(client) == ["mine"])
        #expect(client.text.contains(#""requestId":"mine""#))
    }

    @Test func `the problems of a command for many sessions have it, row for row`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let body =
            #"{"command":{"command":"open","url":"/x"},"sessions":["a","none"]}"#
        let client = try server.ask(
            .post("/v1/commands", body)
                .replacing("Host:", with: "X-Request-Id: mine\r\nHost:"))
        #expect(client.statuses == [200])
        #expect(client.text.components(of: #""requestId":"mine""#) == 2)
        let other = try server.ask(.post("/v1/commands", body))
        #expect(other.text.components(of: #""requestId":"\#(ids(other)[0])""#) == 2)
    }

    @Test func `a change of many that the disk takes back has the id of its request`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try server.makeSession("a")
        failure.set(SystemError.noSpace)
        let body = #"{"command":{"command":"navigate","route":"r"},"sessions":["a"]}"#
        let client = try server.ask(
            .post("/v1/commands", body)
                .replacing("Host:", with: "X-Request-Id: mine\r\nHost:"))
        #expect(client.text.contains(#""type":"/problems/storage-full""#))
        #expect(client.text.contains(#""requestId":"mine""#))
    }

    @Test func `a request that comes too slowly has one`() throws {
        let server = try TestServer()
        let client = try server.pair()
        try client.send("GET / HTTP/1.1\r\n")
        try server.settle()
        server.clock.advance(milliseconds: 600_000)
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [408] && ids(client).allSatisfy(isMade))
        #expect(ids(client).count == 1)
    }

    @Test func `the log has a line for a backup, and the size of an answer that was replaced`()
        throws
    {
        let failure = WriteFailure()
        let (log, sink) = LogTests.log(.info, .json)
        let server = try TestServer(disk: failure.disk, log: log)
        try server.makeSession("a")
        let reader = try server.connect()
        try reader.send(.get("/v1/backup", "X-Request-Id: backup\r\n"))
        try server.turn(until: { reader.answers == 1 }, clients: reader)
        failure.set(SystemError.noSpace)
        let client = try server.ask(
            .post("/v1/sessions/a/navigate", #"{"route":"r"}"#)
                .replacing("Host:", with: "X-Request-Id: mine\r\nHost:"))
        #expect(client.statuses == [507])
        log.flush()
        func line(_ id: String) -> String? {
            sink.lines.first { $0.contains(#""requestId":"\#(id)""#) }
        }
        let backup = try #require(line("backup"))
        #expect(backup.contains(#""route":"/v1/backup","status":200"#), "\(backup)")
        let body = try #require(client.text.split(separator: "\r\n\r\n").last)
        let refused = try #require(line("mine"))
        #expect(refused.contains(#""status":507,"bytes":\#(body.utf8.count)"#), "\(refused)")
    }

    @Test func `the log has the id, and the name of a change's token`() {
        let (json, lines) = LogTests.log(.info, .json)
        var facts = RequestFacts()
        (facts.method, facts.bytes) = (.post, 5)
        json.request(facts, route: "/x", id: .given("mine"), author: TokenName("wall"))
        json.request(facts, route: "/x", id: .made(0xAB))
        json.flush()
        #expect(lines.lines[0].hasSuffix(#""requestId":"mine","by":"wall"}"#))
        #expect(lines.lines[1].hasSuffix(#""requestId":"00000000000000ab"}"#))
        let (text, sink) = LogTests.log(.info, .text)
        text.request(facts, route: "/x", id: .given("mine"), author: TokenName("wall"))
        text.flush()
        #expect(sink.lines[0].hasSuffix("POST /x 200 5B 0.000ms mine by=wall"))
    }
}
