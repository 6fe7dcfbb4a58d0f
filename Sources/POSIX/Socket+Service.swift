internal import Bytes
internal import CLinux
internal import Glibc

// Sockets for the service manager.

extension Socket {
    /// Sends one datagram to a Unix socket. A path that begins with `@` is an abstract name.
    public static func sendDatagram(_ bytes: [UInt8], to path: String) throws(SystemError) {
        var address = try unixAddress(path)
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let made = retryingOnInterrupt { Int(Glibc.socket(AF_UNIX, kind, 0)) }
        let socket = FileDescriptor(owning: Int32(try check(made, "socket")))
        // The length of an abstract name is part of the address.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                unsafe bytes.withUnsafeBytes { buffer in
                    retryingOnInterrupt {
                        unsafe sendto(
                            socket.number, buffer.baseAddress, buffer.count,
                            Int32(MSG_NOSIGNAL), raw, length)
                    }
                }
            }
        }
        try check(result, "sendto", path: path)
    }

    /// Takes ownership of a listening socket that was open when the process started.
    ///
    /// - Throws: EINVAL if it is another socket, ENOTSOCK or EBADF for anything else.
    public static func inherited(_ number: Int32) throws(SystemError) -> FileDescriptor {
        var (isListening, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        let found = retryingOnInterrupt {
            unsafe Int(getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length))
        }
        try check(found, "getsockopt")
        guard isListening == 1 else { throw SystemError("accept", number: EINVAL) }
        let flags = retryingOnInterrupt { Int(fcntl(number, F_GETFL)) }
        try check(flags, "fcntl")
        try check(
            retryingOnInterrupt { Int(fcntl(number, F_SETFL, Int32(flags) | O_NONBLOCK)) }, "fcntl")
        try check(retryingOnInterrupt { Int(fcntl(number, F_SETFD, FD_CLOEXEC)) }, "fcntl")
        return FileDescriptor(owning: number)
    }

    /// The path of a Unix socket, with `@` as the first byte of an abstract name. It is empty for a
    /// socket without a name, and nil for a socket of another kind.
    public static func path(of socket: FileDescriptor) throws(SystemError) -> String? {
        var storage = try boundAddress(of: socket)
        guard Int32(storage.ss_family) == AF_UNIX else { return nil }
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            let path = unsafe bytes.dropFirst(MemoryLayout<sa_family_t>.size)
            let isAbstract = unsafe path.first == 0 && path.dropFirst().first != 0
            let name = unsafe path.dropFirst(isAbstract ? 1 : 0).prefix { $0 != 0 }
            return unsafe (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self)
        }
    }
}
