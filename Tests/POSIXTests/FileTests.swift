import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct FileTests {
    private func newFile(_ bytes: [UInt8] = []) throws -> FileDescriptor {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor.open("\(directory.path)/x", [.readWrite, .create])
        try file.writeAll(bytes)
        return file
    }

    @Test(.seeded) func `pieces that are written anywhere read back like those of an array`() throws
    {
        var random = SplitMix64()
        let file = try newFile()
        var model: [UInt8] = []
        for _ in 0..<300 {
            let offset = random.below(5_000)
            let bytes = random.bytes(random.below(600))
            let start = random.below(bytes.count + 1)
            let range = start..<start + random.below(bytes.count - start + 1)
            try file.writeAll(bytes, range, at: offset)
            if !range.isEmpty {
                model += [UInt8](repeating: 0, count: max(0, offset + range.count - model.count))
                model.replaceSubrange(offset..<offset + range.count, with: bytes[range])
            }
            if random.oneIn(20) {
                let size = random.below(6_000)
                try file.truncate(to: size)
                model += [UInt8](repeating: 0, count: max(0, size - model.count))
                model.removeSubrange(size...)
            }
            let from = random.below(6_000)
            let read = try file.bytes(at: from, count: random.below(3_000))
            #expect(read == Array(model.dropFirst(from).prefix(read.count)))
            #expect(try file.status().size == model.count)
        }
        #expect(try file.bytes(at: 0, count: model.count + 1) == model)
    }

    @Test func `a read changes only its range of the array`() throws {
        let file = try newFile(Array("abcdef".utf8))
        var bytes = [UInt8](repeating: 0x2E, count: 6)
        #expect(try file.read(into: &bytes, 1..<4, at: 2) == 3)
        #expect(bytes == Array(".cde..".utf8))
        #expect(try file.read(into: &bytes, 0..<6, at: 4) == 2)
        #expect(bytes == Array("efde..".utf8))
        #expect(try file.read(into: &bytes, 0..<6, at: 6) == 0)
        #expect(try file.read(into: &bytes, 3..<3, at: 0) == 0)
    }

    @Test func `a short read of a kernel file is continued`() throws {
        // Such a file is given out in pieces of a page.
        let file = try FileDescriptor.open("/proc/kallsyms", .readOnly)
        let bytes = try file.bytes(at: 0, count: 50_000)
        #expect(bytes.count == 50_000)
    }

    @Test func `at the end of a stream a read returns zero bytes`() throws {
        var writer: FileDescriptor?
        let reader: FileDescriptor
        do {
            let pipe = try Pipe()
            (reader, writer) = (pipe.reader, pipe.writer)
        }
        try writer?.writeAll([1, 2])
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(try reader.read(into: &bytes, 1..<4) == 2)
        #expect(bytes == [0, 1, 2, 0])
        // Closing happens with the last reference, and not before.
        var other = writer
        writer = nil
        setBlocking(reader, false)
        #expect(try reader.read(into: &bytes, 0..<4) == nil)
        #expect(other != nil)
        other = nil
        #expect(try reader.read(into: &bytes, 0..<4) == 0)
    }

    @Test func `a write accepts what fits and returns how much that was`() throws {
        let pipe = try Pipe()
        setBlocking(pipe.writer, false)
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let taken = try #require(try pipe.writer.write(bytes, 0..<bytes.count))
        #expect(taken > 0 && taken < bytes.count)
        #expect(try pipe.writer.write(bytes, taken..<bytes.count) == nil)
        #expect(try pipe.reader.readAll(taken).count == taken)
        #expect(try pipe.writer.write(bytes, taken..<taken + 1) == 1)
    }

    @Test func `a file in the page cache is read without waiting, and only completely`() throws {
        let file = try newFile([UInt8](0..<200))
        for (offset, count) in [(0, 200), (50, 100), (199, 1), (0, 0)] {
            let expected = [UInt8](0..<200)[offset..<offset + count]
            let found = file.bytesInMemory(at: offset, count: count)
            #expect(found == nil || found == Array(expected))
        }
        #expect(file.bytesInMemory(at: 100, count: 101) == nil)
        #expect(file.bytesInMemory(at: 200, count: 1) == nil)
        #expect(try Pipe().reader.bytesInMemory(at: 0, count: 1) == nil)
    }

    @Test func `reserving space does not change the size`() throws {
        let file = try newFile([1, 2, 3])
        guard try file.reserve(from: 0, count: 1 << 20) else { return }
        let status = try file.status()
        #expect(status.size == 3 && status.allocated >= 1 << 20)
        try file.truncate(to: 3)
        #expect(try file.status().allocated < 1 << 20)
        #expect(try file.reserve(from: 5, count: 0))
        let error = #expect(throws: SystemError.self) {
            _ = try file.reserve(from: 0, count: Int.max)
        }
        #expect(error?.isFull == true)
    }

    @Test func `the link count of an open file follows its names`() throws {
        let directory = try TemporaryDirectory()
        let (path, other) = ("\(directory.path)/x", "\(directory.path)/y")
        let file = try FileDescriptor.open(path, [.writeOnly, .create])
        #expect(try file.linkCount() == 1)
        try Directory.link(path, to: other)
        #expect(try file.linkCount() == 2)
        try Directory.remove(path)
        try Directory.remove(other)
        #expect(try file.linkCount() == 0)
    }

    @Test func `syncing a file and its directory succeeds`() throws {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor.open("\(directory.path)/x", [.writeOnly, .create])
        try file.syncData()
        try file.sync()
        try Directory.sync(directory.path)
    }

    @Test func `the options of open have their effects`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/x"
        let created = try FileDescriptor.open(path, [.writeOnly, .create], mode: 0o640)
        #expect(try created.status().mode & 0o7777 == 0o640)
        try created.writeAll(Array("long text".utf8))
        try FileDescriptor.open(path, [.writeOnly, .append]).writeAll(Array("!".utf8))
        #expect(try FileDescriptor.contents(of: path) == Array("long text!".utf8))
        _ = try FileDescriptor.open(path, [.writeOnly, .truncate])
        #expect(try FileDescriptor.contents(of: path).isEmpty)
    }
}
