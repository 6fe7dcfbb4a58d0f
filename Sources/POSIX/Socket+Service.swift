internal import CLinux
internal import Glibc

// What a service manager needs of sockets.

extension Socket {
    /// One datagram to a Unix socket; a name that begins with `@` is abstract.
    package static func sendDatagram(_ bytes: [UInt8], to path: String) throws(SystemError) {
        var address = try unixAddress(path)
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let made = retryingOnInterrupt { Int(Glibc.socket(AF_UNIX, kind, 0)) }
        let socket = FileDescriptor(owning: Int32(try check(made, "socket")))
        // An abstract name is as long as it is said to be.
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

    /// Takes over a listening socket that was open when the process began.
    package static func inherited(_ number: Int32) throws(SystemError) -> FileDescriptor {
        let flags = retryingOnInterrupt { Int(fcntl(number, F_GETFL)) }
        try check(flags, "fcntl")
        try check(
            retryingOnInterrupt { Int(fcntl(number, F_SETFL, Int32(flags) | O_NONBLOCK)) }, "fcntl")
        try check(retryingOnInterrupt { Int(fcntl(number, F_SETFD, FD_CLOEXEC)) }, "fcntl")
        return FileDescriptor(owning: number)
    }

    /// Whether it speaks TCP, and is not a Unix socket.
    package static func isTCP(_ socket: FileDescriptor) -> Bool {
        ((try? port(of: socket)) ?? 0) != 0
    }
}
