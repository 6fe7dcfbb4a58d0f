@testable import Cluster
import NATS
import TestSupport
import Testing

/// Nodes that change the same subject through a network that delays, loses, doubles and reorders,
/// on servers that lose their leader: nobody is told of a record that is not stored, no record is
/// stored that was refused, and none is stored twice.
@Suite struct ConditionalWriteModelTests {
    /// The messages between the nodes and the stream.
    enum Packet {
        case publish(node: Int, attempt: Int, id: WriteID, expected: Int)
        case lookUp(node: Int, attempt: Int, after: Int)
        case answer(node: Int, attempt: Int, Answer<PublishAck>)
        case found(node: Int, attempt: Int, ConditionalWrite.Successor)
    }

    /// A stream with one subject, and the network around it.
    struct World {
        struct Stored {
            let sequence: Int
            let previous: Int
            let id: WriteID
        }

        var dice: SplitMix64
        var records: [Stored] = []
        var last = 0
        /// Packets with the time at which each arrives.
        var wire: [(at: Int64, packet: Packet)] = []
        var faultIn: Int
        /// Until when the stream has no leader.
        var leaderlessUntil: Int64 = 0
        /// The count that an old leader still shows which does not know of its end.
        var staleCount: Int?

        mutating func send(_ packet: Packet, at now: Int64) {
            let isFaulty = faultIn > 0 && dice.oneIn(faultIn)
            let delay = Int64(dice.below(isFaulty ? 4_000 : 10)) + 1
            switch isFaulty ? dice.below(3) : 2 {
            case 0: break
            case 1:
                wire.append((now + delay, packet))
                wire.append((now + Int64(dice.below(6_000)), packet))
            default: wire.append((now + delay, packet))
            }
        }

