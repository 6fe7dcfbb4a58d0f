@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Reads that need a quorum: they show everything that was acknowledged before them.
@Suite(.seeded) struct QuorumReadTests {
    private let id = SessionID(trusted: "kiosk-1")

    /// A world of two nodes, of which the second reads with a quorum.
    private func world(first: ClusterOptions.Reads = .quorum) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 0, shards: 2)
        for reads in [first, .quorum] {
            world.reads = reads
            try world.open()
        }
        return world
    }

    private func barriers(_ world: ModelWorld, _ shard: Int?) -> Int {
        world.servers.streams[world.layout.name(of: shard)]?
            .indices[world.layout.barrierSubject(shard).text]?.count ?? 0
    }

    @Test func `a read waits until the feed has what was acknowledged before it`() throws {
        let world = try world(first: .feed)
        try world.change(id, at: 0, "one")
        try world.settle()
        world.servers.holdsFeeds = true
        #expect(try world.outcome(world.put(id, at: 0, "two"), at: 0) == .kept)
        world.servers.release(after: 700)
        #expect(try world.state(id, at: 1) == "two")
    }

    @Test func `an open stream is judged by what the feed has told`() throws {
        let world = try world()
        try world.change(id, at: 0, "one")
        let words = TokenDigest.InlineWords(first: 1, second: 2, third: 3, fourth: 4)
        let token = SessionToken(
            id: "t1", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        func put(_ tokens: [SessionToken]) throws {
            let ticket = try world.ask(0) { engine throws(StoreError) in
                guard let handle = try engine.reader.find(id, now: world.wall) else {
                    throw .unavailable
                }
                return try engine.proposer.putTokens(tokens, of: handle, at: world.wall)
            }
            #expect(try world.outcome(ticket, at: 0) == .kept)
            try world.settle()
        }
        try put([token])
        let engine = world.nodes[1].engine
        func owner() throws -> SessionHandle? {
            try engine.reader.usingLocalState { () throws(StoreError) in
                let owner = try engine.reader.owner(of: token.digest, in: id, now: world.wall)
                return try engine.reader.find(id, now: world.wall) == owner?.handle
                    ? owner?.handle : nil
            }
        }
        #expect(throws: StoreError.notInMemory([.session(id)])) {
            try engine.reader.owner(of: token.digest, in: id, now: world.wall)
        }
        #expect(try owner() != nil)
        try put([])
        #expect(try owner() == nil)
    }

    @Test func `without a majority a read fails, although the feed sends heartbeats`() throws {
        let world = try world()
        try world.change(id, at: 0, "one")
        try world.settle()
        let stream = try #require(world.stream(of: id)?.name)
        world.servers.leaderlessUntil[stream] = world.servers.now + 30_000
        let begun = world.servers.now
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 1) }
        #expect((10_000..<10_500).contains(world.servers.now - begun))
        try world.pass(25_000)
        #expect(try world.state(id, at: 1) == "one")
    }

    @Test func `a barrier that gets lost is stored again`() throws {
        let world = try world()
        try world.change(id)
        let subject = world.layout.barrierSubject(world.layout.shard(of: id)).text
        world.servers.plan = [
            (subject, .loseRequest), (subject, .loseAnswer), (subject, .noResponders),
            (subject, .refuse(code: 503, number: 10_008, "no")),
        ]
        #expect(try world.newest(id, at: 1) != nil)
        #expect(world.servers.plan.isEmpty)
    }

    @Test func `the reads of a turn share a barrier`() throws {
        let world = try world()
        try world.change(id)
        try world.settle()
        let shard = world.layout.shard(of: id)
        let before = barriers(world, shard)
        let engine = world.nodes[1].engine
        let tokens = (0..<20).map { _ in world.nextToken() }
        for token in tokens {
            #expect(throws: StoreError.notInMemory([.session(id)])) {
                try engine.reader.find(id, now: world.wall)
            }
            engine.load([.session(id)], token: token, earlier: nil)
        }
        engine.submit()
        try world.wait("nothing was loaded") {
            tokens.allSatisfy { world.nodes[1].loaded[$0] != nil }
        }
        #expect(barriers(world, shard) == before + 1)
        #expect(barriers(world, nil) > 0)
        let loaded = world.nodes[1].loaded[tokens[0]]
        let found = try engine.with(loaded) { () throws(StoreError) in
            try engine.reader.find(id, now: world.wall)
        }
        #expect(found != nil)
        #expect(throws: StoreError.notInMemory([.session(id)]), "another request") {
            try engine.reader.find(id, now: world.wall)
        }
    }

    @Test func `sessions that do not exist, ends and tokens are known after a barrier`() throws {
        let world = try world()
        #expect(try world.newest(id, at: 1) == nil)
        try world.change(id)
        #expect(try world.newest(id, at: 1)?.record.revision == 1)
        let words = TokenDigest.InlineWords(first: 1, second: 2, third: 3, fourth: 4)
        let token = SessionToken(
            id: "t1", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        let put = try world.ask(0) { engine throws(StoreError) -> Ticket in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return .none }
            return try engine.proposer.putTokens([token], of: handle, at: world.wall)
        }
        #expect(try world.outcome(put, at: 0) == .kept)
        let owner = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.owner(of: token.digest, in: id, now: world.wall)?.token
        }
        #expect(owner == token)
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        #expect(try world.newest(id, at: 1) == nil)
    }

    @Test func `after a conflict the next attempt sees the other change`() throws {
        let world = try world()
        try world.change(id)
        let tickets = [try world.put(id, at: 0, "a"), try world.put(id, at: 1, "b")]
        let outcomes = [
            try world.outcome(tickets[0], at: 0), try world.outcome(tickets[1], at: 1),
        ]
        #expect(Set(outcomes.map { "\($0)" }) == ["kept", "conflict"])
        try world.change(id, at: 0, "c")
        try world.change(id, at: 1, "d")
        for node in 0...1 { #expect(try world.state(id, at: node) == "d") }
    }

    @Test func `lists and apps have everything that was acknowledged before`() throws {
        let world = try world()
        for number in 0..<6 { try world.change(SessionID(trusted: "s\(number)")) }
        let page = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.walk(
                after: nil, filter: SessionFilter(prefix: ""), limit: 10, now: world.wall)
        }
        #expect(page.handles.count == 6)
        let shop = AppID(trusted: "shop")
        let version = try world.ask(0) { engine throws(StoreError) in
            try engine.proposer.putApps([(shop, Array("{}".utf8))], at: world.wall)[0]
        }
        #expect(try world.outcome(version.ticket, at: 0) == .kept)
        let apps = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.awaitApps()
            return engine.reader.storedApps.map(\.id)
        }
        #expect(apps == [shop])
        let count = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.sessionCount(of: shop)
        }
        #expect(count == 0)
    }

    @Test func `the revision before a change is there without a barrier`() throws {
        let world = try world()
        for _ in 1...2 { try world.change(id) }
        try world.settle()
        guard case .put(let put)? = world.nodes[1].changes.last,
            let stored = put.details?.stored
        else {
            Issue.record("the change was not told")
            return
        }
        #expect(world.nodes[1].engine.reader.before(stored)?.record.revision == 1)
        #expect(world.nodes.allSatisfy { $0.reports.isEmpty })
    }
}
