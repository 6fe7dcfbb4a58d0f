import API
import POSIX
import Server
import Sessions
import Storage
import TestSupport

@testable import Cluster
@testable import ClusterModel

// One run of several nodes on one store: a seed's plan carried out.
//
// The nodes, the servers of the store and the clients, which have one thread together, live in a
// `World`. Nodes end and others start in their places while clients send requests. Then all faults
// stop, all nodes are replaced, and everything that was promised is asked for at each of them.

/// A run of one seed with several nodes.
final class ClusterRun {
    let world: World
    let plan: ClusterPlan
    let oracle: ClusterOracle
    private let directory: TemporaryDirectory
    private let epoll: Epoll
    private var events: [Epoll.Event] = []
    private var clients: [any NodeClient] = []
    private var servers: SharedServers?
    private var nodes: [Node?]
    private var troubles: [(at: Int, what: ClusterPlan.Trouble)]
    private var livesBegun = 0
    /// No node is started in the place of one that has ended.
    private var isEnding = false
    /// The story of the run, if it is to be told.
    private(set) var story: [String] = []
    private let isTold: Bool

    /// For what sockets give; shared by all clients.
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var now: Int64 { world.monotonicNanoseconds }
    /// Requests that may still be sent.
    var requestsLeft: Int
    /// Requests that are sent before all others.
    var script: [ClusterExchange] = []
    /// The last number that a request was given.
    var numbers = 0
    /// The beginning of the entity tags.
    private(set) var lineage = ""

    /// Nothing moves any more.
    private struct Hang: Error {}

    /// A node in one of its lives.
    private struct Node {
        let life: ServerLife
        /// Counts the lives of all nodes, from 1.
        let number: Int
        let end: ClusterPlan.End
        var isEnding = false

        /// Whether it can be reached and is not about to end.
        var isBusy: Bool { !isEnding && life.result == nil }
    }

    private static let endToken: UInt64 = 1 << 20
    /// The longest time that something is on its way, in nanoseconds.
    private static let deliveryNanoseconds: Int64 = 10_000_000_000

    init(seed: UInt64, isTold: Bool = false) throws(SystemError) {
        self.isTold = isTold
        world = World(seed: seed)
        plan = ClusterPlan(world)
        let layout = StoreLayout(prefix: StorePrefix(trusted: "NAV"), shardCount: plan.shards)
        oracle = ClusterOracle(StoreLog(layout), readsFromQuorum: plan.reads == .quorum)
        directory = try TemporaryDirectory(on: .memory)
        epoll = try Epoll()
        nodes = Array(repeating: nil, count: plan.nodes)
        (troubles, requestsLeft) = (plan.troubles, plan.requests)
        for number in 0..<plan.workers { clients.append(ClusterWorker(number)) }
        for number in 0..<plan.watchers {
            clients.append(ClusterWatcher(number == 0 ? nil : "s\(world.below(plan.sessions))"))
        }
    }

    /// Carries out the plan; what went wrong is in `violations`.
    func carryOut() {
        world.run {
            do {
                tell("\(plan)")
                let servers = try SharedServers(
                    seed: UInt64(world.below(1 << 30)), in: world, path: path("servers"))
                self.servers = servers
                try serve(on: servers)
                try end()
                servers.stop()
            } catch is Hang {
                // `violations` tells why. A thread that waits may hold the lock of the servers.
            } catch {
                oracle.complain("the simulation itself failed: \(error)")
            }
        }
    }

    var violations: [String] {
        oracle.violations + (world.stuck.map { ["the nodes hang: \($0)"] } ?? [])
    }

    private var isOver: Bool { !oracle.violations.isEmpty || world.stuck != nil }

    func tell(_ text: @autoclosure () -> String) {
        if isTold { story.append("\(world.nanosecondsNow / 1000) µs: \(text())") }
    }

    // MARK: - The parts of a run

    private func serve(on servers: SharedServers) throws {
        let made = try StoreSetup.create(
            try address(of: servers), shardCount: plan.shards, replicas: 3, within: 20_000)
        lineage = made.facts.lineage
        servers.with { $0.faults = plan.faults }
        for number in nodes.indices { try begin(number) }
        try drive { self.isIdle }
        tell("the faults end")
        servers.with { servers in
            servers.faults = .none
            servers.leaderlessUntil = [:]
            servers.holdsFeeds = false
        }
        let end = now + Self.deliveryNanoseconds
        try drive { self.isIdle && self.now > end }
        let last = livesBegun
        for number in nodes.indices { self.end(number) }
        try drive { self.livesBegun == last + self.nodes.count }
        try inspect()
    }

    /// When all has settled, all nodes show the same, and changes are taken and told.
    private func inspect() throws {
        tell("all nodes were replaced")
        // The time for nodes to read everything, and for streams to be opened again.
        let begun = now + 2_000_000_000
        try drive { self.now > begun }
        guard !isOver else { return }
        look()
        oracle.hasSettled = true
        try ask(inspection())
        try ask([creation("z")])
        for node in nodes.indices {
            var change = navigation("z")
            change.node = node
            try ask([change])
        }
        try ask(inspection())
        let told = now + 2_000_000_000
        try drive { self.now > told }
        guard !isOver else { return }
        look()
        for undone in oracle.log.undone { oracle.complain(undone) }
        oracle.judgeLog()
        for case let watcher as ClusterWatcher in clients { watcher.check(self) }
    }

