import Glibc
import POSIX
import TestSupport
import Testing

/// The errors that the calls throw: the call's name, the number and the path, as the kernel means
/// it.
@Suite struct RefusalTests {
    /// A directory with `file` ("hello"), `folder/inner`, `loop` (a link to itself) and `socket`.
    final class Place: Sendable {
        let directory: TemporaryDirectory
        let listener: FileDescriptor
        let pipe: Pipe
        let tcp: FileDescriptor

        init() throws(SystemError) {
            directory = try TemporaryDirectory()
            listener = try Socket.listen(path: "\(directory.path)/socket")
            pipe = try Pipe()
            tcp = try Socket.listen(address: "127.0.0.1", port: 0)
            try FileDescriptor.open(self["file"], [.writeOnly, .create]).writeAll(
                Array("hello".utf8))
            try Directory.make(self["folder"])
            _ = try FileDescriptor.open(self["folder/inner"], [.writeOnly, .create])
            guard unsafe symlink(self["loop"], self["loop"]) == 0 else {
                throw SystemError("symlink", number: errno)
            }
        }

        subscript(name: String) -> String { "\(directory.path)/\(name)" }

        func open(
            _ name: String, _ options: FileDescriptor.Options = .readOnly
        ) throws(SystemError) -> FileDescriptor { try FileDescriptor.open(self[name], options) }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var call: String
        var number: Int32
        /// The expected path of the error: a name in the place's directory, or nil.
        var path: String?
        var body: @Sendable (Place) throws(SystemError) -> Void

        init(
            _ call: String, _ number: Int32, _ path: String? = nil,
            _ body: @escaping @Sendable (Place) throws(SystemError) -> Void
        ) {
            self.call = call
            self.number = number
            self.path = path
            self.body = body
        }

        var testDescription: String { "\(SystemError(call, number: number, path: path))" }
    }

    static let files = [
        Row("open", ENOENT, "none") { place throws(SystemError) in _ = try place.open("none") },
        Row("open", ENOTDIR, "file/x") { place throws(SystemError) in _ = try place.open("file/x")
        },
        Row("open", EISDIR, "folder") { place throws(SystemError) in
            _ = try place.open("folder", .writeOnly)
        },
        Row("open", EEXIST, "file") { place throws(SystemError) in
            _ = try place.open("file", [.writeOnly, .create, .exclusive])
        },
        Row("open", ENOTDIR, "file") { place throws(SystemError) in
            _ = try place.open("file", .directory)
        },
        Row("open", ELOOP, "loop") { place throws(SystemError) in _ = try place.open("loop") },
        Row("open", ENOENT, "none") { place throws(SystemError) in
            _ = try FileDescriptor.contents(of: place["none"])
        },
        Row("read", EISDIR) { place throws(SystemError) in _ = try place.open("folder").readNow() },
        Row("read", EBADF) { place throws(SystemError) in
            _ = try place.open("file", .writeOnly).readNow()
        },
        Row("pread", ESPIPE) { place throws(SystemError) in
            _ = try place.pipe.reader.bytes(at: 0, count: 1)
        },
        Row("write", EBADF) { place throws(SystemError) in
            _ = try place.open("file").write([1], 0..<1)
        },
        Row("write", EBADF) { place throws(SystemError) in try place.open("file").writeAll([1]) },
        Row("pwrite", EBADF) { place throws(SystemError) in
            try place.open("file").writeAll([1], 0..<1, at: 0)
        },
        Row("pwrite", ESPIPE) { place throws(SystemError) in
            try place.pipe.writer.writeAll([1], 0..<1, at: 0)
        },
        Row("write", ENOSPC) { _ throws(SystemError) in
            try FileDescriptor.open("/dev/full", .writeOnly).writeAll([1])
        },
        Row("pwrite", ENOSPC) { _ throws(SystemError) in
            try FileDescriptor.open("/dev/full", .writeOnly).writeAll([1], 0..<1, at: 7)
        },
        Row("fdatasync", EINVAL) { place throws(SystemError) in try place.pipe.writer.syncData() },
        Row("fsync", EINVAL) { place throws(SystemError) in try place.pipe.writer.sync() },
        Row("ftruncate", EINVAL) { place throws(SystemError) in
            try place.open("file").truncate(to: 1)
        },
        Row("fallocate", EBADF) { place throws(SystemError) in
            _ = try place.open("file").reserve(from: 0, count: 1)
        },
        Row("fallocate", ESPIPE) { place throws(SystemError) in
            _ = try place.pipe.writer.reserve(from: 0, count: 1)
        },
    ]

