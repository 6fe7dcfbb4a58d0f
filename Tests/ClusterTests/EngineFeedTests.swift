@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The announcements of a node: every change once and in order, whoever made it, and nothing before
/// it is kept.
@Suite(.seeded) struct EngineFeedTests {
    let id = SessionID(trusted: "kiosk-1")

    private func expectAllTold(_ ids: [SessionID], in world: ModelWorld) throws {
        for node in world.nodes.indices {
            for id in ids {
                #expect(try world.told(id, at: node) == world.toBeTold(id, at: node))
            }
        }
    }

    @Test func `each change comes once on each node, with the steps on the node that made it`()
        throws
    {
        let world = try ModelWorld(nodes: 2)
        for revision in 1...4 {
            let ticket = try world.put(id, at: revision % 2, "\(revision)", steps: "[\(revision)]")
            #expect(try world.outcome(ticket, at: revision % 2) == .kept)
        }
        try world.settle()
        try expectAllTold([id], in: world)
        for (node, nodeState) in world.nodes.enumerated() {
            for change in nodeState.changes {
                guard case .put(let put) = change else { continue }
                let own = put.revision % 2 == node
                let steps: [UInt8]? = own ? Array("[\(put.revision)]".utf8) : nil
                #expect(put.details?.steps == steps)
                let stored = try #require(put.details?.stored)
                #expect(stored.record.state == Array("\(put.revision)".utf8))
            }
        }
        let last = try #require(world.told(id, at: 0).last?.sequence)
        for node in world.nodes {
            #expect(node.engine.fedUpTo.last(inLogOf: last) == last)
        }
    }

    @Test func `a server whose leaders do not answer is left, although its heartbeats go on`()
        throws
    {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        try world.settle()
        let engine = world.nodes[0].engine
        #expect(engine.figures.shardsAlive == 2 && engine.refusal == nil)
        // It asks about every two seconds, and again at once. Another server may answer for the
        // leader that is missing.
        let answers = [ModelFault.noResponders, .refuse(code: 503, number: 10_008, "no leader")]
        world.servers.plan = (0..<1_000).map { ("STREAM.INFO.NAV_001", answers[$0 % 2]) }
        for name in ["NAV_000", "NAV_C"] { world.servers.leaderlessUntil[name] = .max }
        try world.pass(10_000)
        #expect(engine.figures.shardsAlive == 0)
        try world.pass(15_000)
        #expect(engine.refusal == .unavailable)
        #expect(engine.checks.filter { !$0.isHealthy }.map(\.name) == ["store-shards"])
        world.servers.plan = []
        world.servers.leaderlessUntil = [:]
        try world.pass(10_000)
        #expect(engine.figures.shardsAlive == 2 && engine.refusal == nil)
    }

