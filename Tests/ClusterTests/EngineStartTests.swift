@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// How a node reads the store when it starts.
@Suite struct EngineStartTests {
    /// A world in which a lot has happened, and one node that has seen it.
    private func world(steps: Int, _ dice: inout SplitMix64) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 1, shards: 2, dice: SplitMix64(seed: dice.next()))
        var lives = SampleLives(6, SplitMix64(seed: dice.next()))
        for _ in 0..<steps { try world.take(lives.next(at: world.wall)) }
        try world.settle()
        return world
    }

    /// Expects a node that was just opened to know what the first one knows.
    private func expectKnows(_ node: Int, _ world: ModelWorld) throws {
        #expect(world.layout.hasEverything(world.nodes[node].engine, in: world.servers.streams))
        let tables = [0, node].map { world.nodes[$0].engine.reader.replica.table }
        let pages = tables.map {
            $0.walk(after: nil, filter: SessionFilter(), limit: 1_000, now: world.wall)
        }
        let lists = zip(pages, tables).map { page, table in
            page.handles.map { handle in
                var entry = table[handle]
                (entry.isStale, entry.queuedFor) = (false, 0)
                return "\(entry)"
            }
        }
        #expect(lists[0] == lists[1])
        expectSame(
            try StoreView(AskableNode(world: world), depth: 130, now: world.wall),
            try StoreView(AskableNode(world: world, node: node), depth: 130, now: world.wall))
    }

    private func expectSame(_ one: StoreView, _ other: StoreView) {
        #expect(one.apps == other.apps)
        #expect(one.sessions.keys.sorted() == other.sessions.keys.sorted())
        for (id, shown) in one.sessions {
            #expect(shown.tokens == other.sessions[id]?.tokens)
            #expect(shown.keys == other.sessions[id]?.keys)
            #expect(shown.revisions == other.sessions[id]?.revisions)
        }
    }

    @Test(.seeded) func `a node that has read heads knows what any other knows`() throws {
        var dice = SplitMix64(stream: 1)
        for _ in SplitMix64.worlds(8) {
            let world = try world(steps: 60 + dice.below(60), &dice)
            try world.open()
            #expect(world.nodes[1].engine.reader.replica.cellCount == 0)
            try expectKnows(1, world)
            // Later changes are announced by both.
            for step in 0..<20 {
                let id = try ModelWorld.id("later\(step % 5)")
                try world.change(id, at: step % 2, "\(step)")
            }
            try world.settle()
            try expectKnows(1, world)
            for step in 0..<5 {
                let id = try ModelWorld.id("later\(step)")
                for node in 0...1 {
                    #expect(try world.told(id, at: node) == world.toBeTold(id, at: node))
                }
            }
        }
    }

    @Test(.seeded) func `messages without heads are read as a whole`() throws {
        var dice = SplitMix64(stream: 2)
        for round in SplitMix64.worlds(8) {
            let world = try world(steps: 60, &dice)
            let share = [1, 1, 2, 5, 20, 50][round % 6]
            for name in ["NAV_000", "NAV_001"] {
                world.servers.streams[name]?.removeHeads { _ in dice.oneIn(share) }
            }
            try world.open()
            try expectKnows(1, world)
            #expect(world.nodes[1].reports.isEmpty)
        }
    }

    @Test(.seeded) func `links that break while heads are read lose nothing`() throws {
        var dice = SplitMix64(stream: 3)
        for _ in SplitMix64.worlds(8) {
            let world = try world(steps: 60, &dice)
            world.servers.streams["NAV_000"]?.removeHeads { _ in dice.oneIn(60) }
            world.servers.faults.linksIn = 40
            world.servers.deliveryPause = 3
            try world.open()
            world.servers.faults = .none
            world.servers.deliveryPause = 0
            try world.settle()
            try expectKnows(1, world)
        }
    }

    @Test func `the restarts of feeds are counted without the steps of a start`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.settle()
        #expect(world.nodes[0].engine.figures.feedRestarts == 0)
    }

    @Test func `a start may take any time, as long as something comes`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for number in 0..<60 { try world.change(ModelWorld.id("s\(number)")) }
        world.servers.deliveryPause = 900
        let began = world.servers.now
        var reports: [FeedProgress] = []
        let engine = try world.tryOpening(within: 10_000) { reports.append($0) }
        #expect(world.servers.now - began > 50_000)
        #expect(engine.reader.sessionCount == 60)
        #expect(reports.contains { $0.read > 20 && $0.read + $0.pending >= 60 && $0.pending > 20 })
        #expect(reports.last?.pending == 0)
    }

    @Test func `a start ends if nothing comes any more`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for number in 0..<60 { try world.change(ModelWorld.id("s\(number)")) }
        world.servers.deliveryPause = 900
        let began = world.servers.now
        #expect(throws: StoreOpenError.unanswered) {
            try world.tryOpening(within: 10_000) {
                if $0.read >= 20 { world.servers.holdsFeeds = true }
            }
        }
        #expect(world.servers.now - began > 25_000)
    }

    // MARK: Shard by shard

    /// A world with thirty sessions in two shards, the second of which is read slowly.
    private func slowWorld() throws -> (world: ModelWorld, ids: [[SessionID]]) {
        let world = try ModelWorld(nodes: 1, shards: 2)
        let ids = try (0..<30).map { try ModelWorld.id("s\($0)") }
        for id in ids { try world.change(id) }
        (world.servers.slowStream, world.servers.deliveryPause) = ("NAV_001", 900)
        return (world, (0..<2).map { shard in ids.filter { world.layout.shard(of: $0) == shard } })
    }

    @Test func `a node serves the shards that it has read while it reads the others`() throws {
        let (world, ids) = try slowWorld()
        let began = world.servers.now
        try world.open(wholeWithin: 1_000)
        #expect(world.servers.now - began < 5_000)
        let engine = world.nodes[1].engine
        let reading = try #require(engine.reading)
        #expect(reading.parts.read == 1 && reading.parts.all == 2)
        #expect(reading.messages.all >= 30 && reading.messages.read < reading.messages.all)
        for id in ids[0] { #expect(try world.state(id, at: 1) == "{}") }
        for id in try ids[1] + [missing(in: 1, world)] {
            #expect(throws: StoreError.starting) { try world.newest(id, at: 1) }
            #expect(throws: StoreError.starting) { try world.change(id, at: 1) }
        }
        // A session that the first shard does not have is said to be missing, as always.
        #expect(try world.newest(missing(in: 0, world), at: 1) == nil)
        let (reader, now) = (engine.reader, world.wall)
        #expect(throws: StoreError.starting) {
            try reader.walk(after: nil, filter: SessionFilter(), limit: 9, now: now)
        }
        #expect(throws: StoreError.starting) { try reader.sessionCount(of: AppID(trusted: "a")) }
        #expect(throws: StoreError.starting) { try reader.confirmSessions() }
        // Both nodes change what both have; one changes what the other has not read.
        try world.change(ids[0][0], at: 1, "new")
        try world.change(ids[0][1], at: 0, "new")
        try world.change(ids[1][0], at: 0, "new")
        #expect(try world.state(ids[0][0], at: 0) == "new")
        #expect(engine.reading != nil)
        try world.wait("the rest is not read") { engine.reading == nil }
        #expect(world.told(ids[1][0], at: 1).isEmpty, "it was changed before it was read")
        #expect(world.told(ids[0][1], at: 1).count == 1)
        world.nodes[1].openedAt["NAV_001"] = world.servers.streams["NAV_001"]?.lastSequence
        #expect(try world.state(ids[1][0], at: 1) == "new")
        try world.change(ids[1][1], at: 1, "newer")
        try world.settle()
        try expectKnows(1, world)
        #expect(world.told(ids[1][1], at: 1).count == 1)
    }

    @Test func `shards are served while the consumer of another one is being made`() throws {
        let world = try ModelWorld(nodes: 1, shards: 2)
        let ids = try (0..<20).map { try ModelWorld.id("s\($0)") }
        for id in ids { try world.change(id) }
        world.servers.plan = (0..<12).map { _ in ("CONSUMER.CREATE.NAV_001", .noResponders) }
        let began = world.servers.now
        try world.open(wholeWithin: 1_000)
        #expect(world.servers.now - began < 4_000)
        let engine = world.nodes[1].engine
        #expect(engine.reading?.parts.read == 1)
        for id in ids where world.layout.shard(of: id) == 0 {
            #expect(try world.state(id, at: 1) == "{}")
        }
        world.servers.plan = []
        try world.wait("the rest is not read") { engine.reading == nil }
        try expectKnows(1, world)
    }

    @Test(.seeded) func `nothing that the feeds deliver during a start is lost`() throws {
        var dice = SplitMix64(stream: 7)
        let questions = ["STREAM.MSG.GET.NAV_00", "STREAM.MSG.GET.NAV_C", "STREAM.INFO.NAV_"]
        for round in SplitMix64.worlds(9) {
            let world = try world(steps: 60, &dice)
            // The answers come so late that the feeds could have delivered everything before.
            world.servers.plan = (0..<[2, 4, 8][round % 3]).map { _ in
                (questions[round / 3], .slow(700))
            }
            try world.open(wholeWithin: 1_000)
            try world.wait("the rest is not read") { world.nodes[1].engine.reading == nil }
            try expectKnows(1, world)
        }
    }

    /// The id of no session, in that shard.
    private func missing(in shard: Int, _ world: ModelWorld) throws -> SessionID {
        let ids = try (0..<20).map { try ModelWorld.id("none\($0)") }
        return try #require(ids.first { world.layout.shard(of: $0) == shard })
    }

    @Test func `a shard without its mark is read as a whole before anything is served`() throws {
        let (world, _) = try slowWorld()
        let mark = world.layout.markSubject(1).text
        world.servers.streams["NAV_001"]?.purge(mark, before: 1 << 40)
        let began = world.servers.now
        #expect(throws: StoreOpenError.incomplete("NAV_001", "has lost its beginning")) {
            try world.tryOpening(wholeWithin: 1_000)
        }
        #expect(world.servers.now - began > 10_000)
    }

    @Test func `nothing is ended, written or due before everything is read`() throws {
        let (world, ids) = try slowWorld()
        _ = try world.outcome(world.put(ids[0][0], at: 0, expiresIn: 3_000), at: 0)
        try world.open(wholeWithin: 1_000)
        world.nodes.removeFirst()
        let engine = world.nodes[0].engine
        let last = world.servers.streams["NAV_000"]?.lastSequence
        try world.pass(10_000)
        #expect(engine.reading != nil && engine.nextDue == nil)
        #expect(world.servers.streams["NAV_000"]?.lastSequence == last)
        try world.wait("the rest is not read") { engine.reading == nil }
        try world.pass(10_000)
        #expect(world.servers.streams["NAV_000"]?.lastSequence ?? 0 > last ?? 0)
    }
}
