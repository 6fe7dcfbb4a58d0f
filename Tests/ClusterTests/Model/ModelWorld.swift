@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import Storage
import TestSupport
import Testing

/// A node of the model's store, and what it has told.
final class ModelNode {
    let engine: ClusterEngine
    var changes: [StoreChange] = []
    var outcomes: [Ticket: TicketOutcome] = [:]
    var loaded: [UInt64: any LoadResult] = [:]
    var reports: [StoreReport] = []
    /// The last number of each stream when the node was opened.
    let openedAt: [String: Int]
    /// The loop's time.
    var time: Milliseconds { engine.time ?? engine.clock.machineTime }

    init(_ engine: ClusterEngine, openedAt: [String: Int]) {
        self.engine = engine
        self.openedAt = openedAt
    }
}

/// Servers and nodes that take turns. One turn is over when each has read what the others have
/// said, so that the result does not depend on the speed of the machine.
final class ModelWorld {
    let servers: ModelServers
    let layout: StoreLayout
    private(set) var nodes: [ModelNode] = []
    let address: StoreAddress
    private let random: RandomBits
    private var lastToken: UInt64 = 0
    /// The records of sessions that were read so far.
    var records: [SessionID: [NumberedRecord]] = [:]
    /// The most memory that a node's records may take, in bytes.
    var cacheBytes = 64 << 20
    /// How far the clocks of the machines of nodes that are opened are ahead, in milliseconds.
    var machinesAhead: Milliseconds = 0
    /// The same for the leader of a stream.
    var leadersAhead: [String: Milliseconds] {
        get { leaders.ahead }
        set { leaders.ahead = newValue }
    }
    private let leaders = LeaderClocks()
    /// How many replicas nodes that are opened require.
    var replicasMin = 3
    /// The copy from which nodes that are opened answer reads.
    var reads: ClusterOptions.Reads

    private final class RandomBits {
        var dice: SplitMix64
        init(_ dice: SplitMix64) { self.dice = dice }
    }

    private final class LeaderClocks {
        var ahead: [String: Milliseconds] = [:]
    }

    /// The loop's time at the time 0 of the clock.
    static let epoch: Milliseconds = 1_795_225_000_000

    /// - Parameter makesStore: whether the streams are made. Otherwise a restore makes them.
    init(
        nodes count: Int, shards: Int = 2, reads: ClusterOptions.Reads = .feed,
        dice: SplitMix64 = SplitMix64(), makesStore: Bool = true
    ) throws {
        var dice = dice
        self.reads = reads
        servers = try ModelServers(dice: SplitMix64(seed: dice.next()))
        random = RandomBits(SplitMix64(seed: dice.next()))
        address = try StoreAddress("nats://127.0.0.1:\(servers.port)/NAV")
        layout = StoreLayout(prefix: address.prefix, shardCount: shards)
        servers.timeText = { [leaders] stream, now in
            let time = Self.epoch + now + (leaders.ahead[stream] ?? 0)
            let fraction = String(time % 1_000 + 1_000).dropFirst()
            return Timestamp.text(time).dropLast() + ".\(fraction)Z"
        }
        if makesStore { try createStore() }
        for _ in 0..<count { try open() }
    }

    /// Makes the streams. The links that do so end with the call.
    private func createStore() throws {
        let opening = try StoreOpening(address, within: 20_000, environment)
        _ = try opening.create(shardCount: layout.shardCount, replicas: 3)
    }

    /// The time of the loop.
    var wall: Milliseconds { Self.epoch + servers.now }

    /// The environment of the engines of this world.
    var environment: EngineEnvironment {
        let (servers, random, ahead) = (servers, random, machinesAhead)
        let clock = EngineClock(
            monotonic: { servers.now }, realtime: { Self.epoch + servers.now + ahead })
        return EngineEnvironment(
            clock: clock, random: { random.dice.next() },
            wait: { [unowned self] milliseconds in turnWhileOpening(atMost: milliseconds) })
    }

