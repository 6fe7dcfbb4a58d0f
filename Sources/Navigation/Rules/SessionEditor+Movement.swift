internal import JSON

// The commands that move along paths: navigate, back, root, select.

extension SessionEditor {
    mutating func navigate(_ command: Navigate) throws(RejectionError) {
        let container = try container(command.target)
        try clear(over: container, command.clearing.sheets)
        try refuseDialog(container)
        let mode = command.mode ?? rules.app?.routes[command.route]?.mode ?? .push
        let screen = try admit(command, on: container, mode)
        if case .tab(let index) = container, command.selects { select(index) }
        try show(screen, on: container, mode: mode)
    }

    /// Checks the route and the params. Whether the route may be pushed is checked first, but where
    /// the mode may find the screen on the path or at the root, it need not be pushed.
    @inline(__always)
    private func admit(
        _ command: Navigate, on container: Container, _ mode: NavigationMode
    ) throws(RejectionError) -> AdmittedScreen {
        if rules.app != nil {
            let path = state[path: container]
            let mayBeThere =
                switch mode {
                case .push, .replace, .reset: false
                case .single: (path.last?.route ?? root(of: container).route) == command.route
                case .popTo, .toFront:
                    path.contains { $0.route == command.route }
                        || root(of: container).route == command.route
                }
            if mayBeThere {
                try checkDeclared(command.route, at: "/route")
            } else {
                let below =
                    switch mode {
                    case .push, .single, .popTo, .toFront: path.last?.route
                    case .replace: path.dropLast().last?.route
                    case .reset: RouteName?.none
                    }
                try checkEdge(command.route, on: below, of: container, at: "/route")
            }
        }
        let params = try admit(command.params, of: command.route, at: "")
        return AdmittedScreen(
            route: command.route, params: params, mark: command.mark, isLocked: command.isLocked)
    }

