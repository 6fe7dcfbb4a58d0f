@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// A stream that was deleted and created again, or that has lost what was read, is not served.
@Suite(.seeded) struct StreamStandingTests {
    private func info(_ last: Int, created: Int = 1) throws -> StreamInfo {
        try body(
            #"{"config":{},"created":"2026-11-22T19:23:0\#(created)Z","state":{"messages":1,"#
                + #""bytes":1,"first_seq":1,"last_seq":\#(last)}}"#)
    }

    @Test func `a leader that has everything gives the end of the stream`() throws {
        var standing = StreamStanding()
        #expect(try standing.judge(info(0), lastKnown: 0, at: 0) == .same(lastSequence: 0))
        #expect(try standing.judge(info(12), lastKnown: 10, at: 0) == .same(lastSequence: 12))
        #expect(try standing.judge(info(12), lastKnown: 12, at: 0) == .same(lastSequence: 12))
        #expect(standing.fault == nil)
    }

    @Test func `a stream with another time of creation is another stream`() throws {
        var standing = StreamStanding()
        _ = try standing.judge(info(5), lastKnown: 5, at: 0)
        #expect(try standing.judge(info(9, created: 2), lastKnown: 5, at: 1) == .replaced)
        #expect(standing.fault == "the stream was deleted and created again")
        #expect(try standing.judge(info(5), lastKnown: 5, at: 2) == .same(lastSequence: 5))
        #expect(standing.fault == nil)
    }

    @Test func `a leader may be behind for a while, but not for ever`() throws {
        var standing = StreamStanding()
        _ = try standing.judge(info(20), lastKnown: 0, at: 0)
        for time: Int64 in [21_000, 28_000, 35_999] {
            #expect(try standing.judge(info(19), lastKnown: 20, at: time) == .behind)
        }
        #expect(standing.fault == nil)
        #expect(try standing.judge(info(19), lastKnown: 20, at: 36_000) == .replaced)
        #expect(standing.fault?.contains("ends at message 19, but message 20 was stored") == true)
        // Later messages have the numbers of those that were lost.
        #expect(try standing.judge(info(20), lastKnown: 20, at: 37_000) == .replaced)
        #expect(standing.fault != nil)
    }

    @Test func `two leaders that are behind for a moment are not one that stays behind`() throws {
        var standing = StreamStanding()
        for time: Int64 in [20_000, 80_000, 90_000] {
            #expect(try standing.judge(info(19), lastKnown: 20, at: time) == .behind)
        }
        #expect(try standing.judge(info(20), lastKnown: 20, at: 91_000) == .same(lastSequence: 20))
    }

    @Test func `a leader that has caught up may be behind once more`() throws {
        var standing = StreamStanding()
        for start: Int64 in [0, 20_000] {
            #expect(try standing.judge(info(19), lastKnown: 20, at: start) == .behind)
            #expect(
                try standing.judge(info(20), lastKnown: 20, at: start + 14_000)
                    == .same(lastSequence: 20))
        }
        #expect(standing.fault == nil)
    }

    // MARK: On a node

    private let id = SessionID(trusted: "kiosk-1")

    /// A node that has read three changes of a session.
    private func storedWorld() throws -> ModelWorld {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        return world
    }

