internal import Glibc

/// The address by which clients are told apart.
public struct ClientAddress: Hashable, Sendable {
    private let number: UInt64
    /// Whether the client is on this machine: a loopback address, or a Unix socket.
    public let isLocal: Bool

    /// A client that is connected to a Unix socket.
    public static let unix = ClientAddress(number: 0, isLocal: true)

    private init(number: UInt64, isLocal: Bool) {
        self.number = number
        self.isLocal = isLocal
    }

    /// A client with an IPv4 address, whose first byte is in the highest bits. It differs from all
    /// clients with IPv6 addresses, since none of these begins with `ffff:0000`.
    public init(ipv4 address: UInt32) {
        self.init(number: 0xFFFF_0000 << 32 | UInt64(address), isLocal: address >> 24 == 127)
    }

    /// A client with an IPv6 address, given as two halves. Only the first one counts, the network
    /// of 64 bits, since a client can choose the other half freely. An IPv4 address that is mapped
    /// to IPv6 is the same as the IPv4 address.
    public init(ipv6 network: UInt64, _ interface: UInt64) {
        if network == 0, interface >> 32 == 0xFFFF {
            self.init(ipv4: UInt32(truncatingIfNeeded: interface))
        } else {
            self.init(number: network, isLocal: network == 0 && interface == 1)
        }
    }

    /// The address as the log has it: `10.0.0.1`, `2001:db8:0:1::/64`, or `local` for IPv6 loopback
    /// and Unix sockets, which are not told apart.
    public var text: String {
        guard number >> 32 == 0xFFFF_0000 else {
            if isLocal { return "local" }
            let parts = stride(from: 48, through: 0, by: -16).map { number >> $0 & 0xFFFF }
            return parts.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        }
        return stride(from: 24, through: 0, by: -8).map { "\(number >> $0 & 0xFF)" }
            .joined(separator: ".")
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
