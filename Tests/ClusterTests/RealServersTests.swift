import Cluster
import JSON
import NATS
import POSIX
import TestSupport
import Testing

/// Writes to real servers, whose addresses are in NAVSTATE_TEST_STORE. `Tests/cluster/servers.py`
/// starts them, and kills or pauses some of them meanwhile if it is told to.
@Suite(.enabled(if: RealServers.store != nil, "NAVSTATE_TEST_STORE is not set"))
struct RealServersTests {
    @Test(.seeded) func `what was acknowledged is in the stream, once and in its place`() throws {
        var dice = SplitMix64()
        let address = try StoreAddress(try #require(RealServers.store))
        let prefix = try #require(StorePrefix("T\(dice.below(1_000_000_000))"))
        let world = try WriteWorld(address, StoreLayout(prefix: prefix, shardCount: 1), dice: dice)
        try world.createStream()
        try world.change(count: RealServers.changes, writers: 16)
        let log = try world.readLog()
        world.check(log)
    }
}

enum RealServers {
    static let store = Process.environment("NAVSTATE_TEST_STORE")
    /// The addresses of their monitoring pages.
    static let monitors =
        Process.environment("NAVSTATE_TEST_MONITORS")?
        .split(separator: ",").map { String($0) } ?? []
    /// The number of changes that are to be decided in all.
    static let changes = Environment.number("NAVSTATE_TEST_CHANGES") ?? 2_000
}
