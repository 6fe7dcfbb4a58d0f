internal import Bytes
internal import CLinux
internal import Glibc

// Non-blocking connections to other servers.

extension Socket {
    /// Starts to connect to a numeric address: connect(2). The socket becomes writable once it is
    /// connected or the connection has failed; `connectionFailure` tells which.
    public static func beginConnecting(
        address: String, port: UInt16
    ) throws(SystemError) -> FileDescriptor {
        if let path = simulation?.path(toAddress: address, port: port) {
            return try connect(path: path)
        }
        let name = "\(address):\(port)"
        if var v4 = ipv4(address, port) { return try begin(AF_INET, &v4, name: name) }
        guard var v6 = ipv6(address, port) else {
            throw SystemError("inet_pton", number: EINVAL, path: address)
        }
        return try begin(AF_INET6, &v6, name: name)
    }

    /// Whether the text is a numeric IPv4 or IPv6 address, which does not have to be looked up.
    public static func isNumeric(_ address: String) -> Bool {
        ipv4(address, 0) != nil || ipv6(address, 0) != nil
    }

    /// The IPv4 address by which this machine reaches others, and which devices in the same network
    /// can reach. Nil without a network. Nothing is sent: a datagram socket that is connected only
    /// looks up the route.
    public static var networkAddress: String? {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let made = retryingOnInterrupt { Int(Glibc.socket(AF_INET, kind, 0)) }
        // An address for documentation (RFC 5737), which nobody has; the port does not matter.
        guard made >= 0, var other = ipv4("192.0.2.1", 9) else { return nil }
        let socket = FileDescriptor(owning: Int32(made))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &other) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                retryingOnInterrupt { unsafe Int(Glibc.connect(socket.number, raw, length)) }
            }
        }
        guard result == 0, let own = try? boundAddress(of: socket) else { return nil }
        return endpoint(own)?.host
    }

    private static func begin<Address>(
        _ family: Int32, _ address: inout Address, name: String
    ) throws(SystemError) -> FileDescriptor {
        let socket = try make(family)
        try setOption(socket, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, 1)
        let length = socklen_t(MemoryLayout<Address>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                // An interrupted connect(2) continues in the background, like one that would block.
                let result = unsafe Glibc.connect(socket.number, raw, length)
                return result == 0 || errno == EINPROGRESS || errno == EINTR ? 0 : -Int(errno)
            }
        }
        try check(result, "connect", path: name)
        return socket
    }
}

extension FileDescriptor {
    /// Why the socket could not be connected, or has failed since the last call (SO_ERROR). Returns
    /// nil if there was no error.
    public func connectionFailure() throws(SystemError) -> SystemError? {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let result = retryingOnInterrupt {
            unsafe Int(getsockopt(self.number, SOL_SOCKET, SO_ERROR, &number, &length))
        }
        try check(result, "getsockopt")
        return number == 0 ? nil : SystemError("connect", number: number)
    }
}

/// Looks up the addresses of a host name on a separate thread, because getaddrinfo(3) waits for
/// name servers.
public final class HostLookUp: Sendable {
    private let wakeUp: WakeUp
    private let found = Lock([String]?.none)

    /// Starts to look up a name. The result for a numeric address is that address.
    public init(_ host: String) throws(SystemError) {
        wakeUp = try WakeUp()
        let (wakeUp, found) = (wakeUp, found)
        // The thread ends by itself, so that nothing has to wait for a name server that does not
        // answer.
        try Thread(named: "resolve") {
            let addresses = Self.addresses(of: host)
            found.withLock { $0 = addresses }
            wakeUp.signal()
        }.detach()
    }

    /// Becomes readable once the look-up is done.
    public var wakeDescriptor: FileDescriptor { wakeUp.descriptor }

    /// The numeric addresses in order of preference. The list is empty if the name is unknown, and
    /// nil until the look-up is done.
    public var addresses: [String]? { found.withLock { $0 } }

    private static func addresses(of host: String) -> [String] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var next = unsafe list
        while let item = unsafe next?.pointee, addresses.count < countMax {
            unsafe next = unsafe item.ai_next
            var storage = sockaddr_storage()
            guard let source = unsafe item.ai_addr,
                unsafe Int(item.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size
            else { continue }
            unsafe withUnsafeMutableBytes(of: &storage) { bytes in
                unsafe bytes.copyMemory(
                    from: UnsafeRawBufferPointer(start: source, count: Int(item.ai_addrlen)))
            }
            if let end = Socket.endpoint(storage), !addresses.contains(end.host) {
                addresses.append(end.host)
            }
        }
        return addresses
    }

    /// The maximum number of addresses, which is more than any name in a cluster has.
    private static let countMax = 16
}
