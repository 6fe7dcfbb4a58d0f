import NATS
import Testing

/// The rules of the ordered reader, one by one. Times are in milliseconds.
@Suite struct OrderedReaderTests {
    private func delivery(_ consumer: Int, _ stream: Int) -> FeedItem {
        let reply = "$JS.ACK.S.c.1.\(stream).\(consumer).0.0"
        guard let found = Delivery(Array(reply.utf8)[...]) else { preconditionFailure(reply) }
        return .delivery(found)
    }

    private func beat(_ consumer: Int, stalled: Subject? = nil) -> FeedItem {
        .heartbeat(lastConsumer: consumer, lastStream: 0, stalled: stalled)
    }

    /// A reader that started after 10, and whose first consumer has delivered 11 and 13.
    private func running() -> OrderedReader {
        var reader = OrderedReader(after: 10)
        #expect(reader.linked(at: 0) == .create(generation: 1, from: 11))
        reader.expect(upTo: 13, generation: 1)
        reader.created(generation: 1, at: 5)
        #expect(take(&reader, delivery(1, 11), at: 10) == .deliver)
        #expect(take(&reader, delivery(2, 13), at: 20) == .deliver)
        return reader
    }

    private func take(
        _ reader: inout OrderedReader, _ item: FeedItem, generation: Int = 1, at now: Int64
    ) -> ReaderAction {
        reader.received(item, generation: generation, at: now, random: 0)
    }

    @Test func `messages are delivered in order, across gaps in the stream`() {
        let reader = running()
        #expect(reader.phase == .running && reader.isAlive && reader.lastSequence == 13)
        #expect(reader.deadline == 1_220)
    }

    @Test func `a reader is alive once it has read up to the end that the leader named`() {
        var reader = running()
        reader.unlinked()
        #expect(!reader.isAlive)
        #expect(reader.linked(at: 100) == .create(generation: 2, from: 14))
        reader.created(generation: 2, at: 101)
        _ = take(&reader, delivery(1, 14), generation: 2, at: 102)
        #expect(!reader.isAlive, "the leader has not been asked")
        reader.expect(upTo: 14, generation: 1)
        #expect(!reader.isAlive, "that was about another consumer")
        reader.expect(upTo: 16, generation: 2)
        #expect(!reader.isAlive)
        _ = take(&reader, delivery(2, 15), generation: 2, at: 103)
        #expect(!reader.isAlive)
        _ = take(&reader, delivery(3, 17), generation: 2, at: 104)
        #expect(reader.isAlive)
    }

    @Test func `a consumer is replaced by another one that goes on, or begins elsewhere`() {
        var reader = running()
        #expect(reader.renew(at: 30) == .create(generation: 2, from: 14))
        #expect(!reader.isAlive && take(&reader, delivery(3, 14), at: 31) == .none)
        #expect(take(&reader, delivery(1, 14), generation: 2, at: 32) == .deliver)
        #expect(reader.renew(after: 0, at: 33) == .create(generation: 3, from: 1))
        #expect(take(&reader, delivery(1, 11), generation: 3, at: 34) == .deliver)
        reader.unlinked()
        #expect(reader.renew(after: 0, at: 35) == .none)
        #expect(reader.linked(at: 36) == .create(generation: 4, from: 1))
    }

    @Test func `messages that were removed from the stream are not waited for`() {
        var reader = OrderedReader(after: 0)
        _ = reader.linked(at: 0)
        reader.expect(upTo: 9, generation: 1)
        reader.created(generation: 1, at: 1)
        _ = take(&reader, delivery(1, 5), at: 2)
        #expect(!reader.isAlive)
        _ = take(&reader, .heartbeat(lastConsumer: 1, lastStream: 9, stalled: nil), at: 3)
        #expect(reader.isAlive)
        // A stream without messages has nothing to wait for.
        reader = OrderedReader(after: 0)
        _ = reader.linked(at: 0)
        reader.expect(upTo: 0, generation: 1)
        #expect(!reader.isAlive && reader.isCreating(1) && !reader.isCreating(2))
        reader.created(generation: 1, at: 1)
        #expect(reader.isAlive)
    }

    @Test func `a message may arrive before the response that the consumer is created`() {
        var reader = OrderedReader(after: 0)
        #expect(reader.linked(at: 0) == .create(generation: 1, from: 1))
        #expect(reader.phase == .creating && !reader.isAlive)
        #expect(take(&reader, delivery(1, 1), at: 1) == .deliver)
        reader.created(generation: 1, at: 900)
        #expect(reader.phase == .running && reader.deadline == 1_201)
    }

    @Test func `a gap in the consumer sequence replaces the consumer`() {
        var reader = running()
        #expect(take(&reader, delivery(4, 15), at: 30) == .create(generation: 2, from: 14))
        #expect(take(&reader, delivery(3, 14), at: 31) == .none)
        #expect(take(&reader, delivery(1, 14), generation: 2, at: 40) == .deliver)
    }

    @Test func `a duplicate of the last delivery is ignored`() {
        var reader = running()
        #expect(take(&reader, delivery(2, 13), at: 30) == .none)
        #expect(take(&reader, delivery(2, 13), at: 30) == .none)
        #expect(take(&reader, delivery(3, 14), at: 30) == .deliver)
    }

