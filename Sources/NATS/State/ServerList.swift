/// Which server to try next: the ones that were configured and those that the cluster told of.
///
/// It goes around, so that every server is tried before one is tried again, and begins anywhere, so
/// that not all clients are at the same server.
package struct ServerList: Sendable {
    private let configured: [ServerAddress]
    private let usesDiscovered: Bool
    private var discovered: [ServerAddress] = []
    private var position: Int
    /// The server that was given out last.
    package private(set) var current: ServerAddress?

    /// - Parameters:
    ///   - configured: at least one server.
    ///   - usesDiscovered: whether a server that was connected may name others. They get the same
    ///     credentials.
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

    /// The next server.
    package mutating func next() -> ServerAddress {
        let servers = all
        position %= servers.count
        // The one that has just failed, or shuts down, comes last.
        if servers[position] == current, servers.count > 1 {
            position = (position + 1) % servers.count
        }
        let address = servers[position]
        position += 1
        current = address
        return address
    }

    /// What a server that is connected says of the cluster. A server that shuts down, or is away,
    /// is no longer named.
    package mutating func learn(_ addresses: [ServerAddress]) {
        guard usesDiscovered, !addresses.isEmpty else { return }
        discovered = Array(addresses.prefix(ServerInfo.addressesMax))
    }
}
