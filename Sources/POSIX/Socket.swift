internal import CLinux
internal import Glibc

/// Sockets that listen and accept; all are non-blocking.
package enum Socket {
    /// A listening TCP socket on a numeric IPv4 or IPv6 address (an IPv6 one takes no IPv4).
    ///
    /// - Parameter port: 0 lets the kernel choose; `port(of:)` tells.
    package static func listen(
        address: String, port: UInt16, backlog: Int32 = 4096
    ) throws(SystemError) -> FileDescriptor {
        if var v4 = ipv4(address, port) {
            let socket = try make(AF_INET)
            try setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1)
            try bind(socket, &v4, place: "\(address):\(port)")
            try setSendingOptions(socket)
            return try start(socket, backlog)
        }
        guard var v6 = ipv6(address, port) else {
            throw SystemError("inet_pton", number: EINVAL, path: address)
        }
        let socket = try make(AF_INET6)
        try setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1)
        try setOption(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        try bind(socket, &v6, place: "[\(address)]:\(port)")
        try setSendingOptions(socket)
        return try start(socket, backlog)
    }

    /// A listening Unix socket; what has the name already is not touched (EADDRINUSE).
    package static func listen(
        path: String, backlog: Int32 = 1024
    ) throws(SystemError) -> FileDescriptor {
        var address = try unixAddress(path)
        let socket = try make(AF_UNIX)
        try bind(socket, &address, place: path)
        return try start(socket, backlog)
    }

    /// connect(2), which waits, for tests and health checks. The socket that it gives is
    /// non-blocking.
    ///
    /// - Parameter milliseconds: how long it waits at most, then `timedOut` is thrown; nil: as long
    ///   as the kernel does.
    package static func connect(
        address: String, port: UInt16, waitingAtMost milliseconds: Int64? = nil
    ) throws(SystemError) -> FileDescriptor {
        let place = "\(address):\(port)"
        if var v4 = ipv4(address, port) {
            return try connect(AF_INET, &v4, place: place, milliseconds)
        }
        guard var v6 = ipv6(address, port) else {
            throw SystemError("inet_pton", number: EINVAL, path: address)
        }
        return try connect(AF_INET6, &v6, place: place, milliseconds)
    }

    /// The same to a Unix socket. It waits while the queue of the listener is full.
    package static func connect(
        path: String, waitingAtMost milliseconds: Int64? = nil
    ) throws(SystemError) -> FileDescriptor {
        var address = try unixAddress(path)
        return try connect(AF_UNIX, &address, place: path, milliseconds)
    }

    /// A connection and its client.
    package struct Accepted: Sendable {
        package let descriptor: FileDescriptor
        package let client: ClientAddress

        package init(_ descriptor: FileDescriptor, from client: ClientAddress) {
            self.descriptor = descriptor
            self.client = client
        }
    }

    /// accept4(2); nil if nobody waits. A connection that is gone already counts as nobody.
    package static func accept(_ listener: FileDescriptor) throws(SystemError) -> Accepted? {
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

    /// socketpair(2): the two ends of a connection over Unix sockets, non-blocking.
    package static func pair() throws(SystemError) -> (FileDescriptor, FileDescriptor) {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        var numbers: [Int32] = [-1, -1]
        let result = retryingOnInterrupt { unsafe Int(socketpair(AF_UNIX, kind, 0, &numbers)) }
        try check(result, "socketpair")
        return (FileDescriptor(owning: numbers[0]), FileDescriptor(owning: numbers[1]))
    }

    /// The port that a TCP socket is bound to.
    package static func port(of socket: FileDescriptor) throws(SystemError) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                retryingOnInterrupt { unsafe Int(getsockname(socket.number, address, &length)) }
            }
        }
        try check(result, "getsockname")
        return endpoint(storage)?.port ?? 0
    }

    /// Where a TCP socket is bound, as `127.0.0.1:8080`; `unix` for any other.
    package static func boundAddress(_ socket: FileDescriptor) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                retryingOnInterrupt { unsafe Int(getsockname(socket.number, address, &length)) }
            }
        }
        return result == 0 ? text(storage) : "unix"
    }

    /// How the connections of a listening TCP socket send: at once what is small (TCP_NODELAY), and
    /// no more into the kernel than a peer takes and `unsentBytesMax` (TCP_NOTSENT_LOWAT): without
    /// it the kernel takes megabytes for a peer that reads nothing. They inherit it, tcp(7).
    package static func setSendingOptions(_ listener: FileDescriptor) throws(SystemError) {
        try setOption(listener, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try setOption(listener, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytesMax)
    }

    private static let unsentBytesMax: Int32 = 128 << 10

    /// Says the end of writing; a connection that is gone already is no error.
    package static func shutdownWriting(_ socket: FileDescriptor) throws(SystemError) {
        let result = retryingOnInterrupt { Int(shutdown(socket.number, Int32(SHUT_WR))) }
        if result != -Int(ENOTCONN) { try check(result, "shutdown") }
    }

    /// SO_ERROR: what a connection failed with, 0 if with nothing.
    package static func pendingError(_ socket: FileDescriptor) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(4)
        let result = retryingOnInterrupt {
            unsafe Int(getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &value, &length))
        }
        try check(result, "getsockopt")
        return value
    }
}

