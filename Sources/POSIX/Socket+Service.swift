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
    public static func inherited(_ number: Int32) throws(SystemError) -> FileDescriptor {
        let flags = retryingOnInterrupt { Int(fcntl(number, F_GETFL)) }
        try check(flags, "fcntl")
        try check(
            retryingOnInterrupt { Int(fcntl(number, F_SETFL, Int32(flags) | O_NONBLOCK)) }, "fcntl")
        try check(retryingOnInterrupt { Int(fcntl(number, F_SETFD, FD_CLOEXEC)) }, "fcntl")
        return FileDescriptor(owning: number)
    }

    /// Whether it is a TCP socket and not a Unix socket.
    public static func isTCP(_ socket: FileDescriptor) -> Bool {
        ((try? port(of: socket)) ?? 0) != 0
    }
}
