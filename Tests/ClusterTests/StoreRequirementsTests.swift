@testable import Cluster
@testable import ClusterModel
import JSON
import NATS
import Sessions
import TestSupport
import Testing

/// The requirements on the servers and the streams, and the advice to the operator otherwise.
@Suite(.seeded) struct StoreRequirementsTests {
    private let layout = StoreLayout(prefix: StorePrefix(trusted: "NAV"), shardCount: 1)

    private func open(_ world: ModelWorld) -> StoreOpenError? {
        do throws(StoreOpenError) {
            try world.tryOpening(within: 8_000)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Servers

    @Test(arguments: [
        (#""version":"2.15.1""#, #""version":"2.14.9""#, StoreOpenError.serverTooOld("2.14.9")),
        (#""max_payload":2097152"#, #""max_payload":1048576"#, .payloadTooSmall(1_048_576)),
        (#""jetstream":true"#, #""tls_required":true"#, .tlsRequired),
        (#""jetstream":true"#, #""auth_required":true"#, .credentialsMissing),
    ])
    func `a server that cannot be used is refused at once`(
        part: String, other: String, expected: StoreOpenError
    ) throws {
        let world = try ModelWorld(nodes: 0)
        world.servers.info = world.servers.info.replacing(part, with: other)
        let begun = world.servers.now
        #expect(open(world) == expected)
        #expect(world.servers.now - begun < 1_000)
    }

    @Test func `a node that comes to such a server later says so`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.pass(1_000)
        #expect(world.nodes[0].reports.isEmpty)
        world.servers.info = world.servers.info.replacing("2.15.1", with: "2.14.9")
        world.servers.breakLinks()
        try world.pass(3_000)
        #expect(world.nodes[0].reports.contains { $0.error.contains("version 2.14.9") })
    }

    @Test func `the oldest version that can be used is 2.15`() throws {
        let world = try ModelWorld(nodes: 0)
        world.servers.info = world.servers.info.replacing("2.15.1", with: "2.15.0")
        #expect(open(world) == nil)
    }

    @Test(arguments: [
        (
            "-ERR 'Authorization Violation'",
            StoreOpenError.unauthorized("Authorization Violation")
        ),
        (
            #"-ERR 'Permissions Violation for Publish to "$JS.API.STREAM.MSG.GET.NAV_C"'"#,
            .forbidden(#"Permissions Violation for Publish to "$JS.API.STREAM.MSG.GET.NAV_C""#)
        ),
    ])
    func `a client that is not admitted learns it at once`(
        text: String, expected: StoreOpenError
    ) throws {
        let world = try ModelWorld(nodes: 0)
        world.servers.objection = text
        let begun = world.servers.now
        #expect(open(world) == expected)
        #expect(world.servers.now - begun < 1_000)
    }

    @Test func `servers without JetStream are refused`() throws {
        let world = try ModelWorld(nodes: 0)
        let off = ModelFault.refuse(
            code: 503, number: 10_039, "JetStream not enabled for account")
        world.servers.plan = [("MSG.GET", off)]
        // It may be off on one server only.
        #expect(open(world) == nil)
        world.servers.plan = (0..<1_000).map { _ in ("MSG.GET", off) }
        #expect(open(world) == .jetStreamMissing("JetStream not enabled for account"))
        world.servers.plan = (0..<1_000).map { _ in ("MSG.GET", .noResponders) }
        #expect(open(world) == .notReady("nobody answers requests to JetStream"))
    }

    @Test func `a store is made when enough servers run`() throws {
        let world = try ModelWorld(nodes: 0, makesStore: false)
        let refusal = ModelFault.refuse(code: 400, number: 10_005, "no suitable peers")
        world.servers.plan = (0..<20).map { _ in ("STREAM.CREATE", refusal) }
        let opening = try StoreOpening(world.address, within: 60_000, world.environment)
        #expect(try opening.create(shardCount: 2, replicas: 3).isNew)
        #expect(world.servers.plan.isEmpty)
    }

    @Test func `a store is not made while too few servers run`() throws {
        let world = try ModelWorld(nodes: 0, makesStore: false)
        let refusal = ModelFault.refuse(code: 400, number: 10_005, "no suitable peers")
        world.servers.plan = (0..<10_000).map { _ in ("STREAM.CREATE", refusal) }
        let opening = try StoreOpening(world.address, within: 10_000, world.environment)
        let error = #expect(throws: StoreOpenError.self) {
            try opening.create(shardCount: 2, replicas: 3)
        }
        #expect(error == .tooFewServers("no suitable peers") && error?.kind == .unavailable)
    }

    @Test func `a feed that is not permitted is told at once`() throws {
        let world = try ModelWorld(nodes: 0)
        world.servers.feedObjection =
            "-ERR 'Permissions Violation for Publish to \"$JS.API.CONSUMER.CREATE.NAV_000.x\"'"
        let begun = world.servers.now
        guard case .forbidden(let text)? = open(world) else {
            Issue.record("it was opened")
            return
        }
        #expect(text.contains("CONSUMER.CREATE"))
        #expect(world.servers.now - begun < 2_000)
    }

    // MARK: Streams

    private func config(_ changes: [(String, JSON)] = []) throws -> StreamInfo {
        guard case .object(var members) = try JSON(parsing: layout.streams(replicas: 3)[0].body)
        else { throw BodyError.notAnObject }
        for (name, value) in changes { members[name] = value }
        let state = #"{"messages":0,"bytes":0,"first_seq":1,"last_seq":0}"#
        return try body(
            #"{"config":\#(JSON.object(members).text),"created":"2026-11-22T19:23:01Z","#
                + #""state":\#(state)}"#)
    }

    private func fault(_ changes: [(String, JSON)]) throws -> StoreOpenError? {
        StoreRequirements.fault(
            of: try config(changes), as: layout.streams(replicas: 3)[0], replicasMin: 3)
    }

    @Test func `a stream that init made is accepted, and some differences do not matter`() throws {
        #expect(try fault([]) == nil)
        #expect(try fault([("max_msg_size", .integer(-1))]) == nil)
        #expect(try fault([("max_msg_size", .integer(8 << 20))]) == nil)
        #expect(try fault([("num_replicas", .integer(5))]) == nil)
        #expect(try fault([("no_ack", .bool(false)), ("persist_mode", .string("default"))]) == nil)
        // Members that the server adds, and notes for people.
        let other: [(String, JSON)] = [
            ("consumer_limits", .object(JSONObject([("max_ack_pending", .integer(0))]))),
            ("metadata", .object(JSONObject([("_nats.ver", .string("2.15.1"))]))),
            ("placement", .object(JSONObject([("tags", .array([.string("a")]))]))),
            ("description", .string("sessions")), ("sources", .array([])), ("mirror", .null),
            ("deny_purge", .bool(false)), ("future", .integer(0)),
        ]
        #expect(try fault(other) == nil)
    }

    @Test(arguments: [
        ("subjects", JSON.array([.string("nav.000.s.>")])), ("storage", .string("memory")),
        ("retention", .string("interest")), ("discard", .string("new")),
        ("max_msgs_per_subject", .integer(64)), ("max_age", .integer(1_000_000)),
        ("max_msgs", .integer(10)), ("max_bytes", .integer(1 << 30)),
        ("allow_direct", .bool(false)), ("max_msg_size", .integer(1 << 20)),
        ("no_ack", .bool(true)), ("sealed", .bool(true)), ("compression", .string("s2")),
        ("subject_transform", .object(JSONObject([("src", .string("a"))]))),
        ("republish", .object(JSONObject([("src", .string("a"))]))),
        ("deny_purge", .bool(true)), ("deny_delete", .bool(true)), ("allow_msg_ttl", .bool(true)),
        ("allow_atomic", .bool(true)), ("duplicate_window", .integer(5_000_000_000)),
        ("sources", .array([.object(JSONObject([("name", .string("A"))]))])),
        ("mirror", .object(JSONObject([("name", .string("A"))]))),
        ("max_consumers", .integer(3)), ("mirror_direct", .bool(true)),
        ("persist_mode", .string("async")), ("future", .string("a")),
    ])
    func `a stream that is configured otherwise is refused`(name: String, value: JSON) throws {
        #expect(try fault([(name, value)]) == .streamDiffers("NAV_000", settings: [name]))
    }

    @Test func `all differences are named, and too few replicas after them`() throws {
        let changes: [(String, JSON)] = [
            ("max_age", .integer(1)), ("storage", .string("memory")), ("num_replicas", .integer(1)),
        ]
        guard case .streamDiffers("NAV_000", let settings)? = try fault(changes) else {
            Issue.record("it was accepted")
            return
        }
        #expect(Set(settings) == ["max_age", "storage"])
        #expect(
            try fault([("num_replicas", .integer(1))])
                == .tooFewReplicas("NAV_000", count: 1, required: 3))
    }

    @Test func `a store with a stream that is missing or differs is not opened`() throws {
        let world = try ModelWorld(nodes: 0)
        let name = world.layout.stream(1).text
        let stream = try #require(world.servers.streams[name])
        world.servers.reconfigure(name, #""max_age":0"#, #""max_age":60000000000"#)
        #expect(open(world) == .streamDiffers(name, settings: ["max_age"]))
        world.servers.streams[name] = nil
        #expect(open(world) == .streamMissing(name))
        world.servers.streams[name] = stream
        #expect(open(world) == nil)
        world.replicasMin = 5
        #expect(open(world) == .tooFewReplicas("NAV_000", count: 3, required: 5))
    }

    @Test func `a prefix without a store is named as that`() throws {
        let world = try ModelWorld(nodes: 0)
        world.servers.streams = [:]
        let begun = world.servers.now
        #expect(open(world) == .missing("stream not found"))
        #expect((5_000..<6_000).contains(world.servers.now - begun))
    }

    @Test func `a store is made once, and its number of shards stays`() throws {
        let world = try ModelWorld(nodes: 0)
        func create(_ shards: Int) throws(StoreOpenError) -> Bool {
            let opening = try StoreOpening(world.address, within: 20_000, world.environment)
            return try opening.create(shardCount: shards, replicas: 3).isNew
        }
        let before = world.servers.streams.mapValues(\.lastSequence)
        #expect(try create(2) == false)
        #expect(throws: StoreOpenError.exists(shardCount: 2)) { try create(3) }
        #expect(world.servers.streams.mapValues(\.lastSequence) == before)
        world.servers.streams = [:]
        #expect(try create(3))
        #expect(world.servers.streams.count == 4)
    }

    @Test func `every error says what to do`() {
        let errors: [StoreOpenError] = [
            .unanswered, .missing("a"), .exists(shardCount: 3), .refused("a"), .damaged,
            .notReady("a"), .occupied("NAV_000"), .tooNew(format: 2),
            .unauthorized("a"), .credentialsMissing,
            .tlsRequired, .forbidden("a"), .serverTooOld("1.0.0"), .payloadTooSmall(7),
            .jetStreamMissing("a"), .streamMissing("NAV_000"),
            .streamDiffers("NAV_000", settings: ["max_age", "storage"]),
            .tooFewReplicas("NAV_000", count: 1, required: 3),
        ]
        #expect(Set(errors.map(\.message)).count == errors.count)
        let words = [
            "check", "create", "restore", "correct", "write", "run", "extend", "update", "use",
        ]
        let more = ["set", "enable", "add"]
        for error in errors {
            #expect((words + more).contains { error.message.contains("; \($0) ") }, "\(error)")
        }
        #expect(errors[16].message.contains("correct max_age, storage"))
        #expect(
            errors.filter { $0.kind == .unavailable } == [
                .unanswered, .notReady("a"), .jetStreamMissing("a"),
            ])
        #expect(errors.filter { $0.kind == .damaged } == [.damaged])
    }
}
