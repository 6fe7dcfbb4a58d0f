import Navigation
import POSIX
import Sessions
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// The store's reports on damage that it meets while it serves.
@Suite struct TroubleTests {
    /// A store whose first file has a damaged byte of session "s3", none of which is in memory.
    ///
    /// - Parameter member: the byte after its value's first is hit.
    private func damaged(_ member: String = "\"s\":") throws -> TestStore {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 8 << 10
            $0.cacheBytes = 1 << 16
            $0.compacts = false
        }
        for number in 0..<300 { _ = try test.store.put(record("s\(number)", 1, bytes: 300)) }
        try test.settle()
        let path = Layout(root: test.path).segment(1)
        let bytes = try FileDescriptor.contents(of: path)
        let id = try #require(bytes.firstRange(of: Array("\"id\":\"s3\"".utf8)))
        let line = (bytes[..<id.lowerBound].lastIndex(of: 0x0A) ?? 0) + 1
        let end = try #require(bytes[line...].firstIndex(of: 0x0A))
        let value = try #require(bytes[line..<end].firstRange(of: Array(member.utf8)))
        let offset = value.upperBound + (member == "\"n\":" ? 0 : 1)
        let file = try FileDescriptor.open(path, .readWrite)
        var byte = try file.bytes(at: offset, count: 1)
        byte[0] ^= 1
        try file.writeAll(byte, 0..<1, at: offset)
        return test
    }

    private func read(_ test: TestStore, _ id: String) throws -> StoredRecord {
        let handle = try #require(test.store.handle(id))
        return try test.waiting { store throws(StoreError) in try store.reader.newest(handle) }
    }

    @Test(arguments: ["\"n\":", "\"s\":", "\"id\":", "\"crc\":"])
    func `a damaged record is told once a file, and other sessions are served`(
        member: String
    ) throws {
        let test = try damaged(member)
        for _ in 0..<3 {
            #expect(throws: StoreError.damaged) { try read(test, "s3") }
        }
        #expect(try read(test, "s2").record == record("s2", 1, bytes: 300))
        #expect(try read(test, "s200").record == record("s200", 1, bytes: 300))
        let reports = test.store.takeReports()
        #expect(reports.map(\.message) == [FaultLog.Kind.damage.message])
        #expect(reports.first?.file == Layout(root: test.path).segment(1))
        #expect(test.store.damage.count == 1)
        #expect(test.store.faults.counts.first { $0.kind == .damage }?.count == 3)
        #expect(test.store.refusal == nil)
    }

    @Test func `a backup of a damaged file breaks off`() throws {
        let test = try damaged()
        #expect(throws: BrokenBackup.self) { try test.backup() }
        #expect(test.store.takeReports().map(\.message) == [FaultLog.Kind.damage.message])
    }

    @Test func `a long line is read whole into a backup`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 1 << 20 }
        _ = try test.store.put(record("long", 1, bytes: 900 << 10))
        _ = try test.store.put(record("short", 1))
        try test.settle()
        let bytes = try test.backup()
        let target = try TemporaryDirectory(on: .memory)
        var restore = try Restore(into: target.path, now: 2)
        try restore.feed(bytes)
        #expect(try restore.finish() > 0)
    }

    @Test func `compaction tells what it cannot read or write`() throws {
        let fuse = CompactionTests.Fuse()
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 8 << 10
            $0.disk = Disk { fuse.answer($0) }
        }
        fuse.limit.store(0, ordering: .relaxed)
        while test.store.faults.counts.first(where: { $0.kind == .compaction })?.count == 0 {
            for _ in 0..<20 {
                _ = try test.store.put(record("noise", 1))
                let handle = try #require(test.store.handle("noise"))
                _ = try test.store.delete(handle, at: 2000, key: nil)
            }
            try test.drain()
        }
        let reports = test.store.takeReports()
        #expect(
            !reports.isEmpty
                && reports.allSatisfy { $0.message == FaultLog.Kind.compaction.message })
        #expect(reports.first?.file?.hasSuffix(".tmp") == true)
    }

    @Test(arguments: [FsyncMode.always, .never])
    func `nothing is acknowledged into a file that was removed`(mode: FsyncMode) throws {
        let test = try TestStore(on: .memory) {
            $0.fsync = mode
            $0.segmentBytes = 1 << 16
        }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        // Otherwise making it would fail, with another reason.
        try test.prepareNextFile()
        let durable = test.store.durable
        try Directory.removeTree("\(test.path)/log")
        _ = try test.store.put(record("a", 2))
        #expect(try test.settle().hasFailed)
        #expect(test.store.durable == durable)
        #expect(test.store.failureText?.contains("removed or moved while the server") == true)
    }

    @Test func `a directory that was moved away is a failure, and not a full disk`() throws {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
        }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        try test.prepareNextFile()
        try Directory.rename("\(test.path)/log", to: "\(test.path)/moved")
        var revision = 1
        while test.store.failure == nil, revision < 200 {
            revision += 1
            do { _ = try test.store.put(record("a", revision)) } catch { break }
            try test.settle()
        }
        while test.store.failure == nil { try test.collect() }
        #expect(test.store.failure == .unavailable)
        #expect(test.store.failureText?.contains("removed or moved while the server") == true)
    }
}
