internal import NATS
internal import Navigation
internal import Sessions

/// What the loop has to be told, until it asks.
final class EngineNews {
    /// What a node adds to its own changes when the feed tells of them.
    struct Note {
        /// The steps of the change as JSON.
        var steps: [UInt8]?
        /// The name of the token with which a session was deleted.
        var author: TokenName?
    }

    /// What became of changes.
    private(set) var outcomes: [DecidedTicket] = []
    /// Changes to announce.
    private(set) var changes: [StoreChange] = []
    /// The number of the last change that was announced.
    private(set) var fedUpTo: SequenceNumber = 0
    /// What went wrong.
    private(set) var reports: [StoreReport] = []
    private var notes: [WriteID: Note] = [:]
    /// Whether changes are announced: not while the node reads what was there before its start.
    var announces = false

    /// Whether the end of the link was reported; further attempts are not.
    private var linkIsGone = false

    private static let reportsMax = 100

    /// Whether there is something that the loop does not know.
    var isEmpty: Bool { outcomes.isEmpty && changes.isEmpty && reports.isEmpty }

    /// Adds to a change of this node.
    func note(_ note: Note, for writer: WriteID) {
        if note.steps != nil || note.author != nil { notes[writer] = note }
    }

    /// A change was decided.
    ///
    /// - Parameter isKept: whether the change is stored, so that the feed delivers it. The first of
    ///   several revisions is stored although its ticket is decided as a conflict.
    func decide(_ decided: DecidedTicket, of writer: WriteID, isKept: Bool) {
        outcomes.append(decided)
        if !isKept { notes[writer] = nil }
    }

    /// The feed came to a change.
    func announce(_ change: StoreChange, of writer: WriteID) {
        guard announces else { return }
        let note = notes.removeValue(forKey: writer)
        switch change {
        case .put(var put):
            fedUpTo = put.sequence
            if let steps = note?.steps, let details = put.details {
                put.details = SessionChange.Details(details.stored, steps: steps)
            }
            changes.append(.put(put))
        case .deleted(var deletion):
            fedUpTo = deletion.sequence
            deletion.author = note?.author
            changes.append(.deleted(deletion))
        }
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
        return changes
    }

    func takeReports() -> [StoreReport] {
        defer { reports = [] }
        return reports
    }
}
