import Testing

@testable import Server

/// Who is watching, with real streams.
@Suite struct WatcherTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        try server.makeSession("a")
    }

    private func stream(_ query: String = "", of id: String = "a") throws -> TestClient {
        let client = try server.pair()
        try client.send(.get("/v1/sessions/\(id)/events\(query)"))
        try server.turn(until: { client.text.contains("snapshot") }, clients: client)
        return client
    }

    private func list(_ id: String = "a") throws -> String {
        let text = try server.ask(.get("/v1/sessions/\(id)/watchers")).text
        return String(text.split(separator: "\r\n\r\n").last ?? "")
    }

    private func names(_ id: String = "a") throws -> [String] {
        try list(id).split(separator: "{\"").dropFirst(1).map { row in
            let words = row.split(separator: "\"")
            return words.first == "as" ? String(words[2]) : "-"
        }
    }

    @discardableResult
    private func show(_ revision: Int, as name: String, of id: String = "a") throws -> [Int] {
        let body = #"{"as":"\#(name)","revision":\#(revision)}"#
        return try server.ask(.post("/v1/sessions/\(id)/shown", body)).statuses
    }

    private func change() throws {
        try server.ask(.post("/v1/sessions/a/navigate", #"{"route":"r"}"#))
    }

    @Test func `the list has open streams in the order of their opening`() throws {
        var streams: [TestClient] = []
        for number in 0..<20 {
            streams.append(try stream(number % 3 == 0 ? "" : "?as=w\(number)"))
        }
        let expected = (0..<20).map { $0 % 3 == 0 ? "-" : "w\($0)" }
        #expect(try names() == expected)
        try streams[4].shutDownWriting()
        try server.turn(until: { streams[4].isClosed }, clients: streams[4])
        #expect(try names() == expected.filter { $0 != "w4" })
        #expect(try server.ask(.get("/v1/sessions")).text.contains(#""watchers":19"#))
    }

    @Test func `a stream of several sessions watches each of them`() throws {
        try server.makeSession("b")
        let both = try server.pair()
        try both.send(.get("/v1/events?session=a&session=b&as=both"))
        try server.turn(until: { both.text.contains("snapshot") }, clients: both)
        #expect(try names("a") == ["both"] && names("b") == ["both"])
        #expect(try show(1, as: "both", of: "b") == [204])
        #expect(try list("b").contains(#""shown":1"#))
        #expect(try !list("a").contains("shown"))
    }

    @Test func `what is shown is that of all streams with the name, also if it is less`() throws {
        let streams = [try stream("?as=wall"), try stream("?as=wall"), try stream("?as=hall")]
        try change()
        #expect(try show(2, as: "wall") == [204])
        #expect(try list().components(of: #""shown":2"#) == 2)
        #expect(try show(1, as: "wall") == [204])
        #expect(try list().components(of: #""shown":1"#) == 2)
        #expect(try show(3, as: "wall") == [422])
        #expect(try show(1, as: "door") == [404])
        #expect(streams.allSatisfy { !$0.isClosed })
    }

    private func wait(toShow revision: Int, seconds: Int = 60) throws -> TestClient {
        let client = try server.connect()
        let target = "/v1/sessions/a/watchers?shown=\(revision)"
        try client.send(.get(target, "Prefer: wait=\(seconds)\r\n"))
        try server.turn(until: { server.loop.parts.streams.waiterCount == 1 })
        return client
    }

    @Test func `a wait ends when all named watchers have shown the revision`() throws {
        let streams = [try stream("?as=wall"), try stream("?as=hall"), try stream()]
        try change()
        let client = try wait(toShow: 2)
        try show(2, as: "wall")
        try show(1, as: "hall")
        try client.receive()
        #expect(client.answers == 0)
        try change()
        try show(3, as: "hall")
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [200])
        #expect(client.text.contains(#""shown":2"#) && client.text.contains(#""shown":3"#))
        #expect(server.loop.parts.streams.waiterCount == 0 && streams.count == 3)
    }

    @Test func `a wait ends when those that have not shown it are gone`() throws {
        let wall = try stream("?as=wall")
        let client = try wait(toShow: 1)
        try wall.shutDownWriting()
        try server.turn(until: { client.answers == 1 }, clients: client, wall)
        #expect(client.text.hasSuffix(#"{"watchers":[]}"#))
    }

    @Test func `a wait ends with its session`() throws {
        let wall = try stream("?as=wall")
        let client = try wait(toShow: 1)
        try server.ask("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.turn(until: { client.answers == 1 }, clients: client, wall)
        #expect(client.statuses == [404])
    }

    @Test func `a wait ends at its time, with the list as it is`() throws {
        let wall = try stream("?as=wall")
        let client = try wait(toShow: 1, seconds: 5)
        server.clock.advance(milliseconds: 4_990)
        try server.settle()
        try client.receive()
        #expect(client.answers == 0)
        server.clock.advance(milliseconds: 20)
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [200] && client.text.contains("wall"))
        #expect(server.loop.parts.streams.waiterCount == 0 && !wall.isClosed)
        // The connection goes on.
        try client.send(.get("/livez"))
        try server.turn(until: { client.answers == 2 }, clients: client)
    }

    @Test func `a stream that asks for it is told who is watching`() throws {
        let console = try stream("?watchers=true&as=console")
        try server.turn(
            until: { console.text.contains("event: watchers") }, clients: console)
        #expect(console.text.contains(#"data: {"watchers":[{"as":"console","since":""#))
        #expect(console.text.contains("\r\nevent: watchers\ndata: "), "without an id")
        let plain = try stream("?as=wall")
        server.clock.advance(milliseconds: 600)
        try server.turn(until: { console.text.contains("wall") }, clients: console)
        server.clock.advance(milliseconds: 600)
        try show(1, as: "wall")
        try server.turn(until: { console.text.contains(#""shown":1"#) }, clients: console)
        try plain.receive()
        #expect(!plain.text.contains("watchers"))
        console.forget()
        server.clock.advance(milliseconds: 600)
        try plain.shutDownWriting()
        try server.turn(until: { console.text.contains("watchers") }, clients: console)
        #expect(!console.text.contains("wall"))
    }

    @Test func `the list is told four times a second at most, and the last one is told`() throws {
        let console = try stream("?watchers=true&as=console")
        try change()
        try server.settle()
        console.forget()
        for step in 0..<200 {
            server.clock.advance(milliseconds: 10)
            try show(step % 2 + 1, as: "console")
            try server.settle()
            try console.receive()
        }
        let told = console.text.components(of: "event: watchers")
        #expect((4...8).contains(told), "\(told) in two seconds")
        console.forget()
        try show(1, as: "console")
        server.clock.advance(milliseconds: 600)
        try server.turn(until: { console.text.contains(#""shown":1"#) }, clients: console)
        #expect(console.text.components(of: "event: watchers") == 1)
        #expect(server.loop.parts.streams.nextTime == nil)
    }

    @Test func `the events count for the limit of a stream, and come as JSON lines too`() throws {
        let client = try server.pair()
        try client.send(
            .get(
                "/v1/sessions/a/events?watchers=true&limit=2",
                "Accept: application/x-ndjson\r\n") + .get("/livez"))
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.text.contains(#"{"event":"watchers","data":{"watchers":[{"since":""#))
        #expect(try names().isEmpty)
    }

    @Test func `the loop sleeps until a list is to be told`() throws {
        let console = try stream("?watchers=true&as=console")
        try server.settle()
        try console.receive()
        try show(1, as: "console")
        try server.settle()
        #expect(server.loop.timeout.map { (1...250).contains($0) } == true)
        #expect(try server.work(ofTurns: 5) == 0)
        #expect(server.loop.timeout.map { (1...250).contains($0) } == true)
    }

    @Test func `the next session of that name begins anew`() throws {
        try server.makeSession("b")
        let client = try server.pair()
        try client.send(.get("/v1/events?session=a&session=b&as=both"))
        try server.turn(until: { client.text.contains("snapshot") }, clients: client)
        try show(1, as: "both")
        try server.ask("DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.turn(until: { client.text.contains("event: deleted") }, clients: client)
        try server.makeSession("a")
        #expect(try names() == ["both"])
        #expect(try !list().contains("shown"))
    }

    @Test func `a server that stops answers those that wait`() throws {
        let wall = try stream("?as=wall")
        let client = try wait(toShow: 1)
        var steps = 0
        server.loop.parts.streams.stop { _ in steps += 1 }
        server.loop.parts.writer.discardEncoded()
        #expect(steps == 2)
        #expect(!wall.isClosed && client.answers == 0)
    }
}
