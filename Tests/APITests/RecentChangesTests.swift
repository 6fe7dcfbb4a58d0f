import Navigation
import Testing

@testable import API
import Sessions

/// The list of changes that a stream of all sessions is resumed from.
@Suite struct RecentChangesTests {
    private func item(_ sequence: SequenceNumber) -> RecentChanges.Item {
        RecentChanges.Item(id: SessionID(trusted: "s"), revision: 1, sequence: sequence)
    }

    private func numbers(_ changes: RecentChanges, since: SequenceNumber) -> [SequenceNumber]? {
        changes.since(FeedPosition(since))?.map(\.sequence)
    }

    @Test func `changes are told from the one after the number on`() {
        var changes = RecentChanges(completeAfter: FeedPosition(10))
        for sequence in SequenceNumber(11)...15 { changes.append(item(sequence)) }
        #expect(numbers(changes, since: 10) == [11, 12, 13, 14, 15])
        #expect(numbers(changes, since: 13) == [14, 15])
        #expect(numbers(changes, since: 15) == [])
        #expect(numbers(changes, since: 9) == nil, "some of them are not known")
    }

    @Test func `a full list forgets the oldest, and says so`() {
        var changes = RecentChanges(completeAfter: FeedPosition(0))
        for sequence in SequenceNumber(1)...20_000 { changes.append(item(sequence)) }
        let first = (0...20_000).first { numbers(changes, since: $0) != nil } ?? 0
        #expect((3_000..<19_000).contains(first))
        #expect(numbers(changes, since: first) == Array(first + 1...20_000))
    }

    @Test func `a gap is in no list of changes`() {
        var changes = RecentChanges(completeAfter: FeedPosition(10))
        changes.append(item(11))
        changes.append(item(15), followsGap: true)
        changes.append(item(16))
        #expect(numbers(changes, since: 14) == nil)
        #expect(numbers(changes, since: 15) == [16])
    }

    @Test func `each log has its own numbers, and its own beginning`() {
        var start = FeedPosition(logCount: 2, lineage: "k3")
        start.advance(to: SequenceNumber(10, inLog: 0))
        var changes = RecentChanges(completeAfter: start)
        func place(_ first: UInt64, _ second: UInt64) -> FeedPosition {
            var place = FeedPosition(logCount: 2, lineage: "k3")
            for (log, number) in [first, second].enumerated() where number > 0 {
                place.advance(to: SequenceNumber(number, inLog: log))
            }
            return place
        }
        for (number, log) in [(11, 0), (1, 1), (12, 0), (2, 1)] {
            changes.append(item(SequenceNumber(UInt64(number), inLog: log)))
        }
        func numbers(since position: FeedPosition) -> [UInt64]? {
            changes.since(position)?.map(\.sequence.numberInLog)
        }
        #expect(changes.position == place(12, 2))
        #expect(numbers(since: place(10, 0)) == [11, 1, 12, 2])
        #expect(numbers(since: place(12, 1)) == [2])
        #expect(numbers(since: place(30, 1)) == [2], "another server was ahead of this one")
        #expect(numbers(since: place(9, 2)) == nil, "some of them are not known")
        changes.append(item(SequenceNumber(9, inLog: 1)), followsGap: true)
        #expect(numbers(since: place(12, 8)) == nil)
        #expect(numbers(since: place(10, 9)) == [11, 12])
    }
}

/// Streams after the store has taken changes back, because they could not be written.
@Suite struct RolledBackStreamTests {
    private func open(_ client: Client, after: Int? = nil) throws -> StreamOpening {
        let query = after.map { "?after=\($0)" } ?? ""
        let message = "GET /v1/events\(query) HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
        return try #require(try client.opening(Array(message.utf8)))
    }

    /// A client whose second change of the session was taken back.
    private func rolledBack() throws -> Client {
        let client = try Client()
        client.service.environment.audience = { _ in 1 }
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        client.store.isInstant = false
        client.announcements.removeAll()
        try client.command("a", "navigate", #"{"route":"lost"}"#)
        try client.store.rollBack()
        client.service.storeWentBack()
        return client
    }

    @Test func `a stream of all begins with the last number that counts`() throws {
        let client = try rolledBack()
        let opening = try open(client)
        #expect(opening.events.map(\.sequence) == [client.store.durable])
        #expect(opening.visibleAfter == .none, "what it shows is kept")
        // The number is given to the next change, which the stream has to tell.
        try client.command("a", "navigate", #"{"route":"kept"}"#)
        #expect(client.announcements.isEmpty, "it is not kept yet")
        try client.store.sync()
        try client.takeChanges()
        let told = client.announcements.filter { opening.subscription.takes($0) }
        #expect(told.map(\.sequence) == [client.store.durable])
    }

    @Test func `a resumed stream tells what has happened, without a gap`() throws {
        let client = try rolledBack()
        let durable = client.store.durable
        try client.command("a", "navigate", #"{"route":"kept"}"#)
        try client.store.sync()
        try client.takeChanges()
        let events = try open(client, after: Int(durable)).events
        #expect(events.map(\.name) == [.change])
        #expect(events.map(\.sequence) == [durable + 1])
        #expect(events.allSatisfy { String(decoding: $0.data, as: UTF8.self).contains("kept") })
    }
}
