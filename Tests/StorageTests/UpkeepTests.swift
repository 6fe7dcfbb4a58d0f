import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A disk that notes what is called, and fails chosen calls once.
private final class NotingDisk: Sendable {
    private struct State {
        var calls: [Disk.Call] = []
        var fails: (@Sendable (Disk.Call) -> Int32?)?
    }

    private let state = Lock(State())

    var disk: Disk { Disk { self.answer($0) } }
    var calls: [Disk.Call] { state.withLock { $0.calls } }

    /// Fails the next call for which the closure has an errno.
    func failNext(_ fails: @escaping @Sendable (Disk.Call) -> Int32?) {
        state.withLock { $0.fails = fails }
    }

    private func answer(_ call: Disk.Call) -> Disk.Answer {
        state.withLock { state in
            state.calls.append(call)
            guard let number = state.fails?(call) else { return .proceed }
            state.fails = nil
            return .fail(number)
        }
    }
}

/// In which order the directory is kept, and what comes of it when a step fails.
@Suite struct UpkeepTests {
    private let noting = NotingDisk()

    private func store() throws -> TestStore {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
            $0.disk = noting.disk
        }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        try test.prepareNextFile()
        return test
    }

    /// Writes revisions until the store has turned to the next file.
    private func turn(_ test: TestStore) throws {
        let number = test.store.activeFile
        while test.store.activeFile == number {
            let revision =
                test.store.handle("a").map { test.store.reader.summary($0).revision } ?? 0
            _ = try test.store.put(record("a", revision + 1))
            try test.settle()
        }
    }

    private func manifest(_ test: TestStore) throws -> Manifest {
        try Manifest(FileDescriptor.contents(of: Layout(root: test.path).manifest))
    }

    private func waitForRoom(_ test: TestStore) throws {
        while test.store.hasNoRoom { try test.collect() }
    }

    private func waitForNoRoom(_ test: TestStore) throws {
        while !test.store.hasNoRoom { try test.collect() }
    }

    @Test func `a spare is reserved and durable before the manifest names it`() throws {
        let test = try store()
        for _ in 0..<3 { try turn(test) }
        try test.prepareNextFile()
        let (calls, layout) = (noting.calls, Layout(root: test.path))
        for number in 2...test.store.activeFile + 1 {
            let path = layout.segment(number)
            let made = try #require(calls.firstIndex(of: .create(path)))
            let steps: [Disk.Call] = [
                .create(path), .reserve(path), .sync(path), .syncDirectory(layout.log),
                .remove(layout.manifest + ".tmp"), .create(layout.manifest + ".tmp"),
            ]
            // The journal writes and syncs its own file meanwhile.
            let own = calls[made...].filter { call in
                switch call {
                case .write: false
                case .sync(let synced): synced == path
                case .truncate: false
                default: true
                }
            }
            #expect(Array(own.prefix(steps.count)) == steps, "file \(number)")
            #expect(calls.count { $0 == .create(path) } == 1)
        }
        #expect(try manifest(test).spare == [test.store.activeFile + 1])
    }

    @Test
    func `a spare without room gives back what it took, and its file is used by the next try`()
        throws
    {
        let test = try store()
        noting.failNext { if case .reserve = $0 { SystemError.noSpace } else { nil } }
        try turn(test)
        try waitForNoRoom(test)
        let path = Layout(root: test.path).segment(test.store.activeFile + 1)
        #expect(noting.calls.contains(.truncate(path)))
        #expect(test.store.troubles.take().isEmpty, "a full disk is no trouble of the files")
        test.store.tick(now: 10_000)
        try waitForRoom(test)
        #expect(noting.calls.count { $0 == .create(path) } == 1)
        #expect(noting.calls.count { $0 == .reserve(path) } == 2)
        try turn(test)
        #expect(test.store.activeFile > 0)
        #expect(try test.afterKill { $0.disk = Disk() }.store.reader.sessionCount == 1)
    }

    @Test func `a manifest that cannot be written is told, and the spare waits for it`() throws {
        let test = try store()
        noting.failNext { if case .rename = $0 { SystemError.ioError } else { nil } }
        try turn(test)
        try waitForNoRoom(test)
        let next = test.store.activeFile + 1
        #expect(test.store.journal.next != (next, true))
        #expect(test.store.troubles.take().map(\.kind) == [.files])
        #expect(try manifest(test).spare != [next])
        test.store.tick(now: 10_000)
        try waitForRoom(test)
        #expect(try manifest(test).spare == [next])
        #expect(noting.calls.count { $0 == .create(Layout(root: test.path).segment(next)) } == 1)
    }

    @Test func `what an unclean end left over is removed only when the manifest leaves it out`()
        throws
    {
        // Its first file has no record, and so the next start has no use for it.
        let test = try TestStore(on: .memory)
        try test.prepareNextFile()
        let other = try test.afterKill { $0.disk = noting.disk }
        try other.prepareNextFile()
        let calls = noting.calls.filter { call in
            switch call {
            case .remove(let path): path.hasPrefix(other.path + "/log/") && !path.hasSuffix(".tmp")
            case .syncDirectory(let path): path == other.path
            default: false
            }
        }
        let removed = calls.firstIndex { if case .remove = $0 { true } else { false } }
        #expect(try #require(removed) > 0, "the manifest is durable before")
    }

    @Test func `an orderly end leaves sealed files only`() throws {
        let test = try store()
        try turn(test)
        try test.settle()
        let active = test.store.activeFile
        #expect(test.store.close(at: 5000))
        let manifest = try manifest(test)
        #expect(manifest.open.isEmpty && manifest.spare.isEmpty)
        #expect(manifest.sealed.map(\.number) == Array(1...active))
        #expect(try Directory.names(Layout(root: test.path).log).count == active)
    }

    @Test func `a life without a change leaves no file`() throws {
        let test = try TestStore(on: .memory) { $0.disk = noting.disk }
        try test.prepareNextFile()
        #expect(test.store.close(at: 5000))
        #expect(try Directory.names(Layout(root: test.path).log).isEmpty)
        #expect(try manifest(test).sealed.isEmpty)
    }

    @Test func `after a failure of the disk the manifest stays as it is`() throws {
        let test = try store()
        let before = try manifest(test)
        noting.failNext { call in
            if case .sync(let path) = call, path.hasSuffix(".jsonl") { return SystemError.ioError }
            return nil
        }
        _ = try test.store.put(record("a", 2))
        #expect(try test.settle().hasFailed)
        #expect(!test.store.close(at: 5000))
        #expect(try manifest(test) == before)
    }
}
