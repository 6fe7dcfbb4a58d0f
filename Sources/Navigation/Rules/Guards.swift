// Guards: what may not remain under a guard that fails. No state of a session ever contains it, so
// only the changes of a command can have put something there.

extension SessionEditor {
    /// The first guard that fails and has something under it, if the command under way can have
    /// put it there.
    ///
    /// The guard of a link that is opened comes before those of its screens.
    @inline(__always)
    func violatedGuard() -> Guard? {
        if let failing = effects.failingLink { return failing }
        guard mayViolateGuards, let app = rules.app else { return nil }
        return state.firstViolation(app, facts)
    }

    /// Whether a change that is about to be made can put something under a guard that fails.
    func mayViolate(_ change: Change) -> Bool {
        guard rules.watchesGuards, let guards = rules.app?.guards else { return false }
        return switch change {
        // The selected tab is open: a change that has selected it may violate guards itself.
        case .pushed(let entry, .tab(let index)):
            fails(guards, entry.route) || (index != state.selected && fails(guards, tab: index))
        case .pushed(let entry, .sheet): fails(guards, entry.route)
        case .pathSet(let path, let container):
            path.contains { fails(guards, $0.route) } || fails(guards, container)
        case .presented(let sheet):
            fails(guards, sheet.route) || sheet.path.contains { fails(guards, $0.route) }
        case .selected(let tab): fails(guards, tab: tab)
        case .tabsSet, .stateSet: true
        case .popped, .screenSet, .rootSet, .sheetSet, .dismissed, .badgeSet, .tabHistorySet: false
        }
    }

    private func fails(_ guards: AppGuards, _ route: RouteName) -> Bool {
        guards.ofRoutes[route].map { !$0.holds(facts) } ?? false
    }

    private func fails(_ guards: AppGuards, _ container: Container) -> Bool {
        switch container {
        case .tab(let index): fails(guards, tab: index)
        case .sheet: false
        }
    }

    private func fails(_ guards: AppGuards, tab index: Int) -> Bool {
        guard !guards.ofTabs.isEmpty, state.tabs.indices.contains(index) else { return false }
        return guards.ofTabs[state.tabs[index].id].map { !$0.holds(facts) } ?? false
    }
}

extension NavigationState {
    /// The first guard that fails and has something under it: tabs in their order, each before its
    /// path from bottom to top, then the sheets from bottom to top, each before its path. A tab is
    /// under its guard if it is selected or has a path.
    public func firstViolation(_ app: App, _ facts: Facts) -> Guard? {
        let failing = app.failingGuards(facts)
        guard failing != 0 else { return nil }
        func found(_ candidate: GuardList?) -> Guard? { candidate?.first(of: failing) }
        func first(in path: [Entry]) -> Guard? {
            for entry in path {
                if let found = found(app.guards.ofRoutes[entry.route]) { return found }
            }
            return nil
        }
        for (index, tab) in tabs.enumerated() {
            let isUsed = index == selected || !tab.path.isEmpty
            if isUsed, let found = found(app.guards.ofTabs[tab.id]) { return found }
            if let found = first(in: tab.path) { return found }
        }
        for sheet in sheets {
            if let found = found(app.guards.ofRoutes[sheet.route]) { return found }
            if let found = first(in: sheet.path) { return found }
        }
        return nil
    }
}
