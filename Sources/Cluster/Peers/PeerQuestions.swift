internal import NATS
internal import Navigation
internal import Sessions

/// The questions that this node has asked the others, and what it answers to theirs.
///
/// Answers are waited for half a second, and for a second if they say how many were told something.
/// A node that missed the deadline is skipped until its next
/// heartbeat.
struct PeerQuestions {
    /// Who wants to know the answers: a request, with what was loaded for it, or the loop.
    enum Asker {
        case request(LoadedItems)
        case loop
    }

    private struct Inquiry {
        let question: PeerQuestion
        let asker: Asker
        var answers: [UInt64: PeerAnswer] = [:]
        /// The nodes whose answers are waited for.
        var awaited: Set<UInt64>
        /// Whether there are nodes that are not waited for.
        let isPartial: Bool
        let deadline: Int64
    }

    /// The subscription of what other nodes say to this one only.
    static let subscription = SubscriptionID(3)

    private let node: UInt64
    private var inquiries: [Int: Inquiry] = [:]
    private var lastNumber = 0
    private var finished: [LoadedItems] = []
    private var rounds: [PeerRound] = []
    /// When nodes have failed to answer the last time.
    private var silentSince: [UInt64: Int64] = [:]
    var respond: (PeerQuestion) -> PeerAnswer = { PeerAnswer(to: $0) }

    /// How long answers are waited for, in milliseconds.
    private static func patience(for question: PeerQuestion) -> Int64 {
        switch question {
        case .watchers, .watcherCounts, .shown: 500
        case .signal: 1_000
        }
    }

    init(node: UInt64) { self.node = node }

    var hasFinished: Bool { !finished.isEmpty || !rounds.isEmpty }

    var deadline: Int64 { inquiries.values.reduce(Int64.max) { min($0, $1.deadline) } }

    /// The requests whose questions have been answered since the last call.
    mutating func takeFinished() -> [LoadedItems] {
        defer { finished = [] }
        return finished
    }

    /// The answers to the loop's questions since the last call.
    mutating func takeRounds() -> [PeerRound] {
        defer { rounds = [] }
        return rounds
    }

    // MARK: Asking

    /// Asks all other nodes.
    ///
    /// - Parameter peers: the other nodes, and when each of them was heard last.
    /// - Returns: what to send to all nodes.
    mutating func ask(
        _ question: PeerQuestion, for asker: Asker, of peers: [UInt64: Int64], at now: Int64
    ) -> [UInt8] {
        silentSince = silentSince.filter { node, since in
            peers[node].map { $0 <= since } ?? false
        }
        let awaited = Set(peers.keys).subtracting(silentSince.keys)
        lastNumber += 1
        inquiries[lastNumber] = Inquiry(
            question: question, asker: asker, awaited: awaited, isPartial: !silentSince.isEmpty,
            deadline: awaited.isEmpty ? now : now + Self.patience(for: question))
        return PeerMessage(node: node, number: lastNumber, content: question).text
    }

    /// Gives up what has waited too long.
    mutating func expired(at now: Int64) {
        for (number, inquiry) in inquiries where inquiry.deadline <= now {
            for silent in inquiry.awaited { silentSince[silent] = now }
            finish(number)
        }
    }

    private mutating func finish(_ number: Int) {
        guard let inquiry = inquiries.removeValue(forKey: number) else { return }
        switch inquiry.asker {
        case .request(var loaded):
            var sum = PeerAnswer(to: inquiry.question)
            for answer in inquiry.answers.values { sum.add(answer) }
            sum.isWhole = inquiry.awaited.isEmpty && !inquiry.isPartial
            loaded.peers[inquiry.question] = sum
            finished.append(loaded)
        case .loop: rounds.append(PeerRound(inquiry.question, inquiry.answers))
        }
    }

    // MARK: Hearing

    /// Another node has asked all of them something.
    ///
    /// - Returns: the answer, and the node to send it to. Nil if it is not a question, or this
    ///   node's own.
    func asked(_ text: ArraySlice<UInt8>) -> (text: [UInt8], node: UInt64)? {
        guard let message = PeerMessage<PeerQuestion>(text), message.node != node else {
            return nil
        }
        let answer = PeerMessage(
            node: node, number: message.number, content: respond(message.content))
        return (answer.text(answering: message.content), message.node)
    }

    /// Another node has answered this one. Anything but an answer that is waited for is ignored.
    mutating func answered(_ text: ArraySlice<UInt8>) {
        guard let members = PeerMembers(text), let inquiry = inquiries[members.number],
            let message = PeerMessage<PeerAnswer>(members, to: inquiry.question),
            inquiry.answers[message.node] == nil
        else { return }
        inquiries[members.number]?.answers[message.node] = message.content
        inquiries[members.number]?.awaited.remove(message.node)
        if inquiries[members.number]?.awaited.isEmpty == true { finish(members.number) }
    }
}
