@testable import Cluster
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Findings from the messages alone.
@Suite struct StoreAuditTests {
    private let layout = StoreLayout(prefix: StorePrefix(trusted: "NAV"), shardCount: 1)
    private let id = SessionID(trusted: "kiosk-1")
    private let writer = WriteID(node: 1, number: 1)

    private func message(_ number: Int, _ subject: Subject, _ text: [UInt8]) -> FedMessage {
        FedMessage(
            feed: 0, number: number, subject: Array(subject.text.utf8)[...], content: text[...],
            storedAt: 0)
    }

    private func put(
        _ number: Int, after previous: Int, revision: Int, born: UInt64 = 1
    ) -> FedMessage {
        let record = SessionRecord(
            id: id, revision: revision, at: 1, undoing: UndoStacks(), nextEntry: 1,
            event: Array("{}".utf8), state: Array("{}".utf8))
        let shared = SharedRecord(
            .revision(record), previous: previous, born: born, writer: writer)
        return message(number, layout.subject(of: id), shared.text)
    }

    private func end(_ number: Int, after previous: Int, revision: Int) -> FedMessage {
        let tombstone = SharedRecord.Tombstone(
            id: id, revision: revision, at: 1, why: .deleted, key: nil)
        let shared = SharedRecord(.end(tombstone), previous: previous, born: 1, writer: writer)
        return message(number, layout.subject(of: id), shared.text)
    }

    private func tokens(_ number: Int, after previous: Int) -> FedMessage {
        let list = SharedTokens(
            id: id, born: 1, at: 1, link: SharedLink(previous: previous, writer: writer),
            tokens: [])
        return message(number, layout.tokenSubject(of: id), list.text)
    }

    private func findings(_ messages: [FedMessage]) -> [StoreAudit.Finding] {
        var audit = StoreAudit(layout)
        return messages.flatMap { audit.take($0, of: 0) }
    }

    @Test func `messages that follow each other are fine`() {
        var audit = StoreAudit(layout)
        let all = [
            put(2, after: 0, revision: 1), tokens(3, after: 0), put(4, after: 2, revision: 2),
            message(5, layout.barrierSubject(0), []), tokens(6, after: 3),
            end(7, after: 4, revision: 2), put(9, after: 7, revision: 1, born: 2),
            // Nobody has written the end of a session that has expired.
            put(10, after: 9, revision: 1, born: 3),
        ]
        for message in all { #expect(audit.take(message, of: 0).isEmpty) }
        #expect(audit.messageCount == 8 && audit.sessionCount == 1)
        #expect(audit.gapsAtStart.isEmpty)
        _ = audit.take(end(11, after: 10, revision: 1), of: 0)
        #expect(audit.sessionCount == 0)
    }

    @Test func `a missing message is a gap`() {
        let found = findings([put(2, after: 0, revision: 1), put(6, after: 4, revision: 3)])
        #expect(found == [.gap(.session(id), after: 2, before: 6)])
        let lists = findings([tokens(2, after: 0), tokens(9, after: 8)])
        #expect(lists == [.gap(.tokens(id), after: 2, before: 9)])
    }

    @Test(arguments: [(3, 2), (1, 2), (2, 1)])
    func `revisions are consecutive, and the end names the last`(revision: Int, expected: Int) {
        var second = put(4, after: 2, revision: revision)
        if expected == 1 { second = end(4, after: 2, revision: revision) }
        let found = findings([put(2, after: 0, revision: 1), second])
        #expect(
            found == [
                .damage(
                    "message 4 of session kiosk-1 has revision \(revision) instead of \(expected)")
            ])
    }

    @Test func `another session of the same id begins with revision 1`() {
        for first in [end(4, after: 2, revision: 1), put(4, after: 2, revision: 2)] {
            let found = findings([
                put(2, after: 0, revision: 1), first, put(5, after: 4, revision: 2, born: 2),
            ])
            #expect(found.count == 1)
        }
    }

    @Test func `after a damaged message there is no gap`() {
        let garbage = message(4, layout.subject(of: id), Array("garbage".utf8))
        for first in [[put(2, after: 0, revision: 1)], []] {
            var audit = StoreAudit(layout)
            let messages =
                first + [
                    garbage, end(5, after: 4, revision: 7), put(6, after: 5, revision: 1, born: 2),
                    put(7, after: 6, revision: 2, born: 2),
                ]
            let found = messages.flatMap { audit.take($0, of: 0) } + audit.gapsAtStart
            #expect(found.count == 1, "\(found)")
            #expect(audit.sessionCount == 1)
        }
        // A gap behind it is still one.
        #expect(findings([garbage, put(9, after: 8, revision: 2)]).count == 2)
        var audit = StoreAudit(layout)
        _ = audit.take(garbage, of: 0)
        #expect(audit.sessionCount == 0)
    }

    @Test func `a message that is not one of the store is damaged`() throws {
        var broken = put(2, after: 0, revision: 1)
        var text = Array(broken.content)
        text[30] ^= 1
        broken = message(2, layout.subject(of: id), text)
        let other = SessionID(trusted: "other")
        let foreign = Array(put(3, after: 0, revision: 1).content)
        let messages = [
            broken, message(3, layout.subject(of: other), foreign),
            message(4, Subject(trusted: "nav.000.x.y"), []),
            message(5, layout.subject(of: AppID(trusted: "shop")), []),
            message(6, layout.barrierSubject(nil), []), message(7, layout.metaSubject, []),
        ]
        let found = findings(messages)
        #expect(found.count == messages.count)
        #expect(found[0] == .damage("message 2 of nav.000.s.kiosk-1 is damaged: checksum"))
    }

    @Test func `a beginning that is cut off is one only if the stream has few messages`() {
        var audit = StoreAudit(layout)
        for number in 0..<127 {
            _ = audit.take(put(10 + number, after: 9 + number, revision: 5 + number), of: 0)
        }
        #expect(audit.gapsAtStart == [.gap(.session(id), after: nil, before: 10)])
        _ = audit.take(put(137, after: 136, revision: 132), of: 0)
        #expect(audit.gapsAtStart.isEmpty)
    }
}
