@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The items that a node has to load before it can answer: records, keys, apps and lists.
@Suite(.seeded) struct EngineReadingTests {
    let id = SessionID(trusted: "kiosk-1")

    @Test func `a damaged message is told as one, and no other session is affected`() throws {
        let world = try ModelWorld(nodes: 1)
        for revision in 1...2 { try world.change(id, at: 0, "state \(revision)") }
        try world.open()
        let subject = world.layout.subject(of: id)
        let name = world.layout.stream(world.layout.shard(of: id)).text
        _ = world.servers.streams[name]?.store(
            ModelPublication(
                subject: subject.text, reply: nil, headers: [], payload: Array("nonsense".utf8)))
        try world.pass(600)
        for node in 0...1 {
            #expect(throws: StoreError.damaged) { try world.newest(id, at: node) }
            #expect(world.nodes[node].reports.count == 1)
        }
        try world.change(SessionID(trusted: "other"), at: 1)
    }

    @Test func `when nobody answers, a read fails after ten seconds`() throws {
        let world = try ModelWorld(nodes: 1)
        let name = world.layout.stream(world.layout.shard(of: id)).text
        world.servers.leaderlessUntil[name] = world.servers.now + 30_000
        let begun = world.servers.now
        #expect(throws: StoreError.unavailable) { try world.newest(id, at: 0) }
        #expect((10_000..<10_500).contains(world.servers.now - begun))
    }

