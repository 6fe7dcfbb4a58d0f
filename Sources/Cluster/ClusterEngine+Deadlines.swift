public import Navigation
public import Sessions

// Changes that are due in sessions without a request. The keeper of a session's shard makes them,
// as it ends the sessions that have expired. It is an ordinary change, so if two nodes take
// themselves for the keeper, the write of one of them is a conflict.
extension ClusterEngine {
    /// After how long a node looks again at what another one should have done.
    private static let patience: Milliseconds = 1_000

    /// When something is due next in a session by itself, apart from its expiry.
    public var nextDue: Milliseconds? { isWhole ? replica.table.deadlines.next : nil }

    /// Takes out a session in which something is due, if this node is its keeper.
    public func takeDue(now: Milliseconds) -> DueSession? {
        let table = replica.table
        for _ in 0..<Self.examinedMax {
            guard let due = table.takeDue(now: now) else { return nil }
            let entry = table[due.handle]
            if sweeper.isKeeper(of: entry.shard, at: clock.now) {
                return DueSession(id: entry.id, mayBeIdle: due.mayBeIdle)
            }
            table.postponeDue(of: entry.id, until: now + Self.patience)
        }
        return nil
    }

    /// The sessions that one call looks at.
    private static let examinedMax = 1_000

    /// Brings a session back in which something could not be done.
    public func postponeDue(of id: SessionID, until time: Milliseconds) {
        replica.table.postponeDue(of: id, until: time)
    }

    /// Brings a session back whose idle command had no effect.
    public func settleIdle(of id: SessionID) { replica.table.settleIdle(of: id) }

    /// Sets the idle times of all apps that have an idle command.
    public func setIdleSeconds(_ seconds: [AppID: Int]) { replica.table.setIdleSeconds(seconds) }
}
