@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// A node whose feed was away for more changes than a stream keeps of a session.
@Suite(.seeded) struct EngineGapTests {
    let id = SessionID(trusted: "kiosk-1")

    /// A world of two nodes, of which both have lost their feeds.
    private func withoutFeeds(_ body: (ModelWorld) throws -> Void) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 2)
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        world.servers.plan = (0..<400).map { _ in ("CONSUMER.CREATE", .noResponders) }
        world.servers.breakLinks()
        try world.pass(100)
        try body(world)
        world.servers.plan = []
        try world.wait("the feeds do not return") {
            world.nodes.allSatisfy { node in
                (0..<world.layout.shardCount).allSatisfy { shard in
                    let stream = world.servers.streams[world.layout.stream(shard).text]
                    let last = stream?.log.last { $0.subject.contains(".s.") }?.sequence
                    let place = StreamPlace(shard: shard, number: last ?? 0)
                    return node.engine.fedUpTo.covers(place.sequence) || place.number == 0
                }
            }
        }
        try world.pass(600)
        return world
    }

    /// The changes that a node has announced since the third revision, as text.
    private func announced(_ world: ModelWorld, at node: Int) -> [String] {
        world.nodes[node].changes.dropFirst(3).map { change in
            switch change {
            case .put(let put): "\(put.revision)" + (put.followsGap ? " after a gap" : "")
            case .deleted(let end): "\(end.why.rawValue) \(end.revision)"
            }
        }
    }

    @Test func `the first change after the gap says so, and no other`() throws {
        let world = try withoutFeeds { world in
            for _ in 4...140 { try world.change(id) }
        }
        for node in 0...1 {
            let expected = ["13 after a gap"] + (14...140).map { "\($0)" }
            #expect(announced(world, at: node) == expected)
            #expect(world.nodes[node].engine.figures.feedGaps == 1)
        }
    }

    @Test func `as many changes as the stream keeps are no gap`() throws {
        let world = try withoutFeeds { world in
            for _ in 4...131 { try world.change(id) }
        }
        for node in 0...1 {
            #expect(announced(world, at: node) == (4...131).map { "\($0)" })
            #expect(world.nodes[node].engine.figures.feedGaps == 0)
        }
    }

    @Test func `a session that was made meanwhile follows a gap, too`() throws {
        let other = SessionID(trusted: "other")
        let world = try withoutFeeds { world in
            for _ in 1...130 { try world.change(other) }
            try world.change(id)
        }
        for node in 0...1 {
            let told = announced(world, at: node)
            #expect(told.contains("3 after a gap") && told.contains("130") && told.contains("4"))
            #expect(!told.contains("1") && told.count == 129)
        }
    }

    @Test func `a session that was deleted and made again meanwhile ends, then follows a gap`()
        throws
    {
        let world = try withoutFeeds { world in
            #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
            for _ in 1...130 { try world.change(id) }
        }
        for node in 0...1 {
            let told = announced(world, at: node)
            #expect(Array(told.prefix(3)) == ["expired 3", "3 after a gap", "4"])
            #expect(told.last == "130")
        }
    }

    @Test func `a session that ended and was made again without a loss follows no gap`() throws {
        let world = try withoutFeeds { world in
            #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
            for _ in 1...2 { try world.change(id) }
        }
        for node in 0...1 { #expect(announced(world, at: node) == ["deleted 3", "1", "2"]) }
    }

    @Test func `a leader that is behind makes no gap`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.settle()
        // It does not know of the session's messages.
        world.servers.plan = [("STREAM.MSG.GET", .behind(2))]
        #expect(try world.newest(id, at: 1) == nil)
        #expect(world.servers.plan.isEmpty)
        try world.change(id)
        try world.settle()
        for node in 0...1 {
            #expect(world.told(id, at: node).map(\.kind) == ["put", "deleted", "put"])
        }
    }

    @Test func `leaders that are behind do not bring back a session that has ended`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.settle()
        // The first one knows nothing of the session, the second one not of its end.
        world.servers.plan = [("STREAM.MSG.GET", .behind(2)), ("STREAM.MSG.GET", .behind(1))]
        #expect(try world.newest(id, at: 0) == nil)
        #expect(try world.newest(id, at: 0) == nil)
        #expect(world.servers.plan.isEmpty)
    }

    @Test func `a change that is damaged in the stream is a gap`() throws {
        let world = try ModelWorld(nodes: 2)
        for _ in 1...3 { try world.change(id) }
        try world.settle()
        let name = world.layout.stream(world.layout.shard(of: id)).text
        let subject = world.layout.subject(of: id)
        world.servers.holdsFeeds = true
        let last = try #require(try world.log(of: id).last)
        var damaged = last.record.text
        damaged[damaged.count - 1] ^= 1
        _ = world.servers.streams[name]?.store(
            ModelPublication(subject: subject.text, reply: nil, headers: [], payload: damaged))
        let number = try #require(world.servers.streams[name]?.lastSequence)
        let next = SharedRecord(
            .revision(world.record(id, after: world.record(id, after: last.record.revisionRecord))),
            previous: number, born: last.record.born, writer: WriteID(node: 9, number: 1))
        _ = world.servers.streams[name]?.store(
            ModelPublication(subject: subject.text, reply: nil, headers: [], payload: next.text))
        world.servers.holdsFeeds = false
        try world.pass(600)
        for node in 0...1 { #expect(announced(world, at: node) == ["5 after a gap"]) }
    }
}