    /// Opens the store, for nobody in particular.
    @discardableResult
    func tryOpening(
        within milliseconds: Int64 = 60_000, _ report: (FeedProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> ClusterEngine {
        var options = ClusterOptions(address: address, backupFormat: LogBackupFormat())
        options.cacheBytes = cacheBytes
        options.reads = reads
        options.replicasMin = replicasMin
        return try ClusterEngine.open(
            options, within: milliseconds, environment, reporting: report)
    }

    /// Reads and examines everything.
    func check() throws(StoreOpenError) -> (summary: StoreCheck.Summary, faults: [String]) {
        var faults: [String] = []
        let summary = try StoreCheck.check(
            address, within: 20_000, environment, report: { faults.append($0) })
        return (summary, faults)
    }

    /// The state of the store.
    func status() throws(StoreOpenError) -> StoreStatus {
        try StoreStatus.read(address, replicasMin: replicasMin, within: 8_000, environment)
    }

    /// Opens one more node.
    func open() throws {
        let engine = try tryOpening()
        let last = servers.streams.mapValues(\.lastSequence)
        nodes.append(ModelNode(engine, openedAt: last))
        try turn()
    }

    /// A turn in which a node cannot be asked whether it has read everything.
    ///
    /// - Parameter milliseconds: how long the node would wait if nothing came.
    private func turnWhileOpening(atMost milliseconds: Int) {
        servers.deliver()
        let before = servers.requestCount
        do { try servers.receive(waiting: 1) } catch { Issue.record(error) }
        let isBusy = servers.requestCount > before
        let next = isBusy ? 0 : min(servers.now + Int64(milliseconds), servers.nextEvent)
        servers.now = max(servers.now + 1, next)
    }

    // MARK: Turns

    /// Gives everybody one turn, at the time that the clock shows.
    func turn() throws {
        servers.deliver()
        servers.ping()
        var rounds = 0
        repeat {
            rounds += 1
            try #require(rounds < 10_000, "a node does not read")
            for node in nodes { take(node.engine.collect(), node) }
            // Usually it is there already; after so many rounds the machine is busy with others.
            try servers.receive(waiting: rounds < 100 ? 0 : 1)
        } while servers.awaitsPongs
        if servers.readyCount < 2 * nodes.count { try servers.receive(waiting: 1) }
        for node in nodes {
            node.engine.tick(now: node.time)
            take(node.engine.collect(), node)
        }
    }

    private func take(_ collected: Collected, _ node: ModelNode) {
        for decided in collected.outcomes {
            #expect(node.outcomes[decided.ticket] == nil, "a ticket is decided twice")
            node.outcomes[decided.ticket] = decided.outcome
        }
        node.changes += node.engine.takeChanges()
        for result in node.engine.takeLoaded() { node.loaded[result.token] = result }
        node.reports += node.engine.takeReports()
    }

    /// Sets the clock to when something is due next, and gives everybody a turn.
    func step() throws {
        var next = servers.nextEvent
        for node in nodes {
            if let due = node.engine.nextTick { next = min(next, servers.now + due - node.time) }
        }
        // Without all links some of what is due is not known.
        let most: Int64 = servers.readyCount < 2 * nodes.count ? 20 : 500
        servers.now = max(servers.now + 1, min(next, servers.now + most))
        try turn()
    }

    /// Lets time pass.
    func pass(_ milliseconds: Int64) throws {
        let end = servers.now + milliseconds
        while servers.now < end { try step() }
    }

    /// Goes on until something is true.
    func wait(
        within milliseconds: Int64 = 60_000, _ what: Comment, _ isTrue: () -> Bool
    ) throws {
        let end = servers.now + milliseconds
        while !isTrue() {
            try #require(servers.now < end, what)
            try step()
        }
    }

    // MARK: Requests

    /// A new number by which a node recognizes what was loaded.
    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Asks a node, and again when it has loaded what it needs, as the event loop does.
    func ask<Value>(
        _ node: Int, _ body: (ClusterEngine) throws(StoreError) -> Value
    ) throws -> Value {
        let node = nodes[node]
        var loaded: (any LoadResult)?
        for _ in 0..<20 {
            let requests: [LoadRequest]
            do throws(StoreError) {
                return try node.engine.with(loaded) { () throws(StoreError) in
                    try body(node.engine)
                }
            } catch {
                guard case .notInMemory(let missing) = error else { throw error }
                requests = missing
            }
            let token = nextToken()
            node.engine.load(requests, token: token, earlier: loaded)
            node.engine.submit()
            try wait("nothing was loaded") { node.loaded[token] != nil }
            loaded = node.loaded.removeValue(forKey: token)
        }
        Issue.record("the node needs something again and again")
        throw StoreError.unavailable
    }

    /// The outcome of a change.
    func outcome(_ ticket: Ticket, at node: Int) throws -> TicketOutcome {
        nodes[node].engine.submit()
        try wait("a change is not decided") { nodes[node].outcomes[ticket] != nil }
        return try #require(nodes[node].outcomes[ticket])
    }

    /// Waits until all nodes have read and told everything, and a little longer.
    func settle() throws {
        try pass(10)
        try wait("a node does not read everything") {
            nodes.indices.allSatisfy { node in
                layout.hasEverything(nodes[node].engine, in: servers.streams) && hasTold(node)
            }
        }
        try pass(600)
        // A session may have expired in the last step.
        try wait("a node does not tell everything") { nodes.indices.allSatisfy(hasTold) }
    }

    private func hasTold(_ node: Int) -> Bool {
        servers.streams.values.allSatisfy { stream in
            stream.indices.keys.allSatisfy { subject in
                guard case .session(let id)? = layout.item(of: Subject(trusted: subject)),
                    let expected = try? toBeTold(id, at: node)
                else { return true }
                return told(id, at: node).count >= expected.count
            }
        }
    }
}

extension StoreLayout {
    /// Whether a node knows the last message of each subject.
    func hasEverything(_ engine: ClusterEngine, in streams: [String: ModelStream]) -> Bool {
        streams.values.allSatisfy { stream in
            stream.indices.keys.allSatisfy { subject in
                guard let item = item(of: Subject(trusted: subject)), item != .meta else {
                    return true
                }
                return engine.reader.replica.lastNumber(of: item)
                    == stream.messages(of: subject).last?.sequence
            }
        }
    }
}
