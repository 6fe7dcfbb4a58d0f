public import Navigation
internal import Sessions

// All nodes of a store go by the time of its servers, not by their own clocks. Otherwise a node
// whose clock is wrong would end the sessions of others, or keep its own ones too long.
extension ClusterEngine {
    /// The servers' time.
    public var time: Milliseconds? { links.feeds?.servers.time(at: clock.now) }

    /// How far the clock of this machine is ahead of the servers' time, in milliseconds.
    var clockOffset: Milliseconds? { time.map { clock.machineTime - $0 } }

    /// That the clock of this machine is wrong, if it is.
    var clockWarning: String? {
        guard clock.isOff, let offset = clockOffset else { return nil }
        let direction = offset > 0 ? "ahead of" : "behind"
        return "clock: \((abs(offset) + 500) / 1_000) s \(direction) the servers of the store, "
            + "whose time is used"
    }

    /// Reports once when the clock of this machine is wrong.
    func compareClocks() {
        guard let offset = clockOffset, clock.compare(offset) else { return }
        if let clockWarning {
            news.report(StoreReport("the clock of this machine is wrong", error: clockWarning))
        }
    }
}
