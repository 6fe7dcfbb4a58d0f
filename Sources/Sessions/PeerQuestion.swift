internal import Bytes
public import Navigation

// Questions of servers that share a store: streams belong to the server that they are open
// at, and nothing about them is stored.

/// A question to the other servers that share the store.
public enum PeerQuestion: Hashable, Sendable {
    /// Who is watching sessions.
    case watchers([SessionID])
    /// How many watchers sessions have.
    case watcherCounts([SessionID])
    /// Whether any stream is such a display. It then shows that revision.
    case shown(DisplayReport)
    /// How many streams of each session it was told to. They are told it by the question.
    case signal(Signal)
}

/// The answer of one server, or of several together.
public struct PeerAnswer: Equatable, Sendable {
    /// The watchers of each session that the question names, the oldest first.
    public var watchers: [[Watcher]] = []
    /// The numbers of watchers of each session that the question names, or of those that were told
    /// a signal.
    public var counts: [Int] = []
    /// Whether there is such a display.
    public var hasDisplay = false
    /// Whether all servers have answered.
    public var isWhole = true

    public init() {}

    /// The answer of no server.
    public init(to question: PeerQuestion) {
        switch question {
        case .watchers(let ids): watchers = ids.map { _ in [] }
        case .watcherCounts(let ids): counts = ids.map { _ in 0 }
        case .signal(let signal): counts = signal.sessions.map { _ in 0 }
        case .shown: break
        }
    }

    /// Adds what another server has answered to the same question.
    public mutating func add(_ other: PeerAnswer) {
        for (index, list) in other.watchers.enumerated() where index < watchers.count {
            watchers[index] = watchers[index].joined(with: list)
        }
        for (index, count) in other.counts.enumerated() where index < counts.count {
            counts[index] += count
        }
        hasDisplay = hasDisplay || other.hasDisplay
        isWhole = isWhole && other.isWhole
    }
}

/// The answers of other servers to a question.
public struct PeerRound: Equatable, Sendable {
    /// The question.
    public var question: PeerQuestion
    /// The answers by the numbers of the servers. Some may have none.
    public var answers: [UInt64: PeerAnswer]

    public init(_ question: PeerQuestion, _ answers: [UInt64: PeerAnswer]) {
        self.question = question
        self.answers = answers
    }
}

extension [Watcher] {
    /// The watchers of both lists, the oldest first.
    public func joined(with others: [Watcher]) -> [Watcher] {
        guard !others.isEmpty else { return self }
        return (self + others).sorted { a, b in
            let (nameA, nameB) = (a.name?.rawValue ?? "", b.name?.rawValue ?? "")
            guard a.since == b.since, nameA == nameB else {
                return a.since == b.since ? nameA < nameB : a.since < b.since
            }
            return (a.shown ?? 0) < (b.shown ?? 0)
        }
    }
}
