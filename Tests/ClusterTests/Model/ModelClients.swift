@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Clients that do things by chance, several at the same time, through the nodes of a world.
final class ModelClients {
    enum Operation: CaseIterable {
        case read, change, changeTwice, delete, history, app
        case makeToken, revokeToken, listTokens, presentToken
    }

    private enum Stage {
        case ready
        case loading(UInt64)
        case deciding(Ticket)
        case done
    }

    private struct Request {
        let node: Int
        let id: SessionID
        var operation: Operation
        /// The highest stream sequence of the session that was acknowledged before the request
        /// arrived, if reads need a quorum.
        let atLeast: Int
        /// The same for lists of tokens.
        let atLeastTokens: ModelTokens.Numbers
        /// The token to make, to revoke or to present.
        let token: SessionToken
        var stage = Stage.ready
        var loaded: (any LoadResult)?
        var conflicts = 0
    }

    /// A change that a node has taken.
    struct Change {
        let node: Int
        let ticket: Ticket
        /// Whether it was one of two, so that a conflict tells nothing about it.
        let hasMore: Bool
    }

    let world: ModelWorld
    let ids: [SessionID]
    private var tokens: ModelTokens
    private(set) var changes: [Change] = []
    /// The highest stream sequence of a session that a node has shown.
    private var shown: [[SessionID: Int]]
    /// The highest stream sequence of a session that was acknowledged to a client.
    private var acknowledged: [SessionID: Int] = [:]
    private var requests: [Request] = []
    private var begun = 0
    private var dice: SplitMix64

    init(_ world: ModelWorld, sessions: Int, dice: SplitMix64) {
        self.world = world
        self.dice = dice
        tokens = ModelTokens(world)
        ids = (0..<sessions).map { SessionID(trusted: "s\($0)") }
        shown = world.nodes.map { _ in [:] }
    }

    /// Lets clients send so many requests, a few at the same time, until all are answered.
    func run(_ count: Int, atOnce: Int, within milliseconds: Int64) throws {
        let end = world.servers.now + milliseconds
        while begun < count || !requests.isEmpty {
            try #require(world.servers.now < end, "requests are not answered")
            while requests.count < atOnce, begun < count, dice.oneIn(2) { begin() }
            for index in requests.indices { try drive(index) }
            requests.removeAll { if case .done = $0.stage { true } else { false } }
            for node in world.nodes { node.engine.submit() }
            try world.step()
        }
    }

    private func begin() {
        begun += 1
        let operations: [Operation] = [
            .read, .read, .change, .change, .change, .change, .changeTwice, .delete, .history,
            .app, .makeToken, .makeToken, .revokeToken, .listTokens, .presentToken, .presentToken,
        ]
        let (id, operation) = (dice.one(of: ids), dice.one(of: operations))
        let token =
            operation == .makeToken
            ? ModelClients.token(dice.next()) : tokens.one(of: id, &dice)
        if operation == .makeToken { tokens.note(token, of: id) }
        requests.append(
            Request(
                node: dice.below(world.nodes.count), id: id, operation: operation,
                atLeast: world.reads == .quorum ? acknowledged[id] ?? 0 : 0,
                atLeastTokens: tokens.acknowledged(of: id), token: token))
    }

    private func drive(_ index: Int) throws {
        let request = requests[index]
        let node = world.nodes[request.node]
        switch request.stage {
        case .ready: try perform(index)
        case .loading(let token):
            guard let loaded = node.loaded.removeValue(forKey: token) else { return }
            requests[index].loaded = loaded
            try perform(index)
        case .deciding(let ticket):
            guard let outcome = node.outcomes[ticket] else { return }
            if outcome == .kept { try keep(request, ticket) }
            requests[index].loaded = nil
            requests[index].conflicts += 1
            let again = outcome == .conflict && requests[index].conflicts < 8
            // The first of two changes may be kept, so only one is made again.
            if request.operation == .changeTwice { requests[index].operation = .change }
            requests[index].stage = again ? .ready : .done
        case .done: break
        }
    }

    private func perform(_ index: Int) throws {
        let request = requests[index]
        let engine = world.nodes[request.node].engine
        do throws(StoreError) {
            let ticket = try engine.with(request.loaded) { () throws(StoreError) in
                try answer(request, engine)
            }
            guard let ticket, ticket != .none else {
                requests[index].stage = .done
                return
            }
            let hasMore = request.operation == .changeTwice
            changes.append(Change(node: request.node, ticket: ticket, hasMore: hasMore))
            requests[index].stage = .deciding(ticket)
        } catch {
            switch error {
            case .notInMemory(let missing):
                let token = world.nextToken()
                requests[index].stage = .loading(token)
                engine.load(missing, token: token, earlier: request.loaded)
            case .busy, .unavailable, .starting: requests[index].stage = .done
            case .full, .noFile, .misconfigured, .damaged, .tooLarge:
                Issue.record("\(error)")
                requests[index].stage = .done
            }
        }
    }

