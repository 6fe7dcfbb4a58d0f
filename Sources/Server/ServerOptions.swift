package import API
package import HTTP
internal import POSIX

/// What the event loop can be told.
package struct ServerOptions: Sendable {
    package var service = ServiceOptions()
    package var parser = ParserLimits()
    package var deadlines = Deadlines()
    package var connectionsMax = 20_000
    /// Open connections of one address, for IPv6 of one network of 64 bits; nil: a quarter of
    /// `connectionsMax`, but at least 512. Addresses of this machine have no limit.
    package var addressConnectionsMax: Int?
    /// What connections may hold in memory all together: requests that are not whole or wait,
    /// answers that are not shown or not read.
    package var bufferedBytesMax = 256 << 20
    /// How often one address may ask; for IPv6 one network of 64 bits. Nil: as often as it likes.
    package var addressRateLimit: RateLimit?
    /// How often one token may be used, from all addresses together.
    package var tokenRateLimit: RateLimit?
    /// What the metrics say that runs.
    package var version = ""
    /// How long it goes on after the first signal, saying at /readyz that it will stop.
    package var drainMilliseconds: Int64 = 0
    /// How long a stop waits for requests that are in work.
    package var stopMilliseconds: Int64 = 5_000
    package var clock: any LoopClock = SystemClock()

    package init() {}

    /// The limit of open connections of one address.
    var connectionsOfAddressMax: Int { addressConnectionsMax ?? max(512, connectionsMax / 4) }
}
