import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// Starts on a disk that is full.
@Suite struct FullStartTests {
    /// No name can be made and no room reserved; what is reserved can be written.
    final class FullDisk: Sendable {
        private let isFull = Lock(true)

        var disk: Disk { Disk { self.answer($0) } }

        func makeRoom() { isFull.withLock { $0 = false } }

        private func answer(_ call: Disk.Call) -> Disk.Answer {
            guard isFull.withLock({ $0 }) else { return .proceed }
            switch call {
            case .create, .reserve: return .fail(SystemError.noSpace)
            default: return .proceed
            }
        }
    }

    private func filled() throws -> TestStore {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 4096 }
        for revision in 1...30 { _ = try test.store.put(record("a", revision)) }
        _ = try test.store.put(record("b", 1))
        try test.settle()
        try test.prepareNextFile()
        return test
    }

    @Test func `after a kill it serves reads and deletions, and changes when there is room`() throws
    {
        let full = FullDisk()
        let test = try filled().afterKill { $0.disk = full.disk }
        #expect(test.store.refusal == .full)
        let a = try #require(test.store.handle("a"))
        #expect(
            try test.waiting { store throws(StoreError) in try store.reader.newest(a) }.record
                .revision
                == 30)
        #expect(throws: StoreError.full) { try test.store.put(record("a", 31)) }
        let b = try #require(test.store.handle("b"))
        _ = try test.store.delete(b, at: 2000, key: nil)
        try test.settle()
        #expect(test.store.failure == nil && test.store.reader.sessionCount == 1)
        let other = try test.afterKill()
        #expect(other.store.reader.sessionCount == 1)
        full.makeRoom()
        test.store.tick(now: 10_000)
        while test.store.refusal != nil { try test.collect() }
        _ = try test.store.put(record("a", 31))
        try test.settle()
        try test.reopen { $0.disk = Disk() }
        #expect(test.store.handle("a").map { test.store.reader.summary($0).revision } == 31)
        #expect(test.store.reader.sessionCount == 1)
    }

    @Test func `after a stop in good order it serves reads until there is room`() throws {
        let full = FullDisk()
        let test = try filled()
        try test.reopen { $0.disk = full.disk }
        #expect(test.store.refusal == .full)
        let a = try #require(test.store.handle("a"))
        #expect(
            try test.waiting { store throws(StoreError) in try store.reader.newest(a) }.record
                .revision
                == 30)
        // There is no file to write to, so that deletions wait as well.
        _ = try? test.store.delete(a, at: 2000, key: nil)
        try test.settle()
        #expect(test.store.reader.sessionCount == 2)
        full.makeRoom()
        test.store.tick(now: 10_000)
        while test.store.refusal != nil { try test.collect() }
        _ = try test.store.put(record("a", 31))
        try test.settle()
        try test.reopen { $0.disk = Disk() }
        #expect(test.store.handle("a").map { test.store.reader.summary($0).revision } == 31)
    }

    @Test(arguments: [false, true])
    func `a stop while the disk is full loses nothing`(isDeletionRefused: Bool) throws {
        let full = FullDisk()
        let test = try filled()
        try test.reopen { $0.disk = full.disk }
        if isDeletionRefused {
            let a = try #require(test.store.handle("a"))
            _ = try? test.store.delete(a, at: 2000, key: nil)
            try test.settle()
        }
        // It expects `close` to return true.
        try test.reopen { $0.disk = Disk() }
        #expect(test.store.reader.sessionCount == 2)
        _ = try test.store.put(record("a", 31))
        try test.settle()
        #expect(test.store.handle("a").map { test.store.reader.summary($0).revision } == 31)
    }

    @Test func `where nothing can be stored safely, it says how much room is wanted`() throws {
        let full = FullDisk()
        let directory = try TemporaryDirectory(on: .memory)
        var options = StoreOptions(path: directory.path)
        options.disk = full.disk
        let error = #expect(throws: StartError.self) { try Store.open(options, now: 1) }
        #expect(error?.exitCode == 73)
        #expect(error?.description.contains("\(directory.path)/log/0000000001.jsonl") == true)
        #expect(error?.description.contains("64 MiB") == true)
    }
}
