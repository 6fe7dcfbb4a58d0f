@testable import Cluster
import Navigation
import Sessions
import Testing

/// Which of several nodes removes the messages of ended sessions.
@Suite struct SweeperTests {
    /// A node, without a connection to any server.
    private final class Node {
        let number: UInt64
        let replica = Replica(
            StoreLayout(prefix: StorePrefix(trusted: "NAV"), shardCount: 8), cacheBytes: 1 << 16)
        var sweeper: Sweeper
        /// Its removals.
        var removals: [Removal] = []
        /// The sessions whose messages it removes.
        var removed: [SessionID] {
            removals.compactMap { if case .session(let id) = $0.item { id } else { nil } }
        }

        init(_ number: UInt64) {
            self.number = number
            sweeper = Sweeper(node: number, at: 0)
        }

        /// Learns that a session has ended.
        func end(_ id: SessionID, number: Int, at time: Milliseconds) {
            let tombstone = SharedRecord.Tombstone(
                id: id, revision: 1, at: time, why: .deleted, key: nil)
            let record = SharedRecord(
                .end(tombstone), previous: 0, born: 1, writer: WriteID(node: 1, number: 1))
            let place = StreamPlace(shard: replica.layout.shard(of: id), number: number)
            _ = replica.table.apply(record, of: replica.table.find(id), at: place) { _ in }
        }
    }

    private let day = Sweeper.endingsKeptFor
    private let ids = (0..<20).map { SessionID(trusted: "s\($0)") }

    /// Nodes that know of the same ended sessions.
    private func nodes(_ count: Int) -> [Node] {
        let nodes = (0..<count).map { Node(UInt64($0 + 1)) }
        for node in nodes {
            for (index, id) in ids.enumerated() { node.end(id, number: index + 1, at: 0) }
        }
        return nodes
    }

    /// Lets the nodes talk to each other and sweep, once a second.
    ///
    /// - Parameter clock: the difference of the time since 1970 to the clock that never goes back.
    private func pass(
        _ seconds: Range<Int64>, _ nodes: [Node], clock: Milliseconds, succeeding: Bool = true
    ) {
        for now in seconds.map({ $0 * 1_000 }) {
            for node in nodes {
                guard let text = node.sweeper.announcement(at: now) else { continue }
                for other in nodes { other.sweeper.receivedHeartbeat(text[...], at: now) }
            }
            for node in nodes {
                let removals = node.sweeper.sweep(node.replica, at: now, wall: now + clock).removals
                node.removals += removals
                for removal in removals where succeeding { node.sweeper.removed(removal) }
            }
        }
    }

    @Test func `a day later the keeper of each shard removes the messages, once`() {
        let nodes = nodes(3)
        pass(0..<10, nodes, clock: day - 10_000)
        #expect(nodes.allSatisfy { $0.removed.isEmpty })
        pass(10..<60, nodes, clock: day - 10_000)
        #expect(nodes.flatMap(\.removed).sorted() == ids.sorted())
        #expect(nodes.allSatisfy { !$0.removed.isEmpty }, "the shards have different keepers")
        for node in nodes {
            #expect(ids.allSatisfy { node.replica.table.lastNumber($0) == 0 })
        }
    }

    @Test func `if the keeper has ended, the next one removes the messages, once`() {
        let nodes = nodes(3)
        pass(0..<8, nodes, clock: day - 10_000)
        // The others still count on this node when the day is over.
        let left = Array(nodes.dropFirst())
        pass(8..<12, left, clock: day - 10_000)
        let before = left.flatMap(\.removed)
        #expect(!before.isEmpty && before.count < ids.count)
        pass(12..<60, left, clock: day - 10_000)
        #expect(left.flatMap(\.removed).sorted() == ids.sorted())
    }