    @Test func `nothing is sent before the credentials when a link is made again`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.settle()
        let engine = world.nodes[0].engine
        for _ in 0..<20 {
            world.servers.breakLinks()
            try world.pass(1_700)
            #expect(engine.isLinked)
            #expect(!world.nodes[0].reports.contains { $0.error.contains("Authorization") })
        }
        try world.change(id)
    }

    @Test func `one stream without a leader does not make the node change its server`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.settle()
        let engine = world.nodes[0].engine
        let restarts = engine.figures.feedRestarts
        world.servers.plan = (0..<1_000).map { _ in ("STREAM.INFO.NAV_001", .noResponders) }
        try world.pass(60_000)
        #expect(engine.figures.shardsAlive == 2 && engine.figures.feedRestarts == restarts)
    }

    @Test func `the end of a session has its author, its tokens, its app and its labels`() throws {
        let world = try ModelWorld(nodes: 2)
        var record = world.record(id)
        record.app = AppID("shop")
        record.labels = [Label(key: "room", value: "lobby")]
        let version = try world.ask(0) { engine throws(StoreError) in
            _ = try engine.reader.find(id, now: world.wall)
            return try engine.proposer.put([record], of: nil, details: .none)
        }
        #expect(try world.outcome(version.ticket, at: 0) == .kept)
        let words = TokenDigest.InlineWords(first: 1, second: 2, third: 3, fourth: 4)
        let token = SessionToken(
            id: "t1", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        let ticket = try world.ask(0) { engine throws(StoreError) -> Ticket in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return .none }
            return try engine.proposer.putTokens([token], of: handle, at: world.wall)
        }
        #expect(try world.outcome(ticket, at: 0) == .kept)
        try world.settle()
        for node in world.nodes {
            #expect(try node.engine.reader.sessionCount(of: AppID(trusted: "shop")) == 1)
        }
        #expect(try world.outcome(world.delete(id, at: 0, author: "wall"), at: 0) == .kept)
        try world.settle()
        for node in world.nodes {
            guard case .deleted(let end)? = node.changes.last else {
                Issue.record("the end was not told")
                continue
            }
            #expect(end.author?.rawValue == "wall")
            #expect(end.tokens == [token] && end.app == record.app && end.labels == record.labels)
            #expect(try node.engine.reader.sessionCount(of: AppID(trusted: "shop")) == 0)
        }
    }

    @Test func `a change is not announced before the feed tells of it`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.holdsFeeds = true
        try world.change(id)
        try world.pass(1_000)
        #expect(world.nodes[0].changes.isEmpty)
        #expect(try world.newest(id, at: 0) != nil)
        world.servers.holdsFeeds = false
        try world.settle()
        try expectAllTold([id], in: world)
    }

    @Test func `the steps of a change wait for the feed, also if it comes late`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.holdsFeeds = true
        let ticket = try world.put(id, at: 0, steps: "[1]")
        #expect(try world.outcome(ticket, at: 0) == .kept)
        try world.pass(1_000)
        world.servers.holdsFeeds = false
        try world.settle()
        guard case .put(let put)? = world.nodes[0].changes.first else {
            Issue.record("the change was not told")
            return
        }
        #expect(put.details?.steps == Array("[1]".utf8))
    }

    @Test func `the steps and the author of changes with an unknown outcome are told`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        let name = try #require(world.stream(of: id)?.name)
        func unknown(_ request: () throws -> Ticket) throws {
            world.servers.plan = [(".s.kiosk-1", .loseAnswer)]
            world.servers.holdsFeeds = true
            let ticket = try request()
            try world.pass(100)
            world.servers.leaderlessUntil[name] = world.servers.now + 15_000
            #expect(try world.outcome(ticket, at: 0) == .unknown)
            try world.pass(6_000)
            world.servers.holdsFeeds = false
            try world.settle()
        }
        try unknown { try world.put(id, at: 0, steps: "[2]") }
        guard case .put(let put)? = world.nodes[0].changes.last else {
            Issue.record("the change was not told")
            return
        }
        #expect(put.revision == 2 && put.details?.steps == Array("[2]".utf8))
        try unknown { try world.delete(id, at: 0, author: "wall") }
        for node in world.nodes {
            guard case .deleted(let end)? = node.changes.last else {
                Issue.record("the end was not told")
                continue
            }
            #expect(end.author?.rawValue == "wall")
        }
    }

    @Test func `the revision before a change is there when it is told, on every node`() throws {
        let world = try ModelWorld(nodes: 2)
        let other = SessionID(trusted: "other")
        for number in 1...2 { try world.change(id, at: 0, "state \(number)") }
        try world.settle()
        // Also while a node catches up, when reads ask the leader.
        world.servers.breakLinks()
        try world.change(id, at: 0, "state 3")
        try world.settle()
        for node in world.nodes {
            for change in node.changes {
                guard case .put(let put) = change, let stored = put.details?.stored else {
                    Issue.record("a change without a record")
                    return
                }
                let before = node.engine.reader.before(stored)
                let expected = put.revision > 1 ? "state \(put.revision - 1)" : nil
                #expect(before.map { String(decoding: $0.record.state, as: UTF8.self) } == expected)
            }
        }
        // A later session of the same id has nothing to do with the one before.
        try world.change(other)
        #expect(try world.outcome(world.delete(other, at: 0), at: 0) == .kept)
        let ended = try world.log(of: other)[0].stored(in: world.layout.shard(of: other))
        try world.change(other)
        try world.change(other)
        var second = try #require(ended)
        second.record.revision = 2
        #expect(world.nodes[0].engine.reader.before(second) == nil)
    }

    @Test func `changes that were made while the links were gone are told afterwards`() throws {
        let world = try ModelWorld(nodes: 2)
        let other = SessionID(trusted: "other")
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        for round in 0..<5 {
            world.servers.breakLinks()
            world.servers.plan = [("CONSUMER.CREATE", .loseRequest)]
            for _ in 1...3 { try world.change(round % 2 == 0 ? id : other, at: round % 2) }
        }
        world.servers.plan = []
        try world.settle()
        try expectAllTold([id, other], in: world)
    }

    @Test func `the first changes of a stream are told too, if the links were gone`() throws {
        let world = try ModelWorld(nodes: 2)
        world.servers.plan = (0..<200).map { _ in ("CONSUMER.CREATE", .noResponders) }
        world.servers.breakLinks()
        try world.pass(100)
        for _ in 1...3 { try world.change(id, at: 0) }
        world.servers.plan = []
        try world.settle()
        try expectAllTold([id], in: world)
    }

    @Test func `many changes at once come in order, with flow control`() throws {
        let world = try ModelWorld(nodes: 2)
        let ids = (0..<30).map { SessionID(trusted: "s\($0)") }
        for _ in 1...3 {
            let tickets = try ids.map { try world.put($0, at: 0) }
            for ticket in tickets { #expect(try world.outcome(ticket, at: 0) == .kept) }
        }
        try world.settle()
        try expectAllTold(ids, in: world)
        #expect(world.nodes[1].changes.count == 90)
    }

    @Test func `a session is loaded that was deleted and made again: its end is told once`() throws
    {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        try world.settle()
        world.servers.holdsFeeds = true
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.change(id, at: 0, "two")
        // The conflict makes node 1 ask the leader before the feed tells of the end.
        #expect(try world.outcome(world.put(id, at: 1), at: 1) == .conflict)
        #expect(try world.state(id, at: 1) == "two")
        world.servers.holdsFeeds = false
        try world.settle()
        try expectAllTold([id], in: world)
    }

    @Test func `an expired session was changed meanwhile: its last revision is told`() throws {
        let world = try ModelWorld(nodes: 2)
        let first = try world.put(id, at: 0, expiresIn: 60_000)
        #expect(try world.outcome(first, at: 0) == .kept)
        try world.settle()
        world.servers.holdsFeeds = true
        let second = try world.put(id, at: 0, expiresIn: 1_000)
        #expect(try world.outcome(second, at: 0) == .kept)
        try world.pass(1_500)
        try world.change(id, at: 0, "again")
        #expect(try world.outcome(world.put(id, at: 1), at: 1) == .conflict)
        #expect(try world.state(id, at: 1) == "again")
        world.servers.holdsFeeds = false
        try world.settle()
        try expectAllTold([id], in: world)
    }

    @Test func `a node that is opened later announces only what comes after`() throws {
        let world = try ModelWorld(nodes: 1)
        for _ in 1...3 { try world.change(id) }
        try world.open()
        #expect(world.nodes[1].changes.isEmpty)
        #expect(try world.newest(id, at: 1)?.record.revision == 3)
        try world.change(id, at: 0)
        try world.settle()
        try expectAllTold([id], in: world)
        #expect(world.told(id, at: 1).map(\.revision) == [4])
    }
}
