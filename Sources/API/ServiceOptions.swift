public import Navigation
public import Sessions

/// The settings of the service.
public struct ServiceOptions: Sendable {
    /// The version of the program, for `GET /v1`, the metrics and agents.
    public var version = ""
    /// The limits of sessions, apps and requests.
    public var limits = Limits()
    /// The hosts and origins from which requests are accepted.
    public var originPolicy = RequestOriginPolicy()
    /// Without any, every client may do everything.
    public var tokens = Tokens()
    /// Whether metrics are served at a separate address, and no longer at the main one.
    public var hasMetricsAddress = false
    /// The memory that decoded sessions may use, in bytes.
    public var decodedBytesMax = 64 << 20
    /// Bytes of records that one page of the list may read, and bytes of missed changes that one
    /// stream may begin with: as much as the loop reads and copies in some milliseconds.
    public var recordBytesMax = 4 << 20
    /// Bytes of sessions that a stream may begin with.
    public var snapshotBytesMax = 32 << 20

    public init() {}
}

/// The values that the service gets from the process that it runs in.
public struct ServiceEnvironment {
    /// The number of clients that are told of changes of the session.
    public var watchers: (SessionID) -> Int = { _ in 0 }
    /// The open streams of the session, the oldest first.
    public var watcherList: (SessionID) -> [Watcher] = { _ in [] }
    /// The approximate number of streams and waiting reads to notify of changes of a session.
    public var audience: (SessionID) -> Int = { _ in 0 }
    /// Sends a signal to the streams that want it, and returns how many these are, for each
    /// session.
    public var signal: (Signal) -> [Int] = { $0.sessions.map { _ in 0 } }
    /// Asks the other servers that share the store something whose answers nobody waits for.
    public var tellPeers: (PeerQuestion) -> Void = { _ in }
    /// Whether any client is to be told of the steps of changes of the session.
    public var wantsSteps: (SessionID) -> Bool = { _ in false }
    /// Called with a message for the log when a stored record is unreadable.
    public var reportUnreadable: (String) -> Void = { _ in }
    /// Makes the page of `GET /metrics`.
    public var metrics: () -> [UInt8] = { [] }
    /// 64 random bits at each call. Ids and tokens are made of them, so they must be unpredictable.
    public var random: () -> UInt64 = {
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
    /// Whether the server is about to stop: it still answers, and /readyz says so.
    public var isDraining = false
    /// The settings of the service.
    public let options: ServiceOptions

    init(_ options: ServiceOptions) { self.options = options }
}
