internal import NATS
internal import Navigation
internal import Sessions

/// The questions that this node has asked the others, and what it answers to theirs.
///
/// Answers that are not there after half a second are not waited for: the node that owes one has
/// ended, or its clients cannot rely on it either.
struct PeerQuestions {
    /// Who wants to know the answer.
    enum Asker {
        /// A request, or none if it is the loop.
        case request(LoadedItems)
        case loop
    }

    /// What to send to a node, or to all of them.
    struct Outgoing {
        /// Nil for all nodes.
        let node: UInt64?
        let text: [UInt8]
    }

    private struct Inquiry {
        let question: PeerQuestion
        let asker: Asker
        var answer: PeerAnswer
        /// The nodes that have not answered.
        var silent: Set<UInt64>
        /// The nodes that have answered.
        var heard: Set<UInt64> = []
        let deadline: Int64
    }

    /// The subscription of what other nodes say to this one only.
    static let subscription = SubscriptionID(3)

    private let node: UInt64
    private var inquiries: [Int: Inquiry] = [:]
    private var lastNumber = 0
    private var finished: [LoadedItems] = []
    private var answers: [(question: PeerQuestion, answer: PeerAnswer)] = []
    /// Answers the questions of other nodes.
    var respond: (PeerQuestion) -> PeerAnswer = { PeerAnswer(to: $0) }

    private static let patienceMilliseconds: Int64 = 500

    init(node: UInt64) { self.node = node }

    /// Whether `takeFinished` or `takeAnswers` has something.
    var hasFinished: Bool { !finished.isEmpty || !answers.isEmpty }

    /// When to call `expired`.
    var deadline: Int64 { inquiries.values.reduce(Int64.max) { min($0, $1.deadline) } }

    /// The requests whose questions have been answered since the last call.
    mutating func takeFinished() -> [LoadedItems] {
        defer { finished = [] }
        return finished
    }

    /// The answers to the loop's questions since the last call.
    mutating func takeAnswers() -> [(question: PeerQuestion, answer: PeerAnswer)] {
        defer { answers = [] }
        return answers
    }

    // MARK: Asking

    /// Asks all other nodes.
    ///
    /// - Parameter peers: the nodes whose answers are waited for.
    mutating func ask(
        _ question: PeerQuestion, for asker: Asker, of peers: [UInt64], at now: Int64
    ) -> Outgoing {
        lastNumber += 1
        inquiries[lastNumber] = Inquiry(
            question: question, asker: asker, answer: PeerAnswer(to: question),
            silent: Set(peers), deadline: now + Self.patienceMilliseconds)
        let message = PeerMessage(node: node, number: lastNumber, content: question)
        return Outgoing(node: nil, text: message.text)
    }

    /// Gives up what has waited too long.
    mutating func expired(at now: Int64) {
        for (number, inquiry) in inquiries where inquiry.deadline <= now { finish(number) }
    }

    private mutating func finish(_ number: Int) {
        guard let inquiry = inquiries.removeValue(forKey: number) else { return }
        switch inquiry.asker {
        case .request(var loaded):
            loaded.peers[inquiry.question] = inquiry.answer
            finished.append(loaded)
        case .loop: answers.append((inquiry.question, inquiry.answer))
        }
    }

    // MARK: Hearing

    /// Another node has asked all of them something.
    ///
    /// - Returns: the answer to send. Nil if it is not a question, or this node's own.
    func asked(_ text: ArraySlice<UInt8>) -> Outgoing? {
        guard let message = PeerMessage<PeerQuestion>(text), message.node != node else {
            return nil
        }
        let answer = PeerMessage(
            node: node, number: message.number, content: respond(message.content))
        return Outgoing(node: message.node, text: answer.text(answering: message.content))
    }

    /// Another node has answered this one. Anything but an answer that is waited for is ignored.
    mutating func answered(_ text: ArraySlice<UInt8>) {
        guard let number = PeerMessage<PeerAnswer>.number(of: text),
            var inquiry = inquiries[number],
            let message = PeerMessage<PeerAnswer>(text, to: inquiry.question),
            inquiry.heard.insert(message.node).inserted
        else { return }
        inquiry.answer.add(message.content)
        inquiry.silent.remove(message.node)
        inquiries[number] = inquiry
        if inquiry.silent.isEmpty { finish(number) }
    }
}