// Bytes of a connection. These calls know that it is a socket, which saves the kernel what a
// file's position needs.
extension FileDescriptor {
    /// recv(2) into a window of the array; nil if it would have to wait, 0 at the end.
    package func receive(
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

    /// send(2) once; the bytes taken, nil if it would have to wait.
    package func send(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        let number = number
        let count = simulation?.portion(of: range.count) ?? range.count
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt {
                unsafe Glibc.send(
                    number, buffer.baseAddress.map { unsafe $0 + range.lowerBound },
                    count, Int32(MSG_NOSIGNAL))
            }
        }
        return try checkUnlessWaiting(result, "send")
    }
}

extension Socket {
    private static func make(_ family: Int32) throws(SystemError) -> FileDescriptor {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let result = retryingOnInterrupt { Int(Glibc.socket(family, kind, 0)) }
        return FileDescriptor(owning: Int32(try check(result, "socket")))
    }

    private static func setOption(
        _ socket: FileDescriptor, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemError) {
        var value = value
        let result = retryingOnInterrupt {
            unsafe Int(setsockopt(socket.number, level, option, &value, 4))
        }
        try check(result, "setsockopt")
    }

    /// SO_SNDTIMEO, which connect(2) obeys too. No time at all would mean no limit.
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
        _ socket: FileDescriptor, _ address: inout Address, place: String
    ) throws(SystemError) {
        let length = socklen_t(MemoryLayout<Address>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                retryingOnInterrupt { unsafe Int(Glibc.bind(socket.number, raw, length)) }
            }
        }
        try check(result, "bind", path: place)
    }

    private static func start(
        _ socket: FileDescriptor, _ backlog: Int32
    ) throws(SystemError) -> FileDescriptor {
        try check(retryingOnInterrupt { Int(Glibc.listen(socket.number, backlog)) }, "listen")
        return socket
    }

    private static func connect<Address>(
        _ family: Int32, _ address: inout Address, place: String, _ milliseconds: Int64?
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
        // The kernel says so when the time is over: TCP the one, a Unix socket the other.
        if milliseconds != nil, result == -Int(EINPROGRESS) || result == -Int(EAGAIN) {
            throw SystemError("connect", number: ETIMEDOUT, path: place)
        }
        try check(result, "connect", path: place)
        try check(
            retryingOnInterrupt { Int(fcntl(socket.number, F_SETFL, O_NONBLOCK)) }, "fcntl",
            path: place)
        return socket
    }
}
