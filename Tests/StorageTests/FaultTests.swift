import Glibc
import Navigation
import POSIX
import Sessions
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// A disk that fails when told.
final class FaultyDisk: Sendable {
    enum Mode: Sendable {
        case fine
        case failWrites(Int32)
        case cutWrites(Int, Int32)
        case failSyncs
        case failReserving
        case failCreating(Int32)
    }

    let mode = Lock(Mode.fine)

    var disk: Disk { Disk { self.answer($0) } }

    func set(_ new: Mode) { mode.withLock { $0 = new } }

    private func answer(_ call: Disk.Call) -> Disk.Answer {
        switch (mode.withLock { $0 }, call) {
        case (.failWrites(let number), .write): .fail(number)
        case (.cutWrites(let count, let number), .write): .writePart(count, number)
        case (.failSyncs, .sync): .fail(SystemError.ioError)
        case (.failReserving, .reserve), (.failReserving, .create): .fail(SystemError.noSpace)
        case (.failCreating(let number), .create): .fail(number)
        default: .proceed
        }
    }
}

@Suite struct FaultTests {
    private func store(_ faulty: FaultyDisk, segmentBytes: Int = 1 << 20) throws -> TestStore {
        return try TestStore(on: .memory) {
            $0.disk = faulty.disk
            $0.segmentBytes = segmentBytes
        }
    }

    @Test func `after a failed sync nothing is acknowledged and nothing accepted`() throws {
        let faulty = FaultyDisk()
        let test = try store(faulty)
        let first = try test.store.put(record("a", 1))
        try test.settle()
        faulty.set(.failSyncs)
        _ = try test.store.put(record("a", 2))
        #expect(try test.settle().hasFailed)
        #expect(test.store.durable == first)
        faulty.set(.fine)
        #expect(test.store.failure == .unavailable)
        #expect(throws: StoreError.unavailable) { try test.store.put(record("b", 1)) }
        #expect(test.store.failureText?.contains("fdatasync") == true)
        #expect(!test.store.close(at: 1))
    }

    @Test func `while a sync takes long, nothing is due`() throws {
        let isHeld = Lock(true)
        let test = try TestStore(on: .memory) {
            $0.disk = Disk { call in
                if case .write(let path, _) = call, path.hasSuffix(".jsonl") {
                    isHeld.wait { $0 ? nil : () }
                }
                return .proceed
            }
        }
        _ = try test.store.put(record("a", 1))
        test.store.submit()
        test.store.tick(now: 10_000)
        test.store.tick(now: 20_000)
        #expect(test.store.nextTick == nil)
        isHeld.withLock { $0 = false }
        isHeld.notify()
        try test.settle()
        #expect(test.store.nextTick != nil)
        test.store.tick(now: 30_000)
        #expect(test.store.marker.markedUpTo == test.store.last)
    }

    @Test func `an input output error of a write is the end as well`() throws {
        let faulty = FaultyDisk()
        let test = try store(faulty)
        faulty.set(.cutWrites(10, SystemError.ioError))
        _ = try test.store.put(record("a", 1))
        #expect(try test.settle().hasFailed)
        #expect(test.store.failure == .unavailable)
        let other = try test.afterKill { $0.disk = Disk() }
        #expect(other.store.reader.sessionCount == 0)
    }

