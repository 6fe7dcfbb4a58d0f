@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// The clients' knowledge of the tokens of sessions: those that were made, and those that nodes
/// have shown.
struct ModelTokens {
    /// The stream sequences of lists of tokens by the birth of their session.
    typealias Numbers = [UInt64: Int]

    private let world: ModelWorld
    private var made: [SessionID: [SessionToken]] = [:]
    /// The last list that each node has shown.
    private var shown: [[SessionID: Numbers]]
    /// The last list that was acknowledged to a client.
    private var acknowledged: [SessionID: Numbers] = [:]

    init(_ world: ModelWorld) {
        self.world = world
        shown = world.nodes.map { _ in [:] }
    }

    /// The tokens that must be shown to a request that arrives now, if reads need a quorum.
    func acknowledged(of id: SessionID) -> Numbers {
        world.reads == .quorum ? acknowledged[id] ?? [:] : [:]
    }

    /// A token that was made at some time, or one that never was.
    func one(of id: SessionID, _ dice: inout SplitMix64) -> SessionToken {
        let made = made[id] ?? []
        return made.isEmpty || dice.oneIn(4)
            ? ModelClients.token(dice.next()) : dice.one(of: made)
    }

    /// A list with this token is on its way.
    mutating func note(_ token: SessionToken, of id: SessionID) {
        made[id, default: []].append(token)
    }

    /// A node has shown the tokens of a session. It does not take back what it has shown.
    mutating func show(
        _ tokens: [SessionToken], of id: SessionID, born: UInt64, at node: Int, atLeast: Numbers
    ) throws {
        let least = max(shown[node][id]?[born] ?? 0, atLeast[born] ?? 0)
        var numbers = try lists(of: id).filter { $0.list.born == born && $0.list.tokens == tokens }
            .map(\.number)
        if tokens.isEmpty { numbers.insert(0, at: 0) }
        let number = numbers.first { $0 >= least }
        #expect(number != nil, "tokens were shown that are not kept, or are older than others")
        if let number { shown[node][id, default: [:]][born] = number }
    }

    /// A node has accepted a token.
    func accept(_ token: SessionToken, of id: SessionID, born: UInt64) throws {
        let isKept = try lists(of: id).contains {
            $0.list.born == born && $0.list.tokens.contains(token)
        }
        #expect(isKept, "a token was accepted that is not kept")
    }

    /// A list is kept: its node must show it from now on.
    mutating func keep(_ writer: WriteID, of id: SessionID, at node: Int) throws {
        let kept = try #require(
            try lists(of: id).first { $0.list.link.writer == writer },
            "tokens are told to be kept that are not stored")
        let (born, number) = (kept.list.born, kept.number)
        shown[node][id, default: [:]][born] = max(shown[node][id]?[born] ?? 0, number)
        acknowledged[id, default: [:]][born] = max(acknowledged[id]?[born] ?? 0, number)
    }

    /// All lists of a session's id that were ever stored.
    private func lists(of id: SessionID) throws -> [(number: Int, list: SharedTokens)] {
        guard let stream = world.stream(of: id) else { return [] }
        return try (stream.indices[world.layout.tokenSubject(of: id).text] ?? []).map { index in
            let message = stream.log[index]
            return (message.sequence, try SharedTokens(message.payload[...]))
        }
    }
}

extension ModelClients {
    /// A token with such a digest.
    static func token(_ digest: UInt64) -> SessionToken {
        let words = TokenDigest.InlineWords(first: digest, second: 0, third: 0, fourth: 0)
        return SessionToken(
            id: "t\(digest)", scope: .read, digest: TokenDigest(words), expiresAt: nil)
    }
}
