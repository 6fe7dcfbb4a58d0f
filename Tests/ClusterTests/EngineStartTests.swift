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
        for _ in 0..<8 {
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
        for round in 0..<8 {
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
        for _ in 0..<8 {
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
}
