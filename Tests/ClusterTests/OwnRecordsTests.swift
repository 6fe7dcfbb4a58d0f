@testable import Cluster
import Navigation
import Sessions
import Testing

/// The records that a node has written are not parsed when the feeds deliver them.
@Suite struct OwnRecordsTests {
    private func record(_ number: UInt64) -> SharedRecord {
        let revision = SessionRecord(
            id: SessionID(trusted: "s\(number)"), revision: 1, at: 7, app: nil, labels: [],
            undoing: UndoStacks(steps: 0, before: 1), nextEntry: 1, key: nil,
            event: Array("{}".utf8), state: Array(#"{"n":\#(number)}"#.utf8))
        return SharedRecord(
            .revision(revision), previous: 0, born: number,
            writer: WriteID(node: 7, number: number))
    }

    @Test func `a record is found once, by exactly its bytes`() {
        var own = OwnRecords()
        for number: UInt64 in 1...3 { own.add(record(number), text: record(number).text) }
        var damaged = record(2).text
        damaged[damaged.count - 3] ^= 1
        #expect(own.take(damaged[...]) == nil && own.take(damaged.dropLast()) == nil)
        #expect(own.take(record(9).text[...]) == nil)
        #expect(own.take(([0] + record(2).text).dropFirst()) == record(2))
        #expect(own.take(record(2).text[...]) == nil)
        #expect(own.take(record(3).text[...]) == record(3))
    }

    @Test func `records that are never delivered do not fill the memory`() {
        var own = OwnRecords()
        let padding = [UInt8](repeating: 7, count: 1 << 20)
        for number: UInt8 in 0..<40 { own.add(record(1), text: padding + [number]) }
        #expect(own.bytes <= 17 << 20)
    }
}
