import Bytes
import NATS
import Sessions
import TestSupport
import Testing

@testable import Cluster
@testable import ClusterModel

/// Opening, making and deleting a store while the servers are not ready, or the store is not as it
/// should be.
@Suite(.seeded) struct StoreOpeningTests {
    private func error<Value>(
        _ body: () throws(StoreOpenError) -> Value
    ) -> StoreOpenError? {
        do throws(StoreOpenError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    private func opening(_ world: ModelWorld) throws -> StoreOpening {
        try StoreOpening(world.address, within: 30_000, world.environment)
    }

    // MARK: Servers that cannot answer

    private static let passing: [(code: Int, number: Int)] = [
        (503, 10_008), (500, 10_009), (503, 10_004), (500, 10_007), (500, 10_118), (429, 10_167),
        (503, 10_023), (500, 10_999), (503, 10_998),
    ]

    @Test(arguments: SplitMix64.worlds(2 * passing.count))
    func `a store is opened when the servers can answer`(number: Int) throws {
        let (error, request) = (Self.passing[number / 2], ["MSG.GET", "STREAM.INFO"][number % 2])
        let world = try ModelWorld(nodes: 0)
        let refusal = ModelFault.refuse(code: error.code, number: error.number, "not now")
        world.servers.plan = (0..<200).map { _ in (request, refusal) }
        let begun = world.servers.now
        #expect(self.error { () throws(StoreOpenError) in try world.tryOpening() } == nil)
        #expect(world.servers.now - begun > 15_000)
        world.servers.plan = (0..<1_000).map { _ in (request, refusal) }
        let reason = self.error { () throws(StoreOpenError) in
            try world.tryOpening(within: 30_000)
        }
        #expect(reason == .notReady("not now") && reason?.kind == .unavailable)
    }

    /// A server that was just started does not know the streams yet.
    @Test func `what is not there must not be there for a while without a break`() throws {
        let world = try ModelWorld(nodes: 0)
        let missing = ModelFault.refuse(code: 404, number: 10_059, "stream not found")
        let busy = ModelFault.refuse(code: 503, number: 10_008, "not now")
        world.servers.plan = (0..<120).map { ("MSG.GET", $0 % 30 == 29 ? busy : missing) }
        #expect(error { () throws(StoreOpenError) in try world.tryOpening() } == nil)
        #expect(world.servers.plan.isEmpty)
    }

    @Test func `a store is not made again while the servers cannot answer`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(try ModelWorld.id("a"))
        let before = world.servers.streams.mapValues(\.lastSequence)
        let refusal = ModelFault.refuse(code: 503, number: 10_008, "not now")
        world.servers.plan = (0..<50).map { _ in ("MSG.GET", refusal) }
        let made = try opening(world).create(shardCount: 2, replicas: 2)
        #expect(!made.isNew && made.replicas == 3 && made.facts == world.nodes[0].engine.facts)
        #expect(world.servers.streams.mapValues(\.lastSequence) == before)
    }

    @Test func `a slow handshake does not mean that the credentials are wrong`() {
        #expect(
            StoreRequirements.fault(of: .unauthorized("Authentication Timeout")) == nil)
        #expect(StoreRequirements.fault(of: .unauthorized("Authorization Violation")) != nil)
    }

    // MARK: A newer version

    private func announce(format: Int, in world: ModelWorld) {
        var head = ByteWriter(operation: "store")
        head.member("format", format)
        head.member("lineage", plain: "abc")
        head.member("shards", 2)
        head.member("more", plain: "x")
        let text = SharedRecordText.seal(head, state: Array("{}".utf8))
        _ = world.servers.streams["NAV_C"]?.store(
            ModelPublication(
                subject: world.layout.metaSubject.text, reply: nil, headers: [], payload: text))
    }

    @Test func `a store in a newer format asks for an update`() throws {
        let world = try ModelWorld(nodes: 0)
        announce(format: 2, in: world)
        let reason = error { () throws(StoreOpenError) in try world.tryOpening() }
        #expect(reason == .tooNew(format: 2) && reason?.kind == .configuration)
        #expect(reason?.message.contains("update this node") == true)
        announce(format: 0, in: world)
        #expect(error { () throws(StoreOpenError) in try world.tryOpening() } == .damaged)
    }

