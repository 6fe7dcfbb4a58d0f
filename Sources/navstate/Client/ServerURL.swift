internal import Bytes
internal import POSIX
internal import Server

/// Where a client command finds the server: a TCP port on a host, or a Unix socket.
package struct ServerURL: Equatable, Sendable, CustomStringConvertible {
    /// A name or a numeric address, without brackets; empty for a Unix socket.
    package private(set) var host: String
    package private(set) var port: UInt16
    /// The path of a Unix socket, or nil for a TCP port.
    package private(set) var path: String?

    /// The server on this machine with its default port.
    package static let standard = ServerURL(host: "127.0.0.1", port: 8080)

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The server that listens on an address of this machine.
    init(_ address: ListenAddress) {
        (host, port, path) = (address.host, address.port, address.path)
    }

    /// Reads `http://localhost:8080`, `http://[::1]:8080/` or `unix:/run/navstate.sock`. Returns
    /// nil for any other text, also for a URL with a user, a path or a query.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let path = ListenAddress(text)?.path else { return nil }
            self.init(host: "", port: 0)
            self.path = path
            return
        }
        guard text.lowercased().hasPrefix("http://") else { return nil }
        var authority = text.dropFirst("http://".count)
        if authority.hasSuffix("/") { authority.removeLast() }
        var port: UInt16 = 80
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.utf8.index(after: colon)...]
            guard let number = Decimal.number(digits.utf8, digitsMax: 5).map(UInt16.init(exactly:)),
                let number, number > 0
            else { return nil }
            port = number
            authority = authority[..<colon]
        }
        guard let host = Self.host(authority) else { return nil }
        self.init(host: host, port: port)
    }

    /// A name, an IPv4 address, or an IPv6 address in brackets, which are removed.
    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]"), text.count > 2 {
            let inner = String(text.dropFirst().dropLast())
            return inner.contains(":") && Socket.isNumeric(inner) ? inner : nil
        }
        let isName = text.utf8.allSatisfy { ASCII.isUnreserved($0) && $0 != UInt8(ascii: "~") }
        return (1...253).contains(text.utf8.count) && isName ? String(text) : nil
    }

    /// The rule that a text breaks which is not an address, for messages.
    package static func rule(_ text: String) -> String {
        if text.lowercased().hasPrefix("https://") {
            return "must begin with http://, because this program does not speak TLS; call the "
                + "server through an SSH tunnel, or through a local proxy that speaks https to it"
        }
        return "must be http://HOST:PORT without a path, or unix:PATH"
    }

    /// The value of the field `Host`.
    var hostField: String {
        if path != nil { return "localhost" }
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 80 ? name : "\(name):\(port)"
    }

    package var description: String { path.map { "unix:\($0)" } ?? "http://\(hostField)" }
}
