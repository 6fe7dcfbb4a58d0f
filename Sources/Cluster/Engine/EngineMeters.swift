internal import Sessions

/// What an engine counts.
struct EngineMeters {
    /// The time from when a change was ready to be written to its outcome.
    private(set) var roundTrips = Histogram()
    /// The time from when the servers stored a message until the feed delivered it.
    private(set) var feedLag = Histogram()
    /// Changes that were decided as conflicts, because another change came first.
    private(set) var conflicts = 0
    /// Changes whose outcome stayed unknown.
    private(set) var unknown = 0
    /// Changes that were in doubt and are kept.
    private(set) var resolvedKept = 0
    /// Changes that were in doubt and are not kept.
    private(set) var resolvedNotKept = 0
    /// How often a server was reached.
    private(set) var links = 0
    /// Answers to questions that requests had for the servers.
    private(set) var answers = 0

    /// A change was decided.
    ///
    /// - Parameter milliseconds: how long it took.
    mutating func count(
        _ decision: ConditionalWrite.Decision, wasInDoubt: Bool, after milliseconds: Int64
    ) {
        roundTrips.add(milliseconds * 1_000_000)
        switch decision {
        case .kept: if wasInDoubt { resolvedKept += 1 }
        case .conflict:
            conflicts += 1
            if wasInDoubt { resolvedNotKept += 1 }
        case .refused: break
        case .unknown: unknown += 1
        }
    }

    /// The feed delivered a message. The clocks of the servers may differ from that of this node: a
    /// lag counts as an hour at most.
    mutating func countDelivery(lagMilliseconds: Int64) {
        feedLag.add(min(max(0, lagMilliseconds), 3_600_000) * 1_000_000)
    }

    /// A question was answered.
    mutating func countAnswer() { answers += 1 }

    /// A server was reached.
    mutating func countLink() { links += 1 }
}
