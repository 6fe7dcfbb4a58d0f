extension Nav {
    /// How a router is connected to its session.
    public enum Connection: Sendable, Hashable {
        /// The router has not been started or has not reached the server yet.
        case connecting
        /// Changes arrive as they happen.
        case live
        /// The connection was lost, and the router is trying to reconnect. It carries on with its
        /// local state.
        case offline
        /// The session was deleted or has expired.
        case ended(Ending)
        /// The server refuses the connection, for example because the token was revoked.
        case refused(NavstateError)
    }
}

/// Which state wins when a router reconnects after being offline.
public enum ReconnectPolicy: Sendable, Hashable {
    /// The server's state. Changes made offline are dropped, and `error` says so.
    case pull
    /// Changes made offline are sent in their order. Changes of others stay.
    case push
}
