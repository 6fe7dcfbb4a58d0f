@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Nodes go by the time of the servers, whatever the clocks of their machines say.
@Suite(.seeded) struct EngineTimeTests {
    let id = SessionID(trusted: "kiosk-1")
    private static let hour: Milliseconds = 3_600_000

    @Test(arguments: [2, -2, 25, -25])
    func `a node whose clock is wrong ends no session early, and its own ones in time`(
        hours: Milliseconds
    ) throws {
        let world = try ModelWorld(nodes: 1)
        world.machinesAhead = hours * Self.hour
        try world.open()
        // Both are keepers of some shards.
        let ids = (0..<8).map { SessionID(trusted: "s\($0)") }
        for (index, id) in ids.enumerated() {
            let node = index % 2
            let ticket = try world.ask(node) { engine throws(StoreError) in
                var record = world.record(id)
                record.expiresAt = world.nodes[node].time + 30_000
                return try engine.proposer.put([record], of: nil, details: .none).ticket
            }
            #expect(try world.outcome(ticket, at: node) == .kept)
        }
        try world.pass(25_000)
        for id in ids {
            for node in 0...1 { #expect(try isAlive(id, at: node, in: world)) }
        }
        try world.pass(8_000)
        for id in ids {
            #expect(try world.log(of: id).count == 2)
            for node in 0...1 { #expect(try !isAlive(id, at: node, in: world)) }
        }
    }

    private func isAlive(_ id: SessionID, at node: Int, in world: ModelWorld) throws -> Bool {
        try world.ask(node) { engine throws(StoreError) in
            try engine.reader.find(id, now: world.nodes[node].time) != nil
        }
    }

    @Test func `a clock that is wrong is reported once, and shown as long as it is`() throws {
        let world = try ModelWorld(nodes: 1)
        world.machinesAhead = -7_300_000
        try world.open()
        try world.pass(6_000)
        #expect(world.nodes[0].engine.warnings.isEmpty)
        #expect(world.nodes[0].reports.isEmpty)
        let text = "clock: 7300 s behind the servers of the store, whose time is used"
        #expect(world.nodes[1].engine.warnings == [text])
        #expect(world.nodes[1].reports.map(\.error) == [text])
        let offsets = world.nodes.map { node in
            node.engine.metrics.first { $0.name == "navstate_clock_offset_seconds" }?.value
        }
        for (offset, expected) in zip(offsets, [0.0, -7_300]) {
            guard case .gauge(let text)? = offset, let seconds = Double(text) else {
                Issue.record("no offset")
                continue
            }
            #expect(abs(seconds - expected) < 0.2)
        }
    }

    @Test func `one server with a wrong clock changes nothing`() throws {
        let world = try ModelWorld(nodes: 0, shards: 4)
        world.leadersAhead["NAV_001"] = 50 * Self.hour
        world.leadersAhead["NAV_003"] = -50 * Self.hour
        try world.open()
        try world.change(id)
        try world.pass(5_000)
        #expect(abs(world.nodes[0].time - world.wall) <= 200)
    }

    @Test func `the time is known before the first request, and after faults`() throws {
        let world = try ModelWorld(nodes: 0)
        world.machinesAhead = 9 * Self.hour
        try world.open()
        #expect(abs(world.nodes[0].time - world.wall) <= 200)
        world.servers.faults = ModelFaults(requestsIn: 2, linksIn: 50, latency: 40)
        for _ in 0..<40 {
            try world.pass(500)
            #expect(abs(world.nodes[0].time - world.wall) <= 800)
        }
    }
}

@Suite struct ServersClockTests {
    @Test func `the median counts, and the earlier one of two`() {
        var clock = ServersClock(streamCount: 4)
        #expect(clock.time(at: 0) == nil)
        func note(_ milliseconds: Int, of stream: Int) {
            let time = ServerTime(nanoseconds: milliseconds * 1_000_000)
            clock.note(time, of: stream, asked: 100, at: 100)
        }
        note(9_000, of: 0)
        #expect(clock.time(at: 200) == 9_100)
        note(7_000, of: 1)
        #expect(clock.time(at: 200) == 7_100)
        note(8_000, of: 2)
        #expect(clock.time(at: 200) == 8_100)
        note(1, of: 3)
        #expect(clock.time(at: 200) == 7_100)
        note(8_500, of: 3)
        #expect(clock.time(at: 200) == 8_100)
    }

    @Test func `a slow answer counts only when the last one is old`() {
        var clock = ServersClock(streamCount: 1)
        let time = ServerTime(nanoseconds: 50_000_000_000)
        clock.note(time, of: 0, asked: 0, at: 10)
        #expect(clock.time(at: 10) == 50_005)
        clock.note(time, of: 0, asked: 10, at: 1_010)
        #expect(clock.time(at: 1_010) == 51_005)
        clock.note(time, of: 0, asked: 600_000, at: 601_000)
        #expect(clock.time(at: 601_000) == 50_500)
    }
}
