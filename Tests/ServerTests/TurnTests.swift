import JSON
import POSIX
import Sessions
import Storage
import Testing

@testable import Server

/// How much work one turn of the loop does, in units and not in time.
@Suite struct TurnTests {
    /// A turn's own units and the work of one request, with what is read and encoded for it.
    private static let requestUnitsMax = WorkBudget.unitsMax + 300_000
    private static let turnUnitsMax = TurnWork.unitsMax + requestUnitsMax

    private static let slowApp = #"""
        {"routes":{"r":{"params":{"properties":{"name":
           {"type":"string","pattern":"^(\\w+\\s?)*$"}}}}},"tabs":[{"id":"t","routes":["r"]}]}
        """#

    private static let costlyState: String = {
        let almost = String(repeating: "x", count: 30) + "!"
        let entry = #"{"route":"r","params":{"name":"\#(almost)"}}"#
        let path = Array(repeating: entry, count: 250).joined(separator: ",")
        return #"{"app":"x","tabs":[{"id":"t","path":[\#(path)]}]}"#
    }()

    private static let unknownMembers: String = {
        let members = (0..<40_000).map { #""unknown\#($0)":\#($0)"# }.joined(separator: ",")
        return "{\(members)}"
    }()

    struct Flood: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var clients: Int
        /// The text of each client.
        var text: String
    }

    private static func times(_ count: Int, _ text: String) -> String {
        String(repeating: text, count: count)
    }

    static let floods: [Flood] = [
        Flood(testDescription: "short requests", clients: 64, text: times(500, .get("/livez"))),
        Flood(
            testDescription: "long answers", clients: 16, text: times(4, .get("/v1/sessions/long"))
        ),
        Flood(
            testDescription: "lists", clients: 16,
            text: times(5, .get("/v1/sessions?limit=1000&label=a:b"))),
        Flood(
            testDescription: "changes", clients: 64,
            text: times(50, .post("/v1/sessions/a/navigate", #"{"route":"r"}"#))),
        Flood(
            testDescription: "changes of a long session", clients: 16,
            text: times(4, .post("/v1/sessions/long/setBadge", #"{"tab":"main","badge":"1"}"#))),
        Flood(
            testDescription: "costly states", clients: 4,
            text: times(2, .put("/v1/sessions/c", costlyState))),
        Flood(
            testDescription: "unknown members", clients: 8,
            text: .put("/v1/sessions/u", unknownMembers)),
        Flood(
            testDescription: "chunks of one byte", clients: 8,
            text: "PUT /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + times(20_000, "1\r\n \r\n") + "0\r\n\r\n"),
        Flood(
            testDescription: "long heads", clients: 64,
            text: times(4, .get("/", times(100, "X-Filler: \(times(300, "x"))\r\n")))),
        Flood(testDescription: "malformed", clients: 64, text: "GET \(times(70_000, "/"))"),
    ]

    @Test(arguments: floods)
    func `a turn is bounded by its share and one request`(_ flood: Flood) throws {
        let server = try TestServer()
        try server.ask(.put("/v1/apps/x", Self.slowApp))
        try server.makeSession("a")
        try server.makeSession("long", entries: 8, bytes: 60_000)
        try server.settle()
        server.loop.parts.share.longestTurn = TurnWork()
        let clients = try (0..<flood.clients).map { _ in try server.pair() }
        for client in clients { try client.send(flood.text) }
        for _ in 0..<100_000 {
            for client in clients { try client.receive() }
            try server.loop.turn(waitingAtMost: 0)
            if server.loop.isQuiet, clients.allSatisfy({ $0.answers > 0 }) { break }
        }
        #expect(clients.allSatisfy { $0.answers > 0 })
        #expect(server.loop.parts.share.longestTurn.units <= Self.turnUnitsMax)
    }

    // MARK: - Streams

    private func streams(_ count: Int, _ server: TestServer) throws -> [TestClient] {
        let clients = try (0..<count).map { _ in try server.pair() }
        for client in clients { try client.send(.get("/v1/sessions/a/events")) }
        try server.turn(until: {
            server.loop.parts.streams.subscriberCount == count && server.loop.isQuiet
        })
        for client in clients {
            try client.receive()
            client.forget()
        }
        return clients
    }

    @Test func `many streams are told of a change over several turns`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let clients = try streams(250, server)
        let writer = try server.pair()
        let filler = String(repeating: "x", count: 60_000)
        try writer.send(
            .post("/v1/sessions/a/navigate", #"{"route":"r","params":{"f":"\#(filler)"}}"#))
        server.loop.parts.share.longestTurn = TurnWork()
        try server.turn(until: { server.loop.parts.streams.isDelivering })
        let reader = try server.pair()
        try reader.send(.get("/livez"))
        try server.turn(until: { reader.answers == 1 }, clients: reader)
        #expect(server.loop.parts.streams.isDelivering)
        try server.turn(until: {
            server.loop.isQuiet && !server.loop.parts.streams.hasEventsToDeliver
        }
        )
        for client in clients {
            try server.turn(until: { client.text.contains("event: change") }, clients: client)
        }
        #expect(server.loop.parts.streams.eventsUndelivered == 0)
        #expect(server.loop.parts.share.longestTurn.units <= TurnWork.unitsMax + 100_000)
    }

    @Test func `changes wait while streams are told of many earlier ones, and reads do not`() throws
    {
        let server = try TestServer()
        try server.makeSession("a")
        let clients = try streams(200, server)
        let writer = try server.pair()
        let change = String.post("/v1/sessions/a/navigate", #"{"route":"r"}"#)
        let writers = try (0..<40).map { _ in try server.pair() }
        for writer in writers { try writer.send(change) }
        try writer.send(change)
        try server.turn(until: { server.loop.parts.share.count(of: .changes) > 0 })
        #expect(server.loop.parts.streams.isFarBehind)
        let reader = try server.pair()
        try reader.send(.get("/v1/sessions/a"))
        try server.turn(
            until: {
                for client in clients + writers { try client.receive() }
                return reader.answers == 1 && writers.allSatisfy { $0.answers == 1 }
                    && writer.answers == 1 && server.loop.isQuiet
            }, clients: reader, writer)
        #expect(writers.allSatisfy { $0.statuses == [200] })
        #expect(server.loop.parts.streams.eventsUndelivered == 0)
        for client in clients {
            try client.receive()
            #expect(client.text.components(of: "event: change") == 41)
        }
    }

    // MARK: - Expiry

    @Test func `a full disk does not keep the loop busy with expired sessions`() throws {
        let failure = WriteFailure()
        let server = try TestServer(disk: failure.disk)
        try server.ask(.post("/v1/sessions", #"{"id":"a","ttlSeconds":60}"#))
        try server.makeSession("b")
        failure.set(SystemError.noSpace)
        let refused = try server.ask(.post("/v1/sessions/b/navigate", #"{"route":"r"}"#))
        #expect(refused.statuses == [507])
        server.clock.advance(milliseconds: 120_000)
        for _ in 0..<5 { try server.loop.turn(waitingAtMost: 0) }
        #expect((server.loop.timeout ?? .max) > 0)
        failure.set(nil)
        try server.turn(until: {
            server.clock.advance(milliseconds: 1_000)
            return server.store.parts.reading.sessionCount == 1
        })
    }
}

extension String {
    func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
