import HTTP
import POSIX
import TestSupport
import Testing

@testable import Server

@Suite struct ConnectionTableTests {
    private static func make(_ token: UInt64, _ descriptor: FileDescriptor) -> Connection {
        Connection(
            descriptor, token: token,
            origin: ConnectionOrigin(number: token, address: .unix, isForMetrics: false),
            state: ConnectionState(Deadlines(), at: 0), limits: ParserLimits())
    }

    @Test(.seeded) func `a token finds its connection until that is removed, and never another`()
        throws
    {
        var random = SplitMix64()
        let descriptor = try WakeUp().descriptor
        var table = ConnectionTable()
        var open: [Connection] = []
        var closed: [Connection] = []
        var tokens: Set<UInt64> = []
        for _ in 0..<5_000 {
            if open.isEmpty || random.below(100) < 52 {
                let connection = table.insert { Self.make($0, descriptor) }
                #expect(tokens.insert(connection.token).inserted)
                #expect(connection.token >= ConnectionTable.firstToken)
                open.append(connection)
            } else {
                let connection = open.remove(at: random.below(open.count))
                table.remove(connection)
                closed.append(connection)
            }
            #expect(table.count == open.count)
            if let connection = open.randomElement(using: &random) {
                #expect(table[connection.token] === connection && table.holds(connection))
                #expect(table.at(connection.index) === connection)
            }
            if let connection = closed.randomElement(using: &random) {
                #expect(table[connection.token] == nil && !table.holds(connection))
                table.remove(connection)
            }
        }
        #expect(Set(table.all.map(\.token)) == Set(open.map(\.token)))
    }

    @Test func `an index is used again, so that the table grows with what is open`() throws {
        let descriptor = try WakeUp().descriptor
        var table = ConnectionTable()
        for _ in 0..<1_000 {
            let connection = table.insert { Self.make($0, descriptor) }
            #expect(connection.index == 0)
            table.remove(connection)
        }
        #expect(table.at(0) == nil && table.at(1) == nil && table[1 << 32] == nil)
    }

    @Test func `samples look at all connections in turn`() throws {
        let descriptor = try WakeUp().descriptor
        var table = ConnectionTable()
        let connections = (0..<100).map { _ in table.insert { Self.make($0, descriptor) } }
        for connection in connections where connection.index % 3 == 0 { table.remove(connection) }
        var seen: Set<UInt64> = []
        for _ in 0..<7 {
            let sample = table.sample(10)
            #expect(sample.count == 10 && sample.allSatisfy { table.holds($0) })
            seen.formUnion(sample.map(\.token))
        }
        #expect(seen.count == table.count)
        #expect(table.sample(1_000).count == table.count)
    }
}