/// A node that knows less than a request.
@Suite struct EngineConfirmingTests {
    let id = SessionID(trusted: "kiosk-1")

    /// A world in which node 0 has changed a session, and the feed has not told node 1 of it.
    private func behind(_ change: (ModelWorld) throws -> Void) throws -> ModelWorld {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        try world.settle()
        world.servers.holdsFeeds = true
        try change(world)
        return world
    }

    private func revision(in world: ModelWorld, confirms: Bool) throws -> Int? {
        try world.ask(1) { engine throws(StoreError) -> Int? in
            let handle = try engine.reader.find(id, now: world.wall)
            if confirms { try engine.reader.confirm(id) }
            return handle.map { engine.reader.summary($0).revision }
        }
    }

    @Test func `the newest state is known after it was confirmed, with one request`() throws {
        let world = try behind { try $0.change(id, at: 0) }
        #expect(try revision(in: world, confirms: false) == 1)
        let asked = world.servers.questionCount
        world.servers.release(after: 700)
        #expect(try revision(in: world, confirms: true) == 2)
        #expect(world.servers.questionCount == asked + 1)
        #expect(try revision(in: world, confirms: false) == 2)
    }

    @Test func `a session that was deleted is gone after it was confirmed`() throws {
        let world = try behind { world in
            let outcome = try world.outcome(world.delete(id, at: 0), at: 0)
            #expect(outcome == .kept)
        }
        #expect(try revision(in: world, confirms: false) == 1)
        world.servers.release(after: 700)
        #expect(try revision(in: world, confirms: true) == nil)
    }

    /// A leader that was cut off answers questions for some seconds more.
    @Test func `a leader that is behind confirms nothing`() throws {
        let world = try ModelWorld(nodes: 2)
        world.servers.holdsFeeds = true
        try world.change(id, at: 0)
        world.servers.plan = (0..<3).map { _ in ("STREAM.MSG.GET", .behind(1)) }
        #expect(try revision(in: world, confirms: false) == nil)
        world.servers.release(after: 700)
        #expect(try revision(in: world, confirms: true) == 1)
        world.servers.holdsFeeds = true
        try world.change(id, at: 0)
        world.servers.plan = (0..<3).map { _ in ("STREAM.MSG.GET", .behind(1)) }
        world.servers.release(after: 700)
        #expect(try revision(in: world, confirms: true) == 2)
    }

    @Test func `a session whose expiry was put off elsewhere has not expired`() throws {
        let world = try ModelWorld(nodes: 2)
        let first = try world.put(id, at: 0, expiresIn: 10_000)
        #expect(try world.outcome(first, at: 0) == .kept)
        try world.settle()
        world.servers.holdsFeeds = true
        let second = try world.put(id, at: 0, expiresIn: 60_000)
        #expect(try world.outcome(second, at: 0) == .kept)
        // The sweepers have their own turn, so only the time of the request is later.
        let later = world.wall + 20_000
        let revision = try world.ask(1) { engine throws(StoreError) in
            try engine.reader.find(id, now: later).map { engine.reader.summary($0).revision }
        }
        #expect(revision == 2)
    }

