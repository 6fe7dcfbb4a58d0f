import FoundationEssentials
import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A start on files that are missing, emptied, foreign or older than they should be.
@Suite struct StartTests {
    /// A store of several files that was stopped in good order; a session "a" has the last number.
    private func stopped(revisions: Int = 60) throws -> TestStore {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
        }
        for revision in 1...revisions { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        #expect(test.store.close(at: 5000))
        return test
    }

    /// The same after a kill; nothing goes on in its directory.
    private func killed(revisions: Int = 60) throws -> TestStore {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
        }
        for revision in 1...revisions { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        try test.prepareNextFile()
        return test
    }

    private func manifest(_ path: String) throws -> Manifest {
        try Manifest(try FileDescriptor.contents(of: Layout(root: path).manifest))
    }

    private func change(
        _ path: String, _ change: (inout Manifest) -> Void
    ) throws {
        var manifest = try manifest(path)
        change(&manifest)
        try manifest.write(Layout(root: path), Disk())
    }

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        try FileDescriptor.open(path, [.writeOnly, .create, .truncate]).writeAll(bytes)
    }

    /// The refusal of the start; it fails if there is none.
    private func refusal(
        of path: String, recover: Bool = false
    ) throws -> String {
        var options = StoreOptions(path: path)
        options.recover = recover
        let error = try #require(throws: StartError.self) { try Store.open(options, now: 6000) }
        #expect(error.exitCode == 74)
        let survey = Result { () throws(StartError) in try Survey(of: path) }
        switch survey {
        case .success(let survey):
            #expect(survey.damages.contains { error.description.contains($0) })
        case .failure(let other): #expect(other == error)
        }
        return error.description
    }

    /// Opens it; the revision of "a" and the notes.
    private func look(
        _ path: String, recover: Bool = false
    ) throws -> (revision: Int?, notes: [String], lineage: String) {
        var options = StoreOptions(path: path)
        options.recover = recover
        let (store, report) = try Store.open(options, now: 6000)
        defer { store.close(at: 7000) }
        let handle = store.handle("a")
        return (handle.map { store.reader.summary($0).revision }, report.notes, store.lineage)
    }

    // MARK: Foreign files

    @Test(arguments: ["", "x\n"])
    func `a foreign file with a high number does not steer the store's numbers`(
        content: String
    ) throws {
        let before = try stopped()
        let layout = Layout(root: before.path)
        let highest = try #require(try layout.files().keys.max())
        try write(layout.segment(9_999_999_999), Array(content.utf8))
        let test = try TestStore(in: before.directory)
        #expect(test.store.activeFile == highest + 1)
        _ = try test.store.put(record("b", 1))
        try test.settle()
        try test.reopen()
        #expect(test.store.reader.sessionCount == 2)
        #expect(try layout.files().keys.allSatisfy { $0 < highest + 10 })
    }

    @Test func `a store whose numbers have eleven digits is read`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        let layout = Layout(root: directory.path)
        try Directory.make(layout.root)
        try Directory.make(layout.log)
        let number = 10_000_000_000
        var bytes: [UInt8] = []
        let salt = SegmentHeader(lineage: "l", file: number, first: 1, at: 5).append(to: &bytes)
        Line.appendSeal(1, at: 5, lines: 2, to: &bytes, salt: salt)
        try write(layout.segment(number), bytes)
        var listed = Manifest(lineage: "l")
        listed.sealed = [Manifest.Sealed(number: number)]
        try write(layout.manifest, listed.bytes)
        let test = try TestStore(in: directory)
        #expect(test.store.last == 1)
        #expect(test.store.activeFile == number + 1)
    }

    @Test func `what is not a file is set aside, and what is not ours is left alone`() throws {
        let test = try stopped()
        let layout = Layout(root: test.path)
        try Directory.make("\(layout.log)/0000009000.jsonl")
        try Directory.make("\(layout.log)/junk.tmp")
        try Directory.make("\(layout.log)/0000000001.jsonl.tmp")
        try write("\(layout.log)/notes.txt", Array("mine".utf8))
        #expect(try look(test.path).revision == 60)
        #expect(try Directory.status("\(layout.log)/0000009000.jsonl") == nil)
        #expect(try Directory.status("\(layout.log)/junk.tmp")?.isDirectory == true)
        #expect(try FileDescriptor.contents(of: "\(layout.log)/notes.txt") == Array("mine".utf8))
    }

    @Test func `a link in the place of the lock is not followed`() throws {
        let test = try stopped()
        let layout = Layout(root: test.path)
        try write("\(test.path)/foreign", Array("mine".utf8))
        try Directory.remove(layout.lock)
        try FileManager.default.createSymbolicLink(
            atPath: layout.lock, withDestinationPath: "\(test.path)/foreign")
        let error = #expect(throws: StartError.self) {
            try Store.open(StoreOptions(path: test.path), now: 6000)
        }
        #expect(error?.description.contains(layout.lock) == true)
        #expect(try FileDescriptor.contents(of: "\(test.path)/foreign") == Array("mine".utf8))
    }

    // MARK: Files that are missing, emptied or older

    @Test func `a file that is neither there nor listed is missed`() throws {
        let test = try stopped()
        let before = try manifest(test.path)
        let gone = before.sealed[2]
        try Directory.remove(Layout(root: test.path).segment(gone.number))
        try change(test.path) { manifest in manifest.sealed.removeAll { $0 == gone } }
        let next = Layout.name(before.sealed[3].number)
        #expect(try refusal(of: test.path).contains(next))
        let (revision, notes, lineage) = try look(test.path, recover: true)
        #expect(revision == 60 && lineage != before.lineage)
        #expect(notes.contains { $0.contains("records") && $0.contains(next) })
        // Files that it went on without are noted, so that the next start is content.
        let after = try look(test.path)
        #expect(after.revision == 60 && after.notes.isEmpty && after.lineage == lineage)
    }

    @Test func `a listed file that is missing is named, and recovering tells what is lost`() throws
    {
        let test = try stopped()
        let before = try manifest(test.path)
        let gone = Layout(root: test.path).segment(before.sealed[2].number)
        try Directory.remove(gone)
        #expect(try refusal(of: test.path).contains(gone))
        let (revision, notes, lineage) = try look(test.path, recover: true)
        #expect(revision == 60 && lineage != before.lineage)
        #expect(notes.contains { $0.contains(gone) && $0.contains("missing") })
        #expect(try look(test.path).notes.isEmpty)
    }

    @Test(arguments: [true, false])
    func `an emptied file is missed, whether it was sealed or written to`(isOpen: Bool) throws {
        let test = try killed()
        let other = try TemporaryDirectory(on: .memory)
        try copyDirectory(test.path, to: other.path)
        let before = try manifest(other.path)
        let number = isOpen ? try #require(before.open.first) : before.sealed[2].number
        let path = Layout(root: other.path).segment(number)
        try write(path, [])
        #expect(try refusal(of: other.path).contains("\(path): empty"))
        let (revision, notes, _) = try look(other.path, recover: true)
        #expect(isOpen ? revision ?? 0 < 60 : revision == 60)
        #expect(notes.contains { $0.contains("\(path): empty") })
        #expect(try look(other.path).notes.isEmpty)
    }

    @Test func `a file that was sealed while it was still listed as open may not be empty`() throws
    {
        let test = try killed()
        let other = try TemporaryDirectory(on: .memory)
        try copyDirectory(test.path, to: other.path)
        let sealed = try #require(try manifest(other.path).sealed.last)
        // The moment between the seal and the manifest.
        try change(other.path) { manifest in
            manifest.sealed.removeLast()
            manifest.spare = manifest.open
            manifest.open = [sealed.number]
        }
        #expect(try look(other.path).revision == 60)
        let again = try TemporaryDirectory(on: .memory)
        try copyDirectory(test.path, to: again.path)
        try change(again.path) { manifest in
            manifest.sealed.removeLast()
            manifest.spare = manifest.open
            manifest.open = [sealed.number]
        }
        try write(Layout(root: again.path).segment(sealed.number), [])
        _ = try refusal(of: again.path)
    }

    @Test func `an earlier file of the same number is noticed`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 4096 }
        let layout = Layout(root: test.path)
        var early: [Int: [UInt8]] = [:]
        for revision in 1...400 {
            _ = try test.store.put(record("a", revision))
            guard revision % 20 == 0 else { continue }
            try test.drain()
            for file in test.store.files
            where file.number < test.store.activeFile {
                let bytes = try FileDescriptor.contents(of: layout.segment(file.number))
                if early[file.number] == nil { early[file.number] = bytes }
            }
        }
        #expect(test.store.close(at: 5000))
        var tried = 0
        for file in try manifest(test.path).sealed {
            let path = layout.segment(file.number)
            let now = try FileDescriptor.contents(of: path)
            guard let before = early[file.number], before != now else { continue }
            tried += 1
            try write(path, before)
            #expect(try refusal(of: test.path).contains("\(path): not the file"))
            try write(path, now)
        }
        #expect(tried > 0)
        #expect(try look(test.path).revision == 400)
    }

    @Test func `an old manifest does not make newer files strangers`() throws {
        let test = try TestStore(on: .memory) {
            $0.segmentBytes = 4096
            $0.compacts = false
        }
        for revision in 1...20 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        try test.prepareNextFile()
        let layout = Layout(root: test.path)
        let old = try FileDescriptor.contents(of: layout.manifest)
        for revision in 21...90 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        #expect(test.store.close(at: 5000))
        try write(layout.manifest, old)
        #expect(try refusal(of: test.path).contains("not listed"))
        #expect(try look(test.path, recover: true).revision == 90)
        #expect(try look(test.path).notes.isEmpty)
    }

    @Test func `lines that a compacted file has lost are counted`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 4096 }
        for number in 1...60 {
            _ = try test.store.put(record("a\(number)", 1))
            for _ in 0..<3 {
                _ = try test.store.put(record("noise", 1))
                let noise = try #require(test.store.handle("noise"))
                _ = try test.store.delete(noise, at: 2000, key: nil)
            }
            try test.drain()
        }
        #expect(test.store.close(at: 5000))
        let compacted = try #require(
            test.store.files.first { $0.header.cleaned > 0 && $0.end > 1000 })
        let path = Layout(root: test.path).segment(compacted.number)
        var lines = try FileDescriptor.contents(of: path).split(separator: 0x0A)
        lines.remove(at: 2)
        try write(path, Array(lines.joined(separator: [0x0A])) + [0x0A])
        #expect(try refusal(of: test.path).contains("\(path): 1 lines fewer"))
        #expect(
            try look(test.path, recover: true).notes.contains { $0.contains("1 lines fewer") })
    }

    // MARK: Stores of version 0.1.0

    @Test func `a store of format 1 is refused with what to do`() throws {
        let test = try stopped()
        let before = try FileDescriptor.contents(of: Layout(root: test.path).manifest)
        var bytes = Array(
            (#"{"manifest":"navstate","format":1,"lineage":"\#(try manifest(test.path).lineage)""#
                + #","sealed":[1],"open":[]"#).utf8)
        Line.close(&bytes, from: 0, salt: .none)
        try write(Layout(root: test.path).manifest, bytes)
        for recover in [false, true] {
            var options = StoreOptions(path: test.path)
            options.recover = recover
            let error = try #require(throws: StartError.self) { try Store.open(options, now: 6000) }
            #expect(error == .olderFormat(path: test.path))
            #expect(error.description.contains("start it once with version 0.2.0"))
        }
        #expect(throws: StartError.olderFormat(path: test.path)) { try Survey(of: test.path) }
        try write(Layout(root: test.path).manifest, before)
        #expect(try look(test.path).revision == 60)
    }

    @Test func `files that version 0.2.0 took over from 0.1.0 are read`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        let layout = Layout(root: directory.path)
        try Directory.make(layout.log)
        var file = Array(
            #"{"log":"navstate","format":1,"lineage":"abc","file":1,"first":1,"at":5"#.utf8)
        Line.close(&file, from: 0, salt: .none)
        let salt = Salt(digits: file.count - 11..<file.count - 3, of: file)
        let start = file.count
        file += Array(
            (#"{"n":1,"d":0,"op":"put","id":"a","rev":60,"at":5,"born":1,"cur":60,"tip":60,"#
                + #""undos":3,"next":1,"elen":2,"event":{},"s":{"id":"a"}"#).utf8)
        Line.close(&file, from: start, salt: salt)
        Line.appendSeal(2, at: 6, lines: 3, to: &file, salt: salt)
        try write(layout.segment(1), file)
        var listed = Manifest(lineage: "abc")
        listed.sealed = [
            Manifest.Sealed(number: 1, identity: Manifest.Identity(last: 2, salt: salt))
        ]
        try write(layout.manifest, listed.bytes)
        #expect(try look(directory.path).revision == 60)
    }

    // MARK: Restores

    @Test func `a restore that was broken off is no store, whatever is asked`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 4096 }
        for revision in 1...60 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        let bytes = try test.backup()
        let (target, copy) = (
            try TemporaryDirectory(on: .memory), try TemporaryDirectory(on: .memory)
        )
        var restore = try Restore(into: target.path, now: 77)
        try restore.feed(Array(bytes[..<(bytes.count * 2 / 3)]))
        try copyDirectory(target.path, to: copy.path)
        try restore.feed(Array(bytes[(bytes.count * 2 / 3)...]))
        _ = try restore.finish()
        discard(restore)
        for recover in [false, true] {
            #expect(try refusal(of: copy.path, recover: recover).contains("restore"))
        }
        #expect(try look(target.path).revision == 60)
        #expect(try Directory.status(Layout(root: target.path).restoring) == nil)
    }

    private func discard(_ restore: consuming Restore) {}

    // MARK: Numbers

    @Test(arguments: [FsyncMode.interval(milliseconds: 1), .never, .always])
    func `after an unclean end numbers are not given twice`(mode: FsyncMode) throws {
        let test = try TestStore(on: .memory) { $0.fsync = mode }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        try test.prepareNextFile()
        let given = test.store.last
        let other = try test.afterKill { $0.fsync = .always }
        let next = try other.store.put(record("a", 2))
        #expect(next.isOfSameLineage(as: given) == (mode == .always))
        #expect(other.report.notes.isEmpty == (mode == .always))
        #expect(other.store.lineage == test.store.lineage)
        try other.settle()
        try other.reopen()
        #expect(other.store.last.isOfSameLineage(as: next))
        try test.reopen()
        #expect(test.store.last.isOfSameLineage(as: given))
    }

    @Test func `without its file the lock still holds`() throws {
        let test = try TestStore(on: .memory)
        let layout = Layout(root: test.path)
        let held = StartError.locked(path: test.path, by: "\(Process.identifier)")
        #expect(throws: held) { try Store.open(test.options, now: 1) }
        try Directory.remove(layout.lock)
        #expect(throws: StartError.locked(path: test.path, by: "")) {
            try Store.open(test.options, now: 1)
        }
        #expect(try Directory.status(layout.lock) == nil)
        try test.reopen()
        #expect(throws: held) { try Store.open(test.options, now: 1) }
    }

    /// A server of version 0.2 holds the file alone.
    @Test func `a lock on the file alone holds, too`() throws {
        let test = try stopped()
        let layout = Layout(root: test.path)
        let file = try FileDescriptor.open(layout.lock, [.readWrite, .create])
        #expect(try file.lock())
        #expect(throws: StartError.self) { try Store.open(test.options, now: 1) }
        withExtendedLifetime(file) {}
    }
}