    private func expectNothingServed(_ world: ModelWorld, _ report: String) throws {
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 0) }
        #expect(throws: StoreError.unavailable) { try world.put(id, at: 0) }
        #expect(throws: StoreError.unavailable) {
            try world.nodes[0].engine.reader.walk(
                after: nil, filter: SessionFilter(prefix: ""), limit: 10, now: world.wall)
        }
        // A backup or a stream of all changes would begin, and then not go on.
        #expect(throws: StoreError.unavailable) {
            try world.nodes[0].engine.reader.checkSessions()
        }
        let told = world.nodes[0].reports.filter { $0.error.contains(report) }
        #expect(told.count == 1, "\(world.nodes[0].reports)")
    }

    @Test func `nothing is served of a stream that was created again while the node runs`() throws {
        let world = try storedWorld()
        let name = try #require(world.stream(of: id)?.name)
        let changes = world.nodes[0].changes.count
        world.servers.recreate(name)
        for _ in 1...5 {
            let publication = ModelPublication(
                subject: "nav.000.s.other", reply: nil, headers: [], payload: [1])
            _ = world.servers.streams[name]?.store(publication)
        }
        try world.pass(10_000)
        try expectNothingServed(world, "deleted and created again")
        #expect(world.nodes[0].changes.count == changes)
        #expect(world.nodes[0].reports.allSatisfy { !$0.message.contains("damaged") })
    }

    @Test func `nothing is served if the stream of apps was created again`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        world.servers.recreate(world.layout.controlStream.text)
        #expect(world.nodes[0].engine.refusal == nil)
        try world.pass(10_000)
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 0) }
        expectNotReady(world)
    }

    /// The node has contact with the store, but it is another store.
    private func expectNotReady(_ world: ModelWorld) {
        let engine = world.nodes[0].engine
        #expect(engine.isInContact)
        #expect(engine.checks.filter { !$0.isHealthy }.map(\.name) == ["store-same"])
        #expect(engine.refusal == .unavailable)
        #expect(engine.refusalText?.contains("has to be started again") == true)
    }

    @Test func `nothing is served if the facts are those of another store`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        let name = world.layout.controlStream.text
        let other = StoreFacts(
            lineage: "other", shardCount: 2, secret: String(repeating: "7f", count: 32))
        _ = world.servers.streams[name]?.store(
            ModelPublication(
                subject: world.layout.metaSubject.text, reply: nil, headers: [],
                payload: other.text))
        try world.pass(1_000)
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 0) }
        #expect(world.nodes[0].reports.map(\.error) == [#"member("lineage")"#])
        expectNotReady(world)
    }

    @Test func `messages of other subjects are told, and affect nothing`() throws {
        let world = try ModelWorld(nodes: 1, shards: 2)
        try world.change(id, at: 0, "one")
        let own = try #require(world.stream(of: id)?.name)
        let other = own == "NAV_000" ? "NAV_001" : "NAV_000"
        let record = try world.log(of: id)[0].record.text
        let stray = world.layout.subject(of: id).text.replacing(
            own.suffix(3), with: other.suffix(3))
        let subjects = [
            (other, stray), (own, "nav.\(own.suffix(3)).x.kiosk-1"),
            (own, "nav.\(own.suffix(3)).s.\u{7F}"), (own, "nav.\(own.suffix(3)).qq"),
            ("NAV_C", "nav.c.app.-"), ("NAV_C", "nav.c.q.x"),
        ]
        for (stream, subject) in subjects {
            _ = world.servers.streams[stream]?.store(
                ModelPublication(subject: subject, reply: nil, headers: [], payload: record))
        }
        try world.pass(1_000)
        #expect(world.nodes[0].reports.count == subjects.count)
        #expect(world.nodes[0].changes.count == 1)
        #expect(try world.state(id, at: 0) == "one")
        #expect(world.nodes[0].engine.reader.sessionCount == 1)
        try world.change(id, at: 0, "two")
    }

    @Test func `nothing is served of a stream that has lost what was read`() throws {
        let world = try storedWorld()
        let name = try #require(world.stream(of: id)?.name)
        world.servers.lose(1, of: name)
        world.servers.breakLinks()
        try world.pass(30_000)
        try expectNothingServed(world, "ends at message 3, but message 4 was stored")
        // Other nodes keep writing to the stream.
        for _ in 1...5 {
            _ = world.servers.streams[name]?.store(
                ModelPublication(
                    subject: "nav.000.s.other", reply: nil, headers: [], payload: [1]))
        }
        try world.pass(30_000)
        try expectNothingServed(world, "ends at message 3, but message 4 was stored")
    }

    @Test func `nothing is served of a stream that went back, whatever was stored since`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for _ in 1...5 { try world.change(id) }
        try world.settle()
        world.servers.lose(2, of: "NAV_000")
        for number in 1...9 { world.servers.store("hello", in: "nav.000.s.other-\(number)") }
        world.servers.breakLinks()
        try world.pass(10_000)
        try expectNothingServed(world, "another message has the number 6")
    }

    /// The messages that a node has written itself, or that a leader has shown to it, are known
    /// before its feed delivers them.
    @Test(arguments: [false, true], [false, true])
    func `nothing is served of a stream that went back before what is known was read`(
        isShown: Bool, goesOn: Bool
    ) throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        world.servers.holdsFeeds = true
        for _ in 1...2 { try world.change(id, at: isShown ? 1 : 0) }
        if isShown {
            world.servers.breakLinks()
            try world.pass(1_000)
            #expect(try world.newest(id, at: 0)?.record.revision == 5)
        }
        world.servers.lose(2, of: "NAV_000")
        let others = (1...9).map { SessionID(trusted: "other-\($0)") }
        for other in others { try world.change(other, at: isShown ? 0 : 1) }
        if goesOn { try world.change(SessionID(trusted: "own"), at: 0) }
        world.servers.breakLinks()
        world.servers.holdsFeeds = false
        try world.pass(20_000)
        let fault = try #require(world.nodes[0].engine.reader.fault)
        // Of what others have written, the leader shows the newest.
        let number = isShown ? 6 : 5
        let text = "another message has the number \(number) of one that was stored before"
        #expect(fault == "NAV_000: \(text)")
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 0) }
        #expect(throws: StoreError.unavailable) { try world.newest(others[0], at: 0) }
        #expect(world.nodes[0].changes.count == number - 2, "no change is announced after it")
    }

    @Test func `nothing is served of a stream that ends before what was acknowledged`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        try world.change(id)
        try world.settle()
        world.servers.holdsFeeds = true
        for _ in 1...3 { try world.change(id) }
        world.servers.lose(2, of: "NAV_000")
        world.servers.breakLinks()
        world.servers.holdsFeeds = false
        try world.pass(30_000)
        try expectNothingServed(world, "ends at message 3, but message 5 was stored")
    }

    @Test func `nothing is served of a stream in which a message has another's place`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for _ in 1...5 { try world.change(id) }
        try world.settle()
        world.servers.lose(2, of: "NAV_000")
        for _ in 1...3 { world.servers.store("hello", in: world.layout.subject(of: id).text) }
        world.servers.breakLinks()
        try world.pass(10_000)
        try expectNothingServed(world, "another message has the number 6")
        expectNotReady(world)
    }

    @Test func `messages that newer ones have displaced were not lost`() throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        try world.change(id)
        try world.settle()
        world.servers.holdsFeeds = true
        for number in 1...140 { try world.change(id, at: 0, "\(number)") }
        world.servers.breakLinks()
        world.servers.holdsFeeds = false
        try world.pass(10_000)
        for node in 0..<2 { #expect(try world.state(id, at: node) == "140") }
        #expect(world.nodes.allSatisfy { $0.engine.reader.fault == nil })
    }

    @Test(arguments: ["NAV_000", "NAV_C"]) func `nothing is served of a stream that was deleted`(
        name: String
    ) throws {
        let world = try storedWorld()
        world.servers.delete(name)
        // Servers that were just started do not know it yet.
        try world.pass(10_000)
        #expect(world.nodes[0].engine.reader.fault == nil)
        try world.pass(30_000)
        try expectNothingServed(world, "\(name): the stream was deleted;")
        let unhealthy = world.nodes[0].engine.checks.filter { !$0.isHealthy }.map(\.name)
        #expect(unhealthy.contains("store-same"), "\(unhealthy)")
    }

    @Test(arguments: ["NAV_000", "NAV_C"]) func `nothing is served of a stream that was purged`(
        name: String
    ) throws {
        let world = try storedWorld()
        world.servers.streams[name]?.purge()
        try world.pass(10_000)
        try expectNothingServed(world, "the beginning of the stream was removed")
        expectNotReady(world)
    }
}