    @Test func `a full disk takes back what was not durable, and ends when there is room`() throws {
        for cut in [0, 1, 150, 400, 900] {
            let faulty = FaultyDisk()
            let test = try store(faulty)
            _ = try test.store.put(record("a", 1, app: "x", labels: [Label(key: "k", value: "v")]))
            _ = try test.store.put(
                record("b", 1, expiresAt: 5000, key: IdempotencyKey(key: "k", digest: 1)))
            try test.settle()
            let durable = test.store.durable
            let a = try #require(test.store.handle("a"))
            let before = try test.store.reader.newest(a)
            faulty.set(.cutWrites(cut, SystemError.noSpace))
            _ = try test.store.put(record("a", 2, app: "y"))
            _ = try test.store.put(record("c", 1, key: IdempotencyKey(key: "c", digest: 1)))
            _ = try test.store.delete(try #require(test.store.handle("b")), at: 2000, key: nil)
            _ = try test.store.put(record("b", 1))
            _ = try test.store.putApp(AppID(trusted: "y"), document: [0x7B, 0x7D], at: 1)
            #expect(try test.settle().isRolledBack)
            #expect(test.store.durable == durable)
            #expect(test.store.last == durable)
            #expect(test.store.failure == .full)
            #expect(test.store.reader.sessionCount == 2)
            #expect(test.store.state.storedApps.isEmpty)
            #expect(test.store.state.sessionCount(of: AppID(trusted: "y")) == 0)
            #expect(test.store.state.sessionCount(of: AppID(trusted: "x")) == 1)
            #expect(try test.store.reader.newest(try #require(test.store.handle("a"))) == before)
            let scope = IdempotencyScope.session(SessionID(trusted: "b"))
            #expect(
                try test.waiting { store throws(StoreError) in
                    try store.reader.result(forKey: "k", in: scope, now: 3000)
                } != nil)
            #expect(try test.store.reader.result(forKey: "c", in: .creations, now: 3000) == nil)
            #expect(throws: StoreError.full) { try test.store.put(record("a", 2)) }
            faulty.set(.fine)
            test.store.tick(now: 10_000)
            while test.store.failure != nil { try test.collect() }
            _ = try test.store.put(record("a", 2))
            try test.settle()
            #expect(try test.store.expire(now: 6000, limit: 10).count == 1)
            try test.settle()
            try test.reopen()
            #expect(test.store.handle("a").map { test.store.reader.summary($0).revision } == 2)
            #expect(test.store.reader.sessionCount == 1)
        }
    }

    @Test func `an expired session whose successor is taken back has not ended yet`() throws {
        let faulty = FaultyDisk()
        let test = try store(faulty)
        _ = try test.store.put(record("a", 1, expiresAt: 3000))
        try test.settle()
        faulty.set(.cutWrites(0, SystemError.noSpace))
        _ = try test.store.put(record("a", 1, at: 4000))
        #expect(try test.settle().isRolledBack)
        faulty.set(.fine)
        test.store.tick(now: 10_000)
        while test.store.failure != nil { try test.collect() }
        #expect(try test.store.expire(now: 2500, limit: 10).isEmpty)
        #expect(try test.store.expire(now: 6000, limit: 10).map(\.revision) == [1])
    }

