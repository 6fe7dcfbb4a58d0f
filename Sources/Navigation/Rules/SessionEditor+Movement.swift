internal import JSON

// The commands that move along paths: navigate, back, root, select.

extension SessionEditor {
    mutating func navigate(_ command: Navigate) throws(RejectionError) {
        let container = try container(command.target)
        try clear(over: container, command.sheets)
        let params = try admit(command.route, command.params, on: container)
        if case .tab(let index) = container { select(index) }
        let mode = command.mode ?? rules.app?.routes[command.route]?.mode ?? .push
        try show((command.route, params, command.mark), on: container, mode: mode)
    }

    /// Adds a screen to the path in the way the mode says.
    private mutating func show(
        _ screen: AdmittedScreen, on container: Container, mode: NavigationMode
    ) throws(RejectionError) {
        switch mode {
        case .push:
            try push(screen, on: container)
        case .single:
            let path = state[path: container]
            let isOnTop = path.last?.route == screen.route
            try revisit(isOnTop ? path.count - 1 : nil, of: container, screen)
        case .popTo:
            let index = state[path: container].lastIndex { $0.route == screen.route }
            try revisit(index, of: container, screen)
        case .toFront:
            try moveToFront(screen, on: container)
        case .replace:
            guard !state[path: container].isEmpty else { throw .atRoot }
            pop(1, from: container)
            try push(screen, on: container)
        case .reset:
            perform(.pathSet([newEntry(screen)], of: container))
        }
    }

    /// Goes back to the entry at an index and sets its params and its mark. Pushes a new one if the
    /// index is nil.
    private mutating func revisit(
        _ index: Int?, of container: Container, _ screen: AdmittedScreen
    ) throws(RejectionError) {
        guard let index else { return try push(screen, on: container) }
        let path = state[path: container]
        pop(path.count - index - 1, from: container)
        try update(path[index], screen.params, mark: screen.mark)
    }

    private mutating func moveToFront(
        _ screen: AdmittedScreen, on container: Container
    ) throws(RejectionError) {
        var path = state[path: container]
        guard let found = try lastIndex(of: screen.route, screen.params, in: path) else {
            return try push(screen, on: container)
        }
        let entry = path[found]
        if found != path.count - 1 {
            path.append(path.remove(at: found))
            perform(.pathSet(path, of: container))
        }
        mark(entry, as: screen.mark)
    }

    private func lastIndex(
        of route: RouteName, _ params: Params, in path: [Entry]
    ) throws(RejectionError) -> Int? {
        let wanted = params.object
        for (index, entry) in path.enumerated().reversed() where entry.route == route {
            let isSame = try within { () throws(WorkBudgetError) in
                try params.isSame(as: entry.params, parsed: wanted, work: work)
            }
            if isSame { return index }
        }
        return nil
    }
}

// MARK: - back

extension SessionEditor {
    mutating func back(_ command: Back) throws(RejectionError) {
        switch command {
        case .steps(let count, let within):
            stepBack(count, within)
        case .to(.route(let route), let inclusive, let within):
            try back(toRoute: route, inclusive, within)
        case .to(.entry(let name), let inclusive, let within):
            guard let id = EntryID(name) else { throw .entryNotFound(name) }
            try back(toEntry: id, inclusive, within)
        case .to(.mark(let mark), let inclusive, let within):
            try back(toMark: mark, inclusive, within)
        }
    }

    private mutating func stepBack(_ count: Int, _ within: Back.Within) {
        var left = count
        while left > 0 {
            let active = state.active
            let depth = state[path: active].count
            if depth > 0 {
                pop(min(depth, left), from: active)
                left -= min(depth, left)
                continue
            }
            guard within == .any, leaveRoot() else { return }
            left -= 1
        }
    }

    /// Takes a step back from the root of the active container: dismisses the sheet, or goes to the
    /// previous tab. Returns false if that is not possible.
    private mutating func leaveRoot() -> Bool {
        guard let sheet = state.sheets.last else { return selectPreviousTab() }
        guard sheet.dismissible else { return false }
        dismissSheets(keeping: state.sheets.count - 1)
        return true
    }

    /// Searches the active container only: its path from the top, then its root.
    private mutating func back(
        toRoute route: RouteName, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        let active = state.active
        let path = state[path: active]
        if let index = path.lastIndex(where: { $0.route == route }) {
            return pop(path.count - index - (inclusive ? 0 : 1), from: active)
        }
        guard rootRoute(of: active) == route else { throw .entryNotFound(route.rawValue) }
        try back(toRootOf: active, inclusive, within)
    }

