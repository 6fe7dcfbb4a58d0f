import Bytes
@testable import Cluster
import Navigation
import Sessions
import TestSupport
import Testing

/// The records of sessions in memory.
@Suite struct SessionCellTests {
    private func stored(
        _ revision: Int, of id: String = "s", born: UInt64 = 1, bytes: Int = 10,
        key: String? = nil
    ) -> StoredRecord {
        let record = SessionRecord(
            id: SessionID(trusted: id), revision: revision, at: 0,
            undoing: UndoStacks(), nextEntry: 1,
            key: key.map { IdempotencyKey(key: $0, digest: 1) }, event: [],
            state: Array(repeating: 7, count: bytes))
        return StoredRecord(
            sequence: UInt64(revision * 10),
            version: StoredVersion(EntityVersion(born, UInt64(revision)), .none), appSequence: 0,
            record: record)
    }

    private func revision(_ reading: SessionCell.Reading<StoredRecord>) -> Int? {
        switch reading {
        case .found(let stored): stored.record.revision
        case .gone: 0
        case .notHere: nil
        }
    }

    private func revisions(_ reading: SessionCell.Reading<[StoredRecord]>) -> [Int]? {
        switch reading {
        case .found(let stored): stored.map(\.record.revision)
        case .gone: [0]
        case .notHere: nil
        }
    }

    @Test func `a cell with the newest record does not know what was before`() {
        let cell = SessionCell(stored(5), isFirst: false)
        #expect(!cell.isComplete)
        #expect(revision(cell.revision(5)) == 5)
        #expect(revision(cell.revision(4)) == nil)
        #expect(revisions(cell.changes(after: 50)) == [])
        #expect(revisions(cell.changes(after: 49)) == nil)
        #expect(revision(cell.record(ofKey: "k")) == nil)
    }

    @Test func `revisions between those of a restored session are gone`() {
        let cell = SessionCell(all: [3, 4, 9, 10, 11].map { stored($0) })
        for wanted in 1...11 {
            #expect(
                revision(cell.revision(wanted))
                    == ([3, 4, 9, 10, 11].contains(wanted) ? wanted : 0))
        }
        #expect(revisions(cell.changes(after: 110)) == [])
        #expect(revisions(cell.changes(after: 95)) == [11, 10])
        #expect(revisions(cell.changes(after: 90)) == [11, 10])
        for after: UInt64 in [89, 40, 30, 0] {
            #expect(revisions(cell.changes(after: after)) == [0], "something is missing")
        }
    }

    @Test func `a cell from the first revision on knows everything`() {
        var cell = SessionCell(stored(1, key: "one"), isFirst: true)
        let isNext = cell.append(stored(2, key: "two"))
        #expect(isNext)
        #expect(cell.isComplete)
        #expect(revisions(cell.changes(after: 0)) == [2, 1])
        #expect(revisions(cell.changes(after: 10)) == [2])
        #expect(revision(cell.record(ofKey: "one")) == 1)
        #expect(revision(cell.record(ofKey: "three")) == 0)
    }

    @Test func `the keys of deletions of earlier sessions are not in it, and it knows which`() {
        var cell = SessionCell(stored(1, key: "one"), isFirst: false)
        #expect(cell.isComplete)
        #expect(revision(cell.record(ofKey: "one")) == 1)
        #expect(revision(cell.record(ofKey: "other")) == nil)
        cell = SessionCell(all: [stored(1), stored(2)], earlierKeys: ["end"])
        #expect(revision(cell.record(ofKey: "end")) == nil)
        #expect(revision(cell.record(ofKey: "other")) == 0)
        let isNext = cell.append(stored(3, key: "end"))
        #expect(isNext)
        #expect(revision(cell.record(ofKey: "end")) == 3)
    }

    @Test func `a complete cell knows that what is before it is gone`() {
        let cell = SessionCell(all: [stored(5), stored(6)])
        #expect(revision(cell.revision(4)) == 0)
        #expect(revisions(cell.changes(after: 50)) == [6])
        #expect(revisions(cell.changes(after: 49)) == [0])
        #expect(revision(cell.record(ofKey: "k")) == 0)
    }

    @Test func `only the next revision of the same session is added`() {
        var cell = SessionCell(stored(5), isFirst: false)
        for other in [stored(5), stored(7), stored(4), stored(6, born: 2), stored(1, born: 2)] {
            let isNext = cell.append(other)
            #expect(!isNext)
        }
        #expect(cell.records.count == 1)
        let isNext = cell.append(stored(6))
        #expect(isNext)
    }

    @Test func `it has as many records as a stream, and its size is theirs`() {
        var cell = SessionCell(stored(1, bytes: 1), isFirst: true)
        for number in 2...200 {
            let isNext = cell.append(stored(number, bytes: number))
            #expect(isNext)
        }
        #expect(cell.records.count == SessionCell.recordsMax)
        #expect(cell.records[0].record.revision == 73)
        #expect(revision(cell.revision(72)) == 0)
        #expect(cell.bytes == SessionCell(all: cell.records).bytes)
        let one = SessionCell(stored(200, bytes: 0), isFirst: false).bytes
        #expect(cell.bytes == one * 128 + (73...200).reduce(0, +))
        cell.trim()
        #expect(cell.records.map(\.record.revision) == [200])
        #expect(cell.bytes == one + 200 && !cell.isComplete)
    }
}