    static let names = [
        Row("mkdir", ENOENT, "none/x") { place throws(SystemError) in
            try Directory.make(place["none/x"])
        },
        Row("opendir", ENOENT, "none") { place throws(SystemError) in
            _ = try Directory.names(place["none"])
        },
        Row("opendir", ENOTDIR, "file") { place throws(SystemError) in
            _ = try Directory.names(place["file"])
        },
        Row("open", ENOENT, "none") { place throws(SystemError) in
            try Directory.sync(place["none"])
        },
        Row("rename", ENOENT, "none") { place throws(SystemError) in
            try Directory.rename(place["none"], to: place["x"])
        },
        Row("link", EEXIST, "file") { place throws(SystemError) in
            try Directory.link(place["file"], to: place["folder/inner"])
        },
        Row("unlink", EISDIR, "folder") { place throws(SystemError) in
            try Directory.remove(place["folder"])
        },
        Row("rmdir", ENOTEMPTY, "folder") { place throws(SystemError) in
            try Directory.removeEmpty(place["folder"])
        },
        Row("lstat", ELOOP, "loop/x") { place throws(SystemError) in
            _ = try Directory.status(place["loop/x"])
        },
    ]

    static let sockets = [
        Row("bind", EADDRINUSE, "socket") { place throws(SystemError) in
            _ = try Socket.listen(path: place["socket"])
        },
        Row("bind", ENAMETOOLONG, String(repeating: "x", count: 108)) { place throws(SystemError) in
            _ = try Socket.listen(path: place[String(repeating: "x", count: 108)])
        },
        Row("connect", ENOENT, "none") { place throws(SystemError) in
            _ = try Socket.connect(path: place["none"])
        },
        Row("connect", ECONNREFUSED, "file") { place throws(SystemError) in
            _ = try Socket.connect(path: place["file"])
        },
        Row("sendto", ENOENT, "none") { place throws(SystemError) in
            try Socket.sendDatagram([1], to: place["none"])
        },
        Row("sendto", EPROTOTYPE, "socket") { place throws(SystemError) in
            try Socket.sendDatagram([1], to: place["socket"])
        },
        Row("getsockname", ENOTSOCK) { place throws(SystemError) in
            _ = try Socket.port(of: place.pipe.reader)
        },
        Row("accept4", ENOTSOCK) { place throws(SystemError) in
            _ = try Socket.accept(place.pipe.reader)
        },
        Row("accept4", EINVAL) { _ throws(SystemError) in _ = try Socket.accept(SocketPair().near)
        },
        Row("shutdown", ENOTSOCK) { place throws(SystemError) in
            try Socket.shutdownWriting(place.pipe.reader)
        },
        Row("setsockopt", ENOTSOCK) { place throws(SystemError) in
            try Socket.setSendingOptions(place.pipe.reader)
        },
        Row("recv", ENOTSOCK) { place throws(SystemError) in
            var bytes: [UInt8] = [0]
            _ = try place.pipe.reader.receive(into: &bytes, 0..<1)
        },
        Row("recv", ENOTCONN) { place throws(SystemError) in
            var bytes: [UInt8] = [0]
            _ = try place.tcp.receive(into: &bytes, 0..<1)
        },
        Row("send", ENOTSOCK) { place throws(SystemError) in
            _ = try place.pipe.writer.send([1], 0..<1)
        },
        Row("send", EPIPE) { _ throws(SystemError) in
            let pair = try SocketPair()
            try Socket.shutdownWriting(pair.near)
            _ = try pair.near.send([1], 0..<1)
        },
        Row("getsockopt", EBADF) { _ throws(SystemError) in _ = try Socket.inherited(-1) },
        Row("getsockopt", ENOTSOCK) { place throws(SystemError) in
            _ = try Socket.inherited(place.pipe.reader.number)
        },
        Row("accept", EINVAL) { _ throws(SystemError) in
            let pair = try SocketPair()
            _ = try Socket.inherited(pair.near.number)
        },
    ]

