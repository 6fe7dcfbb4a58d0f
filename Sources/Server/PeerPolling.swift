internal import Navigation

/// When the other servers that share the store are asked who is watching sessions: one question at
/// a time, about each session at most four times a second, and about a new one as soon as possible.
struct PeerPolling {
    private var isAwaitingAnswer = false
    /// When the next round begins.
    private var nextRound: Int64 = 0
    /// The sessions of the round that have not been asked about.
    private var rest: ArraySlice<SessionID> = []
    /// Sessions that clients have just begun to watch.
    private var new: [SessionID] = []

    private static let pauseMilliseconds: Int64 = 250
    /// The sessions of one question.
    private static let countMax = 250

    /// A client wants to know the watchers of one more session.
    mutating func add(_ id: SessionID) { new.append(id) }

    /// When to call `next`. Nil if there is nothing to ask, or before an answer has come.
    ///
    /// - Parameter isWanted: whether there are sessions to ask about.
    func time(whileWanted isWanted: Bool) -> Int64? {
        guard isWanted, !isAwaitingAnswer else { return nil }
        return new.isEmpty && rest.isEmpty ? nextRound : 0
    }

    /// The sessions of the next question. There are none if it is not time to ask.
    mutating func next(of ids: some Collection<SessionID>, at now: Int64) -> [SessionID] {
        guard let time = time(whileWanted: !ids.isEmpty), time <= now else { return [] }
        isAwaitingAnswer = true
        guard new.isEmpty else {
            let asked = Array(new.prefix(Self.countMax))
            new.removeFirst(asked.count)
            return asked
        }
        if rest.isEmpty {
            rest = Array(ids)[...]
            nextRound = now + Self.pauseMilliseconds
        }
        let asked = rest.prefix(Self.countMax)
        rest = rest.dropFirst(asked.count)
        return Array(asked)
    }

    /// The answer to the last question has come.
    mutating func answered() { isAwaitingAnswer = false }
}
