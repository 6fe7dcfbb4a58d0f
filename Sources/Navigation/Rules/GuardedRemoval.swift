// After facts, the app or the whole state have changed, nothing may remain under a guard that
// fails.

extension NavigationState {
    /// The state without everything under a guard that fails, and what was removed. Nil if nothing
    /// has to be removed.
    ///
    /// An entry or a sheet is removed with everything above it: the rest of its path and the sheets
    /// over its container, which are over a tab only if it is selected. Whether a sheet is
    /// dismissible does not matter. A tab loses its path. If it is selected, its sheets are removed
    /// and the first tab is selected.
    public func removingGuarded(by app: App, _ facts: Facts) -> (
        state: NavigationState, dropped: [Dropped]
    )? {
        guard firstViolation(app, facts) != nil else { return nil }
        let failing = app.failingGuards(facts)
        func isGuarded(_ candidate: GuardList?) -> Bool { candidate?.first(of: failing) != nil }
        func unguardedCount(_ path: [Entry]) -> Int? {
            path.firstIndex { isGuarded(app.guards.ofRoutes[$0.route]) }
        }
        var open = self
        var gone: [Entry] = []
        for (index, tab) in tabs.enumerated() {
            if isGuarded(app.guards.ofTabs[tab.id]) {
                gone += open.truncate(.tab(index), keeping: 0)
            } else if let count = unguardedCount(tab.path) {
                gone += open.truncate(.tab(index), keeping: count)
            }
        }
        for (index, sheet) in sheets.enumerated() where index < open.sheets.count {
            if isGuarded(app.guards.ofRoutes[sheet.route]) {
                gone += open.dismiss(keeping: index)
            } else if let count = unguardedCount(sheet.path) {
                gone += open.truncate(.sheet(index), keeping: count)
            }
        }
        if isGuarded(app.guards.ofTabs[tabs[selected].id]) { open.selectFirstTab(app, facts) }
        let orphans = open.removeOrphans()
        return (
            open,
            gone.map { Dropped(id: .entry($0.id), route: $0.route, why: .guarded) } + orphans
        )
    }

    /// Removes sheets whose presenters are gone, with all above them.
    ///
    /// - Returns: what was removed, from bottom to top.
    mutating func removeOrphans() -> [Dropped] {
        guard let first = firstOrphan() else { return [] }
        return dismiss(keeping: first).map {
            Dropped(id: .entry($0.id), route: $0.route, why: .presenterGone)
        }
    }

    /// Removes an entry or a sheet with everything above it. Has no effect if it does not exist.
    mutating func remove(_ id: EntryID) {
        if let index = sheetIndex(id) {
            _ = dismiss(keeping: index)
        } else if let (container, index) = position(of: id) {
            _ = truncate(container, keeping: index)
        }
    }

    /// Selects the first tab.
    private mutating func selectFirstTab(_ app: App, _ facts: Facts) {
        let left = tabs[selected].id
        apply(.selected(tab: firstTab(app, facts)))
        guard app.tabBack == .history else { return }
        let now = tabs[selected].id
        tabHistory.removeAll { $0 == left || $0 == now }
        tabHistory.append(left)
    }

    /// Cuts a path, and dismisses the sheets over its container.
    ///
    /// - Returns: what was removed, from bottom to top.
    private mutating func truncate(_ container: Container, keeping count: Int) -> [Entry] {
        let gone = Array(self[path: container].dropFirst(count))
        self[path: container].removeLast(gone.count)
        return switch container {
        case .tab(let index): gone + (index == selected ? dismiss(keeping: 0) : [])
        case .sheet(let index): gone + dismiss(keeping: index + 1)
        }
    }

    private mutating func dismiss(keeping count: Int) -> [Entry] {
        let gone = sheets.dropFirst(count).flatMap { [$0.root] + $0.path }
        sheets.removeLast(max(sheets.count - count, 0))
        return gone
    }
}
