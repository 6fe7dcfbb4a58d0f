import Navigation
import POSIX
import Sessions
@testable import Storage
import TestSupport
import Testing

@Suite struct StoreTests {
    @Test func `what was put is there after an orderly end`() throws {
        let test = try TestStore()
        for number in 1...50 {
            for revision in 1...3 {
                _ = try test.store.put(
                    record(
                        "s-\(number)", revision, app: "chat",
                        labels: [Label(key: "k\"", value: "ü\n\t\u{1}\\u0041")]))
            }
        }
        try test.settle()
        let before = try #require(test.store.handle("s-7"))
        let stored = try test.waiting { store throws(StoreError) in try store.reader.newest(before)
        }
        try test.reopen()
        #expect(test.report.sessions == 50)
        let handle = try #require(test.store.handle("s-7"))
        #expect(
            try test.waiting { store throws(StoreError) in try store.reader.newest(handle) }
                == stored)
        #expect(
            stored.record
                == record(
                    "s-7", 3, app: "chat", labels: [Label(key: "k\"", value: "ü\n\t\u{1}\\u0041")]))
        #expect(test.store.state.sessionCount(of: AppID(trusted: "chat")) == 50)
        #expect(test.store.close(at: 7000))
    }

    @Test func `what was durable is there after a kill`() throws {
        let test = try TestStore()
        for number in 1...50 { _ = try test.store.put(record("s-\(number)", 1)) }
        try test.settle()
        let other = try test.afterKill()
        #expect(other.store.reader.sessionCount == 50)
        #expect(other.store.lineage == test.store.lineage)
        #expect(other.store.last > test.store.last)
        _ = try other.store.put(record("s-1", 2))
        try other.settle()
        let third = try other.afterKill()
        let handle = try #require(third.store.handle("s-1"))
        #expect(third.store.reader.summary(handle).revision == 2)
    }

    @Test func `deletions survive and names come back as new sessions`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        _ = try test.store.put(record("a", 2))
        let handle = try #require(test.store.handle("a"))
        _ = try test.store.delete(handle, at: 3000, key: nil)
        #expect(test.store.handle("a") == nil)
        _ = try test.store.put(record("b", 1))
        try test.settle()
        try test.reopen()
        #expect(test.store.handle("a") == nil)
        #expect(test.store.reader.sessionCount == 1)
        _ = try test.store.put(record("a", 1))
        try test.settle()
        #expect(test.store.reader.sessionCount == 2)
        let again = try #require(test.store.handle("a"))
        #expect(
            try test.waiting { store throws(StoreError) in try store.reader.revision(2, of: again) }
                == nil
        )
    }

    @Test func `the last 32 older revisions are there, from memory and from the disk`() throws {
        let test = try TestStore { $0.segmentBytes = 16 << 10 }
        for revision in 1...60 {
            _ = try test.store.put(record("a", revision, bytes: 300))
            _ = try test.store.put(record("b", revision, bytes: 300))
            if revision % 7 == 0 { try test.settle() }
        }
        try test.settle()
        for _ in 0..<2 {
            let handle = try #require(test.store.handle("a"))
            for revision in [60, 59, 45, 28] {
                let found = try test.waiting { store throws(StoreError) in
                    try store.reader.revision(revision, of: handle)
                }
                #expect(found?.record == record("a", revision, bytes: 300))
            }
            #expect(
                try test.waiting { store throws(StoreError) in
                    try store.reader.revision(27, of: handle)
                }
                    == nil)
            try test.reopen()
        }
    }

    @Test func `sessions larger than the cache are read from the disk`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        for number in 1...200 { _ = try test.store.put(record("s-\(number)", 1, bytes: 2000)) }
        _ = try test.store.put(record("big", 1, bytes: 100_000))
        for number in 1...200 {
            let handle = try #require(test.store.handle("s-\(number)"))
            var bytes: [UInt8] = []
            _ = try test.waiting { store throws(StoreError) in
                bytes.removeAll()
                return try store.reader.appendState(handle, to: &bytes)
            }
            #expect(bytes == record("s-\(number)", 1, bytes: 2000).state)
        }
        let handle = try #require(test.store.handle("big"))
        let big = try test.waiting { store throws(StoreError) in try store.reader.newest(handle) }
        #expect(big.record == record("big", 1, bytes: 100_000))
    }

    @Test func `a few records of a turn are read at once, the others are loaded`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        for number in 1...200 { _ = try test.store.put(record("s-\(number)", 1, bytes: 2000)) }
        try test.settle()
        test.store.submit()
        // Not every file system can tell what is in memory.
        let canTell = SegmentList(test.store.files).lineInMemory(with: 1) != nil
        var (read, loads) = (0, 0)
        for number in 1...StoreReader.readsOfTurnMax + 10 {
            let handle = try #require(test.store.handle("s-\(number)"))
            var bytes: [UInt8] = []
            do throws(StoreError) {
                _ = try test.store.reader.appendState(handle, to: &bytes)
                #expect(bytes == record("s-\(number)", 1, bytes: 2000).state)
                read += 1
            } catch {
                loads += 1
            }
        }
        #expect(read == (canTell ? StoreReader.readsOfTurnMax : 0))
        #expect(loads == (canTell ? 10 : StoreReader.readsOfTurnMax + 10))
    }

    @Test func `keys lead to their answers, also after a restart`() throws {
        let test = try TestStore()
        let first = IdempotencyKey(key: "k-\"1\" é", digest: 0xFEED)
        let number = try test.store.put(record("a", 1, key: first))
        _ = try test.store.put(record("a", 2, key: IdempotencyKey(key: "k-2", digest: 2)))
        _ = try test.store.put(record("gone", 1, key: IdempotencyKey(key: "k-3", digest: 3)))
        let handle = try #require(test.store.handle("gone"))
        _ = try test.store.delete(handle, at: 2500, key: IdempotencyKey(key: "k-4", digest: 4))
        try test.settle()
        for _ in 0..<2 {
            let a = IdempotencyScope.session(SessionID(trusted: "a"))
            let gone = IdempotencyScope.session(SessionID(trusted: "gone"))
            func kept(_ key: String, _ scope: IdempotencyScope, _ now: Milliseconds = 3000) throws
                -> IdempotentResult?
            {
                try test.waiting { store throws(StoreError) in
                    try store.reader.result(forKey: key, in: scope, now: now)
                }
            }
            let answer = StoredRecord(sequence: number, record: record("a", 1, key: first))
            #expect(try kept(first.key, .creations) == .change(answer))
            #expect(try kept(first.key, a) == .change(answer))
            #expect(try kept("k-2", .creations) == nil)
            #expect(try kept("k-2", a) != nil)
            #expect(try kept("k-2", a, 2000 + 24 * 3_600_000) == nil)
            #expect(try kept("k-3", .creations) == nil)
            #expect(try kept("k-3", gone) == nil)
            guard case .deletion(let deletion)? = try kept("k-4", gone) else {
                Issue.record("the deletion's key is not kept")
                return
            }
            #expect(deletion.key == IdempotencyKey(key: "k-4", digest: 4))
            #expect(deletion.revision == 1)
            try test.reopen()
        }
    }

    @Test func `sessions expire by themselves, also after a restart`() throws {
        let test = try TestStore()
        for number in 1...20 {
            _ = try test.store.put(
                record("s-\(number)", 1, expiresAt: 10_000 + Int64(number) * 1000))
        }
        _ = try test.store.put(record("s-1", 2, expiresAt: 50_000))
        try test.settle()
        for round in 0..<2 {
            let now: Milliseconds = 15_000 + Int64(round) * 5000
            let gone = try test.store.expire(now: now, limit: 100)
            #expect(gone.count == (round == 0 ? 4 : 5))
            #expect(gone.allSatisfy { $0.why == .expired && $0.revision == 1 })
            try test.settle()
            try test.reopen()
        }
        #expect(test.store.reader.sessionCount == 11)
        #expect(test.store.handle("s-1", now: 49_999) != nil)
        #expect(test.store.handle("s-1", now: 50_000) == nil)
    }

    @Test(.seeded) func `a walk gives the names in order, by prefix, app and label`() throws {
        let test = try TestStore()
        var generator = SplitMix64()
        let names = (0..<3000).map { "s\($0 * 7919 % 3000)" }.shuffled(using: &generator)
        for name in names {
            let isOdd = (Int(name.dropFirst()) ?? 0) % 2 == 1
            _ = try test.store.put(
                record(
                    name, 1, app: isOdd ? "odd" : nil,
                    labels: [Label(key: "last", value: String(name.suffix(1)))]))
        }
        for _ in 0..<2 {
            for (prefix, app, label) in [
                ("", nil, nil), ("s12", nil, nil), ("s1", "odd", nil), ("", nil, "3"),
            ]
                as [(String, String?, String?)]
            {
                let expected = names.filter { name in
                    name.hasPrefix(prefix) && (app == nil || (Int(name.dropFirst()) ?? 0) % 2 == 1)
                        && (label.map { name.hasSuffix($0) } ?? true)
                }.sorted()
                let filter = SessionFilter(
                    prefix: prefix, app: app.map { AppID(trusted: $0) },
                    labels: label.map { [Label(key: "last", value: $0)] } ?? [])
                var (found, after) = ([String](), SessionID?.none)
                repeat {
                    let page = test.store.reader.walk(
                        after: after, filter: filter, limit: 100, now: 2000)
                    found += page.handles.map { test.store.reader.summary($0).id.rawValue }
                    after = page.next
                } while after != nil
                #expect(found == expected)
            }
            try test.settle()
            try test.reopen()
        }
    }

    @Test func `apps are kept whole`() throws {
        let test = try TestStore()
        _ = try test.store.putApp(AppID(trusted: "b"), document: Array("{\"b\":1}".utf8), at: 1)
        _ = try test.store.putApp(AppID(trusted: "a"), document: Array("{\"a\":1}".utf8), at: 2)
        _ = try test.store.putApp(AppID(trusted: "b"), document: Array("{\"b\":2}".utf8), at: 3)
        _ = try test.store.putApp(AppID(trusted: "c"), document: Array("{}".utf8), at: 4)
        _ = try test.store.writer.deleteApp(AppID(trusted: "c"), at: 5)
        try test.settle()
        let apps = test.store.state.storedApps
        #expect(apps.map(\.id.rawValue) == ["a", "b"])
        try test.reopen()
        #expect(test.store.state.storedApps == apps)
    }

    @Test func `after a pause the log is marked once`() throws {
        let test = try TestStore()
        let number = try test.store.put(record("a", 1))
        try test.settle()
        test.store.tick(now: 3000)
        #expect(test.store.last == number)
        #expect(test.store.nextTick == 3100)
        test.store.tick(now: 3100)
        #expect(test.store.last == number + 1)
        try test.settle()
        #expect(test.store.nextTick == nil)
        test.store.tick(now: 4000)
        #expect(test.store.last == number + 1)
    }

    @Test func `a second server on the directory is refused`() throws {
        let test = try TestStore()
        #expect(throws: StartError.locked(path: test.path, by: "\(Process.identifier)")) {
            _ = try Store.open(test.options, now: 1)
        }
    }
}