    /// - Returns: the ticket of the change if the request makes one.
    private func answer(
        _ request: Request, _ engine: ClusterEngine
    ) throws(StoreError) -> Ticket? {
        if request.operation == .app { return try changeApp(engine) }
        if request.operation == .presentToken { return try present(request, engine) }
        let handle = try engine.reader.find(request.id, now: world.wall)
        guard let handle else { return try answerMissing(request, engine) }
        let newest = try engine.reader.newest(handle)
        show(newest, request)
        switch request.operation {
        case .read: return nil
        case .change: return try change(request, engine, handle, newest, count: 1)
        case .changeTwice: return try change(request, engine, handle, newest, count: 2)
        case .delete:
            return try engine.proposer.delete(handle, at: world.wall, key: nil, author: nil)
        case .makeToken, .revokeToken, .listTokens:
            return try changeTokens(request, engine, handle)
        case .app, .presentToken: return nil
        case .history:
            var bytesLeft = 1 << 20
            let first = max(1, newest.record.revision - dice.below(4))
            if let stored = try engine.reader.revision(first, of: handle) {
                #expect(stored.record.revision == first)
                expectStored(stored)
            }
            for stored in try engine.reader.changes(of: handle, after: 0, bytesLeft: &bytesLeft)
                ?? []
            {
                expectStored(stored)
            }
            return nil
        }
    }

    private func present(
        _ request: Request, _ engine: ClusterEngine
    ) throws(StoreError) -> Ticket? {
        let found = try engine.reader.owner(
            of: request.token.digest, in: request.id, now: world.wall)
        guard let found else { return nil }
        let born = engine.reader.version(of: found.handle).entity.first
        expectNoThrow { try tokens.accept(found.token, of: request.id, born: born) }
        return nil
    }

    private func changeTokens(
        _ request: Request, _ engine: ClusterEngine, _ handle: SessionHandle
    ) throws(StoreError) -> Ticket? {
        let shown = try engine.reader.tokens(of: handle).tokens
        let born = engine.reader.version(of: handle).entity.first
        expectNoThrow {
            try tokens.show(
                shown, of: request.id, born: born, at: request.node,
                atLeast: request.atLeastTokens)
        }
        var list = Array(shown)
        if request.operation == .makeToken { list = shown.suffix(3) + [request.token] }
        if request.operation == .revokeToken { list.removeAll { $0 == request.token } }
        return list == shown ? nil : try engine.proposer.putTokens(list, of: handle, at: world.wall)
    }

    private func expectNoThrow(_ body: () throws -> Void) {
        #expect(throws: Never.self) { try body() }
    }

    private func changeApp(_ engine: ClusterEngine) throws(StoreError) -> Ticket {
        let id = AppID(trusted: "a\(dice.below(2))")
        if dice.oneIn(4), engine.reader.storedApps.contains(where: { $0.id == id }) {
            return try engine.proposer.deleteApp(id, at: world.wall)
        }
        let document = Array("\(dice.next())".utf8)
        return try engine.proposer.putApps([(id, document)], at: world.wall)[0].ticket
    }

    private func answerMissing(
        _ request: Request, _ engine: ClusterEngine
    ) throws(StoreError) -> Ticket? {
        expectMissing(request)
        guard request.operation == .change || request.operation == .changeTwice else { return nil }
        return try change(request, engine, nil, nil, count: 1)
    }

    private func change(
        _ request: Request, _ engine: ClusterEngine, _ handle: SessionHandle?,
        _ last: StoredRecord?, count: Int
    ) throws(StoreError) -> Ticket {
        var records: [SessionRecord] = []
        for _ in 0..<count {
            let time: Milliseconds? = dice.oneIn(3) ? Milliseconds(1_000 + dice.below(9_000)) : nil
            let state = "\(dice.next())"
            records.append(
                world.record(
                    request.id, after: records.last ?? last?.record, state, expiresIn: time))
        }
        return try engine.proposer.put(records, of: handle, details: .none).ticket
    }

    // MARK: What was shown

    private func number(_ stored: StoredRecord) -> Int {
        Int(stored.sequence >> 10)
    }

    /// A node has shown the newest state of a session.
    private func show(_ stored: StoredRecord, _ request: Request) {
        expectStored(stored)
        let number = number(stored)
        #expect(number >= shown[request.node][request.id] ?? 0, "a state went back")
        #expect(number >= request.atLeast, "an acknowledged change is missing")
        shown[request.node][request.id] = number
    }

    private func expectStored(_ stored: StoredRecord) {
        let log = try? world.log(of: stored.record.id)
        let found = log?.first { $0.number == number(stored) }
        let shard = world.layout.shard(of: stored.record.id)
        #expect(found?.stored(in: shard) == stored, "a state was shown that is not kept")
    }

    /// A node has said that there is no such session.
    private func expectMissing(_ request: Request) {
        let last = max(shown[request.node][request.id] ?? 0, request.atLeast)
        guard last > 0 else { return }
        let log = (try? world.log(of: request.id)) ?? []
        let hasEnded = log.contains { entry in
            switch entry.record.content {
            case .end: entry.number >= last
            case .revision(let record):
                entry.number >= last && record.expiresAt ?? .max <= world.wall
            }
        }
        #expect(hasEnded, "a session was shown that is said not to exist")
    }

    /// A change is kept: its node must show it from now on.
    private func keep(_ request: Request, _ ticket: Ticket) throws {
        let writer = WriteID(
            node: world.nodes[request.node].engine.proposer.identity.node,
            number: ticket.rawValue & (1 << 63 - 1))
        switch request.operation {
        case .app: return
        case .makeToken, .revokeToken:
            return try tokens.keep(writer, of: request.id, at: request.node)
        case .read, .change, .changeTwice, .delete, .history, .listTokens, .presentToken: break
        }
        let entry = try world.log(of: request.id).first { $0.record.writer == writer }
        let number = try #require(entry?.number, "a change is told to be kept that is not stored")
        let last = shown[request.node][request.id] ?? 0
        shown[request.node][request.id] = max(last, number)
        acknowledged[request.id] = max(acknowledged[request.id] ?? 0, number)
    }
}