    private func ask(_ exchanges: [ClusterExchange]) throws {
        script = exchanges
        for case let worker as ClusterWorker in clients { worker.wake() }
        try drive { self.isIdle }
    }

    private var isIdle: Bool {
        requestsLeft == 0 && script.isEmpty
            && clients.allSatisfy { ($0 as? ClusterWorker)?.isIdle ?? true }
    }

    /// Reads what the servers have stored.
    func look() { servers?.with { oracle.look(at: $0) } }

    // MARK: - Nodes

    private func address(of servers: SharedServers) throws -> StoreAddress {
        try StoreAddress("nats://127.0.0.1:\(servers.port)/NAV")
    }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    /// The number of the life that a node is in.
    func life(of number: Int) -> Int { nodes[number]?.number ?? 0 }

    private func begin(_ number: Int) throws {
        guard let servers else { return }
        var store = ClusterOptions(
            address: try address(of: servers), backupFormat: LogBackupFormat())
        (store.reads, store.cacheBytes) = (plan.reads, plan.cacheBytes)
        var server = ServerOptions()
        server.connectionsMax = 100
        server.service.decodedBytesMax = 64 << 10
        let end: ClusterPlan.End = world.oneIn(3) ? .stop : .kill
        // Then the loop ends in the turn of the signal, whatever it is in the middle of.
        if end == .kill { server.stopMilliseconds = 0 }
        try Directory.remove(path("\(number)"))
        let life = try ServerLife(address: try Socket.listen(path: path("\(number)"))) {
            [store, server] sockets in ServerLife.run(store, server, sockets)
        }
        try epoll.add(
            life.wakeDescriptor, .readable, token: Self.endToken + UInt64(number))
        livesBegun += 1
        nodes[number] = Node(life: life, number: livesBegun, end: end)
        tell("node \(number) begins life \(livesBegun)")
    }

    /// Has a node end.
    private func end(_ number: Int) {
        guard let node = nodes[number], node.isBusy else { return }
        tell("node \(number) is to \(node.end)")
        nodes[number]?.isEnding = true
        if node.end == .kill || isOver { loseClients(of: number) }
        node.life.terminate()
    }

    private func loseClients(of number: Int) {
        for client in clients where client.node == number { client.lose(self) }
    }

    /// Notes that a node has ended, and starts another one.
    private func ended(_ number: Int) throws {
        guard let node = nodes[number], let result = node.life.result else { return }
        loseClients(of: number)
        node.life.join()
        tell("node \(number) has ended: \(result)")
        switch result {
        case .stopped: if !node.isEnding { oracle.complain("node \(number) has stopped") }
        case .refused(let why):
            if oracle.hasSettled { oracle.complain("the start is refused: \(why)") }
        case .failed(let why), .broken(let why): oracle.complain("node \(number) ended: \(why)")
        }
        nodes[number] = nil
        if !isEnding { try begin(number) }
    }

    /// Ends all nodes.
    private func end() throws {
        isEnding = true
        for number in nodes.indices { end(number) }
        try drive { self.nodes.allSatisfy { $0 == nil } }
    }

    private func cause(_ trouble: ClusterPlan.Trouble) {
        tell("trouble: \(trouble)")
        let (milliseconds, chance) = (Int64(world.below(8_000)), world.below(1_000))
        switch trouble {
        case .endOfNode: end(chance % nodes.count)
        case .brokenLinks: servers?.with { $0.breakLinks() }
        case .noLeader:
            servers?.with { servers in
                let names = servers.streams.keys.sorted()
                servers.leaderlessUntil[names[chance % names.count]] = servers.now + milliseconds
            }
        case .silentFeeds:
            servers?.with { servers in
                servers.holdsFeeds = true
                servers.release(after: milliseconds)
            }
        }
    }

    // MARK: - The clients' thread

    func connect(_ client: any NodeClient, to number: Int) -> FileDescriptor? {
        guard nodes[number]?.isBusy == true,
            let socket = try? Socket.connect(path: path("\(number)"))
        else { return nil }
        try? epoll.add(socket, .readable, token: token(of: client))
        return socket
    }

    private func token(of client: any NodeClient) -> UInt64 {
        UInt64(clients.firstIndex { $0 === client } ?? clients.count)
    }

    /// Lets clients do what they want until the closure says so.
    private func drive(until isDone: () -> Bool) throws {
        let begun = now
        while isEnding || !isOver, !isDone() {
            if now - begun > 1_000_000_000_000 { world.giveUp("no end in sight") }
            if world.stuck != nil { break }
            while let next = troubles.first, requestsLeft <= next.at {
                troubles.removeFirst()
                cause(next.what)
            }
            if !isEnding { letClientsAct() }
            let next = clients.reduce(now + 1_000_000_000) { min($0, $1.wakesAt) }
            let rest = max(0, Int(next - now) + 999_999) / 1_000_000
            try epoll.wait(into: &events, timeoutMilliseconds: isEnding ? 1_000 : rest)
            // The nodes tell their listeners in no certain order.
            events.sort { $0.token < $1.token }
            for event in events {
                if event.token >= Self.endToken {
                    try ended(Int(event.token - Self.endToken))
                } else {
                    clients[Int(event.token)].read(self)
                }
            }
        }
        if world.stuck != nil { throw Hang() }
    }

    private func letClientsAct() {
        let shift = world.below(clients.count)
        for index in clients.indices {
            let client = clients[(index + shift) % clients.count]
            if client.wakesAt <= now { client.act(self) }
        }
    }
}
