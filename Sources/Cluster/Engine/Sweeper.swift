internal import NATS
internal import Navigation
internal import Sessions

/// Messages that nobody needs any more.
struct Removal: Hashable, Sendable {
    let item: StoreLayout.Item
    /// The stream sequence of the last of them.
    let upTo: Int
    let endedAt: Milliseconds
}

/// Does what has to be done once for each shard, for the shards whose keeper this node is: it ends
/// sessions that have expired, and removes the messages of sessions that ended a day ago.
struct Sweeper {
    private var peers: Peers
    private var sweepsAt: Int64
    /// How many ends of sessions are on their way to the servers.
    private var endsUnderWay = 0
    /// The removals that are on their way to the servers.
    private var removalsUnderWay: Set<Removal> = []
    /// Removals that failed the last time.
    var failures: [Removal] = []
    /// When the marks of the shards are written next.
    var marksAt: Int64
    /// Removals that another node should have made. If that node has ended before it did so, the
    /// next keeper has to.
    private var watched: [Removal] = []

    /// How long the end of a session is kept, as long as idempotency keys.
    static let endingsKeptFor: Milliseconds = 24 * 3_600_000
    /// After how long it is asked again who the keeper is. By then a node that has ended does not
    /// count any more.
    static let watchedFor: Milliseconds = 10_000
    /// The subscription of what the nodes say.
    static let subscription = SubscriptionID(2)

    private static let countMax = 64
    /// The rest of the links and the servers is for clients.
    private static let underWayMax = 256
    private static let pauseMilliseconds: Int64 = 1_000
    private static let busyMilliseconds: Int64 = 20

    init(node: UInt64, at now: Int64) {
        peers = Peers(node: node, at: now)
        (sweepsAt, marksAt) = (now, now)
    }

    var deadline: Int64 { min(peers.announcesAt, sweepsAt) }

    /// The other nodes, and when each of them was heard last.
    func peers(at now: Int64) -> [UInt64: Int64] { peers.present(at: now) }

    /// The message of this node to the others, if it is time for one.
    mutating func announcement(at now: Int64) -> [UInt8]? { peers.announcement(at: now) }

    /// Takes a message of another node.
    mutating func receivedHeartbeat(_ text: ArraySlice<UInt8>, at now: Int64) {
        peers.receivedHeartbeat(text, at: now)
    }

    /// The sessions to end, and the messages to remove. The replica forgets the latter. Each of
    /// them is under way until `ended`, `removed` or `failed` is called.
    ///
    /// - Parameter wall: the time in milliseconds since 1970.
    mutating func sweep(
        _ replica: Replica, at now: Int64, wall: Milliseconds
    ) -> (expired: [SessionHandle], removals: [Removal]) {
        guard now >= sweepsAt else { return ([], []) }
        let room = Self.underWayMax - endsUnderWay - removalsUnderWay.count
        let limit = min(Self.countMax, room)
        sweepsAt = now + (limit > 0 ? Self.pauseMilliseconds : Self.busyMilliseconds)
        guard limit > 0 else { return ([], []) }
        let table = replica.table
        var expired: [SessionHandle] = []
        var count = 0
        while count < limit, let handle = table.popExpired(now: wall) {
            count += 1
            if peers.isKeeper(of: table[handle].shard, at: now) {
                expired.append(handle)
            } else {
                // If its keeper goes, this node may have to do it.
                table.enqueue(handle, notBefore: wall + Self.pauseMilliseconds)
            }
        }
        // There may be more. Those of other keepers come back after a pause.
        if count == limit { sweepsAt = now }
        let removals = takeRemovals(
            of: replica, at: now, endedBy: wall - Self.endingsKeptFor, limit: limit)
        endsUnderWay += expired.count
        removalsUnderWay.formUnion(removals)
        return (expired, removals)
    }

    /// The removals of this node for the sessions that ended before a time.
    private mutating func takeRemovals(
        of replica: Replica, at now: Int64, endedBy time: Milliseconds, limit: Int
    ) -> [Removal] {
        let old = watched.prefix { $0.endedAt < time - Self.watchedFor }
        watched.removeFirst(old.count)
        failures += old.filter { isOwn($0, in: replica.layout, at: now) }
        var own = Array(failures.prefix(limit))
        failures.removeFirst(own.count)
        if !failures.isEmpty { sweepsAt = min(sweepsAt, now + Self.busyMilliseconds) }
        // A session may have tokens, which are removed with it.
        let endedMax = (limit - own.count + 1) / 2
        let ended = replica.table.popEndings(before: time, limit: endedMax)
        if ended.count == endedMax, endedMax > 0 { sweepsAt = now }
        for removal in ended.flatMap(replica.forget) {
            if isOwn(removal, in: replica.layout, at: now) {
                own.append(removal)
            } else {
                watched.append(removal)
            }
        }
        return own
    }

    /// Whether this node is the keeper of a shard.
    func isKeeper(of shard: Int, at now: Int64) -> Bool { peers.isKeeper(of: shard, at: now) }

    private func isOwn(_ removal: Removal, in layout: StoreLayout, at now: Int64) -> Bool {
        switch removal.item {
        case .session(let id), .tokens(let id): peers.isKeeper(of: layout.shard(of: id), at: now)
        case .app, .meta: false
        }
    }

    /// The end of a session was decided, or could not be written.
    mutating func ended() { endsUnderWay -= 1 }

    /// Messages were removed.
    mutating func removed(_ removal: Removal) { removalsUnderWay.remove(removal) }

    /// Messages could not be removed. When a link ends, this is also reported of a removal whose
    /// answer came right before that.
    mutating func failed(_ removal: Removal) {
        if removalsUnderWay.remove(removal) != nil { failures.append(removal) }
    }
}