    @Test func `many sessions that expire at the same time end soon, each on one node`() {
        let nodes = (0..<3).map { Node(UInt64($0 + 1)) }
        for node in nodes { addSessions(1_000, expiringAt: 5_000, to: node) }
        var ended: [SessionID] = []
        for now in stride(from: Int64(0), to: 10_000, by: 10) {
            for node in nodes {
                guard let text = node.sweeper.announcement(at: now) else { continue }
                for other in nodes { other.sweeper.receivedHeartbeat(text[...], at: now) }
            }
            for node in nodes {
                let table = node.replica.table
                let expired = node.sweeper.sweep(node.replica, at: now, wall: now).expired
                ended += expired.map { table[$0].id }
                for _ in expired { node.sweeper.ended() }
            }
        }
        #expect(ended.count == 1_000 && Set(ended).count == 1_000)
    }

    private func addSessions(_ count: Int, expiringAt time: Milliseconds, to node: Node) {
        for number in 0..<count {
            let id = SessionID(trusted: "e\(number)")
            let record = SessionRecord(
                id: id, revision: 1, at: 0, expiresAt: time, undoing: UndoStacks(),
                nextEntry: 1, event: [], state: [])
            let shared = SharedRecord(
                .revision(record), previous: 0, born: 1, writer: WriteID(node: 1, number: 1))
            node.replica.apply(.session(shared), number: number + 1)
        }
    }

    @Test func `while many ends and removals are under way, there are no more`() {
        let node = Node(1)
        addSessions(1_000, expiringAt: 5_000, to: node)
        for number in 0..<1_000 {
            node.end(SessionID(trusted: "r\(number)"), number: 2_000 + number, at: -day)
        }
        var now: Int64 = 5_000
        func sweep(_ milliseconds: Int64) -> (ends: Int, removals: [Removal]) {
            var (ends, removals) = (0, [Removal]())
            for _ in 0..<milliseconds {
                now += 1
                let found = node.sweeper.sweep(node.replica, at: now, wall: now)
                ends += found.expired.count
                removals += found.removals
            }
            return (ends, removals)
        }
        let first = sweep(3_000)
        #expect((256..<400).contains(first.ends + first.removals.count))
        #expect(sweep(3_000) == (0, []))
        for _ in 0..<first.ends { node.sweeper.ended() }
        // The answer and the end of the link may come together.
        for removal in first.removals {
            node.sweeper.removed(removal)
            node.sweeper.failed(removal)
        }
        let second = sweep(100)
        #expect((256..<400).contains(second.ends + second.removals.count))
        #expect(Set(first.removals).isDisjoint(with: second.removals))
    }

    @Test func `what failed together is not tried again all at once`() {
        let node = Node(1)
        for number in 0..<1_000 {
            node.end(SessionID(trusted: "r\(number)"), number: 1 + number, at: 0)
        }
        var tries: [Removal: Int] = [:]
        for now in Int64(0)..<3_000 {
            let found = node.sweeper.sweep(node.replica, at: now, wall: day + 1 + now).removals
            #expect(found.count <= 65)
            for removal in found {
                tries[removal, default: 0] += 1
                if tries[removal] == 1 {
                    node.sweeper.failed(removal)
                } else {
                    node.sweeper.removed(removal)
                }
            }
        }
        #expect(tries.count == 1_000 && tries.values.allSatisfy { $0 == 2 })
    }

    @Test func `messages that could not be removed are tried again`() throws {
        let node = nodes(1)[0]
        pass(0..<1, [node], clock: day + 1, succeeding: false)
        #expect(node.removed.count == ids.count)
        node.sweeper.failed(node.removals[0])
        pass(1..<5, [node], clock: day + 1)
        #expect(node.removals.dropFirst(ids.count) == [node.removals[0]])
    }

    @Test func `the tokens of a session go with it`() throws {
        let node = nodes(1)[0]
        let link = SharedLink(previous: 0, writer: WriteID(node: 1, number: 1))
        let list = SharedTokens(id: ids[0], born: 1, at: 0, link: link, tokens: [])
        node.replica.apply(.tokens(list), number: 70)
        pass(0..<1, [node], clock: day + 1)
        let tokens = Removal(item: .tokens(ids[0]), upTo: 70, endedAt: 0)
        #expect(node.removals.filter { $0 != tokens }.count == ids.count)
        #expect(node.removals.contains(tokens))
        #expect(node.replica.lastNumber(of: .tokens(ids[0])) == 0)
    }
}
