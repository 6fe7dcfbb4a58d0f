import POSIX
import Storage
import TestSupport
import Testing
import navstate

/// The verbs check, dump and restore on stores in temporary directories.
@Suite struct MaintenanceTests {
    let program = CommandLine()

    @Test func `check reports what an intact store contains`() throws {
        let stored = try StoredSessions(["a", "b", "c"])
        let result = program.run("check", stored.path)
        #expect(result.code == .success, "\(result.errors)")
        #expect(result.output.hasPrefix("\(stored.path)\n  lineage   "))
        #expect(result.output.contains("\n  sessions  3\n  apps      0\n"))
        #expect(result.output.hasSuffix("intact\n"))
    }

    @Test func `check changes nothing in the directory`() throws {
        let stored = try StoredSessions(["a"])
        let before = try stored.logFiles().map { try FileDescriptor.contents(of: $0) }
        #expect(program.run("check", "--data", stored.path).code == .success)
        #expect(program.run("check", "--data", stored.path).code == .success)
        #expect(try stored.logFiles().map { try FileDescriptor.contents(of: $0) } == before)
    }

    @Test func `dump prints a line for each session`() throws {
        let stored = try StoredSessions(["b", "a"])
        let result = program.run("dump", stored.path)
        #expect(result.code == .success, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2)
        for id in ["a", "b"] {
            #expect(lines.contains { $0.contains(#""id":"\#(id)""#) }, "\(id)")
        }
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test(arguments: ["check", "dump"])
    func `a directory without a store is reported`(verb: String) throws {
        let directory = try TemporaryDirectory(on: .memory)
        for path in [directory.path, directory.path + "/missing"] {
            let result = program.run(verb, path)
            #expect(result.code != .success)
            #expect(result.errors.contains(path), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
    }

    @Test(arguments: ["check", "dump"])
    func `damage to a record exits with 74`(verb: String) throws {
        let stored = try StoredSessions(["a", "b", "c"])
        try damageRecord(of: "b", in: stored)
        let result = program.run(verb, stored.path)
        #expect(result.code == .damaged)
        #expect((result.output + result.errors).contains("damage: "), "\(result.errors)")
        #expect(!result.output.contains("intact"))
    }

    /// Changes a letter within the record of a session.
    private func damageRecord(of id: String, in stored: StoredSessions) throws {
        let pattern = Array(#""id":"\#(id)","revision""#.utf8)
        for path in try stored.logFiles() {
            var bytes = try FileDescriptor.contents(of: path)
            guard let range = bytes.firstRange(of: pattern) else { continue }
            bytes[range.lowerBound + 1] ^= 1
            try Directory.remove(path)
            try write(bytes, to: path)
            return
        }
        Issue.record("no file has the record of \(id)")
    }

    // MARK: - restore

    @Test func `a backup is restored into a new directory`() throws {
        let stored = try StoredSessions(["a", "b", "c"])
        let work = try TemporaryDirectory(on: .memory)
        let (file, path) = (work.path + "/backup", work.path + "/store")
        try write(stored.backup, to: file)
        let result = program.run("restore", file, "--data", path)
        #expect(result.code == .success, "\(result.errors)")
        #expect(result.output.hasPrefix("restored "))
        #expect(result.output.hasSuffix(" records into \(path)\n"))
        let dump = program.run("dump", path)
        #expect(dump.code == .success)
        let expected = program.run("dump", stored.path).output
        #expect(
            dump.output.split(separator: "\n").sorted() == expected.split(separator: "\n").sorted())
    }

    /// No server listens at the address that the environment names.
    @Test func `a directory on the command line counts more than a shared store`() throws {
        let stored = try StoredSessions(["a"])
        let work = try TemporaryDirectory(on: .memory)
        let (file, path) = (work.path + "/backup", work.path + "/store")
        try write(stored.backup, to: file)
        var program = program
        program.environment["NAVSTATE_STORE"] = "nats://127.0.0.1:1/NAV"
        let result = program.run("restore", file, "--data", path)
        #expect(result.output.hasSuffix(" records into \(path)\n"), "\(result.errors)")
        for words in [["check", path], ["check", "--data", path], ["dump", "--data", path]] {
            #expect(program.run(words).code == .success)
        }
    }

    @Test func `a restored store has another lineage`() throws {
        let stored = try StoredSessions(["a"])
        let work = try TemporaryDirectory(on: .memory)
        try write(stored.backup, to: work.path + "/backup")
        _ = program.run("restore", work.path + "/backup", "--data", work.path + "/store")
        func lineage(_ path: String) -> Substring? {
            program.run("check", path).output.split(separator: "\n").dropFirst().first
        }
        let (old, new) = (lineage(stored.path), lineage(work.path + "/store"))
        #expect(old?.hasPrefix("  lineage   ") == true)
        #expect(new?.hasPrefix("  lineage   ") == true)
        #expect(old != new)
    }

    @Test func `a directory that is not empty is not restored into`() throws {
        let stored = try StoredSessions(["a"])
        let work = try TemporaryDirectory(on: .memory)
        try write(stored.backup, to: work.path + "/backup")
        let result = program.run("restore", work.path + "/backup", "--data", stored.path)
        #expect(result.code == .cannotCreate, "\(result.errors)")
        #expect(program.run("check", stored.path).code == .success)
    }

    @Test(arguments: ["cut", "changed", "empty", "other"])
    func `an invalid backup is refused and leaves no store`(kind: String) throws {
        let stored = try StoredSessions(["a", "b"])
        var bytes = stored.backup
        switch kind {
        case "cut": bytes.removeLast(bytes.count / 3)
        case "changed": bytes[bytes.count / 2] ^= 1
        case "empty": bytes = []
        default: bytes = Array("{\"id\":\"a\"}\n".utf8)
        }
        let work = try TemporaryDirectory(on: .memory)
        let (file, path) = (work.path + "/backup", work.path + "/store")
        try write(bytes, to: file)
        let result = program.run("restore", file, "--data", path)
        #expect(result.code == .damaged, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(program.run("check", path).code != .success)
    }

    @Test func `a directory is not the file of a backup`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let result = program.run("restore", work.path, "--data", work.path + "/store")
        #expect(result.code == .usage)
        #expect(result.errors.contains("\(work.path) is a directory; give the file of a backup"))
    }

    @Test func `a backup file that does not exist is a mistake of usage`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let path = work.path + "/store"
        let result = program.run("restore", work.path + "/none", "--data", path)
        #expect(result.code == .usage)
        #expect(result.errors == "navstate: \(work.path)/none: No such file or directory\n")
        #expect(try Directory.names(work.path).isEmpty)
    }
}
