// The way from tab to tab: the history of tabs, and steps back at the root of a tab.

extension SessionEditor {
    /// Selects a tab, unless it is selected already, and adds the one that is left to the history.
    mutating func select(_ tab: Int) {
        guard state.selected != tab else { return }
        let left = state.tabs[state.selected].id
        perform(.selected(tab: tab))
        guard tabBack == .history else { return }
        let now = state.tabs[state.selected].id
        setTabHistory(state.tabHistory.filter { $0 != left && $0 != now } + [left])
    }

    /// Selects the first tab and forgets the history of tabs.
    mutating func selectFirstTab() {
        let first = state.firstTab(rules.app, facts)
        if state.selected != first { perform(.selected(tab: first)) }
        setTabHistory([])
    }

    /// Selects the tab that `back` leads to from the root of a tab. Returns false if it leads to no
    /// tab.
    ///
    /// The history loses that tab and the newer ones, and does not gain the tab that is left.
    mutating func selectPreviousTab() -> Bool {
        guard let tab = state.previousTab(tabBack, rules.app, with: facts) else { return false }
        let id = state.tabs[tab].id
        let older = state.tabHistory.prefix { $0 != id }
        perform(.selected(tab: tab))
        setTabHistory(Array(older))
        return true
    }

    private mutating func setTabHistory(_ history: [TabID]) {
        if state.tabHistory != history { perform(.tabHistorySet(history)) }
    }

    /// The answer of `back` in addition to the ids: the tab, if a step led from tab to tab.
    ///
    /// - Parameter selected: the index of the tab that was selected before.
    @inline(__always)
    func extra(
        of back: Back, from selected: Int, removed: Int
    ) -> Answer.Extra {
        switch back {
        case .steps where selected != state.selected:
            .popped(removed, selected: state.tabs[state.selected].id)
        case .steps, .to:
            .popped(removed, selected: nil)
        }
    }
}
