internal import CLinux
internal import Glibc

/// Sockets for TCP and Unix streams. All are non-blocking.
public enum Socket {
    /// Listens on a numeric IPv4 or IPv6 address. A socket for IPv6 does not accept IPv4.
    ///
    /// - Parameter port: 0 lets the kernel choose; `port(of:)` returns the port.
    public static func listen(
        address: String, port: UInt16, backlog: Int32 = 4096
    ) throws(SystemError) -> FileDescriptor {
        if var v4 = ipv4(address, port) {
            let socket = try make(AF_INET)
            try setOption(socket, level: SOL_SOCKET, option: SO_REUSEADDR, 1)
            try bind(socket, &v4, name: "\(address):\(port)")
            try setSendingOptions(socket)
            return try start(socket, backlog)
        }
        guard var v6 = ipv6(address, port) else {
            throw SystemError("inet_pton", number: EINVAL, path: address)
        }
        let socket = try make(AF_INET6)
        try setOption(socket, level: SOL_SOCKET, option: SO_REUSEADDR, 1)
        try setOption(socket, level: Int32(IPPROTO_IPV6), option: IPV6_V6ONLY, 1)
        try bind(socket, &v6, name: "[\(address)]:\(port)")
        try setSendingOptions(socket)
        return try start(socket, backlog)
    }

    /// Listens on a Unix socket. If a file has the path, the error is EADDRINUSE.
    public static func listen(
        path: String, backlog: Int32 = 1024
    ) throws(SystemError) -> FileDescriptor {
        var address = try unixAddress(path)
        let socket = try make(AF_UNIX)
        try bind(socket, &address, name: path)
        return try start(socket, backlog)
    }

    /// Connects to a TCP address and waits for the connection, for tests and health checks:
    /// connect(2).
    ///
    /// - Parameter milliseconds: the longest wait, after which `SystemError.timedOut` is thrown,
    ///   or nil for the timeout of the kernel.
    public static func connect(
        address: String, port: UInt16, waitingAtMost milliseconds: Int64? = nil
    ) throws(SystemError) -> FileDescriptor {
        let name = "\(address):\(port)"
        if var v4 = ipv4(address, port) {
            return try connect(AF_INET, &v4, name: name, atMost: milliseconds)
        }
        guard var v6 = ipv6(address, port) else {
            throw SystemError("inet_pton", number: EINVAL, path: address)
        }
        return try connect(AF_INET6, &v6, name: name, atMost: milliseconds)
    }

    /// Connects to a Unix socket. It waits while the queue of the listener is full.
    public static func connect(
        path: String, waitingAtMost milliseconds: Int64? = nil
    ) throws(SystemError) -> FileDescriptor {
        var address = try unixAddress(path)
        return try connect(AF_UNIX, &address, name: path, atMost: milliseconds)
    }

    /// A new connection and its client.
    public struct Accepted: Sendable {
        /// The connection.
        public let descriptor: FileDescriptor
        /// The address of the client.
        public let client: ClientAddress

        public init(_ descriptor: FileDescriptor, from client: ClientAddress) {
            self.descriptor = descriptor
            self.client = client
        }
    }

    /// Accepts a connection: accept4(2).
    ///
    /// - Returns: nil if no connection is waiting, or if it was aborted meanwhile.
    public static func accept(_ listener: FileDescriptor) throws(SystemError) -> Accepted? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                retryingOnInterrupt {
                    unsafe Int(accept4(listener.number, address, &length, flags))
                }
            }
        }
        if result == -Int(ECONNABORTED) || result == -Int(EPROTO) { return nil }
        guard let number = try checkUnlessWaiting(result, "accept4") else { return nil }
        return Accepted(
            FileDescriptor(owning: Int32(number)), from: ClientAddress(storage))
    }

    /// The two ends of a connection over Unix sockets: socketpair(2).
    public static func pair() throws(SystemError) -> (FileDescriptor, FileDescriptor) {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        var numbers: [Int32] = [-1, -1]
        let result = retryingOnInterrupt { unsafe Int(socketpair(AF_UNIX, kind, 0, &numbers)) }
        try check(result, "socketpair")
        return (FileDescriptor(owning: numbers[0]), FileDescriptor(owning: numbers[1]))
    }

    /// The port that a TCP socket is bound to.
    public static func port(of socket: FileDescriptor) throws(SystemError) -> UInt16 {
        endpoint(try boundAddress(of: socket))?.port ?? 0
    }

    /// The address that a TCP socket is bound to, such as `127.0.0.1:8080`; `unix` for any other
    /// socket.
    public static func boundAddress(_ socket: FileDescriptor) -> String {
        (try? boundAddress(of: socket)).map(text) ?? "unix"
    }

    static func boundAddress(
        of socket: FileDescriptor
    ) throws(SystemError) -> sockaddr_storage {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                retryingOnInterrupt { unsafe Int(getsockname(socket.number, address, &length)) }
            }
        }
        try check(result, "getsockname")
        return storage
    }

    /// Sets how the connections of a listening TCP socket send; they inherit it, tcp(7). Small
    /// writes are sent at once (TCP_NODELAY). The kernel accepts only `unsentBytesMax` more than
    /// the peer takes (TCP_NOTSENT_LOWAT), not megabytes for a peer that does not read.
    public static func setSendingOptions(_ listener: FileDescriptor) throws(SystemError) {
        try setOption(listener, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, 1)
        try setOption(
            listener, level: Int32(IPPROTO_TCP), option: TCP_NOTSENT_LOWAT, unsentBytesMax)
    }

    private static let unsentBytesMax: Int32 = 128 << 10

    /// Shuts down the writing side. It is no error if the connection has ended.
    public static func shutdownWriting(_ socket: FileDescriptor) throws(SystemError) {
        let result = retryingOnInterrupt { Int(shutdown(socket.number, Int32(SHUT_WR))) }
        if result != -Int(ENOTCONN) { try check(result, "shutdown") }
    }

    /// Makes closing discard what the peer has not received and reset the connection (SO_LINGER
    /// with no time), so that the kernel stores nothing for a peer that does not read.
    public static func resetWhenClosed(_ socket: FileDescriptor) {
        var value = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        // A connection that has ended needs no reset.
        _ = unsafe setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &value, size)
    }
}

