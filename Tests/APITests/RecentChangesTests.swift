import Navigation
import TestSupport
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

    @Test(.seeded) func `what was taken back is forgotten, and its numbers can be given again`() {
        var random = SplitMix64()
        var changes = RecentChanges(completeAfter: 0)
        var (model, last) = ([SequenceNumber](), SequenceNumber(0))
        for _ in 0..<60 {
            for _ in 0..<random.below(1_500) {
                last += 1 + SequenceNumber(random.below(2))
                changes.append(item(last))
                model.append(last)
            }
            let back = last - min(last, SequenceNumber(random.below(700)))
            if random.oneIn(3) {
                changes.removeAll(after: back)
                model.removeAll { $0 > back }
                last = back
            }
            let since = last - min(last, SequenceNumber(random.below(12_000)))
            let expected = model.filter { $0 > since }
            if let found = numbers(changes, since: since) {
                #expect(found == expected)
            } else {
                #expect(expected.count > 8_000, "so many are known")
            }
        }
    }

    @Test func `a list that was taken back whole goes on from there`() {
        var changes = RecentChanges(completeAfter: 0)
        for sequence in SequenceNumber(1)...40_000 { changes.append(item(sequence)) }
        changes.removeAll(after: 100)
        changes.append(item(101))
        #expect(numbers(changes, since: 100) == [101])
        #expect(numbers(changes, since: 99) == nil)
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
        client.service.environment.isWatched = { _ in true }
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        client.store.isInstant = false
        client.announcements.removeAll()
        try client.command("a", "navigate", #"{"route":"lost"}"#)
        client.store.rollBack()
        client.service.storeWentBack()
        // The server forgets the changes that it has not told yet.
        client.announcements.removeAll()
        return client
    }

    @Test func `a stream of all begins with the last number that counts`() throws {
        let client = try rolledBack()
        let opening = try open(client)
        #expect(opening.events.map(\.sequence) == [client.store.durable])
        #expect(opening.visibleAfter == client.store.durable)
        // The number is given to the next change, which the stream has to tell.
        try client.command("a", "navigate", #"{"route":"kept"}"#)
        let told = client.announcements.filter { opening.subscription.takes($0) }
        #expect(told.map(\.sequence) == [client.store.durable + 1])
    }

    @Test func `a resumed stream tells what has happened, without a gap`() throws {
        let client = try rolledBack()
        let durable = client.store.durable
        try client.command("a", "navigate", #"{"route":"kept"}"#)
        client.store.sync()
        let events = try open(client, after: Int(durable)).events
        #expect(events.map(\.name) == [.change])
        #expect(events.map(\.sequence) == [durable + 1])
        #expect(events.allSatisfy { String(decoding: $0.data, as: UTF8.self).contains("kept") })
    }
}
