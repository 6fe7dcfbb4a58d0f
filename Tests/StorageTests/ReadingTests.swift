import Navigation
import POSIX
import Sessions
@testable import Storage
import TestSupport
import Testing

/// The comparison of a walk over the sessions.
@Suite struct FilterMatcherTests {
    private func label(_ key: String, _ value: String = "v") -> Label {
        Label(key: key, value: value)
    }

    @Test func `a set of labels that comes again is not compared again`() {
        var matcher = FilterMatcher(SessionFilter(labels: [label("a"), label("z")]))
        var tables = StateTables(seed: 1, keysMax: 0)
        var (one, other) = (SessionEntry(), SessionEntry())
        one.labels = tables.labelSets.take([label("a"), label("b")])
        other.labels = tables.labelSets.take([label("z"), label("a")])
        for _ in 0..<1000 {
            let matches = matcher.matches(one, in: tables)
            #expect(!matches)
        }
        #expect(matcher.comparisons == 4)
        for _ in 0..<1000 {
            let matches = matcher.matches(other, in: tables)
            #expect(matches)
        }
        #expect(matcher.comparisons == 8)
    }

    @Test func `labels are the same if their bytes are`() {
        #expect(label("e", "\u{E9}") == label("e", "\u{E9}"))
        #expect(label("e", "\u{E9}") != label("e", "e\u{301}"))
    }

    @Test func `a walk that has compared many labels goes on in another page`() throws {
        let test = try TestStore()
        let count = 4000
        for number in 0..<count {
            let own = (0..<16).map { label("k\($0)", $0 == 15 ? "\(number)" : "v") }
            _ = try test.store.put(record("s\(10000 + number)", 1, labels: own))
        }
        let wanted = (0..<15).reversed().map { label("k\($0)") } + [label("k15", "\(count - 1)")]
        var (pages, found, after) = (0, [String](), SessionID?.none)
        repeat {
            let page = test.store.reader.walk(
                after: after, filter: SessionFilter(labels: wanted), limit: 100, now: 2000)
            found += page.handles.map { test.store.reader.summary($0).id.rawValue }
            after = page.next
            pages += 1
        } while after != nil
        #expect(found == ["s\(10000 + count - 1)"])
        // Up to 256 comparisons a session.
        #expect(pages > count * 136 / FilterMatcher.comparisonsMax)
    }
}

/// A session's changes after a number.
@Suite struct ChangesTests {
    private func changes(
        _ test: TestStore, _ id: String, after: SequenceNumber, bytes: Int = 1 << 20
    ) throws -> [Int]? {
        let found = try test.waiting { store throws(StoreError) -> [StoredRecord]? in
            guard let handle = store.handle(id) else { return nil }
            // As if nothing lay in the kernel's memory.
            store.reader.beginTurn(reads: StoreReader.readsOfTurnMax)
            var bytesLeft = bytes
            return try store.reader.changes(of: handle, after: after, bytesLeft: &bytesLeft)
        }
        return found?.map(\.record.revision)
    }

    @Test(arguments: [64 << 10, 4 << 20])
    func `changes are found newest first, in the cache or in one load`(cache: Int) throws {
        let test = try TestStore { $0.cacheBytes = cache }
        var numbers: [SequenceNumber] = []
        for revision in 1...40 {
            numbers.append(try test.store.put(record("a", revision, bytes: 4000)))
            _ = try test.store.put(record("b\(revision)", 1, bytes: 4000))
        }
        try test.settle()
        for _ in 0..<2 {
            #expect(try changes(test, "a", after: numbers[39]) == [])
            #expect(try changes(test, "a", after: numbers[38]) == [40])
            #expect(try changes(test, "a", after: numbers[19]) == Array((21...40).reversed()))
            #expect(try changes(test, "a", after: numbers[6]) == Array((8...40).reversed()))
            // Only the last 32 before the newest are kept.
            #expect(try changes(test, "a", after: numbers[5]) == nil)
            #expect(try changes(test, "a", after: numbers[19], bytes: 40_000) == nil)
            #expect(try changes(test, "b1", after: 0) == [1])
            try test.reopen()
        }
        #expect(test.loadsMax == 1)
    }

    @Test func `a load reads no more than it may, and what a place names at least`() throws {
        let test = try TestStore { $0.cacheBytes = 64 << 10 }
        for revision in 1...20 { _ = try test.store.put(record("a", revision, bytes: 10_000)) }
        try test.settle()
        let places = [
            RecordLocation(sequence: test.store.last, behind: 30, bytesMax: 35_000),
            RecordLocation(sequence: test.store.last - 10, behind: 5, bytesMax: 35_000),
            RecordLocation(
                sequence: test.store.last - 15, behind: 5, after: test.store.last - 17),
        ]
        let loaded = try test.load(places.map { .records($0) })
        let newest = test.store.last
        let expected = [0, 1, 2, 3, 10, 15, 16].map { newest - $0 }
        #expect(Set(loaded.lines.keys) == Set(expected))
    }
}
