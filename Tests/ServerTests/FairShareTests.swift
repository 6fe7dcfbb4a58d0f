import HTTP
import POSIX
import Testing

@testable import Server

@Suite struct FairShareTests {
    private static func connection(_ token: UInt64) throws -> Connection {
        Connection(
            try WakeUp().descriptor, token: token,
            origin: ConnectionOrigin(number: token, address: .unix, isForMetrics: false),
            state: ConnectionState(Deadlines(), at: 0), limits: ParserLimits())
    }

    /// The parts that a turn takes if each of them does so much work.
    private func turn(_ share: FairShare, _ units: (TurnPart) -> Int = { _ in 0 }) -> [TurnPart] {
        var parts: [TurnPart] = []
        share.beginTurn()
        share.forEachPart { part in
            parts.append(part)
            share.spend(.budget(units: units(part)))
        }
        share.endTurn()
        return parts
    }

    @Test func `a turn with little work takes all parts in their order`() {
        let share = FairShare()
        for _ in 0..<3 { #expect(turn(share) == TurnPart.allCases) }
    }

    @Test func `a turn that is used up ends, and the next one begins where it ended`() {
        let share = FairShare()
        let isLong: (TurnPart) -> Int = { $0 == .asking ? TurnWork.unitsMax : 0 }
        #expect(turn(share, isLong) == [.released, .loaded, .asking])
        #expect(
            turn(share) == [
                .askingForLong, .others, .deadlines, .due, .delivering, .changes, .released,
                .loaded, .asking,
            ])
        #expect(turn(share) == TurnPart.allCases)
    }

    @Test func `every part comes up however much the others want`() {
        let share = FairShare()
        var counts: [TurnPart: Int] = [:]
        for _ in 0..<10 * TurnPart.allCases.count {
            for part in turn(share, { _ in TurnWork.unitsMax }) { counts[part, default: 0] += 1 }
        }
        #expect(counts.count == TurnPart.allCases.count)
        #expect(counts.values.allSatisfy { $0 == 10 })
    }

    @Test func `a part ends at its share, and at the end of the turn`() {
        let share = FairShare()
        share.beginTurn()
        var used: [TurnPart: Int] = [:]
        var total = 0
        share.forEachPart { part in
            while !share.isUsedUp {
                share.spend(.element)
                used[part, default: 0] += TurnWork.Cost.element.units
                total += TurnWork.Cost.element.units
            }
        }
        #expect(total < TurnWork.unitsMax + TurnWork.Cost.element.units)
        for (part, units) in used {
            #expect(units < part.unitsMax + TurnWork.Cost.element.units)
        }
        // Requests get the most.
        #expect(TurnPart.allCases.allSatisfy { $0.unitsMax <= TurnPart.asking.unitsMax })
    }

    /// The part that streams take of a turn in which requests have taken so much.
    private func told(after units: Int, first: TurnPart = .released) -> Int {
        let share = FairShare()
        if first == .delivering {
            _ = turn(share) { $0 == .due ? TurnWork.unitsMax : 0 }
        }
        var told = 0
        share.beginTurn()
        share.forEachPart { part in
            if part == .asking { share.spend(.budget(units: units)) }
            while part == .delivering, !share.isUsedUp {
                share.spend(.element)
                told += TurnWork.Cost.element.units
            }
        }
        return told
    }

    @Test func `streams get as much of a turn as the rest, and a short turn without it`() {
        let element = TurnWork.Cost.element.units
        let most = TurnPart.delivering.unitsMax
        #expect((1...20_000).contains(told(after: 0)))
        #expect((50_000..<50_000 + element).contains(told(after: 50_000)))
        #expect((most..<most + element).contains(told(after: 2 * most)))
        // A turn before had no time left for them.
        #expect((most..<most + element).contains(told(after: 0, first: .delivering)))
    }

    @Test func `a connection that is reported twice is served once, with all that happened`() throws
    {
        let share = FairShare()
        let connection = try Self.connection(7)
        share.noteAnswer(connection, bytes: 10)
        share.enqueue(connection, .readable)
        share.enqueue(connection, .readHangUp)
        #expect(share.next(of: .asking) == 7)
        #expect(share.next(of: .asking) == nil && !share.hasWork(takesChanges: true))
        let (happened, hasMore) = share.beginServing(connection)
        #expect(happened == .input && !hasMore)
        #expect(share.beginServing(connection).happened == .nothing)
        share.enqueue(connection, .readable)
        #expect(share.next(of: .asking) == 7)
    }

    @Test func `output and failures wait behind requests, except those that were read`() throws {
        let share = FairShare()
        let connection = try Self.connection(7)
        share.noteAnswer(connection, bytes: 10)
        share.enqueue(connection, [.readable, .writable])
        #expect(share.count(of: .others) == 1 && share.count(of: .asking) == 0)
        #expect(share.next(of: .others) == 7)
        _ = share.beginServing(connection)
        share.postpone(connection)
        share.enqueue(connection, .hangUp)
        #expect(share.count(of: .others) == 0)
        #expect(share.next(of: .asking) == 7)
        let (happened, hasMore) = share.beginServing(connection)
        #expect(happened == .hangUp && hasMore)
    }

    @Test func `a turn makes few long answers, and any number of short ones`() throws {
        let share = FairShare()
        let connections = try (UInt64(1)...20).map { try Self.connection($0) }
        for connection in connections {
            share.noteAnswer(connection, bytes: connection.token <= 10 ? 40 << 10 : 100)
            share.enqueue(connection, .readable)
        }
        var tokens: [[UInt64]] = []
        for _ in 0..<5 {
            share.beginTurn()
            var served: [UInt64] = []
            for queue in [FairShare.ConnectionQueue.asking, .askingForLong] {
                while let token = share.next(of: queue) {
                    served.append(token)
                    share.noteAnswer(
                        connections[Int(token) - 1], bytes: token <= 10 ? 40 << 10 : 100)
                }
            }
            tokens.append(served)
        }
        #expect(tokens[0] == Array(11...20) + [1, 2])
        #expect(tokens.dropFirst() == [[3, 4], [5, 6], [7, 8], [9, 10]])
        #expect(!share.hasWork(takesChanges: true))
    }
}
