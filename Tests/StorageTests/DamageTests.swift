import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A small log, byte by byte: what is left of it after each cut and each flipped bit.
@Suite struct DamageTests {
    /// A store of three batches and a mark, as a kill leaves it (or sealed), with so many of the
    /// blank lines behind its last, and the states that sessions had.
    struct Small {
        let files: [(name: String, bytes: [UInt8])]
        let manifest: [UInt8]
        let final: [String: Int]
        /// Revisions of the sessions after each record.
        let steps: [[String: Int]]

        init(sealed: Bool, blanks: Int = 0) throws {
            let test = try TestStore(on: .memory)
            var (state, steps) = ([String: Int](), [[String: Int]]())
            for (id, revision) in [("a", 1), ("b", 1), ("a", 2), ("c", 1), ("a", 3), ("b", 2)] {
                _ = try test.store.put(record(id, revision, bytes: 10))
                state[id] = revision
                steps.append(state)
                if steps.count % 2 == 0 { try test.settle() }
            }
            test.store.tick(now: 3000)
            test.store.tick(now: 4000)
            try test.settle()
            try test.prepareNextFile()
            if sealed { test.store.close(at: 5000) }
            files = try Directory.names("\(test.path)/log").map { name in
                let bytes = try FileDescriptor.contents(of: "\(test.path)/log/\(name)")
                let end = bytes.lastIndex { $0 != 0x0A }.map { $0 + 2 } ?? 0
                return (name, Array(bytes.prefix(end + blanks)))
            }
            manifest = try FileDescriptor.contents(of: "\(test.path)/MANIFEST.json")
            (final, self.steps) = (state, steps)
        }
    }

    /// Opens the small store with its first file replaced; the revisions that are there.
    private func open(
        _ small: Small, _ bytes: [UInt8], recover: Bool = false
    ) throws -> [String: Int] {
        let directory = try TemporaryDirectory(on: .memory)
        let path = directory.path
        try Directory.make("\(path)/log")
        try FileDescriptor.open("\(path)/MANIFEST.json", [.writeOnly, .create]).writeAll(
            small.manifest)
        for (index, file) in small.files.enumerated() {
            try FileDescriptor.open("\(path)/log/\(file.name)", [.writeOnly, .create]).writeAll(
                index == 0 ? bytes : file.bytes)
        }
        var options = StoreOptions(path: path)
        options.recover = recover
        let recovered = try Recovery(options: options, now: 9000).run()
        var found: [String: Int] = [:]
        recovered.tables.index.forEach { handle in
            let id = recovered.tables.index.id(handle).rawValue
            found[id] = Int(recovered.tables.index[handle].revision)
        }
        return found
    }

    @Test(arguments: [0, 100])
    func `cut at every byte, what is left is what came before`(blanks: Int) throws {
        let small = try Small(sealed: false, blanks: blanks)
        let whole = small.files[0].bytes
        let ends = whole.indices.filter { whole[$0] == 0x0A }.map { $0 + 1 }
        // The header was durable before the file was listed as open.
        for count in 0..<ends[0] {
            let cut = Array(whole[..<count])
            #expect(throws: StartError.self, "cut at \(count)") { try open(small, cut) }
            #expect(try open(small, cut, recover: true) == [:], "cut at \(count)")
        }
        for count in ends[0]...whole.count {
            let lines = ends.filter { $0 <= count }.count - 1
            let expected = lines < 1 ? [:] : small.steps[min(lines, small.steps.count) - 1]
            #expect(try open(small, Array(whole[..<count])) == expected, "cut at \(count)")
        }
    }

    @Test func `where a batch did not arrive, blank lines stand, and the rest of it is cut`() throws
    {
        let small = try Small(sealed: false, blanks: 64)
        let whole = small.files[0].bytes
        let ends = whole.indices.filter { whole[$0] == 0x0A }.map { $0 + 1 }
        // The last batch but for the mark: two lines, of which nothing says that they were durable.
        let batch = ends[4]..<ends[6]
        for start in batch {
            for end in Set([start + 1, min(start + 60, batch.upperBound), batch.upperBound]) {
                var bytes = whole[..<batch.upperBound] + whole.suffix(64)
                for index in start..<end { bytes[index] = 0x0A }
                let first = (start..<end).first { whole[$0] != 0x0A } ?? batch.upperBound
                let lines = ends.filter { $0 <= first }.count - 1
                let expected = small.steps[lines - 1]
                #expect(try open(small, Array(bytes)) == expected, "blank \(start)..<\(end)")
            }
        }
        // The same with the mark behind it, which says that it was.
        var bytes = whole
        for index in batch.dropLast() { bytes[index] = 0x0A }
        #expect(throws: StartError.self) { try open(small, bytes) }
    }

