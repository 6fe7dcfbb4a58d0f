internal import Navigation

/// When the other servers that share the store are asked who is watching sessions: one question at
/// a time, and about each session at most four times a second.
struct PeerPolling {
    /// Whether there are other servers.
    let hasPeers: Bool
    /// Whether the other servers have not been asked about a session yet.
    var hasNew: Bool
    private var isAwaitingAnswer = false
    /// When the next round begins.
    private var nextRound: Int64 = 0
    /// The sessions of the round that have not been asked about.
    private var rest: ArraySlice<SessionID> = []

    private static let pauseMilliseconds: Int64 = 250
    /// The sessions of one question.
    private static let countMax = 1_000

    init(hasPeers: Bool = false) { (self.hasPeers, hasNew) = (hasPeers, hasPeers) }

    /// When to call `next`. Nil if there is nothing to ask, or before an answer has come.
    ///
    /// - Parameter isWanted: whether there are sessions to ask about.
    func time(whileWanted isWanted: Bool) -> Int64? {
        guard hasPeers, isWanted, !isAwaitingAnswer else { return nil }
        return hasNew || !rest.isEmpty ? 0 : nextRound
    }

    /// The sessions of the next question. There are none if it is not time to ask.
    mutating func next(of ids: some Collection<SessionID>, at now: Int64) -> [SessionID] {
        guard let time = time(whileWanted: !ids.isEmpty), time <= now else { return [] }
        if rest.isEmpty {
            rest = Array(ids)[...]
            nextRound = now + Self.pauseMilliseconds
            hasNew = false
        }
        let asked = rest.prefix(Self.countMax)
        rest = rest.dropFirst(asked.count)
        isAwaitingAnswer = true
        return Array(asked)
    }

    /// The answer to the last question has come.
    mutating func answered() { isAwaitingAnswer = false }
}
