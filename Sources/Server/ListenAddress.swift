internal import Bytes

/// Where the server listens: a TCP port on a numeric address, or a Unix socket.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// A numeric address; empty for a Unix socket.
    package var host: String
    /// 0: whatever is free.
    package var port: UInt16
    /// A Unix socket's name in the file system.
    package var path: String?

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `:8080` (all addresses), `8080` (loopback) or
    /// `unix:/run/navstate.sock`.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self.init(host: "", port: 0)
            self.path = path
            return
        }
        guard let colon = text.lastIndex(of: ":") else {
            guard let port = Self.port(Substring(text)) else { return nil }
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let port = Self.port(text[text.index(after: colon)...]) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard Self.looksNumeric(host, "0123456789abcdefABCDEF:.") else { return nil }
        } else {
            host = ["": "0.0.0.0", "*": "0.0.0.0", "localhost": "127.0.0.1"][host] ?? host
            guard Self.looksNumeric(host, "0123456789.") else { return nil }
        }
        self.init(host: host, port: port)
    }

    /// Names are not looked up: what a server listens on should not depend on another one.
    private static func looksNumeric(_ host: String, _ alphabet: String) -> Bool {
        !host.isEmpty && host.allSatisfy { alphabet.contains($0) }
    }

    private static func port(_ text: Substring) -> UInt16? {
        Decimal.number(text.utf8, digitsMax: 5).flatMap { UInt16(exactly: $0) }
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool { path != nil || host.hasPrefix("127.") || host == "::1" }

    /// False where the kernel chooses the port.
    package var isFixed: Bool { path != nil || port != 0 }

    /// Where a client on this machine finds it.
    package var reachable: ListenAddress {
        let own = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        var address = self
        address.host = own[host] ?? host
        return address
    }

    package var description: String {
        if let path { return "unix:\(path)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