// The bytes of a connection. These calls are a little cheaper for the kernel than read(2) and
// write(2), which also have to serve files.
extension FileDescriptor {
    /// Receives into a range of the array: recv(2).
    ///
    /// - Returns: the number of bytes, 0 at the end, or nil if the call would block.
    public func receive(
        into bytes: inout [UInt8], _ window: Range<Int>
    ) throws(SystemError) -> Int? {
        precondition(window.lowerBound >= 0 && window.upperBound <= bytes.count)
        let number = number
        let count = simulation?.portion(of: window.count) ?? window.count
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            retryingOnInterrupt {
                unsafe recv(
                    number, buffer.baseAddress.map { unsafe $0 + window.lowerBound }, count, 0)
            }
        }
        return try checkUnlessWaiting(result, "recv")
    }

    /// Receives behind the bytes of the array: recv(2).
    ///
    /// - Parameter most: how many bytes are received at most.
    /// - Returns: the number of bytes, 0 at the end, or nil if the call would block.
    public func receive(
        appendingTo bytes: inout [UInt8], atMost most: Int
    ) throws(SystemError) -> Int? {
        let number = number
        let count = simulation?.portion(of: most) ?? most
        var result = 0
        bytes.append(addingCapacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, used in
                result = retryingOnInterrupt { unsafe recv(number, room.baseAddress, count, 0) }
                used += max(0, result)
            }
        }
        return try checkUnlessWaiting(result, "recv")
    }

    /// Sends bytes by one call: send(2).
    ///
    /// - Returns: the number of bytes sent, or nil if the call would block.
    public func send(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
        let number = number
        let count = simulation?.portion(of: bytes.count) ?? bytes.count
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt {
                unsafe Glibc.send(number, buffer.baseAddress, count, Int32(MSG_NOSIGNAL))
            }
        }
        return try checkUnlessWaiting(result, "send")
    }

    /// Sends bytes of an array.
    public func send(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
        try send(bytes.span.extracting(range))
    }
}

extension Socket {
    static func make(_ family: Int32) throws(SystemError) -> FileDescriptor {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let result = retryingOnInterrupt { Int(Glibc.socket(family, kind, 0)) }
        return FileDescriptor(owning: Int32(try check(result, "socket")))
    }

    static func setOption(
        _ socket: FileDescriptor, level: Int32, option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        let result = retryingOnInterrupt {
            unsafe Int(setsockopt(socket.number, level, option, &value, 4))
        }
        try check(result, "setsockopt")
    }

    /// Sets SO_SNDTIMEO, which also limits connect(2). A time of 0 would mean no limit.
    private static func limitWaiting(
        _ socket: FileDescriptor, _ milliseconds: Int64
    ) throws(SystemError) {
        let limit = min(max(1, milliseconds), 3_600_000)
        var time = timeval(tv_sec: Int(limit / 1000), tv_usec: Int(limit % 1000) * 1000)
        let length = socklen_t(MemoryLayout<timeval>.size)
        let result = retryingOnInterrupt {
            unsafe Int(setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, length))
        }
        try check(result, "setsockopt")
    }

    private static func bind<Address>(
        _ socket: FileDescriptor, _ address: inout Address, name: String
    ) throws(SystemError) {
        let length = socklen_t(MemoryLayout<Address>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                retryingOnInterrupt { unsafe Int(Glibc.bind(socket.number, raw, length)) }
            }
        }
        try check(result, "bind", path: name)
    }

    private static func start(
        _ socket: FileDescriptor, _ backlog: Int32
    ) throws(SystemError) -> FileDescriptor {
        try check(retryingOnInterrupt { Int(Glibc.listen(socket.number, backlog)) }, "listen")
        return socket
    }

    private static func connect<Address>(
        _ family: Int32, _ address: inout Address, name: String, atMost milliseconds: Int64?
    ) throws(SystemError) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let made = retryingOnInterrupt {
            Int(Glibc.socket(family, kind, 0))
        }
        let socket = FileDescriptor(owning: Int32(try check(made, "socket")))
        if let milliseconds { try limitWaiting(socket, milliseconds) }
        let length = socklen_t(MemoryLayout<Address>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                retryingOnInterrupt { unsafe Int(Glibc.connect(socket.number, raw, length)) }
            }
        }
        // These mean that the time is over: the first for TCP, the second for a Unix socket.
        if milliseconds != nil, result == -Int(EINPROGRESS) || result == -Int(EAGAIN) {
            throw SystemError("connect", number: ETIMEDOUT, path: name)
        }
        try check(result, "connect", path: name)
        try check(
            retryingOnInterrupt { Int(fcntl(socket.number, F_SETFL, O_NONBLOCK)) }, "fcntl",
            path: name)
        return socket
    }
}
