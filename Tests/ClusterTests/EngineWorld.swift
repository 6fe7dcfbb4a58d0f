import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing

@testable import Cluster

/// Several nodes of one store on real servers, in one thread: each takes its turns as the event
/// loop would.
final class EngineWorld {
    private(set) var nodes: [EngineNode] = []
    let options: ClusterOptions

    /// Makes a store and opens it several times.
    convenience init(
        _ address: StoreAddress, nodes count: Int, shards: Int, replicas: Int, cacheBytes: Int
    ) throws {
        _ = try StoreSetup.create(
            address, shardCount: shards, replicas: replicas, within: 60_000)
        try self.init(opening: address, replicas: replicas, cacheBytes: cacheBytes)
        for _ in 0..<count { try addNode() }
    }

    /// A store that exists, without nodes.
    init(opening address: StoreAddress, replicas: Int = 3, cacheBytes: Int) throws {
        var options = ClusterOptions(address: address, backupFormat: LogBackupFormat())
        options.cacheBytes = cacheBytes
        options.timeoutMilliseconds = 30_000
        options.replicasMin = replicas
        self.options = options
    }

    /// Opens the store once more.
    @discardableResult
    func addNode(reads: ClusterOptions.Reads = .feed) throws -> EngineNode {
        var options = options
        options.reads = reads
        nodes.append(EngineNode(try ClusterEngine.open(options, within: 60_000)))
        return nodes[nodes.count - 1]
    }

    /// Lets every node take a turn, after something has come or is due.
    func turn() throws {
        let epoll = try Epoll()
        var next = Clock.realtimeMilliseconds + 50
        for (index, node) in nodes.enumerated() {
            try epoll.add(node.engine.wakeDescriptor, .readable, token: UInt64(index))
            next = min(next, (node.engine.nextTick ?? .max) - node.ahead)
        }
        var events: [Epoll.Event] = []
        let wait = max(0, next - Clock.realtimeMilliseconds)
        try epoll.wait(into: &events, timeoutMilliseconds: Int(wait))
        for node in nodes { node.turn() }
    }

    /// Takes turns until the closure returns something.
    func wait<Value>(
        at location: SourceLocation = #_sourceLocation, _ body: () throws -> Value?
    ) throws -> Value {
        let deadline = Clock.monotonicMilliseconds + Int64(waitMilliseconds)
        while Clock.monotonicMilliseconds < deadline {
            if let value = try body() { return value }
            try turn()
        }
        throw WorldError.overdue(location)
    }

    enum WorldError: Error { case overdue(SourceLocation) }

    /// Makes a call of a node's store, and has loaded what it needs.
    func ask<Value>(
        _ node: EngineNode, _ body: (ClusterEngine) throws(StoreError) -> Value
    ) throws -> Value {
        var loaded: (any LoadResult)?
        while true {
            let missing: [LoadRequest]
            do throws(StoreError) {
                return try node.engine.with(loaded) { () throws(StoreError) in
                    try body(node.engine)
                }
            } catch {
                guard case .notInMemory(let requests) = error else { throw error }
                missing = requests
            }
            let token = node.load(missing, earlier: loaded)
            loaded = try wait { node.loaded.removeValue(forKey: token) }
        }
    }

    /// Writes until the outcome is known.
    func decide(
        _ node: EngineNode, _ body: (ClusterEngine) throws(StoreError) -> Ticket
    ) throws -> TicketOutcome {
        let ticket = try ask(node, body)
        return try wait { node.outcomes[ticket] }
    }

    /// Changes a session as the service does, again after each conflict.
    ///
    /// - Returns: the revision, or nil if it is unknown whether it was made.
    @discardableResult
    func change(_ node: EngineNode, _ id: String, _ text: String, key: String? = nil) throws
        -> Int?
    {
        while true {
            var revision = 0
            let outcome = try decide(node) { engine throws(StoreError) in
                let next = try Self.next(id, text, key: key, in: engine)
                revision = next.revision
                return try engine.proposer.put([next], of: nil, details: .none).ticket
            }
            switch outcome {
            case .kept: return revision
            case .conflict: continue
            case .unknown: return nil
            case .refused(let error): throw error
            }
        }
    }

    /// Replaces the tokens of a session, again after a conflict.
    func putTokens(
        _ tokens: [SessionToken], of id: SessionID, at node: EngineNode
    ) throws -> TicketOutcome {
        while true {
            let now = Clock.realtimeMilliseconds
            let outcome = try decide(node) { engine throws(StoreError) in
                guard let handle = try engine.reader.find(id, now: now) else { throw .damaged }
                return try engine.proposer.putTokens(tokens, of: handle, at: now)
            }
            if outcome != .conflict { return outcome }
        }
    }

    /// The next revision of a session, or the first one.
    static func next(
        _ id: String, _ text: String, key: String?, in engine: ClusterEngine
    ) throws(StoreError) -> SessionRecord {
        let id = SessionID(trusted: id)
        let now = Clock.realtimeMilliseconds
        var undoing = UndoStacks()
        var revision = 1
        if let handle = try engine.reader.find(id, now: now) {
            let newest = try engine.reader.newest(handle)
            revision = newest.record.revision + 1
            undoing = newest.record.undoing
        }
        if revision > 1 { undoing = UndoStacks(steps: min(revision - 1, 30), before: revision) }
        return SessionRecord(
            id: id, revision: revision, at: now, undoing: undoing, nextEntry: revision,
            key: key.map { IdempotencyKey(key: $0, digest: 7) }, event: Array("{}".utf8),
            state: Array(text.utf8))
    }

    /// The newest state of a session as a node reads it. Nil if there is no such session.
    func state(_ node: EngineNode, _ id: String) throws -> String? {
        try ask(node) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(SessionID(trusted: id), now: 0) else {
                return nil
            }
            return String(decoding: try engine.reader.newest(handle).record.state, as: UTF8.self)
        }
    }
}

/// One node, with what its engine has told.
final class EngineNode {
    let engine: ClusterEngine
    var outcomes: [Ticket: TicketOutcome] = [:]
    var loaded: [UInt64: any LoadResult] = [:]
    private(set) var changes: [StoreChange] = []
    private(set) var reports: [StoreReport] = []
    /// How far the node's clock is ahead, in milliseconds.
    var ahead: Milliseconds = 0
    private var lastToken: UInt64 = 0

    init(_ engine: ClusterEngine) { self.engine = engine }

    func load(_ requests: [LoadRequest], earlier: (any LoadResult)?) -> UInt64 {
        lastToken += 1
        engine.load(requests, token: lastToken, earlier: earlier)
        return lastToken
    }

    func turn() {
        for decided in engine.collect().outcomes { outcomes[decided.ticket] = decided.outcome }
        changes += engine.takeChanges()
        for result in engine.takeLoaded() { loaded[result.token] = result }
        reports += engine.takeReports()
        engine.submit()
        engine.tick(now: Clock.realtimeMilliseconds + ahead)
    }

    /// The revisions that were announced of each session, and 0 for an end.
    var announced: [String: [Int]] {
        changes.reduce(into: [:]) { announced, change in
            switch change {
            case .put(let put): announced[put.id.rawValue, default: []].append(put.revision)
            case .deleted(let deletion):
                announced[deletion.id.rawValue, default: []].append(0)
            }
        }
    }
}
