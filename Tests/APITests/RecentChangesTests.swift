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
        changes.since(since)?.map(\.sequence)
    }

    @Test func `changes are told from the one after the number on`() {
        var changes = RecentChanges(completeAfter: 10)
        for sequence in SequenceNumber(11)...15 { changes.append(item(sequence)) }
        #expect(numbers(changes, since: 10) == [11, 12, 13, 14, 15])
        #expect(numbers(changes, since: 13) == [14, 15])
        #expect(numbers(changes, since: 15) == [])
        #expect(numbers(changes, since: 9) == nil, "some of them are not known")
        #expect(numbers(changes, since: .max) == nil, "no number that was given")
    }

    @Test func `a full list forgets the oldest, and says so`() {
        var changes = RecentChanges(completeAfter: 0)
        for sequence in SequenceNumber(1)...20_000 { changes.append(item(sequence)) }
        let first = (0...20_000).first { numbers(changes, since: $0) != nil } ?? 0
        #expect((3_000..<19_000).contains(first))
        #expect(numbers(changes, since: first) == Array(first + 1...20_000))
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
        client.store.rollBack()
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
        client.store.sync()
        client.takeChanges()
        let told = client.announcements.filter { opening.subscription.takes($0) }
        #expect(told.map(\.sequence) == [client.store.durable])
    }

    @Test func `a resumed stream tells what has happened, without a gap`() throws {
        let client = try rolledBack()
        let durable = client.store.durable
        try client.command("a", "navigate", #"{"route":"kept"}"#)
        client.store.sync()
        client.takeChanges()
        let events = try open(client, after: Int(durable)).events
        #expect(events.map(\.name) == [.change])
        #expect(events.map(\.sequence) == [durable + 1])
        #expect(events.allSatisfy { String(decoding: $0.data, as: UTF8.self).contains("kept") })
    }
}
