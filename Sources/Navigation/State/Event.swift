/// What happened to a session: one revision's worth of facts.
package struct Event: Equatable, Sendable {
    package var at: Milliseconds
    package var changes: [Change]
    /// Labels and time to live, where they changed.
    package var settings: Settings?
    package var added: [EntryID]
    package var removed: [EntryID]
    package var nextEntry: Int
    package var step: Step

    package init(
        at: Milliseconds, changes: [Change], settings: Settings? = nil, added: [EntryID] = [],
        removed: [EntryID] = [], nextEntry: Int, step: Step = .forward
    ) {
        self.at = at
        self.changes = changes
        self.settings = settings
        self.added = added
        self.removed = removed
        self.nextEntry = nextEntry
        self.step = step
    }

    /// How the event moves the session on its line of undo and redo.
    package enum Step: Equatable, Sendable {
        /// Something new, which undo can take back.
        case forward
        /// Back or forward again: now at the navigation of the revision `cursor`.
        case undo(cursor: Int, count: Int)
        case redo(cursor: Int, count: Int)
        /// The navigation is as before; there is nothing for undo to take back.
        case aside
    }
}

extension Session {
    /// Cannot fail: whatever was decided once can be applied again.
    package mutating func apply(_ event: Event) {
        for change in event.changes { state.apply(change) }
        if let settings = event.settings { self.settings = settings }
        revision += 1
        updatedAt = event.at
        nextEntry = event.nextEntry
        undoing.move(event.step, to: revision)
    }
}

extension Undoing {
    fileprivate mutating func move(_ step: Event.Step, to revision: Int) {
        switch step {
        case .forward:
            cursor = revision
            tip = revision
            undos = min(undos + 1, Undoing.undosMax)
        case .undo(let earlier, let count):
            cursor = earlier
            undos = max(undos - count, 0)
        case .redo(let later, let count):
            cursor = later
            undos = min(undos + count, Undoing.undosMax)
        case .aside:
            tip = cursor
        }
    }
}
