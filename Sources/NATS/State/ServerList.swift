/// The servers to connect to, which are only those that were configured: a connected server lists
/// others, but nobody vouches for their addresses, and a client sends its password to each server.
///
/// Servers are tried in rotation, so that each is tried once before any is tried again. The first
/// one is random, so that clients are spread over the servers.
package struct ServerList: Sendable {
    private let servers: [ServerAddress]
    private var position: Int
    /// The server that `next` returned last. It is nil before the first call.
    package private(set) var current: ServerAddress?

    /// - Parameter servers: at least one server.
    package init(_ servers: [ServerAddress], random: UInt64) {
        precondition(!servers.isEmpty, "a list of servers has at least one")
        self.servers = servers
        position = Int(random % UInt64(servers.count))
    }

    /// Returns the next server to try.
    package mutating func next() -> ServerAddress {
        let address = servers[position]
        position = (position + 1) % servers.count
        current = address
        return address
    }
}
