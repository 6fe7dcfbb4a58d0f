@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// A shard that has lost its beginning or its end, and what happens to stores without marks.
@Suite(.seeded) struct ShardMarksTests {
    private let id = SessionID(trusted: "kiosk-1")

    private func expectRefusal(_ world: ModelWorld, _ name: String, _ fault: String) {
        #expect(throws: StoreOpenError.incomplete(name, fault)) { try world.tryOpening() }
    }

    @Test func `a mark is read as it was written, and its subjects are those of its shard`() throws
    {
        let layout = StoreLayout(prefix: try #require(StorePrefix("NAV")), shardCount: 20)
        let mark = ShardMark(11, of: "k3f9", reached: 184_320)
        #expect(try ShardMark(mark.text[...]) == mark)
        let landmark = StreamLandmark(
            subject: Subject(trusted: "nav.011.s.a"), number: 184_319,
            time: ServerTime(nanoseconds: 1_795_225_000_123_456_789))
        let long = ShardMark(11, of: "k3f9", reached: 184_320, landmark: landmark)
        #expect(try ShardMark(long.text[...]) == long)
        let texts = [layout.markSubject(11).text, layout.reachedSubject(11).text]
        #expect(texts == ["nav.011.m", "nav.c.m.011"])
        func shard(_ subject: String, in shard: Int?) -> Int? {
            layout.shardMarked(by: Array(subject.utf8)[...], in: shard)
        }
        #expect(shard("nav.011.m", in: 11) == 11 && shard("nav.c.m.011", in: nil) == 11)
        for subject in ["nav.011.s.m", "nav.012.m", "nav.c.m", "nav.c.app.m.011", "m", ""] {
            #expect(shard(subject, in: 11) == nil && shard(subject, in: nil) == nil)
        }
        #expect(shard("nav.c.m.020", in: nil) == nil, "there is no such shard")
    }

    @Test func `a new store has the marks of its shards, also if it was made twice`() throws {
        let world = try ModelWorld(nodes: 0, shards: 2)
        // As if the first attempt had been interrupted before the facts were written.
        let meta = world.layout.metaSubject.text
        world.servers.streams["NAV_C"]?.purge(meta)
        #expect(try world.create())
        try world.open()
        for shard in 0..<2 {
            let stream = try #require(world.servers.streams["NAV_00\(shard)"])
            #expect(stream.log.map(\.subject) == ["nav.00\(shard).m"])
        }
        #expect(try world.check().faults.isEmpty)
    }

    @Test func `marks of an attempt that was interrupted are replaced`() throws {
        let world = try ModelWorld(nodes: 0, shards: 3)
        world.servers.streams["NAV_C"]?.purge(world.layout.metaSubject.text)
        world.servers.recreate("NAV_000")
        world.servers.store("hello", in: "nav.002.m")
        #expect(try world.create())
        try world.open()
        #expect(world.nodes[0].reports.isEmpty && world.nodes[0].engine.damage.count == 0)
        #expect(try world.check().faults.count == 1, "the foreign message is still there")
    }

    @Test func `a mark without its short form is read as a whole`() throws {
        let world = try ModelWorld(nodes: 0, shards: 2)
        world.servers.streams["NAV_000"]?.removeHeads { $0.subject == "nav.000.m" }
        try world.open()
        #expect(world.nodes[0].engine.replica.marks.areComplete)
        #expect(world.nodes[0].reports.isEmpty && world.nodes[0].engine.damage.count == 0)
    }

    @Test func `a node does not start if a shard was made again without its sessions`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        let name = try #require(world.stream(of: id)?.name)
        world.servers.recreate(name)
        expectRefusal(world, name, "has lost its beginning")
        #expect(try world.check().faults == ["\(name): the stream has lost its beginning"])
    }

    @Test func `a node does not start if a shard lacks what it had reached`() throws {
        let world = try ModelWorld(nodes: 2)
        for _ in 1...5 { try world.change(id) }
        try world.pass(13_000)
        let name = try #require(world.stream(of: id)?.name)
        #expect(world.servers.streams["NAV_C"]?.log.count { $0.subject.hasPrefix("nav.c.m.") } == 3)
        try world.open()
        world.servers.lose(2, of: name)
        expectRefusal(world, name, "ends at message 4, but had reached message 6")
    }