        mutating func store(_ id: WriteID, expected: Int, at now: Int64) throws -> Answer<
            PublishAck
        > {
            if faultIn > 0, dice.oneIn(faultIn * 4) {
                leaderlessUntil = now + Int64(dice.below(5_000))
                staleCount = dice.oneIn(2) ? records.count : nil
            }
            guard now >= leaderlessUntil else { return .noResponders }
            guard (records.last?.sequence ?? 0) == expected else {
                let text = "wrong last sequence: \(records.last?.sequence ?? 0)"
                let number = faultIn > 0 && dice.oneIn(8) ? 10_164 : 10_071
                return .refused(JetStreamError(code: 400, number: number, description: text))
            }
            last += 1 + dice.below(3)
            records.append(Stored(sequence: last, previous: expected, id: id))
            return .value(try body(#"{"stream":"S","seq":\#(last)}"#))
        }

        /// A stale leader answers from the records that it has.
        func successor(of number: Int, at now: Int64) -> ConditionalWrite.Successor {
            let known = now < leaderlessUntil ? records.prefix(staleCount ?? 0) : records[...]
            guard let next = known.first(where: { $0.sequence > number }) else { return .none }
            return .record(sequence: next.sequence, previous: next.previous, writer: next.id)
        }
    }

    /// A node that makes one change after another.
    struct Node {
        let number: Int
        var write: ConditionalWrite
        var attempt = 0
        var answersBy: Int64 = .max
        var changes: UInt64 = 1
        var decisions: [(id: WriteID, decision: ConditionalWrite.Decision)] = []

        init(_ number: Int) {
            self.number = number
            write = ConditionalWrite(
                WriteID(node: UInt64(number), number: 1), after: 0, deadline: 10_000, at: 0)
        }
    }

    @Test(.seeded, arguments: SplitMix64.worlds(60))
    func `what is told is true`(round: Int) throws {
        var world = World(
            dice: SplitMix64(stream: UInt64(round)), faultIn: [3, 6, 20, 0][round % 4])
        var nodes = (0..<3).map(Node.init)
        let stream = try SubjectToken("S")
        var now: Int64 = 0
        while nodes.contains(where: { $0.decisions.count < 25 }) || !world.wire.isEmpty {
            try #require(now < 40_000_000, "the nodes stand still")
            for index in nodes.indices {
                step(&nodes[index], &world, at: now)
            }
            let arrived = world.wire.filter { $0.at <= now }
            world.wire.removeAll { $0.at <= now }
            for (_, packet) in arrived {
                try deliver(packet, to: &nodes, in: &world, of: stream, at: now)
            }
            now += 1 + Int64(world.dice.below(5))
        }
        check(nodes, world)
    }

    private func step(_ node: inout Node, _ world: inout World, at now: Int64) {
        if now >= node.answersBy {
            node.answersBy = .max
            node.attempt += 1
            node.write.unanswered(at: now, random: world.dice.next())
        }
        guard node.decisions.count < 25 else { return }
        obey(node.write.expired(at: now), by: &node, in: &world, at: now)
    }

    private func deliver(
        _ packet: Packet, to nodes: inout [Node], in world: inout World, of stream: SubjectToken,
        at now: Int64
    ) throws {
        switch packet {
        case .publish(let node, let attempt, let id, let expected):
            let answer = try world.store(id, expected: expected, at: now)
            world.send(.answer(node: node, attempt: attempt, answer), at: now)
        case .lookUp(let node, let attempt, let number):
            let found = world.successor(of: number, at: now)
            world.send(.found(node: node, attempt: attempt, found), at: now)
        case .answer(let index, let attempt, let answer):
            guard nodes[index].attempt == attempt else { return }
            nodes[index].answersBy = .max
            let action = nodes[index].write.answered(
                answer, from: stream, at: now, random: world.dice.next())
            obey(action, by: &nodes[index], in: &world, at: now)
        case .found(let index, let attempt, let successor):
            guard nodes[index].attempt == attempt else { return }
            nodes[index].answersBy = .max
            let action = nodes[index].write.found(successor, at: now, random: world.dice.next())
            obey(action, by: &nodes[index], in: &world, at: now)
        }
    }

    private func obey(
        _ action: ConditionalWrite.Action, by node: inout Node, in world: inout World,
        at now: Int64
    ) {
        switch action {
        case .none: break
        case .publish:
            node.attempt += 1
            node.answersBy = now + 1_500
            world.send(
                .publish(
                    node: node.number, attempt: node.attempt, id: node.write.id,
                    expected: node.write.expected), at: now)
        case .lookUp(let after):
            node.attempt += 1
            node.answersBy = now + 1_500
            world.send(.lookUp(node: node.number, attempt: node.attempt, after: after), at: now)
        case .decide(let decision):
            node.attempt += 1
            node.answersBy = .max
            node.decisions.append((node.write.id, decision))
            if case .kept(let sequence) = decision {
                #expect(
                    world.records.contains { $0.sequence == sequence && $0.id == node.write.id })
            }
            node.changes += 1
            // The next change begins with what the stream has now, or with something older.
            let seen = world.records.dropLast(world.dice.oneIn(4) ? 1 : 0).last?.sequence ?? 0
            node.write = ConditionalWrite(
                WriteID(node: UInt64(node.number), number: node.changes), after: seen,
                deadline: now + 10_000, at: now)
        }
    }

    private func check(_ nodes: [Node], _ world: World) {
        var count: [WriteID: Int] = [:]
        var previous = 0
        for record in world.records {
            count[record.id, default: 0] += 1
            #expect(record.previous == previous)
            previous = record.sequence
        }
        #expect(count.values.allSatisfy { $0 == 1 }, "a record is stored twice")
        var kept = 0
        for (id, decision) in nodes.flatMap(\.decisions) {
            switch decision {
            case .kept:
                kept += 1
                #expect(count[id] == 1, "\(id.text) was lost")
            case .conflict, .refused: #expect(count[id] == nil, "\(id.text) was stored")
            case .unknown: break
            }
        }
        if world.faultIn == 0 {
            #expect(kept == world.records.count)
            #expect(nodes.allSatisfy { $0.decisions.allSatisfy { $0.decision != .unknown } })
        }
        #expect(kept > 0)
    }
}
