@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import Testing

/// A node's use of the answers to its questions.
@Suite struct LoadedItemTests {
    private let id = SessionID(trusted: "s")
    private let layout: StoreLayout

    init() throws {
        layout = StoreLayout(prefix: try #require(StorePrefix("NAV")), shardCount: 4)
    }

    private func record(
        _ revision: Int, after previous: Int, born: UInt64 = 1, of id: SessionID? = nil
    ) -> SharedRecord {
        let session = SessionRecord(
            id: id ?? self.id, revision: revision, at: 0, undoing: UndoStacks(), nextEntry: 1,
            event: [], state: [])
        return SharedRecord(
            .revision(session), previous: previous, born: born,
            writer: WriteID(node: 1, number: 1))
    }

    private func end(
        _ revision: Int, after previous: Int, born: UInt64 = 1, key: String? = nil
    ) -> SharedRecord {
        let tombstone = SharedRecord.Tombstone(
            id: id, revision: revision, at: 0, why: .deleted,
            key: key.map { IdempotencyKey(key: $0, digest: 1) })
        return SharedRecord(
            .end(tombstone), previous: previous, born: born, writer: WriteID(node: 1, number: 1))
    }

    private func message(
        _ number: Int, _ payload: [UInt8], subject: Subject? = nil
    ) throws -> StoredMessage {
        let message = ModelMessage(
            sequence: number, subject: (subject ?? layout.subject(of: id)).text, headers: [],
            payload: payload)
        return try body(ModelAnswers.found(message, storedAt: ModelAnswers.nanoseconds))
    }

    /// The numbers of the history, nil if it is damaged.
    private func history(_ records: [(Int, SharedRecord)]) throws -> [Int]? {
        let messages = try records.map { try message($0.0, $0.1.text) }
        switch LoadedItem.answer(historyOf: id, messages, in: layout) {
        case .history(let found): return found.records.map(\.number)
        case .damaged: return nil
        case .newest, .tokens, .unanswered:
            Issue.record("not the answer to this question")
            return nil
        }
    }

    @Test func `a history is a chain`() throws {
        #expect(try history([]) == [])
        #expect(try history([(3, record(1, after: 0)), (9, record(2, after: 3))]) == [3, 9])
        // The first ones may be gone from the stream.
        #expect(try history([(9, record(5, after: 3)), (11, record(6, after: 9))]) == [9, 11])
        #expect(try history([(9, record(5, after: 3)), (11, record(6, after: 8))]) == nil)
        #expect(try history([(9, record(5, after: 3)), (11, record(7, after: 10))]) == nil)
        #expect(try history([(9, record(5, after: 9))]) == nil, "a message follows itself")
    }

    @Test func `a history is that of the last session of the id`() throws {
        let first = [(3, record(1, after: 0)), (5, end(1, after: 3))]
        #expect(try history(first) == [3, 5])
        let second = [(8, record(1, after: 5, born: 2)), (9, record(2, after: 8, born: 2))]
        #expect(try history(first + second) == [8, 9])
        // Nobody wrote the end of the first one, which has expired.
        #expect(
            try history([(3, record(1, after: 0)), (5, record(1, after: 3, born: 2))]) == [5])
        let ended = [(3, record(1, after: 0)), (5, end(1, after: 3))].map { number, record in
            NumberedRecord(number: number, record: record)
        }
        #expect(SessionCell(SessionHistory(records: ended), in: 0) == nil)
        #expect(SessionCell(SessionHistory(), in: 0) == nil)
        #expect(SessionCell(SessionHistory(records: [ended[0]]), in: 0)?.records.count == 1)
    }

    @Test func `a history has the keys of all deletions, and of a live session's changes`() throws {
        var change = record(1, after: 5, born: 2)
        if case .revision(var revision) = change.content {
            revision.key = IdempotencyKey(key: "change", digest: 1)
            change = SharedRecord(
                .revision(revision), previous: change.previous, born: change.born,
                writer: change.writer)
        }
        let lives = [
            (3, record(1, after: 0)), (5, end(1, after: 3, key: "first")), (8, change),
            (9, end(1, after: 8, born: 2, key: "second")), (12, record(1, after: 9, born: 3)),
        ]
        func number(_ key: String, in count: Int) throws -> Int? {
            let messages = try lives.prefix(count).map { try message($0.0, $0.1.text) }
            guard
                case .history(let found) = LoadedItem.answer(
                    historyOf: id, messages, in: layout)
            else { return nil }
            let sequence: SequenceNumber? =
                switch found.result(ofKey: key, in: 0) {
                case .change(let stored): stored.sequence
                case .deletion(let deletion): deletion.sequence
                case nil: nil
                }
            return lives.map(\.0).first {
                StreamPlace(shard: 0, number: $0).sequence == sequence
            }
        }
        for count in 2...5 { #expect(try number("first", in: count) == 5) }
        #expect(try number("first", in: 1) == nil)
        #expect(try number("change", in: 3) == 8)
        for count in 4...5 {
            #expect(try number("change", in: count) == nil)
            #expect(try number("second", in: count) == 9)
        }
    }

    @Test func `what belongs elsewhere is damaged`() throws {
        let other = SessionID(trusted: "other")
        let valid = record(1, after: 0).text
        let cases = [
            try message(3, valid, subject: layout.subject(of: other)),
            try message(3, valid, subject: layout.tokenSubject(of: id)),
            try message(3, record(1, after: 0, of: other).text),
            try message(3, Array("nonsense".utf8)), try message(3, []),
            try message(3, record(1, after: 3).text),
        ]
        for message in cases {
            let answers = [
                LoadedItem.answer(.newest(id), message, in: layout),
                LoadedItem.answer(historyOf: id, [message], in: layout),
            ]
            for answer in answers {
                guard case .damaged = answer else {
                    Issue.record("taken: \(message.subject.text)")
                    continue
                }
            }
        }
    }

    @Test func `the newest message is the answer to its question`() throws {
        let message = try message(3, record(1, after: 0).text)
        guard case .newest(let found?) = LoadedItem.answer(.newest(id), message, in: layout),
            case .newest(nil) = LoadedItem.answer(.newest(id), nil, in: layout)
        else {
            Issue.record("another answer")
            return
        }
        #expect(found.number == 3 && found.record == record(1, after: 0))
        #expect(found.stored(in: 2)?.sequence == StreamPlace(shard: 2, number: 3).sequence)
        #expect(NumberedRecord(number: 5, record: end(1, after: 3)).stored(in: 2) == nil)
    }

    @Test func `tokens are the answer to their question`() throws {
        let link = SharedLink(previous: 0, writer: WriteID(node: 1, number: 1))
        let list = SharedTokens(id: id, born: 1, at: 0, link: link, tokens: [])
        let subject = layout.tokenSubject(of: id)
        let message = try message(4, list.text, subject: subject)
        guard case .tokens(let found, 4) = LoadedItem.answer(.tokens(id), message, in: layout),
            found == list, case .tokens(nil, 0) = LoadedItem.answer(.tokens(id), nil, in: layout)
        else {
            Issue.record("another answer")
            return
        }
        let other = SessionID(trusted: "other")
        let damaged = [
            try self.message(4, list.text),
            try self.message(4, record(1, after: 0).text, subject: subject),
            try self.message(4, list.text, subject: layout.tokenSubject(of: other)),
        ]
        for message in damaged {
            guard case .damaged = LoadedItem.answer(.tokens(id), message, in: layout) else {
                Issue.record("taken: \(message.subject.text)")
                continue
            }
        }
    }
}
