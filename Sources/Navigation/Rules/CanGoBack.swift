// Whether it is possible to go back, and which tab a step back leads to from the root of a tab.

extension NavigationState {
    /// The index of the tab that a step back leads to from the root of the selected tab, if there
    /// is one. Hidden tabs and tabs under a guard that fails are passed over.
    func previousTab(_ tabBack: TabBack, _ app: App?, with facts: Facts) -> Int? {
        switch tabBack {
        case .stay:
            return nil
        case .first:
            let first = firstTab(app, facts)
            return first == selected ? nil : first
        case .history:
            for id in tabHistory.reversed() where app?.isOpen(id, facts) ?? true {
                if let index = tabIndex(id), !tabs[index].isHidden { return index }
            }
            return nil
        }
    }
}

extension Session {
    /// The effect of `back` on the root of a tab, by the app's declaration or by the one that a
    /// free-form session was created with.
    func tabBack(_ app: App?) -> TabBack { app?.tabBack ?? settings.tabBack }

    /// Whether `back` would change anything.
    ///
    /// - Parameter app: the app that the session is bound to.
    public func canGoBack(_ app: App?) -> Bool {
        if state.lockedTop != nil { return false }
        if !state.sheets.isEmpty || !state[path: state.active].isEmpty { return true }
        let tabBack = tabBack(app)
        return tabBack != .stay && state.previousTab(tabBack, app, with: facts) != nil
    }
}
