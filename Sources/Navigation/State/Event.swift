/// What happened to a session: one revision's worth of facts.
package struct Event: Equatable, Sendable {
    package var at: Milliseconds
    package var changes: [Change]
    /// Labels and time to live, where they changed.
    package var settings: SessionSettings?
    package var added: [EntryID]
    package var removed: [EntryID]
    package var nextEntry: Int
    package var step: Step

    package init(
        at: Milliseconds, changes: [Change], settings: SessionSettings? = nil,
        added: [EntryID] = [],
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

    /// How the event moves the session's undo and redo stacks.
    package enum Step: Equatable, Sendable {
        /// Something new, which undo can take back.
        case forward
        /// A change that is no step of undo: of settings, or by reconciling.
        case aside
        /// Back or forward by so many steps; `left` says how many more can be taken that way.
        case undo(count: Int, left: Int)
        case redo(count: Int, left: Int)
    }
}

extension Session {
    /// Applies an event. This cannot fail: an event that was decided once can always be applied again.
    ///
    /// - Parameter result: the state after the changes, if the caller has it from a decision.
    package mutating func apply(_ event: Event, resultingIn result: NavigationState? = nil) {
        if let result {
            state = result
        } else {
            for change in event.changes { state.apply(change) }
        }
        if let settings = event.settings { self.settings = settings }
        undoing.move(event.step, from: revision)
        revision += 1
        updatedAt = event.at
        nextEntry = event.nextEntry
    }
}
