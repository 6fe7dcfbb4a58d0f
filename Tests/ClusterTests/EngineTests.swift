@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing

/// The store's interface, step by step, on a model of the servers.
@Suite(.seeded) struct EngineTests {
    let id = SessionID(trusted: "kiosk-1")

    /// The stream of the session, by its name.
    private func stream(_ world: ModelWorld) -> String {
        world.layout.stream(world.layout.shard(of: id)).text
    }

    @Test func `a session that one node makes is found on the other, in its newest state`() throws {
        let world = try ModelWorld(nodes: 2)
        #expect(try world.newest(id, at: 0) == nil)
        try world.change(id, at: 0, "one")
        #expect(try world.state(id, at: 0) == "one")
        #expect(try world.state(id, at: 1) == "one")
        try world.change(id, at: 1, "two")
        #expect(try world.state(id, at: 1) == "two")
        try world.settle()
        #expect(try world.state(id, at: 0) == "two")
        #expect(try world.newest(id, at: 0) == world.newest(id, at: 1))
        #expect(try world.log(of: id).map(\.record.previous) == [0, world.log(of: id)[0].number])
        #expect(world.nodes.map(\.engine.reader.sessionCount) == [1, 1])
    }

    @Test func `of two changes at the same time one is kept, and the other is a conflict`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        try world.settle()
        let tickets = [try world.put(id, at: 0, "a"), try world.put(id, at: 1, "b")]
        let outcomes = [
            try world.outcome(tickets[0], at: 0), try world.outcome(tickets[1], at: 1),
        ]
        #expect(outcomes == [.kept, .conflict] || outcomes == [.conflict, .kept])
        let winner = outcomes[0] == .kept ? "a" : "b"
        for node in 0...1 { #expect(try world.state(id, at: node) == winner) }
        #expect(try world.log(of: id).count == 2)
    }