    /// Searches everywhere, selects the entry's tab and dismisses the sheets above it.
    mutating func back(
        toEntry id: EntryID, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        if let sheet = state.sheetIndex(id) {
            return try back(toRootOf: .sheet(sheet), inclusive, within)
        }
        guard let (container, index) = state.position(of: id) else {
            throw .entryNotFound(id.description)
        }
        try leaveSheets(over: container, within, for: id.description)
        let depth = state[path: container].count
        pop(depth - index - (inclusive ? 0 : 1), from: container)
    }

    private mutating func back(
        toRootOf container: Container, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        switch container {
        case .tab:
            guard !inclusive else { throw .atRoot }
        case .sheet(let index):
            let id = state.sheets[index].id.description
            try leaveSheets(over: container, within, for: id)
            if inclusive { return try leaveSheet(index, within) }
        }
        pop(state[path: container].count, from: container)
    }

    private mutating func leaveSheet(_ index: Int, _ within: Back.Within) throws(RejectionError) {
        let sheet = state.sheets[index]
        guard within == .any else { throw .atRoot }
        guard sheet.dismissible else { throw .sheetLocked(sheet.id) }
        dismissSheets(keeping: index)
    }

    /// Dismisses the sheets over a container and selects its tab, if `within` allows it.
    private mutating func leaveSheets(
        over container: Container, _ within: Back.Within, for name: String
    ) throws(RejectionError) {
        let kept = sheetsKept(by: container)
        guard within == .any || state.sheets.count <= kept else { throw .entryNotFound(name) }
        if let locked = state.sheets.dropFirst(kept).last(where: { !$0.dismissible }) {
            throw .sheetLocked(locked.id)
        }
        dismissSheets(keeping: kept)
        if case .tab(let index) = container { select(index) }
    }

    private func rootRoute(of container: Container) -> RouteName {
        switch container {
        case .tab(let index): rules.app.root(of: state.tabs[index].id)
        case .sheet(let index): state.sheets[index].route
        }
    }
}

// MARK: - root and select

extension SessionEditor {
    mutating func root(_ scope: RootScope) {
        switch scope {
        case .path:
            popToRoot(state.active)
        case .tab:
            dismissSheets(keeping: 0)
            popToRoot(.tab(state.selected))
        case .all:
            dismissSheets(keeping: 0)
            for index in state.tabs.indices { popToRoot(.tab(index)) }
            selectFirstTab()
        }
    }

    mutating func select(_ command: Select) throws(RejectionError) {
        let index = try tab(command.tab)
        try clear(over: .tab(index), command.sheets)
        if state.selected != index {
            select(index)
        } else if command.reselect == .popToRoot {
            popToRoot(.tab(index))
        }
    }

    private mutating func popToRoot(_ container: Container) {
        pop(state[path: container].count, from: container)
    }
}

// MARK: - Marks, by which `back` finds entries and sheets

extension SessionEditor {
    /// Marks an existing entry or sheet, or leaves its mark unchanged if `mark` is nil.
    mutating func mark(_ entry: Entry, as mark: MarkName?) {
        guard let mark, entry.mark != mark else { return }
        let marked = Screen(route: entry.route, params: entry.params, mark: mark)
        perform(.screenSet(marked, of: entry.id))
    }

    /// Goes back to the nearest marked screen as if its id were named.
    mutating func back(
        toMark mark: MarkName, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        guard let id = state.nearest(mark, within) else { throw .entryNotFound(mark.rawValue) }
        try back(toEntry: id, inclusive, within)
    }
}

extension NavigationState {
    /// The id of the nearest screen with that mark, from the visible one downwards: the path of
    /// each sheet from the top, then the sheet itself, and finally the path of the selected tab.
    fileprivate func nearest(_ mark: MarkName, _ within: Back.Within) -> EntryID? {
        for sheet in sheets.reversed() {
            if let entry = sheet.path.last(where: { $0.mark == mark }) { return entry.id }
            if sheet.mark == mark { return sheet.id }
            // Everything further down is under this sheet, which would have to be dismissed.
            if within == .path { return nil }
        }
        return tabs[selected].path.last { $0.mark == mark }?.id
    }
}
