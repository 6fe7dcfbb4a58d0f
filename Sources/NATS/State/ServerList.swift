/// The servers to connect to: those that were configured and those discovered from the cluster.
///
/// Servers are tried in rotation, so that each is tried once before any is tried again. The first
/// one is random, so that clients are spread over the servers.
package struct ServerList: Sendable {
    private let configured: [ServerAddress]
    private let usesDiscovered: Bool
    private var discovered: [ServerAddress] = []
    private var position: Int
    /// The server that `next` returned last. It is nil before the first call.
    package private(set) var current: ServerAddress?

    /// - Parameters:
    ///   - configured: at least one server.
    ///   - usesDiscovered: whether to connect to servers that a connected server lists. They
    ///     receive the same credentials.
    package init(_ configured: [ServerAddress], usesDiscovered: Bool, random: UInt64) {
        precondition(!configured.isEmpty, "a list of servers has at least one")
        self.configured = configured
        self.usesDiscovered = usesDiscovered
        position = Int(random % UInt64(configured.count))
    }

    /// All servers, the configured ones first.
    package var all: [ServerAddress] {
        configured + discovered.filter { !configured.contains($0) }
    }

    /// Returns the next server to try.
    package mutating func next() -> ServerAddress {
        let servers = all
        position %= servers.count
        // The server that has just failed or is in lame duck mode comes last.
        if servers[position] == current, servers.count > 1 {
            position = (position + 1) % servers.count
        }
        let address = servers[position]
        position += 1
        current = address
        return address
    }

    /// Replaces the discovered servers with those that the connected server lists. Servers that are
    /// in lame duck mode or unreachable are not on this list. At most 64 servers are kept. An empty
    /// list changes nothing, and neither does any list if discovered servers are not used.
    package mutating func learn(_ addresses: [ServerAddress]) {
        guard usesDiscovered, !addresses.isEmpty else { return }
        discovered = Array(addresses.prefix(ServerInfo.addressesMax))
    }
}
