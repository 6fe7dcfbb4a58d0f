@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The history of a session, of which a node that was just opened knows only the newest state.
@Suite(.seeded) struct EngineHistoryTests {
    let id = SessionID(trusted: "kiosk-1")

    /// A world whose second node has only read the newest of so many revisions.
    private func world(revisions: Int) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 1)
        for revision in 1...revisions { try world.change(id, at: 0, "state \(revision)") }
        try world.open()
        return world
    }

    private func revision(_ number: Int, in world: ModelWorld, at node: Int) throws -> String? {
        let stored = try world.ask(node) { engine throws(StoreError) -> StoredRecord? in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return nil }
            return try engine.reader.revision(number, of: handle)
        }
        return stored.map { String(decoding: $0.record.state, as: UTF8.self) }
    }

    private func changes(
        after number: SequenceNumber, in world: ModelWorld, at node: Int, bytes: Int = 100_000
    ) throws -> [Int]? {
        let stored = try world.ask(node) { engine throws(StoreError) -> [StoredRecord]? in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return [] }
            var bytesLeft = bytes
            return try engine.reader.changes(of: handle, after: number, bytesLeft: &bytesLeft)
        }
        return stored?.map(\.record.revision)
    }

    @Test func `older revisions are loaded`() throws {
        let world = try world(revisions: 5)
        #expect(try world.state(id, at: 1) == "state 5")
        let asked = world.servers.questionCount
        #expect(try revision(2, in: world, at: 1) == "state 2")
        #expect(world.servers.questionCount == asked + 2, "of the leader, then of a replica")
        #expect(try revision(3, in: world, at: 1) == "state 3")
        #expect(world.servers.questionCount == asked + 2, "now they are in memory")
        for number in [0, 6] { #expect(try revision(number, in: world, at: 1) == nil) }
        #expect(try changes(after: 0, in: world, at: 1) == [5, 4, 3, 2, 1])
        let third = try world.log(of: id)[2].number
        let place = StreamPlace(shard: world.layout.shard(of: id), number: third)
        #expect(try changes(after: place.sequence, in: world, at: 1) == [5, 4])
        #expect(try changes(after: place.sequence, in: world, at: 1, bytes: 20) == nil)
    }

    @Test func `a replica that is behind is asked again`() throws {
        let world = try world(revisions: 5)
        world.servers.plan = [
            ("DIRECT.GET", .behind(2)), ("DIRECT.GET", .behind(5)), ("DIRECT.GET", .loseAnswer),
            ("DIRECT.GET", .noResponders),
        ]
        #expect(try changes(after: 0, in: world, at: 1) == [5, 4, 3, 2, 1])
        #expect(world.servers.plan.isEmpty)
    }

    @Test func `a large history is loaded in portions`() throws {
        let world = try ModelWorld(nodes: 1)
        let state = String(repeating: "x", count: 300_000)
        for revision in 1...8 { try world.change(id, at: 0, "\(revision) \(state)") }
        try world.open()
        world.servers.batchBytesMax = 2 << 20
        let asked = world.servers.questionCount
        #expect(try revision(1, in: world, at: 1)?.prefix(2) == "1 ")
        #expect(world.servers.questionCount == asked + 3, "the newest, and two portions")
        #expect(
            try changes(after: 0, in: world, at: 1, bytes: 1 << 30) == Array((1...8).reversed()))
        #expect(world.servers.questionCount == asked + 3)
    }

    @Test func `a replica that is behind in the middle of a history is asked again`() throws {
        let world = try ModelWorld(nodes: 1)
        let state = String(repeating: "x", count: 600_000)
        for revision in 1...6 { try world.change(id, at: 0, "\(revision) \(state)") }
        try world.open()
        // The first portion has two messages.
        world.servers.plan = [("DIRECT.GET", .behind(0)), ("DIRECT.GET", .behind(4))]
        let asked = world.servers.questionCount
        #expect(try revision(1, in: world, at: 1)?.prefix(2) == "1 ")
        #expect(world.servers.questionCount == asked + 6, "the newest twice, and four portions")
        #expect(world.servers.plan.isEmpty)
        #expect(
            try changes(after: 0, in: world, at: 1, bytes: 1 << 30) == Array((1...6).reversed()))
    }

    @Test func `a change that comes while the history is loaded continues it`() throws {
        let world = try world(revisions: 5)
        let subject = world.layout.subject(of: id).text
        world.servers.plan = [
            (subject, .later(100)), ("DIRECT.GET", .slow(400)), ("DIRECT.GET", .noResponders),
        ]
        let ticket = try world.put(id, at: 0, "state 6")
        world.nodes[0].engine.submit()
        #expect(try revision(1, in: world, at: 1) == "state 1")
        #expect(world.servers.plan.count == 1, "it was loaded once")
        #expect(try world.outcome(ticket, at: 0) == .kept)
        #expect(try changes(after: 0, in: world, at: 1) == Array((1...6).reversed()))
        #expect(world.servers.plan.count == 1)
    }

    @Test func `an answer counts once`() {
        var first = LoadedItems(token: 1, earlier: nil)
        first.take(.newest(nil), to: .newest(id))
        #expect(first.news == [.newest(id)])
        var second = LoadedItems(token: 2, earlier: first)
        #expect(second.news.isEmpty && second.items[.newest(id)] != nil)
        second.take(.history(SessionHistory()), to: .history(id))
        #expect(second.news == [.history(id)])
    }

    @Test func `what is not in the stream any more is not found`() throws {
        let world = try world(revisions: 140)
        #expect(try revision(12, in: world, at: 1) == nil)
        #expect(try revision(13, in: world, at: 1) == "state 13")
        #expect(try changes(after: 0, in: world, at: 1) == nil)
        #expect(try revision(12, in: world, at: 0) == nil)
        #expect(try revision(13, in: world, at: 0) == "state 13")
    }

    @Test func `records beyond the limit of memory are loaded again`() throws {
        let world = try ModelWorld(nodes: 0)
        world.cacheBytes = 4_000
        try world.open()
        let ids = (0..<12).map { SessionID(trusted: "s\($0)") }
        for id in ids { try world.change(id, at: 0, "state of \(id)") }
        #expect(world.nodes[0].engine.reader.replica.cellCount < 8)
        for id in ids { #expect(try world.state(id, at: 0) == "state of \(id)") }
    }

    @Test func `a stream that drops old messages while they are read is read again`() throws {
        let world = try world(revisions: 128)
        world.servers.batchBytesMax = 2_000
        // The second portion does not come before the changes are made.
        let lost = Array(repeating: ("DIRECT.GET", ModelFault.loseRequest), count: 4)
        world.servers.plan = [("DIRECT.GET", .behind(0))] + lost
        let (node, token) = (world.nodes[1], world.nextToken())
        node.engine.load([.history(id)], token: token, earlier: nil)
        node.engine.submit()
        try world.wait("nothing was asked") { world.servers.plan.count < lost.count }
        for revision in 129...150 { try world.change(id, at: 0, "state \(revision)") }
        #expect(!world.servers.plan.isEmpty)
        try world.wait("nothing was loaded") { node.loaded[token] != nil }
        let loaded = try #require(node.loaded[token] as? LoadedItems)
        guard case .history(let history)? = loaded.items[.history(id)] else {
            Issue.record("the history is said to be damaged, or was not loaded")
            return
        }
        let revisions = history.records.compactMap { $0.revision?.revision }
        let last = try #require(revisions.last)
        #expect(last >= 128 && revisions == Array(23...last))
    }

    @Test func `a history that lacks a message is damaged`() throws {
        let world = try world(revisions: 40)
        world.servers.batchBytesMax = 2_000
        let name = world.layout.stream(world.layout.shard(of: id)).text
        let lost = try world.log(of: id)[29].number
        world.servers.streams[name]?.drop(lost)
        #expect(throws: StoreError.damaged) { try revision(2, in: world, at: 1) }
    }

    @Test func `messages that are removed while they are read are not waited for`() throws {
        let world = try world(revisions: 5)
        let name = world.layout.stream(world.layout.shard(of: id)).text
        let messages = try world.log(of: id).map(\.number)
        world.servers.plan = [("DIRECT.GET", .loseRequest)]
        let (node, token) = (world.nodes[1], world.nextToken())
        node.engine.load([.history(id)], token: token, earlier: nil)
        node.engine.submit()
        try world.wait("nothing was asked") { world.servers.plan.isEmpty }
        for number in messages { world.servers.streams[name]?.drop(number) }
        try world.wait("nothing was loaded") { node.loaded[token] != nil }
        let loaded = try #require(node.loaded[token] as? LoadedItems)
        guard case .history(let history)? = loaded.items[.history(id)] else {
            Issue.record("the history was waited for")
            return
        }
        #expect(history.records.isEmpty)
    }
}
