@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The tokens of sessions on several nodes, also if a leader is behind.
@Suite(.seeded) struct EngineTokenTests {
    let id = SessionID(trusted: "kiosk-1")

    private func token(_ number: UInt64, expiresAt: Milliseconds? = nil) -> SessionToken {
        let words = TokenDigest.InlineWords(first: number, second: 2, third: 3, fourth: 4)
        return SessionToken(
            id: "t\(number)", scope: .read, digest: TokenDigest(words), expiresAt: expiresAt)
    }

    private func put(_ tokens: [SessionToken], in world: ModelWorld, at node: Int) throws -> Ticket
    {
        try world.ask(node) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return .none }
            _ = try engine.reader.tokens(of: handle)
            return try engine.proposer.putTokens(tokens, of: handle, at: world.wall)
        }
    }

    private func list(in world: ModelWorld, at node: Int) throws -> [SessionToken]? {
        try world.ask(node) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return nil }
            return try engine.reader.tokens(of: handle).tokens
        }
    }

    private func owner(
        _ token: SessionToken, in world: ModelWorld, at node: Int
    ) throws -> SessionToken? {
        try world.ask(node) { engine throws(StoreError) in
            try engine.reader.owner(of: token.digest, in: id, now: world.wall)?.token
        }
    }

    @Test func `a token of a session is good on every node, until it expires or is replaced`()
        throws
    {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        world.servers.holdsFeeds = true
        let tokens = [token(1), token(2, expiresAt: world.wall + 5_000)]
        #expect(try world.outcome(put(tokens, in: world, at: 0), at: 0) == .kept)
        for node in 0...1 {
            for token in tokens { #expect(try owner(token, in: world, at: node) == token) }
            #expect(try owner(token(3), in: world, at: node) == nil)
        }
        try world.pass(5_000)
        #expect(try owner(tokens[1], in: world, at: 1) == nil)
        world.servers.holdsFeeds = false
        #expect(try world.outcome(put([token(4)], in: world, at: 1), at: 1) == .kept)
        try world.settle()
        for node in 0...1 {
            #expect(try owner(tokens[0], in: world, at: node) == nil)
            #expect(try owner(token(4), in: world, at: node) == token(4))
        }
    }

    @Test func `a token that was replaced is not good while the feed is silent`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        try world.settle()
        #expect(try owner(token(1), in: world, at: 1) == token(1))
        try world.silenceFeeds()
        #expect(try world.outcome(put([], in: world, at: 0), at: 0) == .kept)
        #expect(try owner(token(1), in: world, at: 1) == nil)
    }

    @Test func `tokens end with their session`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.change(id, at: 1)
        try world.settle()
        for node in 0...1 { #expect(try owner(token(1), in: world, at: node) == nil) }
    }

    @Test func `a list of tokens that another node was ahead of is a conflict`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        try world.settle()
        let tickets = [
            try put([token(1)], in: world, at: 0), try put([token(2)], in: world, at: 1),
        ]
        #expect(try world.outcome(tickets[0], at: 0) == .kept)
        #expect(try world.outcome(tickets[1], at: 1) == .conflict)
        // The feed has brought the other list, so that the next one follows it.
        #expect(try owner(token(1), in: world, at: 1) == token(1))
        #expect(try world.outcome(put([token(2)], in: world, at: 1), at: 1) == .kept)
    }

    @Test func `a list of tokens of a later session shows that the known one has ended`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id, at: 0, "one")
        try world.settle()
        world.servers.holdsFeeds = true
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.change(id, at: 0, "two")
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        #expect(try owner(token(1), in: world, at: 1) == token(1))
        #expect(try world.state(id, at: 1) == "two")
    }

    @Test func `a list of tokens is not forgotten before the end of its session is old`() throws {
        let world = try ModelWorld(nodes: 1)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        let replica = world.nodes[0].engine.replica
        let number = replica.lastNumber(of: .tokens(id))
        #expect(number > 0)
        func lastNumber(afterNoneAt time: Milliseconds) -> Int {
            replica.apply(.tokens(nil, number: 0), to: .tokens(id), at: time)
            return replica.lastNumber(of: .tokens(id))
        }
        #expect(lastNumber(afterNoneAt: world.wall + 7_200_000) == number, "it lives")
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.settle()
        #expect(lastNumber(afterNoneAt: world.wall) == number)
        #expect(lastNumber(afterNoneAt: world.wall + 7_200_000) == 0, "it was removed")
    }

    @Test func `tokens can be made of an id whose old ones were removed`() throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        let ticket = try world.ask(0) { engine throws(StoreError) -> Ticket in
            guard let handle = try engine.reader.find(id, now: world.wall) else { return .none }
            let longAgo = world.wall - 2 * 3_600_000
            return try engine.proposer.delete(handle, at: longAgo, key: nil, author: nil)
        }
        #expect(try world.outcome(ticket, at: 0) == .kept)
        try world.change(SessionID(trusted: "other"))
        try world.settle()
        // As the keeper of the shard does after a day, by its own clock.
        let stream = try #require(world.stream(of: id))
        for subject in [world.layout.subject(of: id), world.layout.tokenSubject(of: id)] {
            for message in stream.messages(of: subject.text) { drop(message.sequence, in: world) }
        }
        try world.change(id, at: 1)
        #expect(try world.outcome(put([token(2)], in: world, at: 1), at: 1) == .conflict)
        #expect(try world.outcome(put([token(2)], in: world, at: 1), at: 1) == .kept)
        try world.pass(1_000)
        for node in 0...1 { #expect(try list(in: world, at: node) == [token(2)]) }
    }

    private func drop(_ sequence: Int, in world: ModelWorld) {
        world.servers.streams[world.layout.stream(0).text]?.drop(sequence)
    }

    private static let reads = [ClusterOptions.Reads.feed, .quorum]

    @Test(arguments: reads)
    func `an answer of a leader that is behind does not take tokens from a session that lives`(
        reads: ClusterOptions.Reads
    ) throws {
        let world = try ModelWorld(nodes: 2, shards: 1, reads: reads)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        try world.settle()
        world.servers.plan = [("STREAM.MSG.GET", .behind(30))]
        #expect(try owner(token(9), in: world, at: 1) == nil)
        #expect(world.servers.plan.isEmpty)
        try expectTokens([token(1)], in: world)
    }

    @Test(arguments: reads)
    func `a refusal by a leader that is behind does not take tokens from a session that lives`(
        reads: ClusterOptions.Reads
    ) throws {
        let world = try ModelWorld(nodes: 2, shards: 1, reads: reads)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        try world.settle()
        world.servers.plan = [
            (
                world.layout.tokenSubject(of: id).text,
                .refuse(code: 400, number: 10_071, "wrong last sequence: 0")
            )
        ]
        #expect(try world.outcome(put([token(2)], in: world, at: 1), at: 1) == .conflict)
        #expect(world.servers.plan.isEmpty)
        try expectTokens([token(1)], in: world)
    }

    @Test func `tokens of an id that was used before survive a leader that is behind`() throws {
        let world = try ModelWorld(nodes: 2, shards: 1)
        try world.change(id)
        #expect(try world.outcome(put([token(1)], in: world, at: 0), at: 0) == .kept)
        #expect(try world.outcome(world.delete(id, at: 0), at: 0) == .kept)
        try world.change(id)
        try world.settle()
        world.servers.plan = [("STREAM.MSG.GET", .behind(30))]
        #expect(try owner(token(9), in: world, at: 1) == nil)
        #expect(world.servers.plan.isEmpty)
        try expectTokens([], in: world)
    }

    @Test func `the tokens are read from the leader while the feed is silent`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.change(id)
        try world.settle()
        try world.silenceFeeds()
        for number in 1...3 as ClosedRange<UInt64> {
            let tokens = (1...number).map { token($0) }
            #expect(try world.outcome(put(tokens, in: world, at: 0), at: 0) == .kept)
            #expect(try list(in: world, at: 1) == tokens)
        }
        #expect(try world.outcome(put([], in: world, at: 1), at: 1) == .kept)
    }

    /// Both nodes have these tokens of the session, and each of them can make another one.
    private func expectTokens(_ tokens: [SessionToken], in world: ModelWorld) throws {
        var tokens = tokens
        for node in 0...1 { #expect(try list(in: world, at: node) == tokens) }
        for node in [1, 0, 1] {
            tokens.append(token(UInt64(100 + tokens.count)))
            var outcome = try world.outcome(put(tokens, in: world, at: node), at: node)
            if outcome == .conflict {
                outcome = try world.outcome(put(tokens, in: world, at: node), at: node)
            }
            #expect(outcome == .kept)
            try world.settle()
            for node in 0...1 { #expect(try list(in: world, at: node) == tokens) }
        }
    }
}
