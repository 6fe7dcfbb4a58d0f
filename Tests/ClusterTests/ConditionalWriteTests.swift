@testable import Cluster
import NATS
import Testing

/// Each transition of a write by itself. `ConditionalWriteModelTests` has them together.
@Suite struct ConditionalWriteTests {
    let stream: SubjectToken
    let id = WriteID(node: 7, number: 1)

    init() throws { stream = try SubjectToken("S") }

    /// A write that was published once.
    private func published(after expected: Int = 5) -> ConditionalWrite {
        var write = ConditionalWrite(id, after: expected, deadline: 10_000, at: 0)
        #expect(write.expired(at: 0) == .publish)
        return write
    }

    private func ack(_ sequence: Int, stream: String = "S") throws -> Answer<PublishAck> {
        let text = #"{"stream":"\#(stream)","seq":\#(sequence)}"#
        return .value(try body(text))
    }

    private func refusal(_ number: Int, _ text: String = "") -> Answer<PublishAck> {
        .refused(JetStreamError(code: 400, number: number, description: text))
    }

    /// Answers the publication.
    private func answer(
        _ write: inout ConditionalWrite, _ answer: Answer<PublishAck>
    ) -> ConditionalWrite.Action {
        write.answered(answer, from: stream, at: 1, random: 3)
    }

    @Test func `an acknowledgement keeps it`() throws {
        var write = published()
        #expect(answer(&write, try ack(6)) == .decide(.kept(sequence: 6)))
        #expect(write.isDecided && write.wakesAt == .max)
        #expect(write.expired(at: 20_000) == .none)
    }

    @Test(arguments: [(5, "S"), (1, "S"), (6, "T")])
    func `an acknowledgement that cannot be true leaves it in doubt`(
        sequence: Int, from: String
    ) throws {
        var write = published()
        #expect(answer(&write, try ack(sequence, stream: from)) == .none)
        #expect(!write.isDecided)
        #expect(write.expired(at: 10_000) == .decide(.unknown))
    }

    @Test func `somebody was first: the record behind tells who`() {
        let cases: [(ConditionalWrite.Successor, ConditionalWrite.Action)] = [
            (.record(sequence: 9, previous: 5, writer: id), .decide(.kept(sequence: 9))),
            (
                .record(sequence: 9, previous: 5, writer: WriteID(node: 7, number: 2)),
                .decide(.conflict)
            ),
            (.record(sequence: 9, previous: 5, writer: nil), .decide(.unknown)),
            (.record(sequence: 9, previous: 6, writer: id), .decide(.unknown)),
            (.record(sequence: 5, previous: 5, writer: id), .none),
            (.none, .none),
        ]
        for (successor, expected) in cases {
            var write = published()
            let action = answer(&write, refusal(10_071, "wrong last sequence: 9"))
            #expect(action == .lookUp(after: 5))
            #expect(write.found(successor, at: 2, random: 0) == expected)
            guard expected == .none else { continue }
            #expect(write.expired(at: write.wakesAt) == .publish, "it is published again")
        }
    }

    @Test func `a subject that has less than expected is in conflict`() {
        var write = published()
        let action = answer(&write, refusal(10_071, "wrong last sequence: 0"))
        #expect(action == .decide(.conflict))
    }

    @Test func `in doubt, a subject that has less than expected decides nothing`() throws {
        var write = published()
        write.unanswered(at: 1, random: 3)
        #expect(write.expired(at: write.wakesAt) == .publish)
        // A server that no longer leads answers so.
        #expect(answer(&write, refusal(10_071, "wrong last sequence: 1")) == .none)
        #expect(!write.isDecided && write.expired(at: write.wakesAt) == .publish)
        #expect(answer(&write, refusal(10_071, "wrong last sequence: 6")) == .lookUp(after: 5))
        let own = ConditionalWrite.Successor.record(sequence: 6, previous: 5, writer: id)
        #expect(write.found(own, at: 2, random: 0) == .decide(.kept(sequence: 6)))
    }

    @Test(arguments: [10_164, 10_008, 10_009])
    func `what passes is tried again, and is not in doubt`(number: Int) {
        var write = published()
        #expect(answer(&write, refusal(number)) == .none)
        #expect(write.wakesAt > 1 && write.wakesAt <= 11)
        #expect(write.expired(at: write.wakesAt) == .publish)
        #expect(answer(&write, .noResponders) == .none)
        #expect(write.expired(at: 10_000) == .decide(.refused(.unavailable)))
    }

    @Test func `a leader that failed to store it leaves it in doubt`() {
        var write = published()
        // The other servers may have stored it.
        #expect(answer(&write, refusal(10_077)) == .none && write.isInDoubt)
        #expect(write.expired(at: write.wakesAt) == .publish)
        #expect(answer(&write, refusal(10_077)) == .none)
        #expect(write.expired(at: 10_000) == .decide(.unknown))
    }

    @Test(arguments: [10_002, 10_023, 10_047])
    func `no room refuses it, unless a copy may be stored`(number: Int) {
        var write = published()
        #expect(answer(&write, refusal(number)) == .decide(.refused(.full)))
        write = published()
        write.unanswered(at: 1, random: 0)
        #expect(write.expired(at: write.wakesAt) == .publish)
        #expect(answer(&write, refusal(number)) == .none)
        #expect(write.expired(at: 10_000) == .decide(.unknown))
    }

    @Test func `a refusal of another kind is told in the server's words`() {
        var write = published()
        #expect(
            answer(&write, refusal(10_052, "no")) == .decide(.refused(.rejected("no"))))
    }

    @Test func `waits grow to a third of a second, and end with the time limit`() {
        var write = published()
        var (now, waits): (Int64, [Int64]) = (0, [])
        while !write.isDecided {
            _ = write.answered(.noResponders, from: stream, at: now, random: 0)
            waits.append(write.wakesAt - now)
            now = write.wakesAt
            _ = write.expired(at: now)
        }
        #expect(waits.prefix(8) == [5, 10, 20, 40, 80, 160, 160, 160])
        #expect(now == 10_000)
    }

    @Test func `without a link nothing was sent`() {
        var write = published()
        write.notSent(at: 1, random: 0)
        #expect(write.expired(at: 10_000) == .decide(.refused(.unavailable)))
    }

    @Test func `a look-up without an answer leads to another publication`() {
        var write = published()
        _ = answer(&write, refusal(10_071))
        write.unanswered(at: 3, random: 0)
        #expect(write.expired(at: write.wakesAt) == .publish)
        #expect(answer(&write, refusal(10_071)) == .lookUp(after: 5))
        #expect(write.expired(at: 10_000) == .decide(.unknown))
    }

    @Test func `an id is 32 digits`() throws {
        let id = WriteID(node: 0xABC, number: 17)
        #expect(id.text == "0000000000000abc0000000000000011")
        #expect(WriteID(id.text.utf8) == id)
        for text in [
            "", "0", id.text.uppercased(), id.text + "0", String(id.text.dropLast()) + "g",
        ] {
            #expect(WriteID(text.utf8) == nil)
        }
    }
}
