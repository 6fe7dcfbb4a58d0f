package import Navigation
package import Sessions

/// The settings of the service.
package struct ServiceOptions: Sendable {
    /// The version of the program, for `GET /v1`, the metrics and agents.
    package var version = ""
    /// The limits of sessions, apps and requests.
    package var limits = Limits()
    /// The hosts and origins from which requests are accepted.
    package var originPolicy = RequestOriginPolicy()
    /// Without any, every client may do everything.
    package var tokens = Tokens()
    /// Whether metrics are served at a separate address, and no longer at the main one.
    package var hasMetricsAddress = false
    /// The memory that decoded sessions may use, in bytes.
    package var decodedBytesMax = 64 << 20
    /// Bytes of records that one page of the list may read, and bytes of missed changes that one
    /// stream may begin with: as much as the loop reads and copies in some milliseconds.
    package var recordBytesMax = 4 << 20
    /// Bytes of sessions that a stream may begin with.
    package var snapshotBytesMax = 32 << 20

    package init() {}
}

/// The values that the service gets from the process that it runs in.
package struct ServiceEnvironment {
    /// The number of clients that are told of changes of the session.
    package var watchers: (SessionID) -> Int = { _ in 0 }
    /// The open streams of the session, the oldest first.
    package var watcherList: (SessionID) -> [Watcher] = { _ in [] }
    /// The approximate number of streams and waiting reads to notify of changes of a session.
    package var audience: (SessionID) -> Int = { _ in 0 }
    /// Sends a signal to the streams that want it, and returns how many these are, for each
    /// session.
    package var signal: (Signal) -> [Int] = { $0.sessions.map { _ in 0 } }
    /// Asks the other servers that share the store something whose answers nobody waits for.
    package var tellPeers: (PeerQuestion) -> Void = { _ in }
    /// Whether any client is to be told of the steps of changes of the session.
    package var wantsSteps: (SessionID) -> Bool = { _ in false }
    /// Called with a message for the log when a stored record is unreadable.
    package var reportUnreadable: (String) -> Void = { _ in }
    /// Makes the page of `GET /metrics`.
    package var metrics: () -> [UInt8] = { [] }
    /// 64 random bits at each call. Ids and tokens are made of them, so they must be unpredictable.
    package var random: () -> UInt64 = {
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
    /// Whether the server is about to stop: it still answers, and /readyz says so.
    package var isDraining = false
    /// The settings of the service.
    package let options: ServiceOptions

    init(_ options: ServiceOptions) { self.options = options }
}
