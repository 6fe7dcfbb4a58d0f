package import JSON

/// A session's state as a client sent it.
package struct RestoredState: Sendable {
    package var state: NavigationState
    /// The session's counter after it.
    package var nextEntry: Int
    /// What the app does not allow.
    package var dropped: [Dropped] = []
    /// The params of entries and sheets as they were parsed, without the empty ones.
    var parsed: [EntryID: JSONObject]
}

extension Session {
    /// The event of a restore; nil if everything is as it was.
    package func restoring(
        _ restored: RestoredState, settings: SessionSettings, at: Milliseconds, work: WorkBudget
    ) throws(WorkBudgetError) -> Event? {
        let isSame = try restored.isSame(as: state, work)
        guard !isSame || settings != self.settings else { return nil }
        let (added, removed) = difference(state.ids, restored.state.ids)
        return Event(
            at: at, changes: [.stateSet(restored.state)], settings: settings, added: added,
            removed: removed, nextEntry: restored.nextEntry, step: isSame ? .aside : .forward)
    }
}

extension RestoredState {
    /// What `==` says of the states, with the parsing that it may take counted.
    fileprivate func isSame(
        as other: NavigationState, _ work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard state.selected == other.selected, state.tabs.count == other.tabs.count,
            state.sheets.count == other.sheets.count
        else { return false }
        for (tab, old) in zip(state.tabs, other.tabs) {
            guard tab.id == old.id, tab.badge == old.badge, try isSame(tab.path, old.path, work)
            else { return false }
        }
        for (sheet, old) in zip(state.sheets, other.sheets) {
            var bare = sheet
            (bare.params, bare.path) = (old.params, old.path)
            guard bare == old,
                try isSame([sheet.root] + sheet.path, [old.root] + old.path, work)
            else { return false }
        }
        return true
    }

    private func isSame(
        _ path: [Entry], _ other: [Entry], _ work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard path.count == other.count else { return false }
        for (entry, old) in zip(path, other) {
            guard entry.id == old.id, entry.route == old.route,
                try entry.params.isSame(as: old.params, parsed: parsed[entry.id], work: work)
            else { return false }
        }
        return true
    }
}
