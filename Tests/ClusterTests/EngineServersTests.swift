import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Cluster

/// Nodes on real servers. See `RealServersTests`.
@Suite(.serialized, .enabled(if: RealServers.store != nil, "NAVSTATE_TEST_STORE is not set"))
struct EngineServersTests {
    private func world(
        nodes: Int = 2, shards: Int = 3, cacheBytes: Int = 1 << 20
    ) throws -> EngineWorld {
        let text = try #require(RealServers.store)
        let servers = try StoreAddress(text).servers.count
        let address = try StoreAddress("\(text)/E\(Random.word() % 1_000_000_000)")
        return try EngineWorld(
            address, nodes: nodes, shards: shards, replicas: min(servers, 3),
            cacheBytes: cacheBytes)
    }

    @Test func `a session that one node made is served by another at once`() throws {
        let world = try world()
        let (a, b) = (world.nodes[0], world.nodes[1])
        #expect(try world.state(b, "s") == nil)
        #expect(try world.change(a, "s", "one") == 1)
        #expect(try world.state(a, "s") == "one")
        #expect(try world.state(b, "s") == "one")
        #expect(try world.change(b, "s", "two") == 2)
        #expect(try world.change(a, "s", "three") == 3)
        let announced = try world.wait { () -> [[Int]]? in
            let all = world.nodes.map { $0.announced["s"] ?? [] }
            return all.allSatisfy { $0.count >= 3 } ? all : nil
        }
        #expect(announced == [[1, 2, 3], [1, 2, 3]])
    }

