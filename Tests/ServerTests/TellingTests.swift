import API
import Testing

@testable import Server

/// How streams are told of changes that are kept while earlier ones are still being told.
@Suite final class TellingTests {
    private let server: RemoteServer
    /// Clients whose connections stay open.
    private var clients: [TestClient] = []
    private var hub: StreamHub { server.loop.parts.streams }

    init() throws { server = try RemoteServer.withSessions(SharedStorage()) }

    private func open(_ text: String) throws { clients.append(try server.begin(text)) }

    /// Makes the changes, each of another session, and hands all of them to the hub, as the loop
    /// does before it tells anybody.
    private func change(_ requests: (id: String, text: String)...) throws {
        for (_, text) in requests { try open(text) }
        for (id, _) in requests { server.engine.decide(id, nil) }
        _ = server.engine.collect()
        for change in server.engine.takeChanges() { hub.announce(change) }
    }

    private func pushed(_ id: String, _ route: String) -> (id: String, text: String) {
        (id, .push(id, route))
    }

    /// The text that the hub has encoded for the stream of its last step.
    private var encoded: String {
        String(decoding: server.loop.parts.writer.takeEncoded(), as: UTF8.self)
    }

    /// The number of events in each of the next parts of streams.
    private func sentParts() -> [Int] {
        var counts: [Int] = []
        while let step = hub.next() {
            switch step {
            case .send, .end: counts.append(encoded.ranges(of: "event: change").count)
            case .answer, .skip: break
            }
        }
        return counts
    }

    @Test func `a stream is told of all changes that it has not been told with one part`() throws {
        for _ in 0..<2 { try open(.get("/v1/events")) }
        try open(.get("/v1/sessions/b/events"))
        try change(pushed("a", "one"), pushed("b", "two"), pushed("c", "three"))
        #expect(hub.eventsUndelivered == 7)
        #expect(sentParts().sorted() == [1, 3, 3])
        #expect(hub.eventsUndelivered == 0 && !hub.isDelivering)
    }

    @Test func `the events of a part are in the order of the changes`() throws {
        try open(.get("/v1/events"))
        try change(pushed("c", "first"), pushed("a", "second"), pushed("b", "third"))
        guard case .send? = hub.next() else {
            Issue.record("nothing is sent")
            return
        }
        let text = encoded
        let places = ["first", "second", "third"].compactMap {
            text.firstRange(of: #""route":"\#($0)""#)?.lowerBound
        }
        #expect(places.count == 3 && places == places.sorted())
    }

    @Test func `a stream that is too far behind ends, and its client connects again`() throws {
        try open(.get("/v1/events"))
        try open(.push("a", "one"))
        server.engine.decide("a", nil)
        _ = server.engine.collect()
        let change = try #require(server.engine.takeChanges().first)
        for _ in 0..<Subscriber.undeliveredMax { hub.announce(change) }
        guard case .send? = hub.next() else {
            Issue.record("it can still be told")
            return
        }
        #expect(encoded.contains("event: change"))
        while hub.eventsUndelivered <= Subscriber.undeliveredMax { hub.announce(change) }
        guard case .end? = hub.next() else {
            Issue.record("it is told of ever more")
            return
        }
        #expect(encoded.contains("retry: "))
    }

    @Test func `a long event is a part of its own`() throws {
        try open(.get("/v1/events"))
        let filler = String(repeating: "x", count: Outbox.sharedBytesMin)
        let long = String.post(
            "/v1/sessions/b/navigate", #"{"route":"r","params":{"f":"\#(filler)"}}"#)
        try change(pushed("a", "one"), ("b", long), pushed("c", "three"))
        #expect(sentParts() == [1, 1, 1])
        #expect(hub.eventsUndelivered == 0)
    }

    @Test func `a stream ends with the event that is its last one`() throws {
        // The stream has begun with `hello`.
        try open(.get("/v1/events?limit=3"))
        try change(pushed("a", "one"), pushed("b", "two"), pushed("c", "three"))
        guard case .end(let subscriber)? = hub.next() else {
            Issue.record("the stream does not end")
            return
        }
        let text = encoded
        #expect(text.contains("one") && text.contains("two") && !text.contains("three"))
        hub.remove(subscriber.connection)
        #expect(hub.eventsUndelivered == 0)
        #expect(sentParts() == [])
    }

    @Test func `a stream that has ended is owed nothing`() throws {
        let stream = try server.begin(.get("/v1/events"))
        try change(pushed("a", "one"), pushed("b", "two"))
        #expect(hub.eventsUndelivered == 2)
        try stream.shutDownWriting()
        try server.settle()
        #expect(hub.eventsUndelivered == 0 && hub.subscriberCount == 0)
    }
}
