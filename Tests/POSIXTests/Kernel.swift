import Glibc
import POSIX

// Calls of the kernel that the tests need and the package does not offer.

/// Both ends of a pipe.
struct Pipe: Sendable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    /// A pipe that holds 4096 bytes.
    init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe", number: errno) }
        reader = FileDescriptor(owning: ends[0])
        writer = FileDescriptor(owning: ends[1])
        let setPipeSize: Int32 = 1031
        _ = fcntl(writer.number, setPipeSize, 4096)
    }

    /// Writes until it takes no more; the bytes that it holds then.
    @discardableResult
    func fill() throws -> Int {
        setBlocking(writer, false)
        defer { setBlocking(writer, true) }
        var total = 0
        while let count = try writer.write([UInt8](repeating: 0x2E, count: 512), 0..<512) {
            total += count
        }
        return total
    }
}

/// Two sockets that are connected with each other; they hold little.
struct SocketPair: Sendable {
    let near: FileDescriptor
    let far: FileDescriptor

    init(isBlocking: Bool = false) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw SystemError("socketpair", number: errno)
        }
        near = FileDescriptor(owning: ends[0])
        far = FileDescriptor(owning: ends[1])
        var size: Int32 = 4096
        for end in ends {
            _ = unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, 4)
        }
        setBlocking(near, isBlocking)
        setBlocking(far, isBlocking)
    }
}

func setBlocking(_ descriptor: FileDescriptor, _ isBlocking: Bool) {
    let flags = fcntl(descriptor.number, F_GETFL)
    _ = fcntl(
        descriptor.number, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
}

func isBlocking(_ descriptor: FileDescriptor) -> Bool {
    fcntl(descriptor.number, F_GETFL) & O_NONBLOCK == 0
}

func closesOnExec(_ descriptor: FileDescriptor) -> Bool {
    fcntl(descriptor.number, F_GETFD) & FD_CLOEXEC != 0
}

/// An option of a socket as a number.
func option(_ socket: FileDescriptor, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(4)
    _ = unsafe getsockopt(socket.number, level, name, &value, &length)
    return value
}

extension FileDescriptor {
    /// The bytes that can be read without waiting, up to so many.
    func readNow(_ count: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try read(into: &bytes, 0..<count) ?? 0
        return Array(bytes[..<read])
    }

    /// Reads so many bytes, waiting for them.
    func readAll(_ count: Int) throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let piece = try readNow(min(1 << 16, count - all.count))
            if piece.isEmpty { break }
            all += piece
        }
        return all
    }
}

/// A socket that receives datagrams under a name in the file system, or an abstract one with `@`.
struct DatagramReceiver: Sendable {
    let descriptor: FileDescriptor

    init(_ path: String) throws(SystemError) {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard number >= 0 else { throw SystemError("socket", number: errno) }
        descriptor = FileDescriptor(owning: number)
        var (address, length) = unixAddress(path)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, length)
            }
        }
        guard result == 0 else { throw SystemError("bind", number: errno) }
    }

    /// Fills its queue, so that the next sender has to wait.
    func fill(_ path: String) {
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        var (address, length) = unixAddress(path)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                var byte: UInt8 = 0x2E
                while unsafe sendto(sender, &byte, 1, Int32(MSG_DONTWAIT), raw, length)
                    == 1
                {}
            }
        }
    }
}

private func unixAddress(_ path: String) -> (sockaddr_un, socklen_t) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
        unsafe $0.copyBytes(from: Array(path.utf8))
    }
    if path.hasPrefix("@") { address.sun_path.0 = 0 }
    return (address, socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count))
}

/// Sets the soft limit of a resource for this process, which should be an exit test's; returns the
/// one before.
@discardableResult
func setLimit(_ resource: __rlimit_resource, _ value: UInt) -> UInt {
    var limit = rlimit()
    let number = __rlimit_resource_t(resource.rawValue)
    _ = unsafe getrlimit(number, &limit)
    let before = limit.rlim_cur
    limit.rlim_cur = rlim_t(value)
    _ = unsafe setrlimit(number, &limit)
    return UInt(before)
}
