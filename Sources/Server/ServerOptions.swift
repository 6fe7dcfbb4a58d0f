public import API
public import HTTP
internal import POSIX

/// The settings of the event loop.
public struct ServerOptions: Sendable {
    /// Limits, tokens and origins.
    public var service = ServiceOptions()
    /// The largest messages that are read.
    public var parser = ParserLimits()
    /// How long the phases of a connection may take.
    public var deadlines = Deadlines()
    /// The most open connections.
    public var connectionsMax = 20_000
    /// The most open connections of one IPv4 address, or one IPv6 network of 64 bits, or nil for a
    /// quarter of `connectionsMax`, but at least 512. Addresses of this machine have no limit.
    public var addressConnectionsMax: Int?
    /// The memory of all connections together, in bytes: for requests that are incomplete or wait,
    /// and for answers that may not be shown yet or are not read.
    public var bufferedBytesMax = 256 << 20
    /// The rate of requests from one IPv4 address, or one IPv6 network of 64 bits, or nil for no
    /// limit.
    public var addressRateLimit: RateLimit?
    /// The rate of requests with one token, from all addresses together, or nil for no limit.
    public var tokenRateLimit: RateLimit?
    /// How long to keep serving after the first signal, with /readyz returning 503.
    public var drainMilliseconds: Int64 = 0
    /// How long open requests may then take to finish.
    public var stopMilliseconds: Int64 = 5_000
    /// Where the loop reads the time.
    public var clock: any LoopClock = SystemClock()

    public init() {}

    /// The limit of open connections of one address.
    var connectionsOfAddressMax: Int { addressConnectionsMax ?? max(512, connectionsMax / 4) }
}
