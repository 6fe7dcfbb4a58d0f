import Navigation
import POSIX
import Sessions
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// The expected sessions, beside a store that is compacted.
final class Model {
    var revisions: [String: Int] = [:]
    let test: TestStore
    private var generator: SplitMix64

    init(_ test: TestStore, _ generator: SplitMix64) {
        self.test = test
        self.generator = generator
    }

    /// A change, a new session or a deletion.
    func step(names: Int = 12) throws {
        let id = "s\(generator.below(names))"
        if generator.oneIn(30), let handle = test.store.handle(id) {
            _ = try test.store.delete(handle, at: 2000, key: nil)
            revisions[id] = nil
            return
        }
        let revision = (revisions[id] ?? 0) + 1
        _ = try test.store.put(record(id, revision, bytes: 100))
        revisions[id] = revision
    }

    /// Every session and its last 33 revisions.
    func check(_ test: TestStore) throws {
        #expect(test.store.reader.sessionCount == revisions.count)
        for (id, revision) in revisions {
            let handle = try #require(test.store.handle(id))
            #expect(test.store.reader.summary(handle).revision == revision)
            for older in max(1, revision - 32)...revision {
                let found = try test.waiting { store throws(StoreError) in
                    try store.reader.revision(older, of: handle)
                }
                #expect(found?.record == record(id, older, bytes: 100))
            }
        }
    }
}

extension TestStore {
    /// Lets compaction come to its end, and the thread that cuts full files to their lines.
    func drain() throws {
        try settle()
        try prepareNextFile()
        store.collect()
        while store.isCompacting { try collect() }
    }

    var bytesOnDisk: Int {
        get throws {
            try Directory.names("\(path)/log").reduce(0) {
                $0 + (try Directory.status("\(path)/log/\($1)")?.size ?? 0)
            }
        }
    }
}

