import Cluster

@testable import ClusterModel

/// A seed's plan for nodes of a shared store: how many there are, the habits of the clients, and
/// the faults.
///
/// Every seed leaves out most of what could happen, so that what it does happens often.
struct ClusterPlan {
    /// How a life of a node ends.
    enum End {
        /// SIGTERM.
        case stop
        /// SIGKILL.
        case kill
    }

    /// Something that happens to the store or to a node.
    enum Trouble {
        /// A node ends, and another one starts in its place.
        case endOfNode
        /// All links between nodes and servers break.
        case brokenLinks
        /// A stream has no leader for some seconds.
        case noLeader
        /// Feeds deliver nothing but heartbeats for some seconds.
        case silentFeeds
    }

    /// The wishes of a client.
    enum Wish: CaseIterable {
        case navigate, conditional, undo, label, delete, create
        case read, unlessKnown, wait, readOld, list, putApp, readApp
    }

    var nodes: Int
    var shards: Int
    var reads: ClusterOptions.Reads
    /// The memory of each node for records.
    var cacheBytes: Int
    var workers: Int
    var watchers: Int
    /// How many sessions clients change.
    var sessions: Int
    var thinkNanoseconds: Int64
    /// Whether sessions have idle commands, and sheets that go by themselves.
    var hasDeadlines: Bool
    var faults = ModelFaults.none
    /// How many requests are sent.
    var requests: Int
    /// The troubles, and how many requests are left then; the first comes first.
    var troubles: [(at: Int, what: Trouble)] = []
    /// How often each kind of request comes.
    var weights: [(kind: Wish, weight: Int)]

    init(_ world: World) {
        func one<Value>(of values: Value...) -> Value { values[world.below(values.count)] }
        nodes = one(of: 2, 2, 3)
        shards = one(of: 1, 2)
        reads = one(of: .feed, .quorum)
        cacheBytes = one(of: 64 << 20, 4 << 10)
        workers = one(of: 2, 3, 4)
        watchers = one(of: 1, 2, 3)
        sessions = one(of: 1, 2, 4)
        thinkNanoseconds = one(of: 1_000, 1_000_000, 50_000_000, 400_000_000)
        hasDeadlines = one(of: true, false)
        requests = 20 + world.below(30)
        weights = Wish.allCases.map { wish in
            switch wish {
            case .navigate: (wish, 12)
            case .create, .delete, .read, .conditional: (wish, one(of: 1, 3, 8))
            case .undo, .label, .unlessKnown, .wait, .readOld, .list, .putApp, .readApp:
                (wish, one(of: 0, 0, 1, 3))
            }
        }
        faults.requestsIn = one(of: 0, 0, 4, 15, 60)
        faults.deliveriesIn = one(of: 0, 0, 4, 20)
        faults.linksIn = one(of: 0, 0, 100, 1_000)
        faults.leadersIn = one(of: 0, 0, 10, 40)
        faults.latency = one(of: 0, 3, 40)
        faults.gap = one(of: 0, 2)
        for _ in 0..<one(of: 0, 1, 2, 4) {
            let what = one(of: Trouble.endOfNode, .endOfNode, .brokenLinks, .noLeader, .silentFeeds)
            troubles.append((world.below(requests), what))
        }
        troubles.sort { $0.at > $1.at }
    }

    func wish(_ world: World) -> Wish {
        var rest = world.below(weights.reduce(0) { $0 + $1.weight })
        for (wish, weight) in weights {
            if rest < weight { return wish }
            rest -= weight
        }
        return .read
    }
}