    @Test func `a node under which the format changes stops, and says why`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(try ModelWorld.id("a"))
        announce(format: 2, in: world)
        try world.wait("it goes on") { world.nodes[0].engine.refusal != nil }
        #expect(world.nodes[0].reports.contains { $0.error.contains("update this node") })
    }

    // MARK: Permissions

    @Test(arguments: [
        "nav.nodes", "nav.nodes.", "nav.000.s.", "nav.001.t.", "nav.000.q", "nav.c.app.", "nav.c.q",
        "$JS.API.STREAM.PURGE.NAV_001", "$JS.API.DIRECT.GET.NAV_000", "$JS.FC.NAV_C.",
    ])
    func `what a node may not publish is told at its start`(subject: String) throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(try ModelWorld.id("a"))
        let before = world.servers.streams.mapValues(\.lastSequence)
        world.servers.forbidden = [subject]
        guard
            case .forbidden(let text)? = error({ () throws(StoreOpenError) in
                try world.tryOpening()
            })
        else {
            Issue.record("it was opened")
            return
        }
        #expect(text.contains(subject))
        world.servers.forbidden = []
        try world.open()
        #expect(world.servers.streams.mapValues(\.lastSequence) == before)
    }

    // MARK: Settings of a store in use

    private func reconfigure(_ world: ModelWorld, _ part: String, _ other: String) {
        world.servers.reconfigure("NAV_001", part, other)
    }

    @Test func `no change is accepted while a stream stores changes elsewhere`() throws {
        let world = try ModelWorld(nodes: 1)
        let engine = world.nodes[0].engine
        let (plain, other) = (
            #""allow_direct":true"#,
            #""allow_direct":true,"subject_transform":{"src":"nav.001.>","dest":"a.>"}"#
        )
        reconfigure(world, plain, other)
        try world.wait(within: 61_000, "it is not noticed") { engine.refusal != nil }
        #expect(engine.checks.first { $0.name == "store-settings" }?.isHealthy == false)
        #expect(engine.refusalText?.contains("subject_transform") == true)
        #expect(world.nodes[0].reports.count { $0.error.contains("subject_transform") } == 1)
        // All changes are refused, also those of sessions in other streams.
        let ids = try (0..<8).map { try ModelWorld.id("s\($0)") }
        for id in ids { #expect(throws: StoreError.misconfigured) { try world.put(id, at: 0) } }
        reconfigure(world, other, plain)
        try world.wait(within: 61_000, "it is not noticed") { engine.refusal == nil }
        for id in ids { try world.change(id) }
    }

    /// With some subjects the feeds tell of the message, with others they do not.
    @Test(arguments: [false, true])
    func `nothing is acknowledged that a stream stores under another subject`(
        isSilent: Bool
    ) throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        let (old, new) = (try ModelWorld.id("old"), try ModelWorld.id("new"))
        try world.change(old)
        try world.settle()
        let (plain, other) = (
            #""allow_direct":true"#,
            #""allow_direct":true,"subject_transform":{"src":"nav.>","dest":"nav.>"}"#
        )
        world.servers.reconfigure("NAV_000", plain, other)
        world.servers.streams["NAV_000"]?.subjectInfix = "x"
        world.servers.holdsFeeds = isSilent
        let first = try world.put(new, at: 0)
        #expect(try world.outcome(first, at: 0) == .unknown)
        // The next turn refuses everything.
        try world.wait(within: 1_000, "it is not noticed") {
            world.nodes[0].engine.refusal != nil
        }
        #expect(throws: StoreError.misconfigured) { try world.put(old, at: 0) }
        // The other node may not have looked at the settings. It acknowledges no change either.
        do {
            let second = try world.put(old, at: 1)
            #expect(try world.outcome(second, at: 1) != .kept)
        } catch {
            #expect(error as? StoreError == .misconfigured)
        }
        world.servers.holdsFeeds = false
        world.servers.streams["NAV_000"]?.subjectInfix = nil
        world.servers.reconfigure("NAV_000", other, plain)
        try world.wait(within: 61_000, "it is not noticed") {
            world.nodes.allSatisfy { $0.engine.refusal == nil }
        }
        for node in 0..<2 { #expect(try world.newest(new, at: node) == nil) }
        try world.change(new, at: 1)
        try world.change(old, at: 0)
    }

    @Test func `a message under another subject has the settings examined at once`() throws {
        let world = try ModelWorld(nodes: 1, shards: 30)
        try world.pass(3_000)
        reconfigure(world, #""max_msgs":-1"#, #""max_msgs":-1,"future":1"#)
        _ = world.servers.streams["NAV_001"]?.store(
            ModelPublication(subject: "nav.001.x.s.a", reply: nil, headers: [], payload: [65]))
        try world.wait(within: 1_000, "it is not noticed") {
            world.nodes[0].engine.refusal != nil
        }
    }

    @Test(arguments: [
        (#""num_replicas":3"#, #""num_replicas":1"#, "1 instead of 3 replicas"),
        (#""max_msgs":-1"#, #""max_msgs":-1,"deny_purge":true"#, "deny_purge"),
    ])
    func `other settings are told, and changes go on`(
        part: String, other: String, text: String
    ) throws {
        let world = try ModelWorld(nodes: 1)
        let engine = world.nodes[0].engine
        reconfigure(world, part, other)
        try world.wait(within: 61_000, "it is not noticed") { !engine.warnings.isEmpty }
        #expect(engine.warnings.count == 1 && engine.warnings[0].contains(text))
        #expect(world.nodes[0].reports.contains { $0.error.contains(text) })
        #expect(engine.refusal == nil && engine.checks.allSatisfy(\.isHealthy))
        try world.change(try ModelWorld.id("a"))
        reconfigure(world, other, part)
        try world.wait(within: 61_000, "it is not noticed") { engine.warnings.isEmpty }
    }

    // MARK: Stores without a description

    @Test func `no store is made of streams that have sessions or apps`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(try ModelWorld.id("a"))
        let stream = try #require(world.stream(of: try ModelWorld.id("a"))?.name)
        let count = try #require(world.servers.streams["NAV_C"]?.log.count)
        world.servers.streams["NAV_C"]?.lose(count)
        func create(_ shards: Int) throws -> StoreOpenError? {
            let opening = try opening(world)
            return error { () throws(StoreOpenError) in
                try opening.create(shardCount: shards, replicas: 3)
            }
        }
        #expect(try create(2) == .occupied(stream))
        #expect(try create(1) == .occupied(stream))
        // A node that starts does not advise to make a store of them.
        let node = try opening(world)
        #expect(error { () throws(StoreOpenError) in try node.facts() } == .occupied(stream))
        let reason = try #require(try create(2))
        #expect(reason.message.contains("store delete") && reason.kind == .configuration)
        world.servers.recreate(stream)
        #expect(try create(2) == nil)
    }

    @Test func `all streams of a store are deleted, also without a description`() throws {
        let world = try ModelWorld(nodes: 1, shards: 5)
        try world.change(try ModelWorld.id("a"))
        func delete(_ shards: Int) throws(StoreOpenError) -> [String] {
            try StoreDeletion.run(
                world.address, shardCount: shards, within: 20_000, world.environment)
        }
        // An earlier deletion, or a restore, may have been interrupted.
        world.servers.streams["NAV_C"] = nil
        world.servers.streams["NAV_004"] = nil
        world.servers.streams["NAV_001"] = nil
        #expect(try delete(3) == ["NAV_000", "NAV_002", "NAV_003"])
        #expect(world.servers.streams.isEmpty)
        #expect(try delete(3) == [])
        _ = try opening(world).create(shardCount: 5, replicas: 3)
        reconfigure(world, "nav.001.>", "orders.>")
        #expect(
            error { () throws(StoreOpenError) in try delete(16) }
                == .streamDiffers("NAV_001", settings: ["subjects"]))
        #expect(world.servers.streams.count == 6)
    }
}
