@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Messages that are damaged, foreign or gone are noticed and counted. What they belong to is not
/// served, and can be deleted.
@Suite(.seeded) struct StoreDamageTests {
    private let id = SessionID(trusted: "kiosk-1")

    private func count(_ world: ModelWorld) -> Int { world.nodes[0].engine.damage.count }

    private func discard(_ world: ModelWorld, at node: Int = 0) throws -> TicketOutcome? {
        let ticket = try world.ask(node) { engine throws(StoreError) in
            try engine.proposer.discard(id, at: world.wall, key: nil, author: nil)
        }
        return try ticket.map { try world.outcome($0, at: node) }
    }

    @Test func `a session behind a foreign message is counted, and can be deleted`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        #expect(try discard(world) == nil, "only what is damaged is discarded")
        let subject = world.layout.subject(of: id).text
        world.servers.store("hello", in: subject)
        try world.pass(1_000)
        try world.open()
        #expect(world.nodes.map(\.engine.damage.count) == [1, 1, 1])
        for node in 0..<3 {
            #expect(throws: StoreError.damaged) { try world.newest(id, at: node) }
        }
        // One that started later does not know the session.
        #expect(try discard(world, at: 2) == .kept)
        try world.pass(2_000)
        #expect(world.nodes.map(\.engine.damage.count) == [0, 0, 0])
        #expect(try world.newest(id, at: 0) == nil)
        #expect(world.stream(of: id)?.messages(of: subject).count == 1, "only its end is left")
        #expect(try world.check().faults.isEmpty)
        try world.change(id, at: 1, "two")
        #expect(try world.state(id, at: 0) == "two")
    }

    @Test func `an app behind a foreign message is replaced`() throws {
        let world = try ModelWorld(nodes: 1)
        let app = AppID(trusted: "shop")
        func put() throws -> TicketOutcome {
            let versions = try world.ask(0) { engine throws(StoreError) in
                try engine.proposer.putApps([(app, Array("{}".utf8))], at: world.wall)
            }
            return try world.outcome(versions[0].ticket, at: 0)
        }
        for _ in 1...2 {
            world.servers.store("{}", in: world.layout.subject(of: app).text)
            try world.pass(1_000)
            #expect(count(world) == 1)
            #expect(try put() == .kept)
            #expect(count(world) == 0)
        }
        try world.settle()
        #expect(world.nodes[0].engine.reader.storedApps.map(\.id) == [app])
    }

    @Test func `messages of other subjects are counted`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for subject in ["nav.000.x", "nav.000.s.a.b", "nav.c.y"] {
            world.servers.store("hello", in: subject)
        }
        try world.pass(1_000)
        #expect(count(world) == 3)
    }

    @Test func `a session whose messages were removed is lost, and not what it was`() throws {
        let world = try ModelWorld(nodes: 1)
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        let name = try #require(world.stream(of: id)?.name)
        world.servers.streams[name]?.purge(world.layout.subject(of: id).text)
        // A change shows it.
        #expect(try world.outcome(world.put(id, at: 0), at: 0) == .conflict)
        for _ in 1...2 {
            #expect(throws: StoreError.damaged) { try world.newest(id, at: 0) }
            #expect(throws: StoreError.damaged) { try world.put(id, at: 0) }
        }
        #expect(count(world) == 1)
        #expect(world.nodes[0].reports.count { $0.error.contains(id.rawValue) } == 1)
        #expect(try discard(world) == .kept)
        #expect(try world.newest(id, at: 0) == nil)
        try world.change(id, at: 0, "two")
        #expect(try world.state(id, at: 0) == "two")
        #expect(count(world) == 0)
    }

    @Test func `the removal of a session's messages is noticed without a change`() throws {
        let world = try ModelWorld(nodes: 2)
        let ended = try ModelWorld.id("ended")
        for id in [id, ended] { try world.change(id) }
        _ = try world.outcome(world.delete(ended, at: 0), at: 0)
        try world.settle()
        try world.pass(60_000)
        for node in world.nodes {
            #expect(node.engine.replica.losses.all.isEmpty && node.reports.isEmpty)
        }
        let name = try #require(world.stream(of: id)?.name)
        world.servers.streams[name]?.purge(world.layout.subject(of: id).text)
        #expect(try world.state(id, at: 0) == "{}", "nobody has noticed it yet")
        try world.pass(60_000)
        for (index, node) in world.nodes.enumerated() {
            #expect(node.reports.count { $0.error.contains(name) } == 1)
            let text = "\(name) lacks the messages of 1 "
            #expect(node.engine.warnings.count { $0.contains(text) } == 1)
            #expect(throws: StoreError.damaged) { try world.newest(id, at: index) }
            #expect(node.engine.damage.count == 1)
        }
        // It is counted as a session now.
        try world.pass(60_000)
        #expect(world.nodes.allSatisfy { $0.engine.warnings.isEmpty })
        #expect(try discard(world) == .kept)
        try world.pass(60_000)
        for node in world.nodes {
            #expect(node.engine.warnings.isEmpty && node.engine.damage.count == 0)
        }
    }

    @Test func `streams that lack subjects for a moment have lost nothing`() {
        var losses = SubjectLosses()
        // How many are missing when, whether that is news, and how much is noticed then.
        let answers: [(missing: Int, at: Int64, isNews: Bool, noticed: [Int])] = [
            (2, 1_000, false, []), (0, 9_000, false, []), (2, 20_000, false, []),
            (2, 34_000, false, []), (2, 36_000, true, [2]), (2, 60_000, false, [2]),
            (2, 90_000, false, [2]), (3, 91_000, false, [2]), (3, 110_000, true, [3]),
            (1, 120_000, false, [1]), (-4, 130_000, false, []),
        ]
        for answer in answers {
            let isNews = losses.take(answer.missing, of: 3, at: answer.at)
            #expect(isNews == answer.isNews, "\(answer)")
            #expect(losses.all.map(\.missing) == answer.noticed, "\(answer)")
        }
    }

    @Test func `a leader that is behind does not make a session lost`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id, at: 0, "one")
        try world.settle()
        let shard = world.layout.shard(of: id)
        let stream = world.layout.stream(shard).text
        world.servers.plan = [("STREAM.MSG.GET.\(stream)", .behind(1))]
        world.nodes[0].engine.replica.table.setStale(id)
        #expect(try world.state(id, at: 0) == "one")
        #expect(count(world) == 0)
    }
}
