import API
import JSON
import POSIX
import Storage
import Testing

@testable import Server

/// Requests that are carried out in portions, between which others are answered.
@Suite struct PortionTests {
    private static let many = String.post(
        "/v1/commands",
        #"{"command":{"command":"navigate","route":"r"},"labels":{"room":"hall"}}"#)

    private func crowd(_ count: Int, bytes: Int = 0, on server: TestServer) throws {
        let filler = String(repeating: "x", count: bytes)
        let path = #"[{"route":"r","params":{"f":"\#(filler)"}}]"#
        for number in 0..<count {
            let id = String(10_000 + number).dropFirst()
            try server.ask(
                .put(
                    "/v1/sessions/s\(id)",
                    #"{"labels":{"room":"hall"},"tabs":[{"id":"main","path":\#(path)}]}"#))
        }
        try server.settle()
    }

    /// The bytes of what is done of a request, and is not answered yet.
    private func progress(on server: TestServer) -> Int {
        server.loop.parts.connections.all.reduce(0) { $0 + ($1.exchange.progress?.heldBytes ?? 0) }
    }

    private func components(of text: String, _ part: String) -> Int {
        text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    @Test func `others are answered while many sessions get a command`() throws {
        let server = try TestServer()
        try crowd(600, on: server)
        server.loop.parts.share.longestTurn = TurnWork()
        let client = try server.pair()
        try client.send(Self.many)
        try server.turn(until: { progress(on: server) > 60_000 })
        let other = try server.pair()
        try other.send(.get("/v1/sessions/s0599"))
        try server.turn(until: { other.answers == 1 }, clients: other)
        #expect(client.answers == 0)
        #expect(other.text.contains(#""revision":1"#))
        try server.turn(until: { client.answers == 1 && server.loop.isQuiet }, clients: client)
        #expect(client.statuses == [200])
        #expect(components(of: client.text, #""changed":true,"revision":2}"#) == 600)
        #expect(
            server.loop.parts.share.longestTurn.units <= TurnWork.unitsMax + 300_000)
        try client.send(.get("/livez"))
        try server.turn(until: { client.answers == 2 }, clients: client)
    }

    @Test func `records that are not in memory are loaded for each portion`() throws {
        let server = try TestServer()
        // More than the cache holds.
        try crowd(100, bytes: 60_000, on: server)
        let client = try server.ask(Self.many)
        #expect(client.statuses == [200])
        #expect(components(of: client.text, #""changed":true,"revision":2}"#) == 100)
        let again = try server.ask(
            .post("/v1/commands", #"{"command":{"command":"undo"},"labels":{"room":"hall"}}"#))
        #expect(components(of: again.text, #""changed":true,"revision":3}"#) == 100)
    }

    @Test func `streams are told of every session in the order of the changes`() throws {
        let server = try TestServer()
        try crowd(300, on: server)
        let stream = try server.pair()
        try stream.send(.get("/v1/events?label=room:hall"))
        try server.turn(until: { server.loop.parts.streams.subscriberCount == 1 })
        let client = try server.pair()
        try client.send(Self.many)
        try server.turn(
            until: {
                client.answers == 1 && server.loop.isQuiet
                    && components(of: stream.text, "event: change") == 300
            }, clients: client, stream)
        let first = try #require(stream.text.firstRange(of: #""id":"s0000""#))
        let last = try #require(stream.text.firstRange(of: #""id":"s0299""#))
        #expect(first.lowerBound < last.lowerBound)
    }

    @Test func `a full disk is told in the rows of the changes that it took back`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try crowd(400, on: server)
        let client = try server.pair()
        let before = server.store.durable
        try client.send(Self.many)
        // The changes of a portion are kept before the next portion begins.
        try server.turn(until: { server.store.durable > before && progress(on: server) > 0 })
        failure.set(SystemError.noSpace)
        try server.turn(until: { client.text.hasSuffix("]}") }, clients: client)
        #expect(client.statuses == [200])
        let changed = components(of: client.text, #""changed":true,"revision":2}"#)
        let refused = components(of: client.text, "/problems/storage-full")
        #expect(changed > 0)
        #expect(refused > 0)
        #expect(changed + refused == 400, "\(client.text)")
        failure.set(nil)
        let list = try server.pair()
        try list.send(.get("/v1/sessions?limit=1000", "Connection: close\r\n"))
        try server.turn(until: { list.isClosed }, clients: list)
        #expect(components(of: list.text, #""revision":2,"#) == changed)
    }

    @Test func `a disk that fails ends the request as a whole`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try crowd(400, on: server)
        let client = try server.pair()
        try client.send(Self.many)
        try server.turn(until: { progress(on: server) > 40_000 })
        failure.set(SystemError.ioError)
        try server.turn(until: { client.answers == 1 || client.isClosed }, clients: client)
        #expect(client.statuses == [503])
    }

    @Test func `a client that goes ends its request`() throws {
        let server = try TestServer()
        try crowd(400, on: server)
        var client: TestClient? = try server.pair()
        try client?.send(Self.many)
        try server.turn(until: { progress(on: server) > 40_000 })
        client = nil
        try server.turn(until: { server.loop.isQuiet && server.loop.parts.connections.all.isEmpty })
        let other = try server.ask(.get("/v1/sessions/s0000"))
        #expect(other.text.contains(#""revision":2"#))
    }
}
