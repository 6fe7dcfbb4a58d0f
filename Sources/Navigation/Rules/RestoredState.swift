public import JSON

/// The state of a session as a client sent it for a restore.
public struct RestoredState: Sendable {
    /// The tabs and sheets, with ids for all entries.
    public var state: NavigationState
    /// The number of the session's next new entry afterwards.
    public var nextEntry: Int
    /// The parts that were removed because the app does not allow them.
    public var losses = Losses()
    /// Whether the app allows all of it.
    public var isWhole = true
    /// The facts. Before the state conforms to an app, they are those that the client sent.
    public var facts = Facts.none
    /// The command that a guard holds back.
    public var pending: PendingCommand?
    /// The parsed params of entries and sheets, without empty ones, so that they are not parsed
    /// again.
    var parsed: [ScreenID: JSONObject]
}

extension SessionEditor {
    /// Restores a state and settings.
    ///
    /// - Returns: nil if the session has that state and these settings already.
    public mutating func restore(
        _ restored: RestoredState, settings: SessionSettings, at: Milliseconds
    ) throws(WorkBudgetError) -> Answer? {
        let isSame = try restored.isSame(as: state, work: work)
        guard
            !isSame || settings != session.settings || restored.facts != facts
                || restored.pending != pending
        else { return nil }
        let (added, removed) = difference(state.ids, restored.state.ids)
        var answer = Answer(added: added, removed: removed)
        perform(.stateSet(restored.state))
        set(settings)
        if restored.facts != facts { set(restored.facts) }
        if restored.pending != pending {
            if let pending, restored.pending?.command != pending.command {
                answer.guarded.givenUp = pending.command
            }
            set(restored.pending)
        }
        setNextEntry(restored.nextEntry)
        endRevision(isSame ? .aside : .forward, at: at)
        return answer
    }

    /// Sets labels and time to live. Returns false if the session has these settings already.
    public mutating func update(_ settings: SessionSettings, at: Milliseconds) -> Bool {
        guard settings != session.settings else { return false }
        set(settings)
        endRevision(.aside, at: at)
        return true
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
                try isSame(tab.root, as: old.root, .tab(tab.id), work: work),
                try isSame(tab.path, as: old.path, work: work)
            else { return false }
        }
        for (sheet, old) in zip(state.sheets, other.sheets) {
            var bare = sheet
            (bare.screen, bare.path) = (old.screen, old.path)
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
            guard entry.id == old.id,
                try isSame(entry.screen, as: old.screen, .entry(entry.id), work: work)
            else { return false }
        }
        return true
    }

    private func isSame(
        _ screen: Screen?, as other: Screen?, _ id: ScreenID, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard let screen, let other else { return screen == nil && other == nil }
        guard screen.route == other.route, screen.mark == other.mark,
            screen.isLocked == other.isLocked
        else { return false }
        return try screen.params.isSame(as: other.params, parsed: parsed[id], work: work)
    }
}
