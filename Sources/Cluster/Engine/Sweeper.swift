internal import NATS
internal import Navigation
internal import Sessions

/// Does what has to be done once for each shard, for the shards whose keeper this node is: it ends
/// sessions that have expired, and removes the messages of sessions that ended a day ago.
struct Sweeper {
    private var peers: Peers
    private var sweepsAt: Int64
    /// Sessions whose messages could not be removed the last time.
    private var purges: [EndedSession] = []

    /// How long the end of a session is kept, as long as idempotency keys.
    static let endingsKeptFor: Milliseconds = 24 * 3_600_000
    /// The subscription of what the nodes say.
    static let subscription = SubscriptionID(2)

    private static let countMax = 64
    private static let pauseMilliseconds: Int64 = 1_000

    init(node: UInt64, at now: Int64) {
        peers = Peers(node: node, at: now)
        sweepsAt = now
    }

    /// When there may be something to do.
    var deadline: Int64 { min(peers.announcesAt, sweepsAt) }

    /// The number of nodes.
    func nodeCount(at now: Int64) -> Int { peers.count(at: now) }

    /// What this node has to say to the others, if it is time to.
    mutating func announcement(at now: Int64) -> [UInt8]? { peers.announcement(at: now) }

    /// What another node said.
    mutating func hear(_ text: ArraySlice<UInt8>, at now: Int64) { peers.hear(text, at: now) }

    /// The sessions to end, and those whose messages are to be removed. The replica forgets the
    /// latter.
    ///
    /// - Parameter wall: the time in milliseconds since 1970.
    mutating func sweep(
        _ replica: Replica, at now: Int64, wall: Milliseconds
    ) -> (expired: [SessionHandle], ended: [EndedSession]) {
        guard now >= sweepsAt else { return ([], []) }
        sweepsAt = now + Self.pauseMilliseconds
        let table = replica.table
        var expired: [SessionHandle] = []
        for _ in 0..<Self.countMax {
            guard let handle = table.popExpired(now: wall) else { break }
            if peers.isKeeper(of: table[handle].shard, at: now) {
                expired.append(handle)
            } else {
                // If its keeper goes, this node may have to do it.
                table.enqueue(handle, notBefore: wall + Self.pauseMilliseconds)
            }
        }
        let ended = table.popEndings(before: wall - Self.endingsKeptFor, limit: Self.countMax)
        for ending in ended { table.forget(ending.deletion.id) }
        if expired.count == Self.countMax || ended.count == Self.countMax { sweepsAt = now }
        let own = ended.filter { ending in
            peers.isKeeper(of: replica.layout.shard(of: ending.deletion.id), at: now)
        }
        defer { purges = [] }
        return (expired, own + purges)
    }

    /// The messages of a session could not be removed.
    mutating func failed(_ ending: EndedSession) { purges.append(ending) }
}
