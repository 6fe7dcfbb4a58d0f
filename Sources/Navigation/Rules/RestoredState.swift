package import JSON

/// The state of a session as a client sent it for a restore.
package struct RestoredState: Sendable {
    /// The tabs and sheets, with ids for all entries.
    package var state: NavigationState
    /// The number of the session's next new entry afterwards.
    package var nextEntry: Int
    /// What was removed because the app does not allow it.
    package var losses = Losses()
    /// Whether the app allows all of it.
    package var isWhole = true
    /// The facts. Before the state conforms to an app, they are those that the client sent.
    package var facts = Facts.none
    /// The command that a guard holds back.
    package var pending: PendingCommand?
    /// The parsed params of entries and sheets, without empty ones, so that they are not parsed
    /// again.
    var parsed: [EntryID: JSONObject]
}

extension Session {
    /// The event of a restore, or nil if the session has that state and these settings already.
    package func restoring(
        _ restored: RestoredState, settings: SessionSettings, at: Milliseconds, work: WorkBudget
    ) throws(WorkBudgetError) -> Event? {
        let isSame = try restored.isSame(as: state, work: work)
        guard
            !isSame || settings != self.settings || restored.facts != facts
                || restored.pending != pending
        else { return nil }
        let (added, removed) = difference(state.ids, restored.state.ids)
        var event = Event(
            at: at, changes: [.stateSet(restored.state)], settings: settings, added: added,
            removed: removed, nextEntry: restored.nextEntry, step: isSame ? .aside : .forward)
        if restored.facts != facts { event.facts = restored.facts }
        if restored.pending != pending {
            event.pending = restored.pending.map(PendingChange.set) ?? .dropped
            if restored.pending?.command != pending?.command { event.givenUp = pending?.command }
        }
        return event
    }
}

extension RestoredState {
    /// Whether the states are equal. Does what `==` does, but charges the parsing to the budget.
    fileprivate func isSame(
        as other: NavigationState, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard state.selected == other.selected, state.tabs.count == other.tabs.count,
            state.sheets.count == other.sheets.count, state.tabHistory == other.tabHistory,
            state.hasOwnOrder == other.hasOwnOrder
        else { return false }
        for (tab, old) in zip(state.tabs, other.tabs) {
            guard tab.id == old.id, tab.badge == old.badge, tab.isHidden == old.isHidden,
                try isSame(tab.path, as: old.path, work: work)
            else { return false }
        }
        for (sheet, old) in zip(state.sheets, other.sheets) {
            var bare = sheet
            (bare.params, bare.path) = (old.params, old.path)
            guard bare == old,
                try isSame(
                    [sheet.root] + sheet.path, as: [old.root] + old.path, work: work)
            else { return false }
        }
        return true
    }

    private func isSame(
        _ path: [Entry], as other: [Entry], work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard path.count == other.count else { return false }
        for (entry, old) in zip(path, other) {
            guard entry.id == old.id, entry.route == old.route, entry.mark == old.mark,
                try entry.params.isSame(as: old.params, parsed: parsed[entry.id], work: work)
            else { return false }
        }
        return true
    }
}
