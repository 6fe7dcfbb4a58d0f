@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The check and the status of a whole store, on the model of the servers.
@Suite(.seeded) struct StoreCheckTests {
    private let id = SessionID(trusted: "kiosk-1")

    private func world(revisions: Int = 6) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 1)
        for revision in 1...revisions { try world.change(id, at: 0, "state \(revision)") }
        try world.change(SessionID(trusted: "other"))
        return world
    }

    private func name(_ world: ModelWorld) throws -> String {
        try #require(world.stream(of: id)?.name)
    }

    @Test func `a store that is whole has no faults`() throws {
        let world = try world(revisions: 140)
        try world.change(SessionID(trusted: "gone"))
        #expect(
            try world.outcome(world.delete(SessionID(trusted: "gone"), at: 0), at: 0) == .kept)
        let app = try world.ask(0) { engine throws(StoreError) in
            try engine.proposer.putApps(
                [(AppID(trusted: "shop"), Array("{}".utf8))], at: world.wall)[0]
        }
        #expect(try world.outcome(app.ticket, at: 0) == .kept)
        let (summary, faults) = try world.check()
        #expect(faults.isEmpty)
        let control = try #require(world.servers.streams["NAV_C"])
        let reached = control.log.count { $0.subject.hasPrefix("nav.c.m.") }
        // 128 of 140 revisions, another session, two of a third one, an app, the facts, the marks
        // in the two shards and those of the numbers that they have reached.
        let expected = StoreCheck.Summary(messages: 135 + reached, sessions: 2, faults: 0)
        #expect(summary == expected && reached >= 2)
    }

    @Test func `a damaged message is named`() throws {
        let world = try world()
        let name = try name(world)
        let number = try world.log(of: id)[2].number
        world.servers.streams[name]?.damage(number)
        let (summary, faults) = try world.check()
        #expect(summary.faults == faults.count)
        #expect(faults.first?.contains("message \(number) of nav") == true, "\(faults)")
        #expect(faults.first?.hasPrefix("\(name): ") == true)
    }

    @Test func `messages that are missing in the middle are named`() throws {
        let world = try world()
        let log = try world.log(of: id)
        world.servers.streams[try name(world)]?.drop(log[3].number)
        let faults = try world.check().faults
        #expect(faults.count == 1)
        #expect(
            faults.first?.contains("between \(log[2].number) and \(log[4].number) are missing")
                == true)
    }

    @Test func `messages that are missing at the beginning are named`() throws {
        let world = try world()
        let log = try world.log(of: id)
        world.servers.streams[try name(world)]?.drop(log[0].number)
        let (_, faults) = try world.check()
        #expect(faults.count == 1)
        #expect(faults.first?.contains("before \(log[1].number) are missing") == true)
    }

    @Test func `a check ends if the servers are silent`() throws {
        let world = try world()
        world.servers.plan = (0..<10_000).map { _ in ("CONSUMER.CREATE", .loseRequest) }
        do throws(StoreOpenError) {
            _ = try world.check()
            Issue.record("it was checked")
        } catch {
            #expect(error == .unanswered)
        }
    }

    // MARK: Status

    @Test func `the status has all streams and servers`() throws {
        let world = try world()
        let status = try world.status()
        #expect(status.faults.isEmpty)
        #expect(status.servers.map(\.version) == ["2.15.1"])
        #expect(status.servers.map(\.name) == ["m"])
        #expect(status.lineage != nil && status.fault == nil)
        #expect(status.streams.map(\.name) == ["NAV_000", "NAV_001", "NAV_C"])
        #expect(status.streams.reduce(0) { $0 + $1.messages } == 12)
    }

    @Test func `the status names each stream without a leader`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.plan = (0..<1_000).map { _ in ("STREAM.INFO.NAV_001", .noResponders) }
        let status = try world.status()
        #expect(status.faults.count == 1)
        #expect(status.streams[1].fault?.contains("NAV_001 has no leader") == true)
        #expect(status.streams[2].name == "NAV_C" && status.streams[2].fault == nil)
    }

    /// The leader of the stream with the description may be missing alone, or with all others.
    @Test func `the status has what can be learnt without the store's description`() throws {
        let world = try world()
        let refusal = ModelFault.refuse(code: 503, number: 10_008, "temporarily unavailable")
        world.servers.plan = (0..<1_000).map { _ in ("MSG.GET", refusal) }
        var status = try world.status()
        #expect(status.fault == .notReady("temporarily unavailable") && status.lineage == nil)
        #expect(status.servers.map(\.name) == ["m"])
        #expect(status.streams.map(\.name) == ["NAV_000", "NAV_001", "NAV_C"])
        #expect(status.streams.allSatisfy { $0.fault == nil })
        world.servers.plan = (0..<1_000).map { _ in ("STREAM.", refusal) }
        status = try world.status()
        #expect(status.fault?.kind == .unavailable && status.streams.isEmpty)
        #expect(status.servers.map(\.name) == ["m"])
        world.servers.plan = []
        world.servers.streams = [:]
        status = try world.status()
        #expect(status.fault == .missing("stream not found") && status.streams.isEmpty)
    }

    // MARK: Dump

    @Test func `a dump has the newest state of each session that lives`() throws {
        let world = try world()
        try world.change(try ModelWorld.id("dumped"))
        try world.change(try ModelWorld.id("dumped"))
        try world.settle()
        var (states, faults) = ([String](), [String]())
        func dump() throws {
            (states, faults) = ([], [])
            try StoreDump.run(
                world.address, within: 20_000, world.environment,
                print: { states.append(String(decoding: $0, as: UTF8.self)) },
                complain: { faults.append($0) })
        }
        try dump()
        let engine = world.nodes[0].engine
        #expect(states.count == engine.reader.sessionCount && faults.isEmpty)
        let id = try ModelWorld.id("dumped")
        let newest = try world.ask(0) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: world.wall) else { throw .damaged }
            return String(decoding: try engine.reader.newest(handle).record.state, as: UTF8.self)
        }
        #expect(states.contains(newest))
        let name = world.layout.stream(world.layout.shard(of: id)).text
        let subject = world.layout.subject(of: id).text
        let last = try #require(world.servers.streams[name]?.messages(of: subject).last)
        world.servers.streams[name]?.damage(last.sequence)
        try dump()
        #expect(states.count == engine.reader.sessionCount - 1)
        #expect(faults.count == 1 && faults[0].contains("dumped"))
    }

    @Test func `a dump says which stream does not exist`() throws {
        let world = try world()
        let name = world.layout.stream(0).text
        world.servers.streams[name] = nil
        #expect(throws: StoreOpenError.streamMissing(name)) {
            try StoreDump.run(
                world.address, within: 20_000, world.environment, print: { _ in },
                complain: { _ in })
        }
    }

    @Test func `the status names each stream that cannot be used`() throws {
        let world = try world()
        world.servers.reconfigure("NAV_000", #""max_age":0"#, #""max_age":60000000000"#)
        world.servers.streams["NAV_001"] = nil
        let status = try world.status()
        #expect(status.faults.count == 2)
        #expect(status.streams[0].fault?.contains("correct max_age") == true)
        #expect(status.streams[1].fault?.contains("NAV_001") == true)
        #expect(status.streams[2].fault == nil)
    }

    /// Just after an election, and while clients write, a copy does not have everything yet.
    @Test func `a copy that catches up is not a fault`() throws {
        let world = try world()
        world.servers.plan = [3, 2, 0].map { ("STREAM.INFO.NAV_001", .copyBehind($0)) }
        #expect(try world.status().faults.isEmpty)
    }

    @Test func `a copy that stays behind is a fault`() throws {
        let world = try world()
        world.servers.plan = (0..<1_000).map { _ in ("STREAM.INFO.NAV_001", .copyBehind(3)) }
        let begun = world.servers.now
        #expect(
            try world.status().faults == [
                "stream NAV_001: its copy on n2 is 3 operations behind"
            ])
        #expect(world.servers.now - begun < 10_000)
    }

    @Test func `copies that are behind, offline or unknown are faults`() throws {
        let follower = StoreStatus.Follower(name: "b", isCurrent: true, isOffline: false, lag: 0)
        let behind = StoreStatus.Follower(name: "c", isCurrent: false, isOffline: false, lag: 7)
        let gone = StoreStatus.Follower(name: "d", isCurrent: false, isOffline: true, lag: 0)
        let stream = StoreStatus.Stream(
            name: "NAV_000", leader: "a", replicas: 5, followers: [follower, behind, gone],
            messages: 1, bytes: 1, subjects: 1, fault: nil)
        let server = StoreStatus.Server(
            address: "a:4222", name: "", version: "", fault: "the server does not answer")
        let status = StoreStatus(
            servers: [server], lineage: "k", fault: nil, streams: [stream])
        #expect(
            status.faults == [
                "server a:4222: the server does not answer",
                "stream NAV_000: only 4 of its 5 copies are known",
                "stream NAV_000: its copy on c is 7 operations behind",
                "stream NAV_000: its copy on d is offline",
            ])
    }
}
