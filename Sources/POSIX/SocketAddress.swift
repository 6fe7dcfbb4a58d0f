internal import CLinux
internal import Glibc

extension Socket {
    static func ipv4(_ text: String, _ port: UInt16) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return unsafe inet_pton(AF_INET, text, &address.sin_addr) == 1 ? address : nil
    }

    static func ipv6(_ text: String, _ port: UInt16) -> sockaddr_in6? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        return unsafe inet_pton(AF_INET6, text, &address.sin6_addr) == 1 ? address : nil
    }

    /// Names of up to 107 bytes.
    static func unixAddress(_ path: String) throws(SystemError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard (1...107).contains(name.count), !name.contains(0) else {
            throw SystemError("bind", number: ENAMETOOLONG, path: path)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return address
    }

    static func text(_ storage: sockaddr_storage) -> String {
        guard let end = endpoint(storage) else { return "unix" }
        return end.host.utf8.contains(0x3A)
            ? "[\(end.host)]:\(end.port)" : "\(end.host):\(end.port)"
    }

    /// The numeric host and the port; nil if it is no TCP address.
    static func endpoint(_ storage: sockaddr_storage) -> (host: String, port: UInt16)? {
        var storage = storage
        var text = [CChar](repeating: 0, count: 64)
        let family = Int32(storage.ss_family)
        let port = unsafe withUnsafeBytes(of: &storage) { bytes -> UInt16? in
            switch family {
            case AF_INET:
                var address = unsafe bytes.load(as: sockaddr_in.self)
                unsafe inet_ntop(family, &address.sin_addr, &text, 64)
                return UInt16(bigEndian: address.sin_port)
            case AF_INET6:
                var address = unsafe bytes.load(as: sockaddr_in6.self)
                unsafe inet_ntop(family, &address.sin6_addr, &text, 64)
                return UInt16(bigEndian: address.sin6_port)
            default: return nil
            }
        }
        let host = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return port.map { (String(decoding: host, as: UTF8.self), $0) }
    }
}

/// The address of a client, as far as clients are told apart.
package struct ClientAddress: Hashable, Sendable {
    private let number: UInt64
    /// Whether the client is on this machine: a loopback address, or a Unix socket.
    package let isLocal: Bool

    /// A client at the other end of a Unix socket.
    package static let unix = ClientAddress(number: 0, isLocal: true)

    private init(number: UInt64, isLocal: Bool) {
        self.number = number
        self.isLocal = isLocal
    }

    /// An IPv4 address, its first byte in the highest bits. It differs from every IPv6 network
    /// that a client can have, since it is written as one that begins with `ffff:0000`.
    package init(ipv4 address: UInt32) {
        self.init(number: 0xFFFF_0000 << 32 | UInt64(address), isLocal: address >> 24 == 127)
    }

    /// An IPv6 address in two halves. Only the first counts, the network of 64 bits: a client
    /// chooses the other half freely. IPv4 addresses within IPv6 count as IPv4.
    package init(ipv6 network: UInt64, _ interface: UInt64) {
        if network == 0, interface >> 32 == 0xFFFF {
            self.init(ipv4: UInt32(truncatingIfNeeded: interface))
        } else {
            self.init(number: network, isLocal: network == 0 && interface == 1)
        }
    }

    init(_ storage: sockaddr_storage) {
        var storage = storage
        let family = Int32(storage.ss_family)
        self = unsafe withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET:
                let address = unsafe bytes.load(as: sockaddr_in.self).sin_addr.s_addr
                return ClientAddress(ipv4: UInt32(bigEndian: address))
            case AF_INET6:
                let network = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                let interface = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                return ClientAddress(
                    ipv6: UInt64(bigEndian: network), UInt64(bigEndian: interface))
            default: return .unix
            }
        }
    }
}