@Suite struct CellCacheTests {
    private let bytesMax = 20_000

    private func stored(_ id: SessionID, _ revision: Int, bytes: Int) -> StoredRecord {
        let record = SessionRecord(
            id: id, revision: revision, at: 0, undoing: UndoStacks(), nextEntry: 1, event: [],
            state: Array(repeating: 7, count: bytes))
        return StoredRecord(
            sequence: UInt64(revision),
            version: StoredVersion(EntityVersion(1, UInt64(revision)), .none), appSequence: 0,
            record: record)
    }

    /// The length of the queue, which nobody else can see.
    private func queueCount(_ cache: CellCache) throws -> Int {
        let queue = Mirror(reflecting: cache).children.first { $0.label == "queue" }?.value
        return try #require(queue as? [SessionID]).count
    }

    private func revisions(_ cache: inout CellCache, _ id: SessionID) -> [Int]? {
        cache.use(id)?.records.map(\.record.revision)
    }

    private func bytes(_ cache: CellCache, _ ids: [SessionID]) -> Int {
        // A copy, so that asking does not count as use.
        var copy = cache
        return ids.reduce(0) { $0 + (copy.use($1)?.bytes ?? 0) }
    }

    @Test(.seeded, arguments: SplitMix64.worlds(4))
    func `it keeps within its limit, and so does its queue`(round: Int) throws {
        var dice = SplitMix64(stream: UInt64(round))
        let ids = (0..<60).map { SessionID(trusted: "s\($0)") }
        var cache = CellCache(bytesMax: bytesMax)
        var revisions: [SessionID: Int] = [:]
        for _ in 0..<3_000 {
            let id = dice.one(of: ids)
            switch dice.below(10) {
            case 0: cache.remove(id)
            case 1...3: _ = cache.use(id)
            case 4...5:
                let size = dice.oneIn(50) ? 30_000 : dice.below(800)
                cache.insert(
                    SessionCell(
                        stored(id, revisions[id, default: 1], bytes: size), isFirst: false),
                    of: id)
            default:
                revisions[id, default: 0] += dice.oneIn(6) ? 2 : 1
                cache.append(
                    stored(id, revisions[id, default: 1], bytes: dice.below(800)), isFirst: false)
            }
            #expect(bytes(cache, ids) <= bytesMax)
            #expect(try queueCount(cache) <= 260 + 4 * cache.count)
        }
        var copy = cache
        let present = ids.count { copy.use($0) != nil }
        #expect(present == cache.count)
    }

    @Test func `what is added and removed again and again leaves no trace`() throws {
        var cache = CellCache(bytesMax: bytesMax)
        let id = SessionID(trusted: "s")
        for _ in 0..<5_000 {
            cache.append(stored(id, 1, bytes: 1), isFirst: true)
            cache.remove(id)
        }
        #expect(cache.count == 0 && bytes(cache, [id]) == 0)
        #expect(try queueCount(cache) <= 260)
    }

    @Test func `a history is dropped before a newest record, and what is used stays longer`() {
        var cache = CellCache(bytesMax: bytesMax)
        let (used, unused) = (SessionID(trusted: "used"), SessionID(trusted: "unused"))
        for revision in 1...10 {
            cache.append(stored(used, revision, bytes: 300), isFirst: false)
            cache.append(stored(unused, revision, bytes: 300), isFirst: false)
        }
        _ = cache.use(used)
        cache.append(stored(SessionID(trusted: "new"), 1, bytes: 5_000), isFirst: true)
        let left = [revisions(&cache, unused), revisions(&cache, used)]
        #expect(left == [[10], Array(1...10)])
        #expect(cache.count == 3)
    }

    @Test func `a record that is not the next one begins a new cell`() {
        var cache = CellCache(bytesMax: bytesMax)
        let id = SessionID(trusted: "s")
        for revision in [1, 2, 4] {
            cache.append(stored(id, revision, bytes: 1), isFirst: revision == 1)
        }
        let left = revisions(&cache, id)
        #expect(left == [4])
    }
}
