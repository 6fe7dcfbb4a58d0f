/// Why a command changed nothing, without being wrong.
package enum NoChange: String, Sendable {
    case atRoot = "at-root"
    case noSheet = "no-sheet"
    case alreadyThere = "already-there"
    case sameEntry = "same-entry"
    case alreadySelected = "already-selected"
    case sheetLocked = "sheet-locked"
    case nothingToUndo = "nothing-to-undo"
    case nothingToRedo = "nothing-to-redo"
}

/// What a command comes to.
package enum Decision: Equatable, Sendable {
    case nothing(Answer)
    case change(Event, Answer)

    package var answer: Answer {
        switch self {
        case .nothing(let answer), .change(_, let answer): answer
        }
    }
}

/// What the client is told besides the session.
package struct Answer: Equatable, Sendable {
    /// Why nothing changed; nil when something did.
    package var reason: NoChange?
    package var added: [EntryID] = []
    package var removed: [EntryID] = []
    package var extra: Extra = .none

    /// What some commands add.
    package enum Extra: Equatable, Sendable {
        case none
        /// Of `back`: the entries and sheets that went.
        case popped(Int)
        /// Of `undo`: the steps taken.
        case undone(Int)
        /// Of `redo`: the steps taken.
        case redone(Int)
        /// Of `batch`: each command's own answer.
        case results([Answer])
    }

    package var changed: Bool { reason == nil }
}