    @Test func `a node does not start if a shard went back and has other messages since`() throws {
        let world = try ModelWorld(nodes: 2)
        for _ in 1...5 { try world.change(id) }
        try world.pass(13_000)
        let name = try #require(world.stream(of: id)?.name)
        let shard = world.layout.shard(of: id)
        world.servers.lose(2, of: name)
        // Others have taken the numbers of what was lost, and more.
        for number in 0..<4 {
            world.servers.store("hello", in: "nav.00\(shard).s.other\(number)")
        }
        let fault = "has another message 6 than was read before"
        expectRefusal(world, name, fault)
        #expect(try world.check().faults.contains("\(name): the stream \(fault)"))
    }

    @Test func `a node starts if later messages have displaced the one that was read last`() throws
    {
        let world = try ModelWorld(nodes: 1)
        for _ in 1...5 { try world.change(id) }
        try world.pass(13_000)
        let number = try #require(world.stream(of: id)?.lastSequence)
        for _ in 0..<140 { try world.change(id) }
        let subject = world.layout.subject(of: id).text
        let left = try #require(world.stream(of: id)).messages(of: subject)
        #expect(left.allSatisfy { $0.sequence > number })
        try world.open()
    }

    @Test func `a store without marks gets them from the first node`() throws {
        let world = try ModelWorld(nodes: 0)
        for name in world.servers.streams.keys {
            for message in world.servers.streams[name]?.log ?? []
            where message.subject.contains(".m") && !message.subject.hasSuffix("meta") {
                world.servers.streams[name]?.drop(message.sequence)
            }
        }
        try world.open()
        try world.change(id)
        try world.pass(5_000)
        #expect(world.nodes[0].engine.replica.marks.areComplete)
        #expect(world.nodes[0].reports.isEmpty)
        try world.open()
        let name = try #require(world.stream(of: id)?.name)
        world.servers.recreate(name)
        expectRefusal(world, name, "has lost its beginning")
    }

    @Test func `a stream without marks that is younger than its store has lost its sessions`() {
        var marks = ShardMarks(shardCount: 1)
        func fault(created: Int, firstAt: Int?) -> String? {
            let time = { (seconds: Int) in ServerTime(nanoseconds: seconds * 1_000_000_000) }
            return marks.fault(
                of: 0,
                ShardMarks.Stream(
                    last: 5, landmark: nil, created: time(created), firstAt: firstAt.map(time)))
        }
        #expect(fault(created: 9_000, firstAt: nil) == nil, "nothing is known")
        marks.foundedAt = 1_000_000
        #expect(fault(created: 990, firstAt: 2_000) == nil)
        #expect(fault(created: 1_200, firstAt: 2_000) == nil, "clocks differ")
        #expect(fault(created: 1_400, firstAt: 2_000) != nil)
        #expect(fault(created: 1_400, firstAt: nil) != nil)
        #expect(fault(created: 1_400, firstAt: 1_300) == nil, "it was restored with its messages")
    }

    @Test func `a mark that others have covered is written again`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        world.servers.store("hello", in: "nav.000.m")
        try world.pass(61_000)
        #expect(world.nodes[0].engine.replica.marks.areComplete)
        try world.open()
        #expect(try world.check().faults.count == 1, "the foreign message is still there")
    }
}

extension ModelWorld {
    /// Makes the store again, with links that end with the call.
    ///
    /// - Returns: whether it is new.
    func create() throws -> Bool {
        let opening = try StoreOpening(address, within: 20_000, environment)
        return try opening.create(shardCount: layout.shardCount, replicas: 3).isNew
    }
}

extension ModelServers {
    /// Stores a message that is not navstate's.
    func store(_ text: String, in subject: String) {
        for (name, stream) in streams where ModelSubject.matches(subject, stream.filter) {
            _ = streams[name]?.store(
                ModelPublication(
                    subject: subject, reply: nil, headers: [], payload: Array(text.utf8)))
        }
    }
}
