internal import NATS
internal import Navigation
internal import Sessions

/// News for the loop, until it asks.
final class EngineNews {
    private(set) var outcomes: [DecidedTicket] = []
    private(set) var changes: [StoreChange] = []
    /// The position after the changes that the loop has taken.
    private(set) var fedUpTo: FeedPosition
    /// The position after the changes that the feeds have told of.
    private(set) var toldUpTo: FeedPosition
    /// How many of the announced changes followed a gap.
    private(set) var gaps = 0
    private(set) var reports: [StoreReport] = []
    /// The steps of this node's changes as JSON, until the feed delivers the changes. They are
    /// computed again from the previous revision if they are missing.
    private var steps: [WriteID: [UInt8]] = [:]
    /// Writes with an unknown outcome whose steps are kept, because the feed may deliver them yet.
    private var unknown: [WriteID] = []
    /// Whether changes are announced: not while the node reads what was there before its start.
    var announces = false

    /// Whether the end of the link was reported; further attempts are not.
    private var linkIsGone = false

    private static let reportsMax = 100
    private static let unknownMax = 1_000

    /// - Parameter start: the position before all changes.
    init(from start: FeedPosition) { (fedUpTo, toldUpTo) = (start, start) }

    /// Whether there is something that the loop does not know.
    var isEmpty: Bool { outcomes.isEmpty && changes.isEmpty && reports.isEmpty }

    /// Keeps the steps of a change of this node.
    func note(steps: [UInt8], for writer: WriteID) { self.steps[writer] = steps }

    /// A change was decided.
    ///
    /// - Parameter isKept: whether the change is stored, so that the feed delivers it. The first of
    ///   several revisions is stored although its ticket is decided as a conflict.
    func decide(_ decided: DecidedTicket, of writer: WriteID, isKept: Bool) {
        outcomes.append(decided)
        guard !isKept, steps[writer] != nil else { return }
        guard decided.outcome == .unknown else { return steps[writer] = nil }
        unknown.append(writer)
        if unknown.count > Self.unknownMax { steps[unknown.removeFirst()] = nil }
    }

    /// The feed came to a change.
    func announce(_ change: StoreChange, of writer: WriteID) {
        toldUpTo.advance(to: change.sequence)
        guard announces else {
            return fedUpTo.advance(to: change.sequence)
        }
        let steps = steps.removeValue(forKey: writer)
        switch change {
        case .put(var put):
            if put.followsGap { gaps += 1 }
            if let steps, let details = put.details {
                put.details = SessionChange.Details(details.stored, steps: steps)
            }
            changes.append(.put(put))
        case .deleted(let deletion):
            changes.append(.deleted(deletion))
        }
    }

    /// The feed came to a change that is not announced.
    func pass(_ sequence: SequenceNumber) {
        toldUpTo.advance(to: sequence)
        fedUpTo.advance(to: sequence)
    }

    /// A server was reached.
    func linkReady() { linkIsGone = false }

    /// A link ended, or an attempt to reach a server failed.
    func linkClosed(_ failure: LinkFailure, _ server: ServerAddress?) {
        guard !linkIsGone else { return }
        linkIsGone = true
        let name = server.map { "\($0.host):\($0.port)" } ?? "no server"
        report(
            StoreReport(
                "the link to a server of the store is gone; others are tried",
                error: "\(name): \(failure)"))
    }

    /// Reports that something went wrong. At most 100 reports are kept.
    func report(_ report: StoreReport) {
        if reports.count < Self.reportsMax { reports.append(report) }
    }

    func takeOutcomes() -> [DecidedTicket] {
        defer { outcomes = [] }
        return outcomes
    }

    func takeChanges() -> [StoreChange] {
        defer { changes = [] }
        for change in changes { fedUpTo.advance(to: change.sequence) }
        return changes
    }

    func takeReports() -> [StoreReport] {
        defer { reports = [] }
        return reports
    }
}

extension StoreChange {
    /// The number of the change's record.
    fileprivate var sequence: SequenceNumber {
        switch self {
        case .put(let change): change.sequence
        case .deleted(let deletion): deletion.sequence
        }
    }
}
