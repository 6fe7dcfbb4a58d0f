@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import Storage
import TestSupport
import Testing

/// The faults that can happen while a backup is restored into a shared store.
@Suite struct SharedRestoreTests {
    private static let now = ModelWorld.epoch

    /// A backup of a store on one machine.
    private func backup(
        _ steps: Int = 60, sessions: Int = 3, dice: SplitMix64 = SplitMix64(seed: 11)
    ) throws -> [UInt8] {
        let store = try EmbeddedStore(now: Self.now)
        var lives = SampleLives(sessions, dice)
        try store.take(.app(SampleLives.shop, Array(#"{"v":0}"#.utf8)), at: Self.now)
        for step in 0..<steps {
            try store.take(lives.next(at: Self.now + Milliseconds(step)), at: Self.now)
        }
        for (number, id) in lives.ids.prefix(2).enumerated() {
            let token = ModelClients.token(UInt64(number + 1))
            try store.take(.tokens(id, [token]), at: Self.now)
        }
        return try store.backup(at: Self.now)
    }

    private func emptyWorld(shards: Int = 2, seed: UInt64 = 3) throws -> ModelWorld {
        try ModelWorld(
            nodes: 0, shards: shards, dice: SplitMix64(seed: seed), makesStore: false)
    }

    private func expectFailure(
        _ world: ModelWorld, _ backup: [UInt8], batchBytes: Int = 2_000,
        _ isExpected: (SharedRestoreError) -> Bool
    ) {
        do throws(SharedRestoreError) {
            try world.restore(backup, batchBytes: batchBytes)
            Issue.record("the restore did not fail")
        } catch {
            #expect(isExpected(error), "\(error)")
        }
    }

    // MARK: Faults

    private static let faults: [ModelFaults] = [
        ModelFaults(latency: 10, gap: 2), ModelFaults(linksIn: 40, latency: 5),
        ModelFaults(leadersIn: 12, latency: 10),
    ]

    @Test(.seeded, arguments: SplitMix64.worlds(6))
    func `whatever happens to requests, each message is stored once`(round: Int) throws {
        var dice = SplitMix64(stream: UInt64(round))
        let bytes = try backup(40, dice: SplitMix64(stream: UInt64(100 + round)))
        let calm = try emptyWorld()
        try calm.restore(bytes)
        let world = try emptyWorld(seed: dice.next())
        world.servers.faults = Self.faults[round % Self.faults.count]
        let troubles: [ModelFault] = [
            .loseRequest, .loseAnswer, .later(900), .twice(300), .slow(1_700), .noResponders,
        ]
        let inFlight = ModelFault.refuse(code: 400, number: 10_164, "wrong last sequence")
        world.servers.plan = (0..<30).map { _ in
            dice.oneIn(4)
                ? ("STREAM.", dice.one(of: troubles))
                : ("nav.", dice.one(of: troubles + [inFlight]))
        }
        // The marks of the shards are written one after the other, and may meet all of the faults.
        try world.restore(bytes, timeoutMilliseconds: 300_000)
        world.servers.faults = .none
        world.servers.leaderlessUntil = [:]
        try world.open()
        try calm.open()
        let (a, b) = (AskableNode(world: calm), AskableNode(world: world))
        let views = try [a, b].map { try StoreView($0, depth: 130, now: Self.now) }
        #expect(views[0] == views[1])
        // A store keeps the key of a creation in a shard that its secret selects.
        let counts = [calm, world].map { $0.servers.streams.mapValues(\.log.count) }
        #expect(Set(counts[0].keys) == Set(counts[1].keys))
        #expect(counts[0].values.reduce(0, +) == counts[1].values.reduce(0, +))
    }

    @Test func `a backup that is cut or damaged makes no store, and leaves nothing`() throws {
        let bytes = try backup(12, sessions: 2)
        for place in stride(from: 0, to: bytes.count, by: 97) {
            var damaged = bytes
            damaged[place] ^= 2
            for broken in [Array(bytes[..<place]), damaged] {
                let world = try emptyWorld(shards: 1)
                expectFailure(world, broken) { error in
                    if case .backup = error { true } else { false }
                }
                #expect(world.servers.streams.isEmpty)
                // A backup that is read at once is known to be bad before anything is made.
                let asked = world.servers.questionCount
                expectFailure(world, broken, batchBytes: 1 << 20) { _ in true }
                #expect(world.servers.questionCount == asked)
            }
        }
    }

    /// Ends a restore when so many pieces were read.
    private func interrupt(_ world: ModelWorld, _ backup: [UInt8], after pieces: Int) throws {
        var reads = 0
        do throws(SharedRestoreError) {
            try world.restore(backup, pieceBytes: 777, batchBytes: 777) {
                reads += 1
                return reads <= pieces
            }
            Issue.record("the restore did not fail")
        } catch {
            guard case .input = error else { throw error }
        }
    }

    /// Everything that a node shows that is started on a store, as the server starts it, while the
    /// leaders' answers take long.
    private func view(atStartOn world: ModelWorld) throws -> StoreView {
        #expect(try world.check().faults.isEmpty)
        world.servers.plan = (0..<4).map { _ in ("STREAM.MSG.GET", .slow(700)) }
        try world.open(wholeWithin: 1_000)
        let node = world.nodes.count - 1
        try world.wait("the rest is not read") { world.nodes[node].engine.reading == nil }
        #expect(world.layout.hasEverything(world.nodes[node].engine, in: world.servers.streams))
        return try StoreView(AskableNode(world: world, node: node), depth: 130, now: Self.now)
    }

    @Test func `a restore that was interrupted is continued where it ended`() throws {
        let bytes = try backup(60)
        let calm = try emptyWorld()
        let whole = try calm.restore(bytes)
        #expect(whole.found == 0)
        try calm.open()
        let expected = try StoreView(AskableNode(world: calm), depth: 130, now: Self.now)
        #expect(!expected.apps.isEmpty && expected.sessions.values.contains { !$0.tokens.isEmpty })
        #expect(try view(atStartOn: calm) == expected)
        for pieces in stride(from: 1, through: bytes.count / 777, by: 13) {
            let world = try emptyWorld(seed: UInt64(pieces))
            try interrupt(world, bytes, after: pieces)
            #expect(throws: StoreOpenError.restoring) { try world.tryOpening(within: 5_000) }
            #expect(throws: StoreOpenError.restoring) { try world.create() }
            // It may be interrupted again, at an earlier place, too.
            try interrupt(world, bytes, after: max(1, pieces / 2))
            let before = world.servers.streams.values.reduce(0) { $0 + $1.log.count }
            let rest = try world.restore(bytes)
            #expect(rest.published + rest.found == whole.published)
            #expect(pieces < 20 || rest.found > 10)
            let after = world.servers.streams.values.reduce(0) { $0 + $1.log.count }
            // The plan was replaced by the facts.
            #expect(after - before == rest.published + 1)
            #expect(try view(atStartOn: world) == expected, "\(pieces)")
        }
    }

    @Test(.seeded)
    func `messages that were on their way when a restore ended are found`() throws {
        let bytes = try backup(60, dice: SplitMix64(stream: 11))
        for lost in SplitMix64.worlds(6).map({ 3 + 7 * $0 }) {
            let world = try emptyWorld(seed: UInt64(lost))
            // The servers store what they are sent, and say nothing any more.
            world.servers.plan = (0..<lost).map { _ in (".s.", .slow(1)) }
            world.servers.plan += (0..<4_000).map { _ in (".s.", .loseAnswer) }
            expectFailure(world, bytes) { $0 == .unanswered }
            world.servers.plan = []
            try world.restore(bytes)
            try world.open()
            #expect(try world.check().faults.isEmpty)
        }
    }

    @Test func `a restore of another backup does not continue one`() throws {
        let world = try emptyWorld()
        let bytes = try backup(60)
        try interrupt(world, bytes, after: 5)
        let before = world.servers.streams.mapValues(\.log.count)
        expectFailure(world, try backup(50)) { $0 == .otherRestore }
        #expect(world.servers.streams.mapValues(\.log.count) == before)
        try world.restore(bytes)
        expectFailure(world, bytes) { $0 == .occupied("NAV_000") }
    }

    @Test func `the streams of a restore that was interrupted can be deleted`() throws {
        let world = try emptyWorld()
        let bytes = try backup(60)
        try interrupt(world, bytes, after: 5)
        _ = try StoreDeletion.run(
            world.address, shardCount: 2, within: 5_000, world.environment)
        #expect(world.servers.streams.isEmpty)
        #expect(try world.restore(bytes).found == 0)
        let first = try view(atStartOn: world)
        #expect(!first.apps.isEmpty)
        // A node that runs does not take the next store for the one that it has read.
        _ = try StoreDeletion.run(
            world.address, shardCount: 2, within: 5_000, world.environment)
        #expect(try world.restore(bytes).found == 0)
        try world.wait("the other store is not noticed") {
            world.nodes[0].engine.reader.fault != nil
        }
        #expect(throws: StoreError.unavailable) {
            try world.nodes[0].engine.reader.awaitApps()
        }
        #expect(try view(atStartOn: world) == first)
    }

    @Test func `a store that exists is not touched`() throws {
        let world = try ModelWorld(nodes: 1, shards: 2)
        try world.change(ModelWorld.id("s"))
        let before = world.servers.streams.mapValues(\.log.count)
        expectFailure(world, try backup()) { $0 == .occupied("NAV_000") }
        #expect(world.servers.streams.mapValues(\.log.count) == before)
        #expect(SharedRestoreError.occupied("NAV_000").description.contains("store delete"))
    }

    @Test func `somebody else's message ends the restore, and the streams are left`() throws {
        let world = try emptyWorld(shards: 1)
        let bytes = try backup()
        let subject = world.layout.subject(of: SessionID(trusted: "s0")).text
        var reads = 0
        do throws(SharedRestoreError) {
            try world.restore(bytes, pieceBytes: 4_000) {
                reads += 1
                guard reads == 3 else { return true }
                let last = world.servers.streams["NAV_000"]?.messages(of: subject).last
                let tombstone = SharedRecord.Tombstone(
                    id: SessionID(trusted: "s0"), revision: 1, at: 1, why: .deleted, key: nil)
                let other = SharedRecord(
                    .end(tombstone), previous: last?.sequence ?? 0, born: 1,
                    writer: WriteID(node: 1, number: 1))
                _ = world.servers.streams["NAV_000"]?.store(
                    ModelPublication(
                        subject: subject, reply: nil, headers: [], payload: other.text))
                return true
            }
            Issue.record("the restore did not fail")
        } catch {
            #expect(error == .overtaken)
        }
        #expect(world.servers.streams.count == 2)
    }

    @Test func `servers without space end the restore, which can be continued`() throws {
        let world = try emptyWorld(shards: 1)
        world.servers.plan = [
            (".s.", .refuse(code: 500, number: 10_047, "insufficient storage resources"))
        ]
        let bytes = try backup()
        expectFailure(world, bytes) { $0 == .full }
        try world.restore(bytes)
        try world.open()
        #expect(try world.check().faults.isEmpty)
    }

    @Test func `streams that cannot be deleted are named in the error`() throws {
        let world = try emptyWorld(shards: 1)
        let refusal = ModelFault.refuse(code: 403, number: 10_999, "not permitted")
        world.servers.plan = (0..<400).map { _ in ("STREAM.DELETE", refusal) }
        let bytes = try backup()
        expectFailure(world, Array(bytes.dropLast(30))) { error in
            guard case .unfinished(.backup) = error else { return false }
            return error.description.contains("store delete")
        }
        #expect(world.servers.streams.count == 2)
        // No facts were written, so no node serves it; and another restore does not use it.
        #expect(throws: StoreOpenError.restoring) {
            try StoreOpening(world.address, within: 300, world.environment).facts()
        }
    }

    @Test func `if the answer about the facts is lost, the store is valid all the same`() throws {
        let world = try emptyWorld(shards: 1)
        world.servers.plan = [("nav.c.meta", .loseAnswer)]
        try world.restore(backup())
        try world.open()
        #expect(world.nodes.count == 1)
    }

    @Test func `something that is not a backup makes no streams`() throws {
        for text in ["", "\n", "{}\n", "{\"backup\":\"navstate\",\"format\":9,\n"] {
            let world = try emptyWorld()
            expectFailure(world, Array(text.utf8)) { error in
                if case .backup = error { true } else { false }
            }
            #expect(world.servers.requestCount == 0)
        }
    }

    // MARK: Values

    /// A backup of these items.
    private func written(_ items: [BackupItem], after highest: UInt64 = 7) -> [UInt8] {
        var writer = LogBackupFormat().writer(lineage: "l", after: highest, at: Self.now)
        for item in items { writer.append(item) }
        writer.finish(omitted: 0)
        return writer.take()
    }

    private func record(
        _ id: String, _ revision: Int, _ change: (inout SessionRecord) -> Void = { _ in }
    ) -> SessionRecord {
        var record = SessionRecord(
            id: SessionID(trusted: id), revision: revision, at: Self.now,
            undoing: UndoStacks(steps: 0, before: revision), nextEntry: 1,
            event: Array("{}".utf8), state: Array("{}".utf8))
        change(&record)
        return record
    }

    @Test func `a session is found by the key that it was created with`() throws {
        let world = try emptyWorld()
        let key = IdempotencyKey(key: "create", digest: 9)
        let old = IdempotencyKey(key: "old", digest: 9)
        let items = [
            record("made", 1) { $0.key = key }, record("made", 2),
            record("long-ago", 1) { ($0.key, $0.at) = (old, Self.now - 25 * 3_600_000) },
        ].map { BackupItem.revision($0, birth: $0.id.rawValue == "made" ? 1 : 2) }
        try world.restore(written(items))
        try world.open()
        let found = try ["create", "old", "other"].map { text in
            try world.ask(0) { engine throws(StoreError) in
                try engine.reader.result(forKey: text, in: .creations, now: world.wall)
            }
        }
        guard case .change(let stored)? = found[0] else {
            Issue.record("the session is not found")
            return
        }
        #expect(stored.record.id.rawValue == "made" && stored.record.key == key)
        #expect(found[1] == nil && found[2] == nil)
        // It goes when the session goes.
        #expect(try world.outcome(world.delete(ModelWorld.id("made"), at: 0), at: 0) == .kept)
        let gone = try world.ask(0) { engine throws(StoreError) in
            try engine.reader.result(forKey: "create", in: .creations, now: world.wall)
        }
        #expect(gone == nil)
        #expect(world.nodes[0].engine.reader.sessionCount == 1)
        // The signpost is no session that has ended, so a backup does not have it.
        let backup = String(decoding: try world.backup(), as: UTF8.self)
        #expect(!backup.contains(#""op":"delete""#))
    }

    @Test func `the numbers of a restored store are of a later lineage`() throws {
        for highest: UInt64 in [1, 5 << 32, (1 << 40) + 9] {
            let world = try emptyWorld(shards: 1)
            try world.restore(
                written([.revision(record("s", 1), birth: 1)], after: highest))
            try world.open()
            let stored = try #require(try world.newest(ModelWorld.id("s"), at: 0))
            #expect(stored.sequence >> 32 > (highest >> 32) + 2)
            #expect(stored.sequence < 1 << 53)
            // And so are those of what is made of its backup.
            let now = world.wall
            let embedded = try EmbeddedStore(restoring: world.backup(), now: now)
            try embedded.take(.put(record("t", 1)), at: now)
            let number = try embedded.ask { store throws(StoreError) in
                guard let handle = try store.reading.find(SessionID(trusted: "t"), now: now) else {
                    return UInt64(0)
                }
                return store.reading.sequence(of: handle)
            }
            #expect(number >> 32 > (stored.sequence >> 32) + 1)
        }
    }

    @Test func `revisions that are missing are gone, and those around them are there`() throws {
        let world = try emptyWorld(shards: 1)
        var undoing = UndoStacks()
        undoing.undo = RevisionStack([RevisionStack.Run(bottom: 4, top: 5)])
        let revisions = [4, 5] + Array(70...80)
        let items = revisions.map { revision -> BackupItem in
            let stacks = revision >= 70 ? undoing : UndoStacks()
            return .revision(record("s", revision) { $0.undoing = stacks }, birth: 1)
        }
        try world.restore(written(items))
        try world.open()
        let id = try ModelWorld.id("s")
        for wanted in 1...80 {
            let found = try world.ask(0) { engine throws(StoreError) -> Int? in
                guard let handle = try engine.reader.find(id, now: world.wall) else { return nil }
                return try engine.reader.revision(wanted, of: handle)?.record.revision
            }
            #expect(found == (revisions.contains(wanted) ? wanted : nil))
        }
        let numbers = try world.log(of: id).map(\.number)
        for (after, count) in [(numbers[12], 0), (numbers[2], 10), (numbers[1], -1), (0, -1)] {
            let sequence = StreamPlace(shard: 0, number: after).sequence
            let found = try world.ask(0) { engine throws(StoreError) -> Int in
                var bytesLeft = 1 << 20
                guard let handle = try engine.reader.find(id, now: world.wall) else { return 0 }
                return try engine.reader.changes(
                    of: handle, after: sequence, bytesLeft: &bytesLeft)?.count ?? -1
            }
            #expect(found == count, "after \(after)")
        }
    }

    @Test func `a token that names no session is found, until it is replaced`() throws {
        let world = try emptyWorld()
        func token(_ number: UInt64) -> SessionToken {
            let words = TokenDigest.InlineWords(first: number, second: 0, third: 0, fourth: 0)
            return SessionToken(
                id: "t\(number)", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        }
        let id = try ModelWorld.id("s")
        let list = BackupTokens(id: id, birth: 1, at: Self.now, tokens: [token(1), token(2)])
        try world.restore(written([.revision(record("s", 1), birth: 1), .tokens(list)]))
        try world.open()
        try world.open()
        func owner(_ number: UInt64, at node: Int) throws -> String? {
            try world.ask(node) { engine throws(StoreError) in
                try engine.reader.owner(of: token(number).digest, in: nil, now: world.wall)?.token
                    .id
            }
        }
        #expect(try owner(1, at: 0) == "t1" && owner(2, at: 1) == "t2" && owner(3, at: 0) == nil)
        try world.take(.tokens(id, [token(2), token(3)]), at: 1)
        try world.settle()
        for node in 0..<2 {
            #expect(try owner(1, at: node) == nil && owner(3, at: node) == "t3")
        }
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        #expect(try owner(2, at: 0) == nil)
    }

    @Test func `a record that the servers do not take, or with a wrong value, is refused`() throws {
        let big = [UInt8](repeating: 0x20, count: (2 << 20) - 1_000)
        var wrong = record("s", 1)
        wrong.nextEntry = -1
        for (bad, reason) in [
            (record("s", 1) { $0.state = big }, "raise max_payload"),
            (wrong, "a value out of range"),
        ] {
            let world = try emptyWorld(shards: 1)
            expectFailure(world, written([.revision(bad, birth: 1)])) { error in
                guard case .backup(let failure) = error else { return false }
                return failure.line == 3 && failure.reason.contains(reason)
            }
            #expect(world.servers.streams.isEmpty)
        }
    }

    @Test func `ids that are used again, and ends, are as they were`() throws {
        let world = try emptyWorld(shards: 1)
        let key = IdempotencyKey(key: "end", digest: 3)
        func deletion(_ id: String, _ key: IdempotencyKey?) -> Deletion {
            Deletion(
                id: SessionID(trusted: id), sequence: 0, revision: 4, at: Self.now, why: .deleted,
                key: key)
        }
        let (end, quiet) = (deletion("gone", key), deletion("quiet", nil))
        let items: [BackupItem] = [
            .end(end), .end(quiet), .revision(record("s", 1), birth: 1),
            .revision(record("s", 1) { $0.state = Array("2".utf8) }, birth: 2),
            .revision(record("t", 1), birth: 3),
            .end(deletion("t", nil)),
        ]
        try world.restore(written(items))
        try world.open()
        #expect(try world.state(ModelWorld.id("s"), at: 0) == "2")
        #expect(try world.newest(ModelWorld.id("t"), at: 0) == nil)
        #expect(world.nodes[0].engine.reader.sessionCount == 1)
        let kept = try world.ask(0) { engine throws(StoreError) in
            try engine.reader.result(forKey: "end", in: .session(end.id), now: world.wall)
        }
        guard case .deletion(let deletion)? = kept else {
            Issue.record("the key of the end is not known")
            return
        }
        #expect(deletion.key == key && deletion.revision == 4)
        #expect(try world.log(of: quiet.id).isEmpty)
        try world.change(end.id)
        try world.change(ModelWorld.id("t"))
    }
}
