internal import Bytes
internal import POSIX

/// Where the server listens: a TCP port on a numeric address, or a Unix socket.
public struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// A numeric address; empty for a Unix socket.
    public var host: String
    /// The TCP port; 0 lets the kernel choose one.
    public var port: UInt16
    /// The path of a Unix socket, or nil for a TCP port.
    public var path: String?

    /// A Unix socket.
    public init(path: String) {
        self.init(host: "", port: 0)
        self.path = path
    }

    /// A TCP port on a numeric address.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `:8080` (all addresses), `8080` (loopback) or
    /// `unix:/run/navstate.sock`.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self.init(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else {
            guard let port = Self.port(Substring(text)) else { return nil }
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let port = Self.port(text[text.utf8.index(after: colon)...]) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else {
            switch host {
            case "", "*": host = "0.0.0.0"
            case "localhost": host = "127.0.0.1"
            default: break
            }
            guard !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        }
        // Names are not looked up: the address of a server should not depend on a name server.
        guard let numeric = Socket.numericAddress(host) else { return nil }
        self.init(host: numeric, port: port)
    }

    private static func port(_ text: Substring) -> UInt16? {
        Decimal.number(text.utf8, digitsMax: 5).flatMap { UInt16(exactly: $0) }
    }

    /// Whether only clients on this machine can connect.
    public var isLoopback: Bool { path != nil || host.hasPrefix("127.") || host == "::1" }

    /// False where the kernel chooses the port.
    public var isFixed: Bool { path != nil || port != 0 }

    /// The address that a client on this machine connects to.
    public var reachable: ListenAddress {
        var address = self
        switch host {
        case "0.0.0.0": address.host = "127.0.0.1"
        case "::": address.host = "::1"
        default: break
        }
        return address
    }

    /// The address as options and messages have it.
    public var description: String {
        if let path { return "unix:\(path)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
