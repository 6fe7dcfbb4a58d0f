import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct DirectoryTests {
    private func touch(_ path: String) throws {
        _ = try FileDescriptor.open(path, [.writeOnly, .create])
    }

    @Test func `names are sorted by their bytes`() throws {
        let directory = try TemporaryDirectory()
        let names = ["b", "B", "a10", "a9", "ä", "\u{1F600}", ".hidden", "e\u{301}", "\u{e9}"]
        for name in names { try touch("\(directory.path)/\(name)") }
        let sorted = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        #expect(
            try Directory.names(directory.path).map { Array($0.utf8) }
                == sorted.map { Array($0.utf8) })
    }

    @Test func `a directory is made once`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/x"
        #expect(try Directory.make(path, mode: 0o750))
        #expect(try !Directory.make(path))
        let status = try #require(try Directory.status(path))
        #expect(status.isDirectory && status.mode & 0o7777 == 0o750)
        #expect(status.owner == Process.userIdentifier)
    }

    @Test func `a new name replaces the old one in a step, a second name does not`() throws {
        let directory = try TemporaryDirectory()
        let (a, b) = ("\(directory.path)/a", "\(directory.path)/b")
        try FileDescriptor.open(a, [.writeOnly, .create]).writeAll([1])
        try FileDescriptor.open(b, [.writeOnly, .create]).writeAll([2])
        try Directory.rename(a, to: b)
        #expect(try FileDescriptor.contents(of: b) == [1])
        #expect(try Directory.status(a) == nil)
        try Directory.link(b, to: a)
        #expect(try FileDescriptor.open(a, .readOnly).linkCount() == 2)
        try Directory.remove(b)
        #expect(try FileDescriptor.contents(of: a) == [1])
    }

    @Test func `a missing file has no status and can be removed`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/x"
        #expect(try Directory.status(path) == nil)
        #expect(try Directory.status("\(path)/y") == nil)
        try Directory.remove(path)
        try touch(path)
        #expect(try Directory.status("\(path)/y") == nil, "a file has nothing in it")
        #expect(try Directory.status(path)?.isDirectory == false)
    }

    @Test func `a tree is removed with everything in it, and links are not followed`() throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        try touch("\(other.path)/stays")
        let root = "\(directory.path)/root"
        for path in [root, "\(root)/a", "\(root)/a/b"] { try Directory.make(path) }
        try touch("\(root)/a/b/file")
        #expect(unsafe symlink(other.path, "\(root)/a/link") == 0)
        #expect(unsafe symlink("nowhere", "\(root)/broken") == 0)
        try Directory.removeTree(root)
        #expect(try Directory.names(directory.path).isEmpty)
        #expect(try Directory.names(other.path) == ["stays"])
    }

    @Test func `a temporary directory is removed after its test`() throws {
        var paths: Set<String> = []
        for medium in [TemporaryDirectory.Medium.disk, .memory] {
            for _ in 0..<3 {
                let directory = try TemporaryDirectory(on: medium)
                #expect(paths.insert(directory.path).inserted)
                try touch("\(directory.path)/x")
            }
        }
        for path in paths { #expect(try Directory.status(path) == nil) }
    }
}
