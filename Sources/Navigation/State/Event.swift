package import JSON

/// What happened to a session in one revision.
package struct Event: Equatable, Sendable {
    /// The time of the change.
    package var at: Milliseconds
    /// The changes in the order in which they were made.
    package var changes: [Change]
    /// The new labels and time to live, or nil if they did not change.
    package var settings: SessionSettings?
    /// The new facts, or nil if they did not change.
    package var facts: Facts?
    /// The change of the pending command, or nil if it did not change.
    package var pending: PendingChange?
    /// The pending command that a restore or reconciliation gives up. An answer has that of a
    /// command.
    package var givenUp: JSONObject?
    /// The ids of new entries and sheets.
    package var added: [EntryID]
    /// The ids of entries and sheets that no longer exist.
    package var removed: [EntryID]
    /// How the event moves the undo and redo stacks.
    package var step: Step
    /// The number of the session's next new entry afterwards.
    package var nextEntry: Int

    /// The effect of an event on the undo and redo stacks.
    package enum Step: Equatable, Sendable {
        /// A new step, which undo can revert.
        case forward
        /// A change that undo does not revert: of settings, or by reconciliation.
        case aside
        /// Undo of a number of steps; `left` more can be undone.
        case undo(count: Int, left: Int)
        /// Redo of a number of steps; `left` more can be redone.
        case redo(count: Int, left: Int)
    }
}

extension Event {
    package init(
        at: Milliseconds, changes: [Change], settings: SessionSettings? = nil,
        added: [EntryID] = [],
        removed: [EntryID] = [], nextEntry: Int, step: Step = .forward
    ) {
        self.init(
            at: at, changes: changes, settings: settings, added: added, removed: removed,
            step: step, nextEntry: nextEntry)
    }
}

extension Session {
    /// Applies an event. This cannot fail: an event that was decided once can always be applied
    /// again.
    ///
    /// - Parameter result: the state after the changes, if the caller has it from a decision.
    package mutating func apply(_ event: Event, resultingIn result: NavigationState? = nil) {
        if let result {
            state = result
        } else {
            for change in event.changes { state.apply(change) }
        }
        if let settings = event.settings { self.settings = settings }
        if let facts = event.facts { self.facts = facts }
        switch event.pending {
        case .set(let command): pending = command
        case .dropped: pending = nil
        case nil: break
        }
        undoing.move(event.step, from: revision)
        revision += 1
        updatedAt = event.at
        nextEntry = event.nextEntry
    }
}