    /// A server that was restarted has lost the state of its consumers, and begins again. If it
    /// sends the last message of each subject, these are others than before.
    @Test(arguments: [(1, 11), (1, 12), (2, 12), (2, 14), (1, 13)])
    func `a consumer that counts from the beginning again is replaced`(
        consumer: Int, stream: Int
    ) {
        var reader = running()
        #expect(
            take(&reader, delivery(consumer, stream), at: 30) == .create(generation: 2, from: 14))
        #expect(take(&reader, delivery(3, 15), at: 31) == .none, "of the consumer before")
        #expect(take(&reader, delivery(1, 14), generation: 2, at: 40) == .deliver)
    }

    @Test func `the stream sequence must increase`() {
        var reader = running()
        #expect(take(&reader, delivery(3, 13), at: 30) == .create(generation: 2, from: 14))
    }

    @Test func `a message known from an earlier consumer is accepted but not delivered again`() {
        var reader = running()
        #expect(take(&reader, delivery(9, 20), at: 30) == .create(generation: 2, from: 14))
        #expect(take(&reader, delivery(1, 12), generation: 2, at: 40) == .none)
        #expect(take(&reader, delivery(2, 13), generation: 2, at: 40) == .none)
        #expect(take(&reader, beat(2), generation: 2, at: 41) == .none)
        #expect(take(&reader, delivery(3, 14), generation: 2, at: 42) == .deliver)
    }

    @Test func `an idle heartbeat that names another delivery replaces the consumer`() {
        for number in [0, 1, 3, 99] {
            var reader = running()
            #expect(take(&reader, beat(number), at: 30) == .create(generation: 2, from: 14))
        }
        var reader = running()
        #expect(take(&reader, beat(2), at: 30) == .none)
        #expect(reader.deadline == 1_230)
    }

    @Test func `flow control is answered at once and again when a heartbeat repeats it`() throws {
        var reader = running()
        let subject = try Subject("$JS.FC.S.c.1")
        #expect(take(&reader, .flowControl(subject), at: 30) == .answer(subject))
        #expect(take(&reader, beat(2, stalled: subject), at: 30) == .answer(subject))
        let wrong = take(&reader, beat(1, stalled: subject), at: 30)
        #expect(wrong == .create(generation: 2, from: 14))
    }

    @Test func `a silent consumer is replaced`() {
        var reader = running()
        #expect(reader.expired(at: 1_219, random: 0) == .none)
        #expect(reader.expired(at: 1_220, random: 0) == .create(generation: 2, from: 14))
        #expect(reader.phase == .creating && reader.deadline == 4_220)
    }

    @Test func `a status or an unreadable message replaces the consumer`() throws {
        let odd = try FeedItem(message(headers: "NATS/1.0 409 Consumer Deleted\r\n\r\n"))
        var reader = running()
        #expect(take(&reader, odd, at: 30) == .create(generation: 2, from: 14))
        reader = running()
        let action = reader.receivedMalformed(generation: 1, at: 30, random: 0)
        #expect(action == .create(generation: 2, from: 14))
        #expect(reader.receivedMalformed(generation: 1, at: 31, random: 0) == .none)
    }

    @Test func `a lost link ends the consumer, and the next one continues where it stopped`() {
        var reader = running()
        reader.unlinked()
        #expect(reader.phase == .unlinked && reader.deadline == nil)
        #expect(reader.expired(at: 99_999, random: 0) == .none)
        #expect(take(&reader, delivery(3, 14), at: 100) == .none)
        #expect(reader.linked(at: 200) == .create(generation: 2, from: 14))
    }

    @Test func `a consumer that cannot be created is retried with growing delays`() {
        var reader = OrderedReader(after: 0)
        var now: Int64 = 0
        var action = reader.linked(at: now)
        var waits: [Int64] = []
        for _ in 0..<9 {
            guard case .create(let generation, from: 1) = action else {
                Issue.record("\(action)")
                return
            }
            reader.refused(generation: generation, at: now, random: 0)
            #expect(reader.phase == .waiting)
            let deadline = reader.deadline ?? 0
            waits.append(deadline - now)
            #expect(reader.expired(at: deadline - 1, random: 0) == .none)
            now = deadline
            action = reader.expired(at: now, random: 0)
        }
        #expect(waits == [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
        // A request without a response is retried in the same way.
        #expect(reader.expired(at: now + 3_000, random: .max) == .none)
        let deadline = reader.deadline ?? 0
        #expect((2_000...4_000).contains(deadline - now - 3_000))
    }

    @Test func `a consumer that sends only invalid items is not replaced in a tight loop`() {
        var reader = OrderedReader(after: 0)
        #expect(reader.linked(at: 0) == .create(generation: 1, from: 1))
        reader.created(generation: 1, at: 0)
        #expect(take(&reader, delivery(2, 2), at: 1) == .none)
        #expect(reader.phase == .waiting && reader.deadline == 51)
        #expect(take(&reader, delivery(1, 1), at: 2) == .none)
        #expect(reader.expired(at: 51, random: 0) == .create(generation: 3, from: 1))
    }

    @Test func `responses about an earlier consumer change nothing`() {
        var reader = running()
        #expect(take(&reader, beat(7), at: 30) == .create(generation: 2, from: 14))
        reader.created(generation: 1, at: 31)
        #expect(reader.phase == .creating)
        reader.refused(generation: 1, at: 32, random: 0)
        #expect(reader.phase == .creating)
        reader.created(generation: 2, at: 33)
        reader.refused(generation: 2, at: 34, random: 0)
        #expect(reader.phase == .running)
    }
}
