/// The reason why a valid command changed nothing.
package enum NoChange: String, Sendable {
    /// The path is empty already.
    case atRoot = "at-root"
    /// No sheet is presented.
    case noSheet = "no-sheet"
    /// The state is the one asked for.
    case alreadyThere = "already-there"
    /// The entry or sheet is shown with the same params.
    case sameEntry = "same-entry"
    /// The tab is selected and at its root.
    case alreadySelected = "already-selected"
    /// The top sheet says `dismissible: false`.
    case sheetLocked = "sheet-locked"
    case nothingToUndo = "nothing-to-undo"
    case nothingToRedo = "nothing-to-redo"
}

/// The result of a command.
package enum Decision: Equatable, Sendable {
    case nothing(Answer)
    /// The event, and the state that its changes lead to, so that they need not be applied again.
    case change(Event, Answer, state: NavigationState)

    /// The answer to the client.
    package var answer: Answer {
        switch self {
        case .nothing(let answer), .change(_, let answer, _): answer
        }
    }
}

/// The members of a response besides the session.
package struct Answer: Equatable, Sendable {
    /// The reason why nothing changed; nil if something did.
    package var reason: NoChange?
    /// The ids of new entries and sheets.
    package var added: [EntryID] = []
    /// The ids of entries and sheets that no longer exist.
    package var removed: [EntryID] = []
    /// The members that only some commands have.
    package var extra: Extra = .none

    /// The members that only some commands have.
    package enum Extra: Equatable, Sendable {
        case none
        /// Of `back`: the number of entries and sheets that were removed.
        case popped(Int)
        /// Of `undo`: the number of steps.
        case undone(Int)
        /// Of `redo`: the number of steps.
        case redone(Int)
        /// Of `batch`: the answer of each command.
        case results([Answer])
    }

    /// Whether the command changed something.
    package var changed: Bool { reason == nil }
}
