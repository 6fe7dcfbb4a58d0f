import Testing

import Server

/// Signals to streams, and the signs of life of streams of lines.
@Suite struct SignalTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        try server.makeSession("a")
        try server.makeSession("b")
    }

    private func stream(_ target: String, _ fields: String = "") throws -> TestClient {
        let client = try server.pair()
        try client.send(.get(target, fields))
        try server.turn(until: { client.text.contains("event") }, clients: client)
        try server.settle()
        try client.receive()
        client.forget()
        return client
    }

    private func signal(_ id: String, _ body: String) throws -> String {
        let text = try server.ask(.post("/v1/sessions/\(id)/signal", body)).text
        return String(text.split(separator: "\r\n\r\n").last ?? "")
    }

    private func received(_ clients: TestClient...) throws -> [String] {
        try server.settle()
        return try clients.map { client in
            try client.receive()
            defer { client.forget() }
            return client.text
        }
    }

    @Test func `streams that want it get a signal, and nobody else`() throws {
        let wanting = try stream("/v1/sessions/a/events?signals=true")
        let plain = try stream("/v1/sessions/a/events")
        let other = try stream("/v1/sessions/b/events?signals=true")
        let both = try stream("/v1/events?session=a&session=b&signals=true")
        let all = try stream("/v1/events?signals=true")
        #expect(
            try signal("a", #"{"name":"refresh","data":{"hard":[true,null]}}"#)
                == #"{"delivered":3}"#)
        let texts = try received(wanting, plain, other, both, all)
        for index in [0, 3, 4] {
            #expect(
                texts[index].contains(
                    "event: signal\ndata: {\"session\":\"a\",\"name\":\"refresh\","
                        + "\"data\":{\"hard\":[true,null]},\"at\":\"2027-01-15T08:00:00Z\"}"))
            #expect(!texts[index].contains("id:"))
        }
        #expect(texts[1] == "" && texts[2] == "")
        #expect(try signal("a", #"{"name":"x","data":null}"#) == #"{"delivered":3}"#)
        #expect(try received(wanting)[0].contains(#""name":"x","data":null,"at""#))
    }

    @Test func `a signal is no change, and counts as an event of a stream that ends`() throws {
        let before = try server.ask(.get("/v1/sessions/a")).text.split(separator: "\r\n\r\n").last
        let limited = try stream(
            "/v1/sessions/a/events?signals=true&limit=2", "Accept: application/x-ndjson\r\n")
        _ = try signal("a", #"{"name":"n"}"#)
        try server.turn(until: { limited.text.contains("0\r\n\r\n") }, clients: limited)
        #expect(limited.text.contains(#"{"event":"signal","data":{"session":"a","name":"n","at":"#))
        #expect(try signal("a", #"{"name":"n"}"#) == #"{"delivered":0}"#)
        let after = try server.ask(.get("/v1/sessions/a")).text.split(separator: "\r\n\r\n").last
        #expect(after == before)
    }

    @Test func `streams of all sessions are filtered by app and labels`() throws {
        try server.ask(.post("/v1/sessions", #"{"id":"c","labels":{"room":"hall"}}"#))
        let hall = try stream("/v1/events?signals=true&label=room:hall")
        #expect(try signal("a", #"{"name":"n"}"#) == #"{"delivered":0}"#)
        #expect(try signal("c", #"{"name":"n"}"#) == #"{"delivered":1}"#)
        #expect(try received(hall)[0].contains(#""session":"c""#))
    }

    @Test func `misshapen signals, and those to nobody, are refused`() throws {
        #expect(
            try server.ask(.post("/v1/sessions/none/signal", #"{"name":"n"}"#)).statuses == [404])
        #expect(try server.ask(.post("/v1/sessions/a/signal", "[]")).statuses == [422])
        #expect(
            try server.ask(.post("/v1/sessions/a/signal", #"{"name":"n","x":1}"#)).statuses == [422]
        )
        #expect(try server.ask(.get("/v1/sessions/a/signal")).statuses == [405])
    }

    @Test func `many sessions are signalled at once`() throws {
        let a = try stream("/v1/sessions/a/events?signals=true")
        let all = try stream("/v1/events?session=a&session=b&signals=true")
        let body = #"{"command":{"command":"signal","name":"n"},"sessions":["a","b","none"]}"#
        let answer = try server.ask(.post("/v1/commands", body)).text
        #expect(
            answer.contains(
                #"{"results":[{"session":"a","delivered":2},{"session":"b","delivered":1},{"session":"none","problem":"#
            ))
        #expect(answer.contains("/v1/sessions/none/signal"))
        let texts = try received(a, all)
        #expect(texts[0].contains(#""session":"a""#) && texts[1].contains(#""session":"b""#))
        let dry = try server.ask(.post("/v1/commands?dryRun=true", body)).text
        #expect(dry.contains(#"{"session":"a","delivered":0}"#))
        #expect(try received(a) == [""])
    }

    @Test func `a tab at its root that is selected again is signalled`() throws {
        let client = try stream("/v1/sessions/a/events?signals=true")
        let select = #"{"tab":"main"}"#
        try server.ask(.post("/v1/sessions/a/select", select))
        #expect(
            try received(client)[0].contains(
                #"data: {"session":"a","name":"reselect","data":{"tab":"main"},"at":"#))
        try server.ask(.post("/v1/sessions/a/select?dryRun=true", select))
        try server.ask(
            .post("/v1/sessions/a/batch", #"{"commands":[{"command":"select","tab":"main"}]}"#))
        #expect(try received(client) == [""])
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        _ = try received(client)
        try server.ask(.post("/v1/sessions/a/select", #"{"tab":"main","reselect":"none"}"#))
        #expect(try received(client) == [""])
    }

    @Test func `a stream of lines has a sign of life after 15 s without another line`() throws {
        let lines = try stream("/v1/sessions/a/events", "Accept: application/x-ndjson\r\n")
        server.clock.advance(milliseconds: 10_000)
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        #expect(try received(lines)[0].contains("change"))
        server.clock.advance(milliseconds: 14_999)
        #expect(try received(lines) == [""])
        server.clock.advance(milliseconds: 1)
        #expect(
            try received(lines)[0].contains(
                "{\"event\":\"heartbeat\",\"data\":{\"at\":\"2027-01-15T08:00:25Z\"}}\n"))
        server.clock.advance(milliseconds: 15_000)
        #expect(try received(lines)[0].contains("08:00:40Z"))
    }

    @Test func `signs of life do not count for the limit of a stream`() throws {
        let lines = try stream("/v1/sessions/a/events?limit=2", "Accept: application/x-ndjson\r\n")
        for _ in 0..<5 {
            server.clock.advance(milliseconds: 15_000)
            #expect(try received(lines)[0].contains("heartbeat"))
        }
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
        #expect(try received(lines)[0].contains("change"))
    }

    @Test func `a stream of events has comments`() throws {
        let events = try stream("/v1/sessions/a/events")
        server.clock.advance(milliseconds: 15_000)
        #expect(try received(events)[0].contains(":"))
        #expect(!events.text.contains("heartbeat"))
    }
}
