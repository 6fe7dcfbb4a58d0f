import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

@Suite struct BackupTests {
    private func filled() throws -> (TestStore, Model) {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 16 << 10 }
        let model = Model(test, SplitMix64(seed: 7))
        for _ in 0..<10 {
            for _ in 0..<60 { try model.step() }
            try test.drain()
        }
        return (test, model)
    }

    @Test func `a backup taken under writes restores to the moment it began`() throws {
        let (test, model) = try filled()
        let expected = model.revisions
        let bytes = try test.backup {
            for _ in 0..<50 { try model.step() }
            try test.drain()
        }
        let other = try TestStore(restoring: bytes)
        #expect(other.store.lineage != test.store.lineage)
        model.revisions = expected
        try model.check(other)
    }

    @Test func `a backup that was cut or changed makes no store`() throws {
        let test = try TestStore()
        for revision in 1...5 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        let bytes = try test.backup()
        var refused = 0
        let tries = Array(stride(from: 0, to: bytes.count, by: 7))
        for place in tries {
            for (isCut, broken) in [(true, Array(bytes[..<place])), (false, flipped(bytes, place))]
            {
                let directory = try TemporaryDirectory(on: .memory)
                do throws(StartError) {
                    var restore = try Restore(into: directory.path, now: 77)
                    try restore.feed(broken)
                    _ = try restore.finish()
                    Issue.record("accepted, cut \(isCut) at \(place)")
                } catch {
                    #expect(error.description.contains(" of the backup: "))
                    refused += 1
                }
            }
        }
        #expect(refused == tries.count * 2)
    }

    private func flipped(_ bytes: [UInt8], _ place: Int) -> [UInt8] {
        var bytes = bytes
        bytes[place] ^= 2
        return bytes
    }

    @Test func `a restore wants a new directory`() throws {
        let test = try TestStore()
        let path = test.path
        #expect(throws: StartError.notEmpty(path: path)) { _ = try Restore(into: path, now: 1) }
    }

    @Test func `check counts and finds damage, dump prints the sessions by name`() throws {
        let (test, model) = try filled()
        let live = try Survey(of: test.path)
        #expect(live.damages.isEmpty)
        #expect(live.report.sessions == model.revisions.count)
        #expect(live.notes.count == 1)
        var lines: [String] = []
        live.dump(now: 3000) {
            lines.append(String(decoding: $0, as: UTF8.self))
        } complain: {
            Issue.record("\($0)")
        }
        let expected = model.revisions.sorted { $0.key < $1.key }.map {
            String(decoding: record($0.key, $0.value, bytes: 100).state, as: UTF8.self)
        }
        #expect(lines == expected)
        #expect(test.store.close(at: 1))
        let whole = try Survey(of: test.path)
        #expect(whole.damages.isEmpty && whole.notes.isEmpty)
        let file = "\(test.path)/log/\(try #require(try Directory.names("\(test.path)/log").first))"
        let descriptor = try FileDescriptor.open(file, .readWrite)
        var byte = try descriptor.bytes(at: 700, count: 1)
        byte[0] ^= 1
        try descriptor.writeAll(byte, 0..<1, at: 700)
        #expect(try Survey(of: test.path).damages.count == 1)
    }

    /// The output and complaints of a dump when the log's file is changed after it was examined.
    private func dump(
        _ change: (FileDescriptor) throws -> Void
    ) throws -> (printed: [String], complaints: [String], path: String) {
        let test = try TestStore(on: .memory)
        for id in ["a", "b", "c"] { _ = try test.store.put(record(id, 1, bytes: 100)) }
        #expect(test.store.close(at: 3000))
        let survey = try Survey(of: test.path)
        let path = Layout(root: test.path).segment(1)
        try change(try FileDescriptor.open(path, .readWrite))
        var (printed, complaints) = ([String](), [String]())
        survey.dump(now: 3000) {
            printed.append(String(decoding: $0.prefix(9), as: UTF8.self))
        } complain: {
            complaints.append($0)
        }
        return (printed, complaints, path)
    }

    @Test func `dump names the record that it cannot read, and prints the others`() throws {
        let (printed, complaints, path) = try dump { file in
            let bytes = try file.bytes(at: 0, count: try file.status().size)
            let place = try #require(bytes.firstRange(of: Array(#"{"id":"b""#.utf8))).lowerBound
            try file.writeAll([0x20], 0..<1, at: place + 1)
        }
        #expect(printed == [#"{"id":"a""#, #"{"id":"c""#])
        #expect(complaints.count == 1)
        #expect(complaints.first?.hasPrefix("session b, record 2: checksum \(path): ") == true)
    }

    @Test func `dump names records that are missing`() throws {
        let (printed, complaints, _) = try dump { try $0.truncate(to: 0) }
        #expect(printed.isEmpty)
        let expected = ["a, record 1", "b, record 2", "c, record 3"]
        #expect(complaints == expected.map { "session \($0): missing" })
    }
}

/// The store could not read a backup.
struct BrokenBackup: Error {}

extension TestStore {
    /// Reads a backup through the store's reader thread, doing something between the pieces.
    ///
    /// - Throws: `BrokenBackup` if the store cannot read it.
    func backup(_ between: () throws -> Void = {}) throws -> [UInt8] {
        _ = store.backups.begin(token: 7, at: 1)
        store.submit()
        defer { store.backups.end(token: 7) }
        var bytes: [UInt8] = []
        while true {
            store.backups.read(token: 7)
            var piece: BackupPiece?
            while piece == nil {
                try collect()
                piece = store.backups.takePieces().first
            }
            #expect(piece?.token == 7)
            guard let part = piece?.bytes else { throw BrokenBackup() }
            if part.isEmpty { return bytes }
            #expect(part.last == 0x0A, "whole lines")
            bytes += part
            try between()
        }
    }

    /// Makes a store of a backup that comes in small pieces.
    convenience init(
        restoring bytes: [UInt8], _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        let directory = try TemporaryDirectory(on: .memory)
        try Self.restore(bytes, into: directory.path)
        try self.init(in: directory, change)
    }

    private static func restore(_ bytes: [UInt8], into path: String) throws {
        var restore = try Restore(into: path, now: 77)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 777)
            try restore.feed(Array(bytes[start..<end]))
            start = end
        }
        #expect(try restore.finish() > 0)
    }
}