    @Test func `without room for a spare, changes are refused early and deletions go on`() throws {
        let faulty = FaultyDisk()
        let test = try store(faulty, segmentBytes: 4096)
        _ = try test.store.put(record("a", 1))
        _ = try test.store.put(record("b", 1))
        try test.settle()
        while !test.store.journal.next.isMade { try test.collect() }
        faulty.set(.failReserving)
        var revision = 1
        let first = test.store.activeFile
        while test.store.activeFile == first {
            revision += 1
            _ = try test.store.put(record("a", revision))
            try test.settle()
        }
        // The spare is in use now, and there is no room for the next one.
        while !test.store.durability.hasNoRoom { try test.collect() }
        #expect(throws: StoreError.full) { try test.store.put(record("a", revision + 1)) }
        _ = try test.store.delete(try #require(test.store.handle("b")), at: 2000, key: nil)
        try test.settle()
        #expect(test.store.reader.sessionCount == 1)
        faulty.set(.fine)
        test.store.tick(now: 10_000)
        while test.store.durability.hasNoRoom { try test.collect() }
        for _ in 0..<50 {
            revision += 1
            _ = try test.store.put(record("a", revision))
        }
        try test.settle()
        try test.reopen()
        #expect(test.store.handle("a").map { test.store.reader.summary($0).revision } == revision)
    }

    /// Too many open files, too many in the system, a directory that may not be written to.
    @Test(arguments: [EMFILE, ENFILE, EACCES])
    func `a next file that cannot be made is no full disk, and is waited for`(
        number: Int32
    ) throws {
        for isOneBatch in [false, true] {
            let faulty = FaultyDisk()
            let test = try store(faulty, segmentBytes: 4096)
            var revision = 1
            _ = try test.store.put(record("a", revision))
            try test.settle()
            try test.prepareNextFile()
            faulty.set(.failCreating(number))
            let last = test.store.activeFile + (isOneBatch ? 3 : 1)
            while test.store.activeFile < last {
                revision += 1
                _ = try test.store.put(record("a", revision))
                if !isOneBatch { try test.settle() }
            }
            if isOneBatch {
                #expect(try test.settle().isRolledBack)
                #expect(test.store.failure == .noFile)
            }
            while !test.store.durability.hasNoRoom { try test.collect() }
            #expect(test.store.refusal == .noFile)
            #expect(test.store.refusalText?.contains("(errno \(number))") == true)
            #expect(throws: StoreError.noFile) { try test.store.put(record("a", revision + 1)) }
            let handle = try #require(test.store.handle("a"))
            revision = test.store.reader.summary(handle).revision
            test.store.tick(now: 10_000)
            while test.store.journal.status.roomTries < 1 { try test.collect() }
            #expect(test.store.refusal == .noFile)
            faulty.set(.fine)
            test.store.tick(now: 20_000)
            while test.store.refusal != nil { try test.collect() }
            for _ in 0..<50 {
                revision += 1
                _ = try test.store.put(record("a", revision))
            }
            try test.settle()
            try test.reopen()
            let found = try #require(test.store.handle("a"))
            #expect(test.store.reader.summary(found).revision == revision)
        }
    }

    @Test(.seeded) func `random faults never lose what was acknowledged`() throws {
        var generator = SplitMix64()
        for _ in SplitMix64.worlds(60) {
            let faulty = FaultyDisk()
            let test = try store(faulty, segmentBytes: 4096)
            var (acknowledged, decided) = ([String: Int](), [String: Int]())
            for step in 0..<60 {
                if step == 40 {
                    let count = generator.below(2000)
                    let modes: [FaultyDisk.Mode] = [
                        .failSyncs, .failWrites(SystemError.ioError),
                        .cutWrites(count, SystemError.ioError),
                        .cutWrites(count, SystemError.noSpace), .failReserving,
                        .failCreating(EMFILE),
                    ]
                    faulty.set(generator.one(of: modes))
                }
                let id = "s\(generator.below(4))"
                let revision = (decided[id] ?? 0) + 1
                guard (try? test.store.put(record(id, revision))) != nil else { break }
                decided[id] = revision
                if generator.oneIn(3) {
                    if try test.settle().isRolledBack { break }
                    if test.store.failure == nil { acknowledged = decided }
                }
            }
            let other = try test.afterKill { $0.disk = Disk() }
            for (id, revision) in acknowledged {
                let handle = try #require(other.store.handle(id))
                let found = other.store.reader.summary(handle).revision
                #expect(found >= revision && found <= decided[id] ?? 0)
            }
        }
    }

    @Test func `with interval and never, changes count once the kernel has them`() throws {
        for mode in [FsyncMode.interval(milliseconds: 50), .never] {
            let test = try TestStore { $0.fsync = mode }
            _ = try test.store.put(record("a", 1))
            try test.settle()
            #expect(test.store.durable == test.store.last)
            #expect(mode.loss != nil)
            let other = try test.afterKill()
            #expect(other.store.reader.sessionCount == 1)
            try test.reopen()
            #expect(test.store.reader.sessionCount == 1)
        }
    }
}