    @Test func `the key of a change is found, also beyond what is in memory`() throws {
        let world = try ModelWorld(nodes: 1)
        var last: SessionRecord?
        for revision in 1...4 {
            var record = world.record(id, after: last)
            record.key = IdempotencyKey(key: "k\(revision)", digest: UInt64(revision))
            let version = try world.ask(0) { engine throws(StoreError) in
                let handle = try engine.reader.find(id, now: world.wall)
                return try engine.proposer.put([record], of: handle, details: .none)
            }
            #expect(try world.outcome(version.ticket, at: 0) == .kept)
            last = record
        }
        try world.open()
        func kept(_ key: String) throws -> IdempotentResult? {
            try world.ask(1) { engine throws(StoreError) in
                try engine.reader.result(forKey: key, in: .session(id), now: world.wall)
            }
        }
        guard case .change(let found)? = try kept("k2") else {
            Issue.record("the key is not known")
            return
        }
        #expect(found.record.revision == 2 && found.record.key?.digest == 2)
        #expect(try kept("k5") == nil)
        let tomorrow = world.wall + 24 * 3_600_000
        let later = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.result(forKey: "k2", in: .session(id), now: tomorrow)
        }
        #expect(later == nil)
    }

    @Test func `the key of a creation is found while the day is later elsewhere`() throws {
        let world = try ModelWorld(nodes: 2)
        let day: Milliseconds = 86_400_000
        let midnight = (world.wall / day + 1) * day
        let created = try #require(
            world.nodes[0].engine.reader.creationID(forKey: "k", now: midnight + 5_000))
        var record = world.record(created, after: nil)
        record.key = IdempotencyKey(key: "k", digest: 1)
        let version = try world.ask(0) { engine throws(StoreError) in
            _ = try engine.reader.find(created, now: world.wall)
            return try engine.proposer.put([record], of: nil, details: .none)
        }
        #expect(try world.outcome(version.ticket, at: 0) == .kept)
        for (time, isKnown) in [
            (midnight + day, false), (midnight, true), (midnight - 30_000, true),
            (midnight - 90_000, false),
        ] {
            let kept = try world.ask(1) { engine throws(StoreError) in
                try engine.reader.result(forKey: "k", in: .creations, now: time)
            }
            #expect((kept != nil) == isKnown, "\(time - midnight)")
        }
    }

    @Test(arguments: [0, 1, 2])
    func `the key of a deletion is found after its id was used again`(asked: Int) throws {
        let world = try ModelWorld(nodes: 2)
        for life in 1...2 {
            try world.change(id, at: 0, "life \(life)")
            let key = IdempotencyKey(key: "end \(life)", digest: UInt64(life))
            #expect(try world.outcome(world.delete(id, at: 0, key: key), at: 0) == .kept)
        }
        try world.change(id, at: 0, "life 3")
        try world.change(id, at: 0, "life 3 changed")
        // The third node has seen nothing but the newest message.
        try world.open()
        func kept(_ key: String) throws -> IdempotentResult? {
            try world.ask(asked) { engine throws(StoreError) in
                try engine.reader.result(forKey: key, in: .session(id), now: world.wall)
            }
        }
        for life in 1...2 {
            guard case .deletion(let deletion)? = try kept("end \(life)") else {
                Issue.record("end \(life) is not known")
                continue
            }
            #expect(deletion.key?.digest == UInt64(life))
        }
        let questions = world.servers.questionCount
        #expect(try kept("other") == nil)
        #expect(world.servers.questionCount == questions, "it is known without asking")
        #expect(try world.outcome(world.delete(id, at: asked), at: asked) == .kept)
        for life in 1...2 { #expect(try kept("end \(life)") != nil) }
        #expect(try kept("other") == nil)
    }

    @Test func `a page of the list has the sessions of all shards in the order of their ids`()
        throws
    {
        let world = try ModelWorld(nodes: 2, shards: 3)
        for name in ["b", "a", "c1", "c2"] { try world.change(SessionID(trusted: name), at: 0) }
        let gone = SessionID(trusted: "a")
        #expect(try world.outcome(world.delete(gone, at: 0), at: 0) == .kept)
        try world.settle()
        let engine = world.nodes[1].engine
        func page(after: String?, prefix: String = "") throws -> [String] {
            let page = try engine.reader.walk(
                after: after.flatMap { SessionID($0) }, filter: SessionFilter(prefix: prefix),
                limit: 2, now: world.wall)
            let ids = page.handles.map { engine.reader.summary($0).id.rawValue }
            return ids + [page.next.map { "after \($0)" } ?? "end"]
        }
        #expect(try page(after: nil) == ["b", "c1", "after c1"])
        #expect(try page(after: "c1") == ["c2", "end"])
        #expect(try page(after: nil, prefix: "c") == ["c1", "c2", "end"])
    }

    // MARK: Apps

    @Test func `a change of an app is a conflict also if several others came first`() throws {
        let world = try ModelWorld(nodes: 2)
        let shop = AppID(trusted: "shop")
        func put(_ document: String, at node: Int) throws -> Ticket {
            try world.ask(node) { engine throws(StoreError) in
                try engine.proposer.putApps([(shop, Array(document.utf8))], at: world.wall)[0]
                    .ticket
            }
        }
        let tickets = [try put("1", at: 0), try put("2", at: 1)]
        // The second node cannot find out at once whose change came first.
        world.servers.plan = [("MSG.GET.NAV_C", .loseRequest)]
        #expect(try world.outcome(tickets[0], at: 0) == .kept)
        for number in 3...6 {
            #expect(try world.outcome(put("\(number)", at: 0), at: 0) == .kept)
        }
        #expect(world.nodes[1].outcomes[tickets[1]] == nil)
        #expect(try world.outcome(tickets[1], at: 1) == .conflict)
    }

    @Test func `apps are the same on every node`() throws {
        let world = try ModelWorld(nodes: 2)
        let (shop, chat) = (AppID(trusted: "shop"), AppID(trusted: "chat"))
        let generation = world.nodes[1].engine.reader.appsGeneration
        let versions = try world.ask(0) { engine throws(StoreError) in
            try engine.proposer.putApps(
                [(shop, Array("{1}".utf8)), (chat, Array("{2}".utf8))], at: world.wall)
        }
        for version in versions {
            #expect(try world.outcome(version.ticket, at: 0) == .kept)
        }
        try world.settle()
        for node in world.nodes {
            #expect(node.engine.reader.storedApps.map(\.id) == [chat, shop])
            #expect(
                node.engine.reader.storedApps.map(\.document) == [
                    Array("{2}".utf8), Array("{1}".utf8),
                ])
            #expect(
                node.engine.reader.storedApps.map(\.version.entity)
                    == versions.reversed().map(\.entity))
        }
        #expect(world.nodes[1].engine.reader.appsGeneration != generation)
        let tickets = try [0, 1].map { node in
            try world.ask(node) { engine throws(StoreError) in
                try engine.proposer.deleteApp(shop, at: world.wall)
            }
        }
        #expect(try world.outcome(tickets[0], at: 0) == .kept)
        #expect(try world.outcome(tickets[1], at: 1) == .conflict)
        for node in world.nodes { #expect(node.engine.reader.storedApps.map(\.id) == [chat]) }
        try world.open()
        #expect(world.nodes[2].engine.reader.storedApps == world.nodes[0].engine.reader.storedApps)
    }
}