    @Test func `history, undo and keys reach a node that has none of it`() throws {
        let world = try world()
        let a = world.nodes[0]
        for number in 1...150 {
            try world.change(a, "s", "state \(number)", key: number == 140 ? "k" : nil)
        }
        let fresh = try world.addNode()
        let now = Clock.realtimeMilliseconds
        let id = SessionID(trusted: "s")
        let found = try world.ask(fresh) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: now) else { return [String?]() }
            return [
                try engine.reader.revision(150, of: handle),
                try engine.reader.revision(23, of: handle),
                try engine.reader.revision(22, of: handle),
            ].map { $0.map { String(decoding: $0.record.state, as: UTF8.self) } }
        }
        #expect(found == ["state 150", "state 23", nil])
        let kept = try world.ask(fresh) { engine throws(StoreError) in
            try engine.reader.result(forKey: "k", in: .session(id), now: now)
        }
        guard case .change(let stored)? = kept else {
            Issue.record("the key is not known")
            return
        }
        #expect(stored.record.revision == 140)
        let later = try world.ask(fresh) { engine throws(StoreError) in
            var bytes = 1 << 20
            guard let handle = try engine.reader.find(id, now: now) else { return nil as [Int]? }
            return try engine.reader.changes(of: handle, after: stored.sequence, bytesLeft: &bytes)?
                .map(\.record.revision)
        }
        #expect(later == Array((141...150).reversed()))
    }

    @Test func `ends, tokens and apps are known everywhere`() throws {
        let world = try world()
        let (a, b) = (world.nodes[0], world.nodes[1])
        let id = SessionID(trusted: "s")
        let now = Clock.realtimeMilliseconds
        try world.change(a, "s", "one")
        let digest = TokenDigest(.init(first: 1, second: 2, third: 3, fourth: 4))
        let token = SessionToken(id: "t1", scope: .control, digest: digest, expiresAt: nil)
        let made = try world.putTokens([token], of: id, at: a)
        let owner = try world.ask(b) { engine throws(StoreError) in
            try engine.reader.owner(of: digest, in: id, now: now)?.token
        }
        #expect(made == .kept && owner == token)
        let stored = try world.decide(b) { engine throws(StoreError) in
            try engine.proposer.putApps([(AppID(trusted: "shop"), Array("{}".utf8))], at: now)[0]
                .ticket
        }
        let apps = try world.wait {
            a.engine.reader.storedApps.isEmpty ? nil : a.engine.reader.storedApps.map(\.id)
        }
        #expect(stored == .kept && apps == [AppID(trusted: "shop")])
        let gone = try world.decide(b) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: now) else { throw .damaged }
            return try engine.proposer.delete(handle, at: now, key: nil, author: nil)
        }
        #expect(gone == .kept)
        #expect(try world.wait { a.announced["s"]?.last == 0 ? true : nil })
        #expect(try world.state(a, "s") == nil)
        #expect(try world.change(a, "s", "again") == 1)
        let left = try world.ask(b) { engine throws(StoreError) in
            try engine.reader.owner(of: digest, in: id, now: now)?.token
        }
        #expect(left == nil, "tokens end with their session")
    }

    @Test func `a session created with a key is found by that key on every node`() throws {
        let world = try world()
        let (a, b) = (world.nodes[0], world.nodes[1])
        let now = Clock.realtimeMilliseconds
        let id = try #require(a.engine.reader.creationID(forKey: "k", now: now))
        #expect(b.engine.reader.creationID(forKey: "k", now: now) == id)
        #expect(b.engine.reader.creationID(forKey: "other", now: now) != id)
        try world.change(a, id.rawValue, "one", key: "k")
        try world.change(a, id.rawValue, "two")
        for (node, time) in [(b, now), (a, now + 80_000_000)] {
            let kept = try world.ask(node) { engine throws(StoreError) in
                try engine.reader.result(forKey: "k", in: .creations, now: time)
            }
            guard case .change(let stored)? = kept else {
                Issue.record("the key is not known")
                return
            }
            #expect(stored.record.revision == 1 && stored.record.id == id)
        }
        let late = try world.ask(a) { engine throws(StoreError) in
            try engine.reader.result(forKey: "k", in: .creations, now: now + 2 * 86_400_000)
        }
        #expect(late == nil)
    }

    @Test func `a session that expires ends once, and its messages are removed a day later`() throws
    {
        let world = try world()
        let (a, b) = (world.nodes[0], world.nodes[1])
        let id = SessionID(trusted: "s")
        try world.change(a, "s", "one")
        let digest = TokenDigest(.init(first: 1, second: 2, third: 3, fourth: 4))
        let token = SessionToken(id: "t1", scope: .control, digest: digest, expiresAt: nil)
        #expect(try world.putTokens([token], of: id, at: b) == .kept)
        let made = try world.decide(a) { engine throws(StoreError) in
            var record = try EngineWorld.next("s", "two", key: nil, in: engine)
            record.expiresAt = record.at + 1_500
            return try engine.proposer.put([record], of: nil, details: .none).ticket
        }
        #expect(made == .kept)
        let ends = try world.wait { () -> [[Int]]? in
            let all = world.nodes.map { $0.announced["s"] ?? [] }
            return all.allSatisfy { $0.last == 0 } ? all : nil
        }
        #expect(ends == [[1, 2, 0], [1, 2, 0]])
        // This node reads the end before it is removed.
        let fresh = try world.addNode()
        for node in world.nodes { node.ahead = 25 * 3_600_000 }
        for node in [b, fresh] {
            let isGone = try world.wait { () -> Bool? in
                let left = try world.ask(node) { engine throws(StoreError) in
                    try engine.reader.result(forKey: "k", in: .session(id), now: 0) == nil
                        && engine.lastNumber(of: id) == 0
                }
                return left ? true : nil
            }
            #expect(isGone)
        }
        #expect(try world.change(a, "s", "again") == 1)
        #expect(try world.state(b, "s") == "again")
        #expect(try world.putTokens([token], of: id, at: fresh) == .kept)
    }

    @Test func `a read with a quorum shows what another node has just changed`() throws {
        let world = try world(nodes: 1)
        let reader = try world.addNode(reads: .quorum)
        for number in 1...50 {
            try world.change(world.nodes[0], "s", "state \(number)")
            #expect(try world.state(reader, "s") == "state \(number)")
        }
    }

    @Test func `records as large as a stream accepts are stored and read`() throws {
        let world = try world(nodes: 2)
        let text = String(repeating: "x", count: (2 << 20) - 2_048)
        try world.change(world.nodes[0], "s", text)
        #expect(try world.state(world.nodes[1], "s") == text)
    }

    @Test func `the check of a store finds nothing wrong, and its status has all servers`() throws {
        let world = try world(nodes: 1)
        for number in 1...20 { try world.change(world.nodes[0], "s\(number % 7)", "\(number)") }
        let address = world.options.address
        let replicas = world.options.replicasMin
        // A server that was killed may be behind for a while, but no message is damaged.
        var faults: [String] = []
        let summary = try StoreCheck.check(
            address, within: 60_000, .process, report: { faults.append($0) })
        #expect(faults.isEmpty)
        // The changes, the facts, and two marks of each shard.
        #expect(summary.messages == 27)
        #expect(summary.sessions == 7)
        let status = try StoreStatus.read(address, replicasMin: replicas, within: 60_000)
        #expect(status.servers.count == address.servers.count)
        #expect(status.streams.count == 4)
        #expect(status.streams.allSatisfy { $0.fault == nil })
        for stream in status.streams where stream.followers.count < replicas - 1 {
            #expect(status.faults.contains { $0.contains("\(stream.name): only") })
        }
        let versions = Set(status.servers.map(\.version)).subtracting([""])
        #expect(versions.count == 1)
        let answers = RealServers.monitors.map { ServerMonitor.faults(at: $0) }
        #expect(answers.allSatisfy { $0.isEmpty || $0[0].contains("cannot be read") })
    }

    /// Servers may be killed or paused meanwhile.
    @Test(.seeded) func `nodes that change the same sessions lose nothing`() throws {
        let world = try world(nodes: 2, cacheBytes: 1 << 16)
        let race = EngineRace(world, sessions: 40, writers: 16)
        try race.run(changes: RealServers.changes)
        try race.check()
    }
}