    static let others = [
        Row("epoll_ctl", EPERM) { place throws(SystemError) in
            try Epoll().add(place.open("file"), .readable, token: 1)
        },
        Row("epoll_ctl", ENOENT) { place throws(SystemError) in
            try Epoll().change(place.pipe.reader, .readable, token: 1)
        },
        Row("epoll_ctl", ENOENT) { place throws(SystemError) in
            try Epoll().remove(place.pipe.reader)
        },
        Row("epoll_ctl", EEXIST) { place throws(SystemError) in
            let epoll = try Epoll()
            try epoll.add(place.pipe.reader, .readable, token: 1)
            try epoll.add(place.pipe.reader, .readable, token: 2)
        },
        Row("mmap", ENOMEM) { _ throws(SystemError) in _ = try MappedMemory(count: 1 << 50) },
    ]

    @Test(arguments: files + names + sockets + others)
    func `an error has the call, the number and the path`(row: Row) throws {
        let place = try Place()
        let path = row.path.map { place[$0] }
        #expect(throws: SystemError(row.call, number: row.number, path: path)) {
            try row.body(place)
        }
    }

    /// The error's path is an address here.
    @Test func `an error has the TCP address that cannot be used`() throws {
        #expect(throws: SystemError("inet_pton", number: EINVAL, path: "localhost")) {
            try Socket.listen(address: "localhost", port: 0)
        }
        #expect(throws: SystemError("inet_pton", number: EINVAL, path: "127.1")) {
            try Socket.connect(address: "127.1", port: 1)
        }
        #expect(throws: SystemError("bind", number: EADDRNOTAVAIL, path: "192.0.2.1:0")) {
            try Socket.listen(address: "192.0.2.1", port: 0)
        }
        let place = try Place()
        let port = try Socket.port(of: place.tcp)
        #expect(throws: SystemError("bind", number: EADDRINUSE, path: "127.0.0.1:\(port)")) {
            try Socket.listen(address: "127.0.0.1", port: port)
        }
        #expect(throws: SystemError("connect", number: ECONNREFUSED, path: "127.0.0.1:1")) {
            try Socket.connect(address: "127.0.0.1", port: 1)
        }
        #expect(throws: SystemError("bind", number: ENAMETOOLONG, path: "a\0b")) {
            try Socket.listen(path: "a\0b")
        }
    }

    @Test func `a call that would have to wait returns nothing`() throws {
        let pipe = try Pipe()
        setBlocking(pipe.reader, false)
        var bytes: [UInt8] = [0]
        #expect(try pipe.reader.read(into: &bytes, 0..<1) == nil)
        try pipe.fill()
        setBlocking(pipe.writer, false)
        #expect(try pipe.writer.write([1], 0..<1) == nil)
        let pair = try SocketPair()
        #expect(try pair.near.receive(into: &bytes, 0..<1) == nil)
        while try pair.near.send([0], 0..<1) != nil {}
        #expect(try pair.near.send([1], 0..<1) == nil)
        #expect(try Socket.accept(try Place().tcp) == nil)
    }

    @Test func `a file that is locked cannot be locked again`() throws {
        let place = try Place()
        var holder: FileDescriptor? = try place.open("file")
        #expect(try holder?.lock() == true)
        #expect(try place.open("file").lock() == false)
        holder = nil
        #expect(try place.open("file").lock())
    }

    @Test func `errors have kinds and the text of the system`() {
        let full = [ENOSPC, EFBIG, EDQUOT]
        let descriptors = [EMFILE, ENFILE]
        for number in Int32(1)...133 {
            let error = SystemError("write", number: number)
            #expect(error.isFull == full.contains(number))
            #expect(error.isOutOfDescriptors == descriptors.contains(number))
        }
        let error = SystemError("open", number: ENOENT, path: "/x")
        #expect(error.description == "open /x: No such file or directory (errno 2)")
        #expect(SystemError("open", number: 2).description.hasPrefix("open: No such file"))
    }
}