    @Test func `when nobody answers, nothing is confirmed`() throws {
        let world = try behind { _ in }
        let name = world.layout.stream(world.layout.shard(of: id)).text
        world.servers.leaderlessUntil[name] = world.servers.now + 30_000
        #expect(throws: StoreError.unavailable) { try revision(in: world, confirms: true) }
    }

    @Test func `tokens and apps are known after they were confirmed`() throws {
        let app = AppID(trusted: "shop")
        let words = TokenDigest.InlineWords(first: 1, second: 2, third: 3, fourth: 4)
        let token = SessionToken(
            id: "t1", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        let world = try behind { world in
            let ticket = try world.ask(0) { engine throws(StoreError) -> Ticket in
                guard let handle = try engine.reader.find(id, now: world.wall) else { return .none }
                return try engine.proposer.putTokens([token], of: handle, at: world.wall)
            }
            #expect(try world.outcome(ticket, at: 0) == .kept)
            let put = try world.ask(0) { engine throws(StoreError) in
                try engine.proposer.putApps([(app, Array("{}".utf8))], at: world.wall)
            }
            #expect(try world.outcome(put[0].ticket, at: 0) == .kept)
        }
        func known(confirms: Bool) throws -> (tokens: Int, apps: Int) {
            try world.ask(1) { engine throws(StoreError) in
                guard let handle = try engine.reader.find(id, now: world.wall) else {
                    return (0, 0)
                }
                if confirms {
                    try engine.reader.confirm(id)
                    try engine.reader.confirmApps()
                }
                return (
                    try engine.reader.tokens(of: handle).tokens.count,
                    engine.reader.storedApps.count
                )
            }
        }
        #expect(try known(confirms: false) == (0, 0))
        world.servers.release(after: 700)
        #expect(try known(confirms: true) == (1, 1))
    }

    @Test func `a request waits until the feed has told of what it may have seen`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.holdsFeeds = true
        try world.change(id)
        let shard = world.layout.shard(of: id)
        let begun = world.servers.now
        func waitForFeed() throws -> Bool {
            try world.ask(0) { engine throws(StoreError) in
                guard let handle = try engine.reader.find(id, now: world.wall) else { return false }
                try engine.reader.awaitFeed(of: handle)
                return engine.fedUpTo.covers(SequenceNumber(1, inLog: shard))
            }
        }
        #expect(throws: StoreError.unavailable) { try waitForFeed() }
        #expect(world.servers.now - begun >= 10_000)
        world.servers.holdsFeeds = false
        #expect(try waitForFeed())
        try world.settle()
        let asked = world.servers.questionCount
        #expect(try waitForFeed())
        #expect(world.servers.questionCount == asked)
    }

    @Test func `it does not wait again for changes that are made meanwhile`() throws {
        let world = try ModelWorld(nodes: 1)
        world.servers.holdsFeeds = true
        try world.change(id)
        let engine = world.nodes[0].engine
        let handle = try #require(try engine.reader.find(id, now: world.wall))
        var number = SequenceNumber(0)
        do throws(StoreError) { try engine.reader.awaitFeed(of: handle) } catch {
            guard case .notInMemory(let requests) = error, case .feed(let wanted)? = requests.first
            else { throw error }
            number = wanted
        }
        engine.load([.feed(number)], token: 77, earlier: nil)
        world.servers.holdsFeeds = false
        try world.wait("the feed does not come") { world.nodes[0].loaded[77] != nil }
        world.servers.holdsFeeds = true
        try world.change(id)
        try engine.with(world.nodes[0].loaded[77]) { () throws(StoreError) in
            try engine.reader.awaitFeed(of: handle)
        }
        #expect(throws: StoreError.self) { try engine.reader.awaitFeed(of: handle) }
    }
}

extension SharedRecord {
    /// The revision, if the record is one.
    var revisionRecord: SessionRecord? {
        if case .revision(let revision) = content { revision } else { nil }
    }
}
