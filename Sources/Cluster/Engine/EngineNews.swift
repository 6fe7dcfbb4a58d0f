internal import Navigation
internal import Sessions

/// What the loop has to be told, until it asks.
struct EngineNews {
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

    private static let reportsMax = 100

    /// Whether there is something that the loop does not know.
    var isEmpty: Bool { outcomes.isEmpty && changes.isEmpty && reports.isEmpty }

    /// Adds to a change of this node.
    mutating func note(_ note: Note, for writer: WriteID) {
        if note.steps != nil || note.author != nil { notes[writer] = note }
    }

    /// A change was decided.
    ///
    /// - Parameter isKept: whether the feed comes to it. The first of several revisions is kept
    ///   although its ticket is decided as a conflict.
    mutating func decide(_ decided: DecidedTicket, of writer: WriteID, isKept: Bool) {
        outcomes.append(decided)
        if !isKept { notes[writer] = nil }
    }

    /// The feed came to a change.
    mutating func announce(_ change: StoreChange, of writer: WriteID) {
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

    /// Something went wrong. Only so many reports are kept.
    mutating func report(_ report: StoreReport) {
        if reports.count < Self.reportsMax { reports.append(report) }
    }

    mutating func takeOutcomes() -> [DecidedTicket] {
        defer { outcomes = [] }
        return outcomes
    }

    mutating func takeChanges() -> [StoreChange] {
        defer { changes = [] }
        return changes
    }

    mutating func takeReports() -> [StoreReport] {
        defer { reports = [] }
        return reports
    }
}
