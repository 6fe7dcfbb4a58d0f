import FoundationEssentials
import Glibc
import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A disk on which a write may find no room, and on which reserving waits to be allowed.
final class SlowDisk: Sendable {
    private struct State {
        var failsNextWrite = false
        /// How many more reservations may be made.
        var reservations = Int.max
    }

    private let state = Lock(State())

    var disk: Disk { Disk { self.answer($0) } }

    func failNextWrite() { state.withLock { $0.failsNextWrite = true } }

    func allow(reservations: Int) {
        state.withLock { $0.reservations = reservations }
        state.notify()
    }

    private func answer(_ call: Disk.Call) -> Disk.Answer {
        switch call {
        case .reserve:
            return state.wait { state in
                guard state.reservations > 0 else { return nil }
                state.reservations -= 1
                return .proceed
            }
        case .write(let path, _) where path.hasSuffix(".jsonl"):
            return state.withLock { state in
                defer { state.failsNextWrite = false }
                return state.failsNextWrite ? .fail(SystemError.noSpace) : .proceed
            }
        default: return .proceed
        }
    }
}

@Suite struct RoomTests {
    private func store(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> TestStore {
        try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
            change(&$0)
        }
    }

    /// Writes revisions of a session until the store has turned to the next file.
    private func turn(_ test: TestStore, _ revision: inout Int) throws {
        let number = test.store.activeFile
        while test.store.activeFile == number {
            revision += 1
            _ = try test.store.put(record("a", revision))
            try test.settle()
        }
    }

    @Test func `a slow search for room never empties the file that is written to`() throws {
        let slow = SlowDisk()
        let test = try store { $0.disk = slow.disk }
        defer { slow.allow(reservations: .max) }
        var revision = 1
        _ = try test.store.put(record("a", revision))
        try test.settle()
        try test.prepareNextFile()
        slow.failNextWrite()
        _ = try test.store.put(record("a", 2))
        #expect(try test.settle().isRolledBack)
        slow.allow(reservations: 0)
        for now: Milliseconds in [10_000, 11_000, 12_000] { test.store.tick(now: now) }
        // One for the active file; the spare is there already.
        slow.allow(reservations: 1)
        while test.store.failure != nil { try test.collect() }
        try turn(test, &revision)
        slow.allow(reservations: .max)
        try test.prepareNextFile()
        let other = try test.afterKill { $0.disk = Disk() }
        #expect(other.store.handle("a").map { other.store.reader.summary($0).revision } == revision)
    }

    @Test func `a log that has filled the disk is compacted until there is room again`() throws {
        // Whether there is room for copies of files, and for further files.
        let room = Lock((copies: false, files: true))
        let disk = Disk { call in
            let isRefused = room.withLock { room in
                switch call {
                case .write(let path, _): !room.copies && path.hasSuffix(".jsonl.tmp")
                case .reserve: !room.files
                default: false
                }
            }
            return isRefused ? .fail(SystemError.noSpace) : .proceed
        }
        let test = try store { ($0.disk, $0.compacts) = (disk, true) }
        for revision in 1...300 {
            _ = try test.store.put(record("a", revision))
            try test.settle()
        }
        room.withLock { $0.files = false }
        var revision = 300
        #expect(throws: StoreError.full) {
            while revision < 900 {
                _ = try test.store.put(record("a", revision + 1))
                revision += 1
                try test.settle()
            }
        }
        while test.store.isCompacting { try test.collect() }
        #expect(test.store.compaction.completed == 0 && test.store.durability.wantsRoom)
        // A copy that cannot be finished takes no space.
        #expect(try Directory.names(test.path + "/log").allSatisfy { !$0.hasSuffix(".tmp") })
        room.withLock { $0.copies = true }
        var now: Milliseconds = 10_000
        while test.store.compaction.completed < 3, now < 100_000 {
            now += 1000
            test.store.tick(now: now)
            repeat { try test.collect() } while test.store.isCompacting
        }
        #expect(test.store.compaction.completed == 3)
    }

    @Test func `a file that has the next name is left as it is, and its name is waited for`() throws
    {
        let test = try store()
        var revision = 1
        _ = try test.store.put(record("a", revision))
        try test.settle()
        try test.prepareNextFile()
        let path = Layout(root: test.path).segment(test.store.activeFile + 2)
        try FileDescriptor.open(path, [.writeOnly, .create]).writeAll(Array("mine\n".utf8))
        try turn(test, &revision)
        while !test.store.durability.hasNoRoom { try test.collect() }
        #expect(throws: StoreError.noFile) { try test.store.put(record("a", revision + 1)) }
        #expect(try FileDescriptor.contents(of: path) == Array("mine\n".utf8))
        try Directory.remove(path)
        test.store.tick(now: 10_000)
        while test.store.durability.hasNoRoom { try test.collect() }
        try turn(test, &revision)
        let other = try test.afterKill()
        #expect(other.store.handle("a").map { other.store.reader.summary($0).revision } == revision)
    }

    @Test func `an unfinished file that is a link is replaced, and what it links to is left alone`()
        throws
    {
        let test = try store()
        _ = try test.store.put(record("a", 1))
        try test.settle()
        let layout = Layout(root: test.path)
        let foreign = "\(test.path)/foreign"
        try FileDescriptor.open(foreign, [.writeOnly, .create]).writeAll(Array("mine\n".utf8))
        var revision = 1
        try test.prepareNextFile()
        // The manifest that names the next file may still be under way and have the name.
        while unsafe symlink(foreign, layout.manifest + ".tmp") != 0 {
            let error = errno
            try #require(error == EEXIST)
            sched_yield()
        }
        try turn(test, &revision)
        try test.prepareNextFile()
        #expect(try FileDescriptor.contents(of: foreign) == Array("mine\n".utf8))
        #expect(try FileDescriptor.contents(of: layout.manifest).first == UInt8(ascii: "{"))
    }

    @Test func `a disk that was full while only the next file was missing has room again`() throws {
        let faulty = FaultyDisk()
        let test = try store { $0.disk = faulty.disk }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        try test.prepareNextFile()
        let first = test.store.activeFile
        faulty.set(.failReserving)
        // In one batch, so that the journal needs a file whose spare could not be made.
        var revision = 1
        while test.store.activeFile < first + 3 {
            revision += 1
            _ = try test.store.put(record("a", revision))
        }
        #expect(try test.settle().isRolledBack)
        #expect(test.store.failure == .full)
        // Nothing can be reserved: it goes on trying.
        test.store.tick(now: 10_000)
        try untilRoomTries(1, test)
        #expect(test.store.failure == .full)
        faulty.set(.fine)
        test.store.tick(now: 11_000)
        try untilRoomTries(2, test)
        #expect(test.store.failure == nil)
        let kept = try #require(
            test.store.handle("a").map { test.store.reader.summary($0).revision })
        revision = kept
        for _ in 0..<3 { try turn(test, &revision) }
        let other = try test.afterKill { $0.disk = Disk() }
        #expect(other.store.handle("a").map { other.store.reader.summary($0).revision } == revision)
    }

    /// Waits until room has been looked for so many times, and the store has seen that.
    private func untilRoomTries(_ count: Int, _ test: TestStore) throws {
        while test.store.journal.status.roomTries < count {
            try test.collect()
        }
        test.store.collect()
    }
}
