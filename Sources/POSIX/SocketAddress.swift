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

    /// A numeric IPv4 or IPv6 address in its usual spelling, such as `::1` for `0:0:0:0:0:0:0:1`.
    /// Nil for any other text.
    public static func numericAddress(_ text: String) -> String? {
        guard !text.utf8.contains(0) else { return nil }
        if var v4 = ipv4(text, 0) { return unsafe spelled(AF_INET, &v4.sin_addr) }
        guard var v6 = ipv6(text, 0) else { return nil }
        return unsafe spelled(AF_INET6, &v6.sin6_addr)
    }

    private static func spelled(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        var text = [CChar](repeating: 0, count: 64)
        unsafe inet_ntop(family, address, &text, 64)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address of a path or an abstract name of up to 107 bytes.
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

    /// The numeric host and the port, or nil for anything but a TCP address.
    static func endpoint(_ storage: sockaddr_storage) -> (host: String, port: UInt16)? {
        var storage = storage
        let family = Int32(storage.ss_family)
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET:
                var address = unsafe bytes.load(as: sockaddr_in.self)
                let host = unsafe spelled(family, &address.sin_addr)
                return (host, UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                var address = unsafe bytes.load(as: sockaddr_in6.self)
                let host = unsafe spelled(family, &address.sin6_addr)
                return (host, UInt16(bigEndian: address.sin6_port))
            default: return nil
            }
        }
    }
}