    @Test(arguments: [(true, 0), (false, 0), (false, 20)])
    func `with any bit flipped nothing acknowledged is lost silently`(
        sealed: Bool, blanks: Int
    ) throws {
        let small = try Small(sealed: sealed, blanks: blanks)
        let (bytes, lines) = (small.files[0].bytes, small.files[0].bytes.count - blanks)
        var refused = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                var bytes = bytes
                bytes[index] ^= 1 << bit
                do {
                    let found = try open(small, bytes)
                    #expect(found == small.final, "sealed \(sealed), byte \(index), bit \(bit)")
                } catch let error as StartError {
                    guard case .damaged = error else { throw error }
                    #expect(index < lines)
                    refused += 1
                }
            }
        }
        #expect(refused > lines * 7)
    }

    /// A store of several files; nothing goes on in its directory but what the upkeep may still do.
    private func several() throws -> TestStore {
        let test = try TestStore {
            $0.segmentBytes = 1 << 14
            $0.compacts = false
        }
        for revision in 1...60 { _ = try test.store.put(record("a", revision, bytes: 400)) }
        try test.settle()
        return test
    }

    @Test func `a start that refuses changes nothing`() throws {
        let test = try several()
        for hasEnded in [false, true] {
            if hasEnded { #expect(test.store.close(at: 2)) }
            let copy = try TemporaryDirectory()
            let path = copy.path
            try copyDirectory(test.path, to: path)
            let log = Layout(root: path)
            let first = try #require(try Directory.names(log.log).compactMap(Layout.number).min())
            let file = try FileDescriptor.open(log.segment(first), .readWrite)
            try file.writeAll([0x21], 0..<1, at: 300)
            let before = try contents(of: path)
            for _ in 0..<2 {
                #expect(throws: StartError.self) {
                    try Store.open(StoreOptions(path: path), now: 3)
                }
                let after = try contents(of: path)
                #expect(after.keys.sorted() == before.keys.sorted())
                for (name, bytes) in before { #expect(after[name] == bytes, "\(name)") }
            }
        }
    }

    @Test func `a start that is broken off at any call is made good by the next`() throws {
        let test = try several()
        var (calls, isThrough) = (0, false)
        while !isThrough {
            let copy = try TemporaryDirectory()
            let path = copy.path
            try copyDirectory(test.path, to: path)
            let left = Lock(calls)
            var options = StoreOptions(path: path)
            options.disk = Disk { _ in
                left.withLock { left in
                    left -= 1
                    return left < 0 ? .fail(SystemError.ioError) : .proceed
                }
            }
            do {
                let (store, _) = try Store.open(options, now: 3)
                isThrough = left.withLock { $0 } >= 0
                store.close(at: 4)
            } catch {
                #expect(calls < 100)
            }
            let (store, report) = try Store.open(StoreOptions(path: path), now: 5)
            #expect(store.reader.sessionCount == 1, "after \(calls) calls: \(report.notes)")
            #expect(store.handle("a").map { store.reader.summary($0).revision } == 60)
            store.close(at: 6)
            calls += 1
        }
        #expect(calls > 5)
    }

    @Test func `told to recover, a damaged file costs at most the records that it hit`() throws {
        let small = try Small(sealed: true)
        for index in stride(from: 0, to: small.files[0].bytes.count, by: 3) {
            var bytes = small.files[0].bytes
            bytes[index] ^= 4
            let found = try open(small, bytes, recover: true)
            for (id, revision) in found {
                #expect(revision <= small.final[id] ?? 0)
            }
            let lost = small.final.filter { found[$0.key] != $0.value }.count
            #expect(lost <= 2, "byte \(index)")
        }
    }

    @Test func `a missing file and a missing manifest are named`() throws {
        let test = try TestStore {
            $0.segmentBytes = 4096
            $0.compacts = false
        }
        for revision in 1...60 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        #expect(test.store.close(at: 5000))
        let names = try Directory.names("\(test.path)/log")
        #expect(names.count > 3)
        let gone = "\(test.path)/log/\(names[1])"
        try Directory.rename(gone, to: "\(test.path)/kept")
        #expect(throws: StartError.missing(path: gone)) { _ = try Store.open(test.options, now: 1) }
        try Directory.rename("\(test.path)/kept", to: gone)
        let manifest = "\(test.path)/MANIFEST.json"
        try Directory.rename(manifest, to: "\(test.path)/kept")
        #expect(throws: StartError.noManifest(path: manifest)) {
            _ = try Store.open(test.options, now: 1)
        }
        var options = test.options
        options.recover = true
        let (store, _) = try Store.open(options, now: 1)
        #expect(store.handle("a").map { store.reader.summary($0).revision } == 60)
        store.close(at: 1)
    }

    /// The file after a damaged one begins where that one ends.
    @Test func `a start names the damaged records alone`() throws {
        let test = try several()
        #expect(test.store.close(at: 2))
        let layout = Layout(root: test.path)
        let numbers = try Directory.names(layout.log).compactMap(Layout.number).sorted()
        #expect(numbers.count > 2)
        let path = layout.segment(numbers[1])
        let middle = try FileDescriptor.contents(of: path).count / 2
        let file = try FileDescriptor.open(path, .readWrite)
        let byte = try file.bytes(at: middle, count: 1)[0]
        try file.writeAll([byte ^ 1], 0..<1, at: middle)
        let error = #expect(throws: StartError.self) {
            try Store.open(StoreOptions(path: test.path), now: 3)
        }
        guard case .damaged(let damages)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(damages.count == 1, "\(damages)")
        let surveyed = try Survey(of: test.path).damages
        #expect(surveyed == damages.map(\.description), "\(surveyed) \(damages)")
    }
}
