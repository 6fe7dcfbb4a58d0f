@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing

/// Backups of the shared store, and what is made of them.
@Suite struct SharedBackupTests {
    /// A world in which a lot has happened.
    private func world(steps: Int, dice: SplitMix64 = SplitMix64()) throws -> ModelWorld {
        var dice = dice
        let world = try ModelWorld(nodes: 1, shards: 2, dice: SplitMix64(seed: dice.next()))
        var lives = SampleLives(4, SplitMix64(seed: dice.next()))
        for _ in 0..<steps {
            try world.take(lives.next(at: world.wall))
        }
        try world.settle()
        return world
    }

    @Test func `nothing is left of a backup whose client has gone`() throws {
        let world = try ModelWorld(nodes: 1)
        for number in 0..<50 { try world.change(SessionID(trusted: "s\(number)")) }
        try world.settle()
        let engine = world.nodes[0].engine
        #expect(engine.backups.begin(token: 9, at: world.wall) == .none)
        engine.backups.read(token: 9)
        engine.submit()
        engine.backups.end(token: 9)
        try world.pass(2_000)
        // The loop's work in each turn, whether or not a client receives a backup.
        #expect(engine.backups.takePieces().isEmpty)
        engine.submit()
        let epoll = try Epoll()
        try epoll.add(engine.wakeDescriptor, .readable, token: 1)
        _ = engine.collect()
        engine.submit()
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: 0)
        #expect(events.isEmpty, "the loop would turn without end")
    }

    @Test(.seeded) func `a store on one machine that is made of a backup has everything`() throws {
        let world = try world(steps: 250)
        let before = try StoreView(AskableNode(world: world), depth: 32, now: world.wall)
        let embedded = try EmbeddedStore(restoring: world.backup(), now: world.wall)
        var after = try StoreView(embedded, depth: 32, now: world.wall)
        for id in after.sessions.keys { after.sessions[id]?.ownsTokens = true }
        expectSame(before.withoutOwners, after)
    }

    @Test(.seeded) func `a shared store that is made of a backup has everything`() throws {
        let world = try world(steps: 250)
        let before = try StoreView(AskableNode(world: world), depth: 130, now: world.wall)
        let backup = try world.backup()
        let other = try ModelWorld(nodes: 0, shards: 3, makesStore: false)
        other.servers.now = world.servers.now
        try other.restore(backup)
        try other.open()
        let after = try StoreView(AskableNode(world: other), depth: 130, now: other.wall)
        expectSame(before.withoutOwners, after)
        #expect(other.nodes[0].engine.lineage != world.nodes[0].engine.lineage)
        // And back again, over a store on one machine.
        let embedded = try EmbeddedStore(restoring: other.backup(), now: world.wall)
        let back = try StoreView(embedded, depth: 32, now: world.wall)
        expectSame(
            try StoreView(AskableNode(world: world), depth: 32, now: world.wall).withoutOwners,
            back)
    }

    @Test(.seeded) func `a shared store takes over from a store on one machine`() throws {
        var dice = SplitMix64(stream: 5)
        let now = ModelWorld.epoch
        let embedded = try EmbeddedStore(now: now)
        var lives = SampleLives(4, SplitMix64(seed: dice.next()))
        for step in 0..<300 {
            try embedded.take(lives.next(at: now + Milliseconds(step)), at: now)
        }
        let before = try StoreView(embedded, depth: 32, now: now)
        let world = try ModelWorld(nodes: 0, shards: 3, makesStore: false)
        try world.restore(embedded.backup(at: now))
        try world.open()
        let node = AskableNode(world: world)
        expectSame(before, try StoreView(node, depth: 32, now: world.wall))
        for (id, shown) in before.sessions {
            let needs = try [fits(id, embedded), fits(id, node)]
            #expect(needs[0] == needs[1], "\(id), \(shown.revisions.keys.max() ?? 0)")
        }
        // A new change follows the last one.
        for id in before.sessions.keys {
            let last = try #require(try world.newest(id, at: 0))
            try world.take(.put(world.record(id, after: last.record)))
        }
    }

    /// Whether the newest record takes the document of its app into account.
    private func fits(_ id: SessionID, _ store: some AskableStore) throws -> Bool {
        try store.ask { store throws(StoreError) in
            guard let handle = try store.reading.find(id, now: ModelWorld.epoch) else {
                return false
            }
            let newest = try store.reading.newest(handle)
            guard let app = store.apps.storedApps.first(where: { $0.id == newest.record.app })
            else {
                return true
            }
            return newest.appSequence >= app.sequence
        }
    }

    private func expectSame(_ before: StoreView, _ after: StoreView) {
        #expect(before.apps == after.apps)
        #expect(Set(before.sessions.keys) == Set(after.sessions.keys))
        for (id, shown) in before.sessions {
            let other = after.sessions[id]
            #expect(shown.tokens == other?.tokens && other?.ownsTokens == true)
            #expect(shown.keys == other?.keys, "\(id)")
            #expect(shown.revisions.keys.sorted() == other?.revisions.keys.sorted(), "\(id)")
            for (revision, record) in shown.revisions {
                #expect(record == other?.revisions[revision])
            }
        }
    }

    // MARK: While the store is used

    @Test func `a session that ends while its shard is read is not in the backup`() throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        let big = String(repeating: "x", count: 300_000)
        let ids = try ["a", "b", "c", "d"].map(ModelWorld.id)
        for id in ids { try world.change(id, at: 1, big) }
        try world.settle()
        var between = 0
        let backup = try world.backup {
            between += 1
            guard between == 1 else { return }
            try world.change(ids[3], at: 1, "changed")
            for id in ids[..<3] {
                #expect(try world.outcome(world.delete(id, at: 1), at: 1) == .kept)
            }
            // One that is used again is not the one that was read.
            try world.change(ids[0], at: 1, "another")
            try world.settle()
        }
        #expect(between > 1)
        let embedded = try EmbeddedStore(restoring: backup, now: world.wall)
        let view = try StoreView(embedded, depth: 0, now: world.wall)
        #expect(view.sessions.keys.sorted() == [ids[3]])
        #expect(view.sessions[ids[3]]?.revisions.keys.sorted() == [1])
    }

    @Test func `a piece has a bounded size, and nothing comes after the end`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        for number in 0..<12 {
            try world.change(
                ModelWorld.id("s\(number)"), String(repeating: "x", count: 100_000))
        }
        let sizes = try world.pieces().map { $0?.count ?? -1 }
        #expect(sizes.count > 3 && sizes.last == 0)
        #expect(sizes.allSatisfy { $0 < 400_000 })
    }

    @Test func `a backup does not displace what is in the cache`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        world.cacheBytes = 30_000
        try world.open()
        for number in 0..<12 {
            try world.change(ModelWorld.id("s\(number)"), String(repeating: "x", count: 10_000))
        }
        try world.settle()
        let hot = try ModelWorld.id("s3")
        _ = try world.newest(hot, at: 1)
        let asked = world.servers.questionCount
        _ = try world.newest(hot, at: 1)
        #expect(world.servers.questionCount == asked)
        _ = try world.backup(at: 1)
        let later = world.servers.questionCount
        _ = try world.newest(hot, at: 1)
        #expect(world.servers.questionCount == later)
    }

    @Test func `the key of a deletion is taken along although the id was used again`() throws {
        let world = try ModelWorld(nodes: 1)
        let id = try ModelWorld.id("s")
        try world.change(id)
        let key = IdempotencyKey(key: "gone", digest: 7)
        #expect(try world.outcome(world.delete(id, at: 0, key: key), at: 0) == .kept)
        for _ in 1...3 { try world.change(id) }
        let backup = try world.backup()
        let other = try ModelWorld(nodes: 0, shards: 3, makesStore: false)
        other.servers.now = world.servers.now
        try other.restore(backup)
        try other.open()
        let stores: [any AskableStore] = [
            AskableNode(world: other), try EmbeddedStore(restoring: backup, now: world.wall),
        ]
        for store in stores {
            let (revision, kept) = try store.ask { store throws(StoreError) in
                let handle = try store.reading.find(id, now: world.wall)
                return (
                    handle.map { store.reading.summary($0).revision },
                    try store.reading.result(forKey: "gone", in: .session(id), now: world.wall)
                )
            }
            #expect(revision == 3)
            guard case .deletion(let deletion)? = kept else {
                Issue.record("the deletion would be made again")
                continue
            }
            #expect(deletion.key == key)
        }
    }

    @Test func `sessions that have expired are left out`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        let id = try ModelWorld.id("s")
        #expect(try world.outcome(world.put(id, at: 0, expiresIn: 900), at: 0) == .kept)
        try world.change(ModelWorld.id("t"))
        // The keeper sweeps once a second.
        world.servers.now += 950
        let embedded = try EmbeddedStore(restoring: world.backup(), now: world.wall)
        let view = try StoreView(embedded, depth: 0, now: 0)
        #expect(view.sessions.keys.map(\.rawValue) == ["t"])
    }

    // MARK: Faults

    @Test func `if a stream has no leader, the backup fails`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        try world.change(ModelWorld.id("s"))
        world.servers.leaderlessUntil["NAV_000"] = world.servers.now + 60_000
        #expect(try world.pieces().last == .some(nil))
        try world.pass(10)
        let reports = world.nodes[0].reports
        #expect(reports.contains { $0.message == "a backup could not be made" })
        world.servers.leaderlessUntil = [:]
        #expect(try !world.backup().isEmpty)
    }

    @Test func `what is damaged or foreign is left out of a backup, counted and said`() throws {
        let world = try ModelWorld(nodes: 1, shards: 2)
        let ids = try ["s", "t", "u"].map(ModelWorld.id)
        for id in ids { for _ in 0..<3 { try world.change(id) } }
        try world.settle()
        func store(_ subject: String, _ text: String, in stream: String) {
            _ = world.servers.streams[stream]?.store(
                ModelPublication(
                    subject: subject, reply: nil, headers: [], payload: Array(text.utf8)))
        }
        let stream = world.layout.stream(world.layout.shard(of: ids[0])).text
        store(world.layout.subject(of: ids[0]).text, "nonsense", in: stream)
        store("nav.000.x.y", "{}", in: "NAV_000")
        store(world.layout.tokenSubject(of: ids[0]).text, "[]", in: stream)
        let number = try #require(
            world.servers.streams["NAV_001"]?.log.first { $0.subject.contains(".s.") }?.sequence)
        world.servers.streams["NAV_001"]?.damage(number)
        for _ in 0..<2 { try world.open() }
        let backup = try world.backup(at: 1)
        try world.pass(10)
        let errors = world.nodes[1].reports.map(\.error)
        #expect(errors.contains { $0.hasSuffix("subject nav.000.x.y") })
        #expect(errors.contains { $0.hasSuffix(world.layout.subject(of: ids[0]).text) })
        #expect(errors.contains("4 left out"))
        let last = String(decoding: backup.suffix(80), as: UTF8.self)
        #expect(last.contains(#","omitted":4,"#))
        // Sessions that are not damaged are there, also the one whose newest message is.
        let embedded = try EmbeddedStore(restoring: backup, now: world.wall)
        let view = try StoreView(embedded, depth: 32, now: world.wall)
        #expect(Set(view.sessions.keys) == Set(ids))
        for id in ids { #expect(view.sessions[id]?.revisions.keys.max() == 3) }
    }

    @Test func `a backup reads each stream once, and asks for no session`() throws {
        let world = try ModelWorld(nodes: 1, shards: 2)
        for number in 0..<200 { try world.change(ModelWorld.id("s\(number)")) }
        try world.settle()
        let before = world.servers.questionCount
        _ = try world.backup()
        #expect(world.servers.questionCount - before < 12)
    }

    @Test(.seeded) func `a backup from replicas that are behind lacks nothing`() throws {
        var dice = SplitMix64(stream: 6)
        for _ in SplitMix64.worlds(10) {
            let world = try world(steps: 60, dice: SplitMix64(seed: dice.next()))
            let before = try StoreView(AskableNode(world: world), depth: 32, now: world.wall)
            world.servers.batchBytesMax = 2_000
            world.servers.plan = (0..<6).map { _ in ("DIRECT.GET", .behind(dice.below(40))) }
            let embedded = try EmbeddedStore(restoring: world.backup(), now: world.wall)
            var after = try StoreView(embedded, depth: 32, now: world.wall)
            for id in after.sessions.keys { after.sessions[id]?.ownsTokens = true }
            expectSame(before.withoutOwners, after)
        }
    }

    @Test func `the last message of a stream may be gone`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        try world.change(ModelWorld.id("s"))
        try world.change(ModelWorld.id("t"))
        let stream = try #require(world.servers.streams["NAV_000"])
        let first = try #require(stream.messages(of: "nav.000.s.t").first?.sequence)
        for number in first...stream.lastSequence {
            world.servers.streams["NAV_000"]?.remove(number)
        }
        let embedded = try EmbeddedStore(restoring: world.backup(), now: world.wall)
        let view = try StoreView(embedded, depth: 0, now: world.wall)
        #expect(view.sessions.keys.map(\.rawValue) == ["s"])
    }

    @Test func `a backup that was ended gets nothing more`() throws {
        let world = try ModelWorld(nodes: 1, shards: 1)
        try world.change(ModelWorld.id("s"))
        let engine = world.nodes[0].engine
        _ = engine.backups.begin(token: 4, at: world.wall)
        engine.backups.read(token: 4)
        engine.backups.end(token: 4)
        _ = engine.backups.begin(token: 4, at: world.wall)
        try world.pass(1_000)
        #expect(engine.backups.takePieces().isEmpty)
    }
}

extension StoreView {
    /// The same for a store in which each token names its session.
    var withoutOwners: StoreView {
        var view = self
        for id in sessions.keys { view.sessions[id]?.ownsTokens = true }
        return view
    }
}
