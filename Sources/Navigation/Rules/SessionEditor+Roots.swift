// The root of a tab: its lowest entry, which has the id of the tab and cannot be removed.

extension App? {
    /// The root of a tab as the app declares it, or as it is in a free-form session: of a route
    /// with the name of the tab, without params.
    public func declaredRoot(of tab: TabID) -> Screen {
        self?.tab(tab)?.root ?? Screen(route: RouteName(trusted: tab.rawValue))
    }

    /// The root of a tab as it is shown.
    public func root(of tab: Tab) -> Screen { tab.root ?? declaredRoot(of: tab.id) }

    /// The visible screen.
    public func visibleScreen(of state: NavigationState) -> Screen {
        state.top?.screen ?? root(of: state.tabs[state.selected])
    }
}

extension SessionEditor {
    /// The root of a tab or a sheet.
    func root(of container: Container) -> Screen {
        switch container {
        case .tab(let index): rules.app.root(of: state.tabs[index])
        case .sheet(let index): state.sheets[index].screen
        }
    }

    /// Gives the root of a tab other params, a mark, or both.
    ///
    /// - Parameters:
    ///   - params: the params with the defaults, which were checked, or nil to leave them as they
    ///     are.
    ///   - mark: the mark, or nil to leave it unchanged.
    mutating func setRoot(
        of tab: Int, params: Params?, mark: MarkName?
    ) throws(RejectionError) {
        let old = rules.app.root(of: state.tabs[tab])
        var new = old.with(mark: mark, isLocked: nil)
        if let params, try !isSame(params, old.params) { new = new.with(params: params) }
        guard new !== old else { return }
        let declared = rules.app.declaredRoot(of: state.tabs[tab].id)
        var isDeclared = new.mark == nil
        if isDeclared { isDeclared = try isSame(new.params, declared.params) }
        perform(.rootSet(isDeclared ? nil : new, tab: tab))
    }

    /// Gives the root of a tab the params that a link has for it, if any.
    mutating func setRoot(of tab: Int, as goal: LinkGoal) throws(RejectionError) {
        let route = root(of: .tab(tab)).route
        guard let wanted = goal.roots.first(where: { $0.route == route }) else { return }
        try setRoot(of: tab, params: wanted.params, mark: nil)
    }

    /// Sets the root of each tab back to what the app declares.
    mutating func resetRoots() {
        for index in state.tabs.indices where state.tabs[index].root != nil {
            perform(.rootSet(nil, tab: index))
        }
    }
}