@Suite struct CompactionTests {
    @Test(.seeded) func `compaction loses nothing and keeps the disk small`() throws {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 32 << 10
            $0.cacheBytes = 1 << 16
        }
        let model = Model(test, SplitMix64())
        var worst = 0.0
        for round in 0..<40 {
            for _ in 0..<150 { try model.step() }
            try test.drain()
            let live = model.revisions.values.reduce(0) { $0 + min($1, 33) * 330 }
            // The active file and the next one have all their room.
            let rest = try test.bytesOnDisk - 2 * test.options.segmentBytes
            if round > 10 { worst = max(worst, Double(rest) / Double(live)) }
            if round % 10 == 9 {
                try model.check(test)
                try test.reopen()
                try model.check(test)
            }
        }
        #expect(worst < 2, "bytes on the disk but for two segments, over live bytes")
    }

    /// A state with all members that only some apps and commands bring about.
    private static let fullState =
        #"{"id":"full","revision":3,"labels":{"room":"lobby"},"facts":{"signedIn":false,"n":1.0},"#
        + #""tabBack":"history","createdAt":"2026-11-21T12:00:00Z","#
        + #""updatedAt":"2026-11-21T12:00:00Z","selectedTab":"b","tabHistory":["a"],"#
        + #""ownOrder":true,"pending":{"guard":"member","command":{"command":"navigate","#
        + #""route":"account","params":{"é":100.0},"in":"b"},"entry":"e2"},"tabs":[{"id":"b","#
        + #""path":[{"id":"e1","route":"item","params":{"x":-0.5},"mark":"start"}]},{"id":"a","#
        + #""path":[]},{"id":"c","badge":3,"hidden":true,"path":[]}],"sheets":[{"id":"e2","#
        + #""style":"sheet","route":"login","params":{},"mark":"ask","tag":"member","#
        + #""presentedBy":"e1","path":[]}],"visible":{"container":"e2","entry":"e2","#
        + #""route":"login","params":{},"tabBarHidden":true},"canGoBack":true,"canUndo":true,"#
        + #""canRedo":true,"nextEntry":4}"#

    @Test func `compaction keeps a record with all members byte for byte`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 8 << 10 }
        var undoing = UndoStacks(steps: 2, before: 3)
        undoing.move(.undo(count: 1, left: 1), from: 2)
        var full = record(
            "full", 3, labels: [Label(key: "room", value: "lobby")],
            key: IdempotencyKey(key: "k", digest: 7), undoing: undoing, at: 1_795_262_400_000)
        full.state = Array(Self.fullState.utf8)
        full.event = Array(
            (#"{"command":{"command":"navigate","route":"account"},"added":["e2"],"removed":[],"#
                + #""held":"member","by":"wall"}"#).utf8)
        for revision in 1...2 { _ = try test.store.put(record("full", revision)) }
        _ = try test.store.put(full)
        for revision in 1...400 {
            _ = try test.store.put(record("noise", revision))
            if revision % 20 == 0 { try test.drain() }
        }
        #expect(test.store.files.first?.header.cleaned ?? 0 > 0)
        for _ in 0..<2 {
            let handle = try #require(test.store.handle("full"))
            let found = try test.waiting { store throws(StoreError) in
                try store.reader.newest(handle)
            }
            #expect(found.record == full)
            let session = try SessionDecoder.decode(found.record)
            let text = String(decoding: SessionEncoder.encode(session, app: nil), as: UTF8.self)
            #expect(text == Self.fullState)
            try test.reopen()
        }
    }

    @Test func `undo reaches as far through compaction`() throws {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 16 << 10
            $0.cacheBytes = 1 << 16
        }
        var caller = UndoCaller(test, "a")
        for _ in 0..<40 { try caller.change() }
        for round in 0..<4 {
            var steps = 0
            while try caller.undo() {
                steps += 1
                try test.drain()
            }
            #expect(steps == 32)
            while try caller.redo() { try test.drain() }
            for revision in 1...300 { _ = try test.store.put(record("noise\(round)", revision)) }
            try test.drain()
        }
        #expect(test.store.files.contains { $0.header.cleaned > 0 })
    }

    @Test func `kept keys and deletions survive compaction`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 8 << 10 }
        _ = try test.store.put(record("keyed", 1, key: IdempotencyKey(key: "first", digest: 1)))
        for revision in 2...50 { _ = try test.store.put(record("keyed", revision)) }
        for number in 0..<20 {
            _ = try test.store.put(record("gone\(number)", 1))
            let handle = try #require(test.store.handle("gone\(number)"))
            _ = try test.store.delete(handle, at: 2000, key: IdempotencyKey(key: "bye", digest: 2))
        }
        for revision in 1...400 {
            _ = try test.store.put(record("noise", revision))
            if revision % 20 == 0 { try test.drain() }
        }
        #expect(test.store.files.contains { $0.header.cleaned > 0 })
        for _ in 0..<2 {
            let kept = try test.waiting { store throws(StoreError) in
                try store.reader.result(forKey: "first", in: .creations, now: 3000)
            }
            guard case .change(let stored)? = kept else {
                Issue.record("the creation's key is lost")
                return
            }
            #expect(stored.record.revision == 1)
            for number in 0..<20 {
                #expect(test.store.handle("gone\(number)") == nil)
                let scope = IdempotencyScope.session(SessionID(trusted: "gone\(number)"))
                let answer = try test.waiting { store throws(StoreError) in
                    try store.reader.result(forKey: "bye", in: scope, now: 3000)
                }
                #expect(answer != nil)
            }
            try test.reopen()
        }
    }

    /// Counts the calls that compaction makes, and lets none through from the nth on.
    final class Fuse: Sendable {
        let calls = Atomic<Int>(0)
        let limit = Atomic<Int>(Int.max)

        func answer(_ call: Disk.Call) -> Disk.Answer {
            guard Self.isCompaction(call) else { return .proceed }
            let count = calls.wrappingAdd(1, ordering: .relaxed).newValue
            return count > limit.load(ordering: .relaxed) ? .fail(SystemError.ioError) : .proceed
        }

        private static func isCompaction(_ call: Disk.Call) -> Bool {
            switch call {
            case .create(let path), .write(let path, _), .sync(let path):
                path.hasSuffix(".jsonl.tmp")
            case .rename(_, let path), .remove(let path): path.hasSuffix(".jsonl")
            case .truncate, .reserve, .link, .syncDirectory: false
            }
        }
    }

    @Test(.seeded) func `killed at any step of compaction, nothing is lost`() throws {
        for limit in SplitMix64.worlds(40) {
            let fuse = Fuse()
            fuse.limit.store(limit, ordering: .relaxed)
            let test = try TestStore(on: .memory) {
                $0.segmentBytes = 8 << 10
                $0.disk = Disk { fuse.answer($0) }
            }
            let model = Model(test, SplitMix64(stream: 42))
            for _ in 0..<6 {
                for _ in 0..<100 { try model.step(names: 3) }
                try test.drain()
            }
            #expect(fuse.calls.load(ordering: .relaxed) >= min(limit, 20))
            let other = try test.afterKill { $0.disk = Disk() }
            try model.check(other)
            try other.reopen()
            try model.check(other)
        }
    }

    /// A disk on which syncs of the log fail when told, those of unfinished files excepted.
    final class SyncFault: Sendable {
        private let state = Lock((failing: false, renamed: 0))

        var disk: Disk { Disk { self.answer($0) } }
        var renamed: Int { state.withLock { $0.renamed } }

        func fail() { state.withLock { $0.failing = true } }

        private func answer(_ call: Disk.Call) -> Disk.Answer {
            state.withLock { state in
                switch call {
                case .rename(_, let path) where path.hasSuffix(".jsonl"): state.renamed += 1
                case .sync(let path) where path.hasSuffix(".jsonl") && state.failing:
                    return .fail(SystemError.ioError)
                default: break
                }
                return .proceed
            }
        }
    }

    /// A store whose compaction has asked who is alive in a file that is worth it, and has no
    /// answer yet; an app is in that file.
    private func asked(_ mode: FsyncMode, _ fault: SyncFault) throws -> TestStore {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 8 << 10
            $0.fsync = mode
            $0.disk = fault.disk
        }
        _ = try test.store.putApp(AppID(trusted: "shop"), document: Array("{}".utf8), at: 1)
        while !test.store.isCompacting {
            _ = try test.store.put(record("noise", 1))
            let handle = try #require(test.store.handle("noise"))
            _ = try test.store.delete(handle, at: 2000, key: nil)
            // Not `settle`: it could collect once more and answer the question.
            test.store.submit()
            while test.store.durable < test.store.last, !test.store.isCompacting {
                try test.collect()
            }
        }
        return test
    }

    @Test(arguments: [FsyncMode.always, .interval(milliseconds: 1 << 40), .never])
    func `what was replaced by a change that is not durable yet is not thrown away`(
        mode: FsyncMode
    ) throws {
        let fault = SyncFault()
        let test = try asked(mode, fault)
        fault.fail()
        let app = AppID(trusted: "shop")
        _ = try test.store.putApp(app, document: Array("{ }".utf8), at: 2)
        test.store.submit()
        while test.store.isCompacting { try test.collect() }
        #expect(fault.renamed == 0)
        #expect(test.store.compaction.completed == 0)
        let log = Layout(root: test.path).log
        let first = try #require(try Directory.names(log).first { $0.hasSuffix(".jsonl") })
        let text = String(
            decoding: try FileDescriptor.contents(of: "\(log)/\(first)"), as: UTF8.self)
        #expect(text.contains(#""op":"app","id":"shop""#))
    }

    @Test(arguments: [FsyncMode.always, .interval(milliseconds: 1 << 40), .never])
    func `compaction has made durable what it judged by`(mode: FsyncMode) throws {
        let fault = SyncFault()
        let test = try asked(mode, fault)
        let app = AppID(trusted: "shop")
        let second = try test.store.putApp(app, document: Array("{ }".utf8), at: 2)
        test.store.submit()
        while test.store.isCompacting { try test.collect() }
        #expect(fault.renamed == 1)
        #expect(test.store.compaction.completed == 1)
        #expect(test.store.journal.synced >= second)
    }

    @Test func `a start compacts what was superseded before, without another change`() throws {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 32 << 10
            $0.compacts = false
        }
        for number in 1...200 { _ = try test.store.put(record("s\(number)", 1, bytes: 2000)) }
        try test.settle()
        for number in 1...200 {
            let handle = try #require(test.store.handle("s\(number)"))
            _ = try test.store.delete(handle, at: 2000, key: nil)
        }
        try test.settle()
        #expect(try test.bytesOnDisk > 400 << 10)
        try test.reopen { $0.compacts = true }
        for _ in 0..<50 { try test.drain() }
        #expect(try test.bytesOnDisk < 120 << 10)
        #expect(test.store.reader.sessionCount == 0)
    }
}
