internal import Bytes
internal import POSIX
package import Server

/// The addresses of the server as its users type them.
package enum Address {
    /// The origin of the console and of the API: `http://localhost:8080`. Nil if the server only
    /// listens on Unix sockets.
    ///
    /// - Parameter isOnNetwork: whether other machines are to reach it by this origin. A wildcard
    ///   address is then the address of this machine in its network, if it has one.
    package static func origin(_ addresses: [ListenAddress], onNetwork: Bool) -> String? {
        let tcp = addresses.filter { $0.path == nil }
        guard var address = (onNetwork ? tcp.first { !$0.isLoopback } : nil) ?? tcp.first else {
            return nil
        }
        guard isWildcard(address) else { return "http://\(address)" }
        guard onNetwork, let host = Socket.networkAddress else {
            return "http://localhost:\(address.port)"
        }
        address.host = host
        return "http://\(address)"
    }

    private static func isWildcard(_ address: ListenAddress) -> Bool {
        address.host == "0.0.0.0" || address.host == "::"
    }

    /// What the log says of an address.
    static func text(_ address: ListenAddress) -> String {
        address.path == nil ? "http://\(address)" : "\(address)"
    }
}