    @Test func `a change that would need too large a record is refused, and nothing is written`()
        throws
    {
        let world = try ModelWorld(nodes: 1)
        try world.change(id, "one")
        let text = String(repeating: "x", count: 2 << 20)
        #expect(throws: StoreError.tooLarge(bytesMax: (2 << 20) - 1_024)) {
            try world.put(id, at: 0, text)
        }
        let engine = world.nodes[0].engine
        #expect(throws: StoreError.tooLarge(bytesMax: (2 << 20) - 1_024)) {
            try engine.proposer.putApps(
                [(AppID(trusted: "a"), []), (AppID(trusted: "b"), Array(text.utf8))], at: 0)
        }
        try world.settle()
        #expect(engine.reader.storedApps.isEmpty && engine.figures.inFlight == 0)
        #expect(try world.state(id, at: 0) == "one")
        try world.change(id, "two")
    }

    @Test func `while too many bytes are undecided, changes are refused`() throws {
        let world = try ModelWorld(nodes: 1)
        // Until the last of them is written, 4 to 5 s pass here; after 10 s they would be given up.
        world.servers.plan = (0..<60).map { _ in (".s.", .later(9_000)) }
        let text = String(repeating: "x", count: 1_900_000)
        for number in 0..<36 {
            _ = try world.put(SessionID(trusted: "s\(number)"), at: 0, text)
        }
        #expect(throws: StoreError.busy) { try world.put(id, at: 0, "one") }
        world.servers.plan = []
        try world.pass(20_000)
        try world.change(id, "one")
    }

    @Test func `two nodes make the same session: one is first, and the other finds it`() throws {
        let world = try ModelWorld(nodes: 2)
        world.servers.holdsFeeds = true
        // While the first one lies in a buffer, the second node decides to make it too.
        world.servers.plan = [(".s.kiosk-1", .later(300))]
        let tickets = [try world.put(id, at: 0, "a"), try world.put(id, at: 1, "b")]
        #expect(try world.outcome(tickets[1], at: 1) == .kept)
        #expect(try world.outcome(tickets[0], at: 0) == .conflict)
        #expect(try world.state(id, at: 0) == "b")
        #expect(try world.newest(id, at: 0) == world.newest(id, at: 1))
    }

    @Test func `after a conflict the leader is asked, although the feed seems current`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        try world.settle()
        world.servers.holdsFeeds = true
        try world.change(id, at: 0, "two")
        // The feed has not told node 1 of it.
        #expect(try world.newest(id, at: 1)?.record.revision == 1)
        #expect(try world.outcome(world.put(id, at: 1), at: 1) == .conflict)
        #expect(try world.state(id, at: 1) == "two")
        try world.change(id, at: 1, "three")
        #expect(try world.log(of: id).count == 3)
    }

    @Test func `a read asks the leader while the feed is silent`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        try world.settle()
        try world.silenceFeeds()
        try world.change(id, at: 0, "two")
        #expect(try world.state(id, at: 1) == "two")
        #expect(world.nodes[1].changes.count == 1)
    }

    @Test func `a new consumer does not make a node current before it has caught up`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        try world.settle()
        try world.silenceFeeds()
        try world.change(id, at: 0, "two")
        // Consumers that were requested before the change are refused, too.
        try world.pass(500)
        // The consumers are on a server that has not got the change: they send heartbeats.
        world.servers.plan = []
        world.servers.holdsFeeds = true
        try world.pass(5_000)
        #expect(world.nodes[1].changes.count == 1)
        #expect(try world.state(id, at: 1) == "two")
        world.servers.holdsFeeds = false
        try world.settle()
        let asked = world.servers.questionCount
        #expect(try world.state(id, at: 1) == "two")
        #expect(world.servers.questionCount == asked, "the feed is current again")
    }

    @Test func `a change whose acknowledgement is lost is found to be kept, once`() throws {
        let world = try ModelWorld(nodes: 2)
        world.servers.plan = [(".s.kiosk-1", .loseAnswer)]
        try world.change(id)
        #expect(try world.log(of: id).count == 1)
        world.servers.plan = [(".s.kiosk-1", .loseRequest)]
        try world.change(id)
        #expect(try world.log(of: id).map(\.record.previous).count == 2)
    }

    @Test func `a change that lies in a buffer is written again, and stored once`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.plan = [(".s.kiosk-1", .later(3_000))]
        try world.change(id, at: 0, "one")
        try world.change(id, at: 0, "two")
        try world.pass(4_000)
        #expect(try world.log(of: id).count == 2)
        #expect(try world.state(id, at: 0) == "two")
        world.servers.plan = [(".s.kiosk-1", .twice(0))]
        try world.change(id, at: 0, "three")
        try world.pass(2_000)
        #expect(try world.log(of: id).count == 3)
    }

    @Test func `without a leader a change is refused after ten seconds`() throws {
        // With some other dice, the last of many publications is not answered yet when the time is
        // up. The outcome is unknown then.
        let world = try ModelWorld(nodes: 1, dice: SplitMix64(seed: 1))
        try world.change(id)
        world.servers.leaderlessUntil[stream(world)] = world.servers.now + 20_000
        let ticket = try world.put(id, at: 0)
        let begun = world.servers.now
        let outcome = try world.outcome(ticket, at: 0)
        #expect(outcome == .refused(.unavailable))
        #expect((10_000..<10_500).contains(world.servers.now - begun))
        try world.pass(12_000)
        try world.change(id)
        #expect(try world.log(of: id).count == 2)
    }

    @Test func `a change that may be stored or not is unknown, and is told once it is`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        world.servers.plan = [(".s.kiosk-1", .loseAnswer)]
        let ticket = try world.put(id, at: 0, "two")
        try world.pass(100)
        world.servers.leaderlessUntil[stream(world)] = world.servers.now + 15_000
        #expect(try world.outcome(ticket, at: 0) == .unknown)
        try world.pass(6_000)
        for node in 0...1 { #expect(try world.state(id, at: node) == "two") }
        try world.settle()
        for node in 0...1 {
            #expect(try world.told(id, at: node) == world.toBeTold(id, at: node))
        }
    }

    @Test func `messages of any age are read at the start, and do not count as late`() throws {
        let world = try ModelWorld(nodes: 1)
        for number in 1...20 { try world.change(SessionID(trusted: "s\(number)")) }
        // So long that the sum of the ages is no number of nanoseconds any more.
        world.servers.messageEpoch = 0
        // The marks have times of the other epoch.
        for shard in 0..<world.layout.shardCount {
            let mark = ShardMark(shard, of: world.nodes[0].engine.lineage, reached: 1)
            world.servers.store(
                String(decoding: mark.text, as: UTF8.self),
                in: world.layout.reachedSubject(shard).text)
        }
        try world.open()
        #expect(world.nodes[1].engine.figures.meters.feedLag.totalNanoseconds == 0)
        try world.change(SessionID(trusted: "s21"))
        try world.settle()
        let lag = world.nodes[1].engine.figures.meters.feedLag
        #expect(lag.totalNanoseconds == 3_600_000_000_000, "the clocks differ")
    }

    @Test func `a change that the servers have no room for is refused`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.plan = [
            (".s.kiosk-1", .refuse(code: 500, number: 10_047, "insufficient storage resources"))
        ]
        #expect(try world.outcome(world.put(id, at: 0), at: 0) == .refused(.full))
        #expect(try world.newest(id, at: 0) == nil)
        #expect(world.nodes[0].reports.isEmpty)
        world.servers.plan = [(".s.kiosk-1", .refuse(code: 400, number: 10_052, "no"))]
        #expect(try world.outcome(world.put(id, at: 0), at: 0) == .refused(.unavailable))
        #expect(world.nodes[0].reports.map(\.error) == ["no"])
        #expect(try world.log(of: id).isEmpty)
    }

    @Test func `a change waits for the one of the same session before it`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        let first = try world.put(id, at: 0, "two")
        let second = try world.put(id, at: 0, "three")
        #expect(try world.outcome(first, at: 0) == .kept)
        #expect(try world.outcome(second, at: 0) == .kept)
        #expect(try world.log(of: id).count == 3)
    }

    @Test func `of several revisions the first is written, and the request asked again`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        let details = FeedDetails.records(steps: [2: Array("[2]".utf8), 3: Array("[3]".utf8)])
        let version = try world.ask(0) { engine throws(StoreError) in
            let handle = try engine.reader.find(id, now: world.wall)
            let last = try handle.map { handle throws(StoreError) in
                try engine.reader.newest(handle)
            }
            let first = world.record(id, after: last?.record)
            let second = world.record(id, after: first)
            return try engine.proposer.put([first, second], of: handle, details: details)
        }
        #expect(try world.outcome(version.ticket, at: 0) == .conflict)
        #expect(try world.newest(id, at: 0)?.record.revision == 2)
        try world.settle()
        guard case .put(let change)? = world.nodes[0].changes.last else {
            Issue.record("no change was told")
            return
        }
        #expect(change.revision == 2)
        #expect(change.details?.steps == Array("[2]".utf8))
    }

    @Test func `a session that was deleted is gone on both nodes, and its id is free`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        let born = try world.newest(id, at: 0)?.version.entity.first
        let key = IdempotencyKey(key: "k1", digest: 7)
        let ticket = try world.delete(id, at: 0, author: "wall", key: key)
        #expect(try world.outcome(ticket, at: 0) == .kept)
        for node in 0...1 { #expect(try world.newest(id, at: node) == nil) }
        let result = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.result(forKey: "k1", in: .session(id), now: world.wall)
        }
        guard case .deletion(let deletion)? = result else {
            Issue.record("the key of the deletion is not known")
            return
        }
        #expect(deletion.key == key && deletion.revision == 1)
        try world.change(id, at: 1, "again")
        #expect(try world.state(id, at: 0) == "again")
        #expect(try world.newest(id, at: 0)?.version.entity.first != born)
        let all = try world.ask(1) { engine throws(StoreError) in
            let handle = try engine.reader.find(id, now: world.wall)
            var bytes = 10_000
            return try handle.flatMap { handle throws(StoreError) in
                try engine.reader.changes(of: handle, after: 0, bytesLeft: &bytes)
            }
        }
        #expect(all?.map(\.record.revision) == [1], "the history is that of the new session")
        try world.settle()
        #expect(world.told(id, at: 0).map(\.kind) == ["put", "deleted", "put"])
        #expect(world.told(id, at: 0) == world.told(id, at: 1))
    }

    @Test func `an expired session is gone, and its end is told when its id is used again`() throws
    {
        let world = try ModelWorld(nodes: 2)
        let first = try world.put(id, at: 0, "one", expiresIn: 2_000)
        #expect(try world.outcome(first, at: 0) == .kept)
        #expect(try world.state(id, at: 1) == "one")
        try world.pass(2_500)
        for node in 0...1 { #expect(try world.newest(id, at: node) == nil) }
        // The other node may just have written the end, which the service then finds.
        var outcome = TicketOutcome.conflict
        for _ in 0..<2 where outcome == .conflict {
            outcome = try world.outcome(world.put(id, at: 1, "two"), at: 1)
        }
        #expect(outcome == .kept)
        #expect(try world.state(id, at: 0) == "two")
        #expect(try world.newest(id, at: 0)?.record.revision == 1)
        try world.settle()
        for node in 0...1 {
            #expect(world.told(id, at: node).map(\.kind) == ["put", "expired", "put"])
            #expect(try world.told(id, at: node) == world.toBeTold(id, at: node))
        }
    }

    @Test func `a node that is opened sleeps while nothing comes, also after refusals`() throws {
        let world = try ModelWorld(nodes: 0)
        let refusal = ModelFault.refuse(code: 500, number: 10_012, "no room")
        world.servers.plan = (0..<20).map { _ in ("CONSUMER.CREATE", refusal) }
        let opening = try StoreOpening(world.address, within: 60_000, world.environment)
        let options = ClusterOptions(address: world.address, backupFormat: LogBackupFormat())
        let engine = ClusterEngine(opening, options, with: try opening.facts())
        let epoll = try Epoll()
        try epoll.add(engine.wakeDescriptor, .readable, token: 0)
        var environment = world.environment
        let turn = environment.wait
        var (turns, awake) = (0, 0)
        // The node has read all that came, and the servers have had no turn since.
        environment.wait = { milliseconds in
            var events: [Epoll.Event] = []
            try? epoll.wait(into: &events, timeoutMilliseconds: 0)
            (turns, awake) = (turns + 1, awake + events.count)
            turn?(milliseconds)
        }
        try engine.catchUp(silence: 60_000, wholeWithin: .max, environment) { _ in }
        // Its sockets are connected at once.
        #expect(turns > 20 && awake <= 2, "\(awake) of \(turns)")
        #expect(engine.takeReports().count > 5)
    }
}
