import POSIX
import Server
import Storage

/// The plan of a seed: sizes, habits of the clients, faults of the disk, and how each life ends.
///
/// Every seed leaves out most of what could happen, so that what it does happens often.
struct Plan {
    /// How a life of the process ends.
    enum End {
        /// SIGTERM.
        case stop
        /// SIGKILL: what the kernel has stays.
        case kill
        /// The power goes: what was not synced may go.
        case powerCut
    }

    var segmentBytes: Int
    var cacheBytes = 64 << 10
    var fsync = FsyncMode.always
    var keysMax: Int
    var connectionsMax: Int
    var workers: Int
    var watchers: Int
    /// Names of sessions that clients change, and of apps.
    var sessions: Int
    /// Bytes that a change may add to a state.
    var fillerMax: Int
    /// Requests that a client sends at once, at most.
    var pipelined: Int
    var thinkNanoseconds: Int64
    /// Whether sessions have an app with facts and guards.
    var isGuarded: Bool
    /// Whether there are sessions in which something happens by itself.
    var hasDeadlines: Bool
    var tearsRequests: Bool
    var vanishes: Bool
    /// Requests of each life.
    var lives: [Int]
    /// How often each kind of request comes.
    var weights: [(kind: Wish, weight: Int)]

    /// The wishes of a client.
    enum Wish: CaseIterable {
        case navigate, undo, redo, label, delete, create, read, readOld, wait, list, history
        case putApp, readApp, addToken, readTokens, backup, condition
        case guarded, facts, select, order, mark, many, deadline
    }

    init(_ world: World) {
        func one<Value>(of values: Value...) -> Value { values[world.below(values.count)] }
        segmentBytes = one(of: 4 << 10, 8 << 10, 16 << 10, 32 << 10)
        if world.oneIn(10) {
            fsync = one(of: .never, .interval(milliseconds: 20))
        }
        // A key has to outlive the requests of four clients that come between two attempts. A
        // command for many sessions uses three.
        keysMax = one(of: 12, 1000)
        connectionsMax = one(of: 100, 100, 6)
        workers = one(of: 2, 3, 4)
        watchers = one(of: 0, 1, 2)
        sessions = one(of: 1, 3, 5)
        fillerMax = one(of: 0, 0, 500, 3000)
        pipelined = one(of: 1, 1, 4)
        thinkNanoseconds = one(of: 1_000, 1_000_000, 20_000_000)
        isGuarded = world.oneIn(2)
        hasDeadlines = world.oneIn(4)
        tearsRequests = world.oneIn(3)
        vanishes = world.oneIn(4)
        lives = []
        let count = one(of: 1, 2, 2, 3)
        for _ in 0..<count { lives.append((20 + world.below(30)) / count) }
        let isAboutApps = world.oneIn(4)
        let (isGuarded, hasDeadlines) = (isGuarded, hasDeadlines)
        weights = Wish.allCases.map { wish in
            switch wish {
            case .guarded, .facts: (wish, isGuarded ? one(of: 4, 10) : 0)
            case .select, .order, .mark: (wish, isGuarded ? one(of: 0, 2, 5) : 0)
            case .deadline: (wish, hasDeadlines ? 15 : 0)
            // A waiting read lets time pass.
            case .wait where hasDeadlines: (wish, 4)
            case .many: (wish, one(of: 0, 0, 5, 10))
            case .putApp where isAboutApps, .addToken where isAboutApps: (wish, 20)
            case .navigate: (wish, 12)
            case .create, .delete, .putApp, .read: (wish, one(of: 1, 3, 8))
            default: (wish, one(of: 0, 0, 1, 2))
            }
        }
    }

    func wish(_ world: World) -> Wish {
        var rest = world.below(weights.reduce(0) { $0 + $1.weight })
        for (wish, weight) in weights {
            if rest < weight { return wish }
            rest -= weight
        }
        return .read
    }

    func end(_ world: World) -> End {
        let ends: [End] = fsync == .always ? [.stop, .kill, .powerCut, .powerCut] : [.stop, .kill]
        return ends[world.below(ends.count)]
    }

    // MARK: - Troubles

    /// The faults of one life.
    func faults(_ world: World) -> [DiskFault] {
        var faults: [DiskFault] = []
        while world.oneIn(2), faults.count < 3 { faults.append(trouble(world)) }
        return faults
    }

    private func trouble(_ world: World) -> DiskFault {
        let from = world.below(120)
        switch world.below(6) {
        case 0: return world.oneIn(2) ? slowSyncs(world, from) : slowDisk(world)
        case 1: return slowReservations(world, from)
        case 2:
            var full = DiskFault("full", .full, from: from) { _ in true }
            full.nanoseconds = Int64(world.below(8_000)) * 1_000_000
            return full
        case 3:
            var full = DiskFault("full once", .error(SystemError.noSpace), from: from) {
                if case .write(let path, _) = $0 { path.hasSuffix(".jsonl") } else { false }
            }
            full.callsMax = 1
            return full
        case 4:
            // The names and the manifest.
            var error = DiskFault("names", .error(SystemError.ioError), from: from) {
                switch $0 {
                case .create, .rename, .remove, .link, .syncDirectory: true
                case .write, .sync, .truncate, .reserve: false
                }
            }
            error.callsMax = 1
            return error
        default:
            var error = DiskFault("I/O", .error(SystemError.ioError), from: from) { _ in true }
            error.callsMax = 1
            return error
        }
    }

    private func slowSyncs(_ world: World, _ from: Int) -> DiskFault {
        let time = Int64(10 + world.below(8_000)) * 1_000_000
        var slow = DiskFault("slow syncs", .slow(time), from: from) {
            if case .sync(let path) = $0 { path.hasSuffix(".jsonl") } else { false }
        }
        slow.callsMax = 1 + world.below(6)
        return slow
    }

    /// A disk whose syncs of the log all take long, so that there is always something that is not
    /// durable yet.
    private func slowDisk(_ world: World) -> DiskFault {
        let time = Int64(1 + world.below(40)) * 1_000_000
        return DiskFault("a slow disk", .slow(time), from: 0) {
            if case .sync(let path) = $0 { path.hasSuffix(".jsonl") } else { false }
        }
    }

    /// A sync of the log that takes long, and in which the power goes.
    func lastSync(_ world: World) -> DiskFault {
        var last = slowSyncs(world, world.below(160))
        last.description = "a last sync"
        last.callsMax = 1
        last.isLast = true
        return last
    }

    /// The power goes when compaction has given a file its name, while changes are not durable yet.
    func lastCommit(_ world: World) -> [DiskFault] {
        let last = DiskFault("a last compaction", .powerLoss, from: 0) {
            if case .rename(_, let path) = $0 { path.hasSuffix(".jsonl") } else { false }
        }
        return [slowDisk(world), last]
    }

    private func slowReservations(_ world: World, _ from: Int) -> DiskFault {
        let time = Int64(100 + world.below(4_000)) * 1_000_000
        var slow = DiskFault("slow reservations", .slow(time), from: from) {
            if case .reserve = $0 { true } else { false }
        }
        slow.callsMax = 1 + world.below(10)
        return slow
    }
}
