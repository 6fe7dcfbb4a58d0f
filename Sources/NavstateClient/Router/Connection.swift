/// How a router is connected to its session.
public enum Connection: Sendable, Hashable {
    /// The router has not been started, or has not reached the server yet.
    case connecting
    /// Changes arrive as they happen.
    case live
    /// The connection is lost and will be made again. The router goes on with the own state.
    case offline
    /// The session was deleted or has expired.
    case ended(Ending)
    /// The server refuses the connection, for example because the token was revoked.
    case refused(NavstateError)
}

/// Whose state counts when a router was offline and is connected again.
public enum ReconnectPolicy: Sendable, Hashable {
    /// The server's. What was done without a connection is dropped.
    case pull
    /// The router's own. It replaces what others have done in the meantime.
    case push
}
