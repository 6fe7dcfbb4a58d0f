@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Nodes, servers and a network with faults: what was told is true, what was kept is stored once
/// and in its place, and in the end all nodes know and have told the same.
@Suite struct EnginePropertyTests {
    private static let faults: [ModelFaults] = [
        ModelFaults(
            requestsIn: 4, deliveriesIn: 10, linksIn: 200, leadersIn: 15, latency: 20, gap: 3),
        ModelFaults(requestsIn: 3, latency: 5),
        ModelFaults(deliveriesIn: 4, linksIn: 60, latency: 30, gap: 1),
        ModelFaults(leadersIn: 5, latency: 10),
        ModelFaults(latency: 40, gap: 2),
    ]

    @Test(.seeded, arguments: SplitMix64.worlds(15))
    func `what is told is true, and in the end all nodes agree`(round: Int) throws {
        var dice = SplitMix64(stream: UInt64(round))
        let world = try ModelWorld(
            nodes: 2 + dice.below(2), shards: 1 + dice.below(2),
            reads: round < 10 ? .feed : .quorum,
            dice: SplitMix64(seed: dice.next()))
        let clients = ModelClients(
            world, sessions: 2 + dice.below(4), dice: SplitMix64(seed: dice.next()))
        world.servers.faults = Self.faults[round % Self.faults.count]
        try clients.run(40, atOnce: 6, within: 600_000)
        world.servers.faults = .none
        world.servers.leaderlessUntil = [:]
        // Changes in buffers are stored now.
        try world.pass(7_000)
        try world.settle()
        try expectTrue(clients.changes, in: world)
        for id in clients.ids { try expectTold(id, in: world) }
        for id in clients.ids {
            try expectShown(id, in: world)
            try expectTokens(of: id, in: world)
        }
        try expectApps(in: world)
        for id in clients.ids { try expectNewTokens(of: id, in: world) }
        try expectSubjects(in: world)
        if round % Self.faults.count == Self.faults.count - 1 {
            for node in world.nodes {
                #expect(node.outcomes.values.allSatisfy { $0 == .kept || $0 == .conflict })
            }
        }
    }

    /// Each node knows how many subjects each shard has, so that a loss would be noticed.
    private func expectSubjects(in world: ModelWorld) throws {
        try world.settle()
        for shard in 0..<world.layout.shardCount {
            let stream = try #require(world.servers.streams[world.layout.stream(shard).text])
            let barrier = world.layout.barrierSubject(shard).text
            let subjects = stream.indices.filter { !$0.value.isEmpty && $0.key != barrier }.count
            for node in world.nodes {
                #expect(node.engine.replica.subjectCount(in: shard) == subjects)
                #expect(node.engine.replica.losses.all.isEmpty)
            }
        }
    }

    /// Each decision is true, and each message follows the one before it.
    private func expectTrue(_ changes: [ModelClients.Change], in world: ModelWorld) throws {
        var counts: [WriteID: Int] = [:]
        for stream in world.servers.streams.values {
            for indices in stream.indices.values {
                var previous = 0
                for message in indices.map({ stream.log[$0] })
                where world.layout.item(of: Subject(trusted: message.subject)).map({ $0 != .meta })
                    ?? false
                {
                    let link = try SharedRecordText(message.payload[...]).link()
                    #expect(link.previous == previous)
                    counts[link.writer, default: 0] += 1
                    previous = message.sequence
                }
            }
        }
        #expect(counts.values.allSatisfy { $0 == 1 }, "a change is stored twice")
        for change in changes {
            let node = world.nodes[change.node]
            let writer = WriteID(
                node: node.engine.proposer.identity.node,
                number: change.ticket.rawValue & (1 << 63 - 1))
            switch node.outcomes[change.ticket] {
            case .kept: #expect(counts[writer] == 1, "a change is lost")
            case .conflict where change.hasMore: break
            case .conflict, .refused: #expect(counts[writer] == nil, "a change is stored")
            case .unknown: break
            case nil: Issue.record("a ticket is not decided")
            }
        }
        #expect(!counts.isEmpty)
    }

    /// All nodes have the tokens that are stored, if they belong to the session of now.
    private func expectTokens(of id: SessionID, in world: ModelWorld) throws {
        let stored = world.stream(of: id)?.messages(of: world.layout.tokenSubject(of: id).text).last
        let list = try stored.map { try SharedTokens($0.payload[...]) }
        for node in world.nodes.indices {
            // With one request, as the session may expire between two of them.
            let shown = try world.ask(node) {
                engine throws(StoreError) -> (born: UInt64, tokens: [SessionToken])? in
                guard let handle = try engine.reader.find(id, now: world.wall) else { return nil }
                let born = engine.reader.version(of: handle).entity.first
                return (born, try engine.reader.tokens(of: handle).tokens)
            }
            guard let shown else { continue }
            let isOwn = list?.born == shown.born
            #expect(shown.tokens == (isOwn ? list?.tokens : []), "node \(node), \(id)")
        }
    }

    /// Each node can make a token. The first attempt may tell it that others have made one.
    private func expectNewTokens(of id: SessionID, in world: ModelWorld) throws {
        for node in world.nodes.indices {
            var outcome = TicketOutcome.conflict
            for attempt in 1...3 as ClosedRange<UInt64> where outcome == .conflict {
                let token = ModelClients.token(UInt64(node) << 8 | attempt)
                let ticket = try world.ask(node) { engine throws(StoreError) -> Ticket in
                    guard let handle = try engine.reader.find(id, now: world.wall) else {
                        return .none
                    }
                    let tokens = try engine.reader.tokens(of: handle).tokens
                    return try engine.proposer.putTokens(
                        tokens + [token], of: handle, at: world.wall)
                }
                outcome = ticket == .none ? .kept : try world.outcome(ticket, at: node)
            }
            #expect(outcome == .kept, "node \(node), \(id)")
        }
    }

    /// All nodes have the apps that are stored.
    private func expectApps(in world: ModelWorld) throws {
        let stream = try #require(world.servers.streams[world.layout.controlStream.text])
        var stored: [AppID: [UInt8]] = [:]
        for subject in stream.indices.keys {
            guard case .app(let id)? = world.layout.item(of: Subject(trusted: subject)),
                let message = stream.messages(of: subject).last
            else { continue }
            stored[id] = try SharedApp(message.payload[...]).document
        }
        for node in world.nodes {
            let apps = node.engine.reader.storedApps.map { ($0.id, $0.document) }
            #expect(Dictionary(uniqueKeysWithValues: apps) == stored)
        }
    }

    /// All nodes have told of each change once and in order.
    private func expectTold(_ id: SessionID, in world: ModelWorld) throws {
        for node in world.nodes.indices {
            let told = world.told(id, at: node)
            let expected = try world.toBeTold(id, at: node)
            #expect(told == expected, "node \(node), \(id)")
        }
    }

    /// All nodes show what is stored. Time passes while they read.
    private func expectShown(_ id: SessionID, in world: ModelWorld) throws {
        for node in world.nodes.indices {
            let shown = try world.newest(id, at: node)
            let stored = try world.log(of: id).last?.stored(in: world.layout.shard(of: id))
            if let time = stored?.record.expiresAt, time <= world.wall {
                #expect(shown == nil)
            } else {
                #expect(shown == stored, "node \(node), \(id)")
            }
        }
    }
}