    /// Adds a screen to the path in the way the mode says.
    private mutating func show(
        _ screen: AdmittedScreen, on container: Container, mode: NavigationMode
    ) throws(RejectionError) {
        // The path is not kept in a variable, since a push would then copy it.
        switch mode {
        case .push:
            try push(screen, on: container)
        case .single:
            let depth = state[path: container].count
            try revisit(depth...depth, of: container, screen)
        case .popTo:
            try revisit(0...state[path: container].count, of: container, screen)
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

    /// Goes back to the nearest screen that is the same, and sets its params and its mark. Pushes a
    /// new one if there is none.
    ///
    /// - Parameter depths: the screens that are looked at; 0 is the root, 1 the first entry.
    private mutating func revisit(
        _ depths: ClosedRange<Int>, of container: Container, _ screen: AdmittedScreen
    ) throws(RejectionError) {
        let path = state[path: container]
        for depth in depths.reversed() {
            let there = depth > 0 ? path[depth - 1].screen : root(of: container)
            guard try isSame(there, as: screen, byRoute: true) else { continue }
            pop(path.count - depth, from: container)
            if depth == 0 { return try update(rootOf: container, screen) }
            return try update(path[depth - 1], screen)
        }
        try pushUnlessRefused(screen, on: container)
    }

    private mutating func moveToFront(
        _ screen: AdmittedScreen, on container: Container
    ) throws(RejectionError) {
        var path = state[path: container]
        if path.isEmpty, try isSame(root(of: container), as: screen) {
            return try update(rootOf: container, screen)
        }
        for index in path.indices.reversed()
        where try isSame(path[index].screen, as: screen) {
            let entry = path[index]
            if index != path.count - 1 {
                path.append(path.remove(at: index))
                try checkEdges(path.map { $0.route }, from: index, on: container)
                perform(.pathSet(path, of: container))
            }
            return try update(entry, screen)
        }
        try pushUnlessRefused(screen, on: container)
    }

    private mutating func pushUnlessRefused(
        _ screen: AdmittedScreen, on container: Container
    ) throws(RejectionError) {
        let below = state[path: container].last?.route
        try checkEdge(screen.route, on: below, of: container, at: "/route")
        try push(screen, on: container)
    }

    /// Gives the root of a tab or a sheet the params and the mark of a screen.
    private mutating func update(
        rootOf container: Container, _ screen: AdmittedScreen
    ) throws(RejectionError) {
        guard screen.isLocked == nil else {
            throw .invalidRequest([fault("/locked", "must be absent: a root cannot be locked")])
        }
        switch container {
        case .tab(let index):
            try setRoot(of: index, params: screen.params, mark: screen.mark)
        case .sheet(let index):
            try update(state.sheets[index].root, screen)
        }
    }
}

// MARK: - back

extension SessionEditor {
    mutating func back(_ command: Back, force: Bool) throws(RejectionError) {
        switch command {
        case .steps(let count, let within):
            try stepBack(count, within, force: force)
        case .to(.route(let route), let inclusive, let within):
            try back(toRoute: route, inclusive, within)
        case .to(.entry(let name), let inclusive, let within):
            guard let id = ScreenID(name) else { throw .entryNotFound(name) }
            try back(to: id, inclusive, within)
        case .to(.mark(let mark), let inclusive, let within):
            try back(toMark: mark, inclusive, within)
        }
    }

    /// Takes steps back until one would remove something locked.
    private mutating func stepBack(
        _ count: Int, _ within: Back.Within, force: Bool
    ) throws(RejectionError) {
        var left = count
        while left > 0 {
            let active = state.active
            let path = state[path: active]
            let free = force ? path.count : path.reversed().prefix { !$0.isLocked }.count
            if !path.isEmpty {
                pop(min(free, left), from: active)
                guard free > 0 else { return }
                left -= min(free, left)
                settleOrphans(keepsSheets: false)
                continue
            }
            guard within == .any, try leaveRoot(force: force) else { return }
            left -= 1
        }
    }

    /// Takes a step back from the root of the active container: dismisses the sheet, or goes to the
    /// previous tab. Returns false if that is not possible.
    private mutating func leaveRoot(force: Bool) throws(RejectionError) -> Bool {
        guard let sheet = state.sheets.last else { return selectPreviousTab() }
        guard sheet.dismissible || force else { return false }
        try press(nil, at: state.sheets.count - 1)
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
        guard root(of: active).route == route else { throw .entryNotFound(route.rawValue) }
        try back(toRootOf: active, inclusive, within)
    }

    /// Goes back to a screen anywhere, selects its tab and dismisses the sheets above it.
    private mutating func back(
        to id: ScreenID, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        switch id {
        case .entry(let id): try back(toEntry: id, inclusive, within)
        case .tab(let id):
            guard let index = state.tabIndex(id) else { throw .entryNotFound(id.rawValue) }
            try back(toRootOf: .tab(index), inclusive, within)
        }
    }

    private mutating func back(
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
        case .tab(let index):
            guard !inclusive else { throw .atRoot }
            try leaveSheets(over: container, within, for: state.tabs[index].id.rawValue)
        case .sheet(let index):
            let id = state.sheets[index].id.description
            try leaveSheets(over: container, within, for: id)
            if inclusive { return try leaveSheet(index, within) }
        }
        pop(state[path: container].count, from: container)
    }

    private mutating func leaveSheet(_ index: Int, _ within: Back.Within) throws(RejectionError) {
        guard within == .any else { throw .atRoot }
        dismissSheets(keeping: index)
    }

    /// Dismisses the sheets over a container and selects its tab, if `within` allows it.
    private mutating func leaveSheets(
        over container: Container, _ within: Back.Within, for name: String
    ) throws(RejectionError) {
        let kept = sheetsKept(by: container)
        guard within == .any || state.sheets.count <= kept else { throw .entryNotFound(name) }
        dismissSheets(keeping: kept)
        if case .tab(let index) = container { select(index) }
    }
}

// MARK: - root and select

extension SessionEditor {
    mutating func root(_ command: Root) throws(RejectionError) {
        if command.scope == .path { return popToRoot(state.active) }
        let selected = Container.tab(state.selected)
        try clear(over: selected, command.clearing.sheets ?? .dismiss)
        if command.scope == .tab { return popToRoot(selected) }
        for index in state.tabs.indices { popToRoot(.tab(index)) }
        resetRoots()
        selectFirstTab()
    }

    mutating func select(_ command: Select) throws(RejectionError) {
        let index = try tab(command.tab)
        try clear(over: .tab(index), command.clearing.sheets)
        let params = try command.params.map { params throws(RejectionError) in
            try admit(params, of: root(of: .tab(index)).route, at: "")
        }
        let wasSelected = state.selected == index
        select(index)
        if command.toRoot || (wasSelected && command.reselect == .popToRoot) {
            popToRoot(.tab(index))
        }
        try setRoot(of: index, params: params, mark: command.mark)
    }

    private mutating func popToRoot(_ container: Container) {
        pop(state[path: container].count, from: container)
    }
}

// MARK: - Marks, by which `back` finds screens

extension SessionEditor {
    /// Goes back to the nearest marked screen as if its id were named.
    private mutating func back(
        toMark mark: MarkName, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        guard let id = state.nearest(mark, within) else { throw .entryNotFound(mark.rawValue) }
        try back(to: id, inclusive, within)
    }
}

extension NavigationState {
    /// The id of the nearest screen with that mark, from the visible one downwards: the path of
    /// each sheet from the top, then the sheet itself, and finally the path of the selected tab and
    /// its root.
    fileprivate func nearest(_ mark: MarkName, _ within: Back.Within) -> ScreenID? {
        for sheet in sheets.reversed() {
            if let entry = sheet.path.last(where: { $0.mark == mark }) { return .entry(entry.id) }
            if sheet.mark == mark { return .entry(sheet.id) }
            // Everything further down is under this sheet, which would have to be dismissed.
            if within == .path { return nil }
        }
        let tab = tabs[selected]
        if let entry = tab.path.last(where: { $0.mark == mark }) { return .entry(entry.id) }
        return tab.root?.mark == mark ? .tab(tab.id) : nil
    }
}
