public import JSON

/// An item in a list of routes: the name of a route, or of a group as `@name`.
public struct RouteSelector: Hashable, Sendable {
    /// The name of the route or the group.
    public let name: RouteName
    /// Whether it stands for the routes of a group.
    public let isGroup: Bool

    /// Takes the text of a list. Returns nil for text that names neither a route nor a group.
    public init?(_ text: String) {
        isGroup = text.utf8.first == UInt8(ascii: "@")
        guard let name = RouteName(isGroup ? String(text.unicodeScalars.dropFirst()) : text)
        else { return nil }
        self.name = name
    }

    /// The text of the item.
    public var text: String { isGroup ? "@" + name.rawValue : name.rawValue }
}

/// The routes that a token may show, as they are when they are used.
public final class AllowedRoutes: Sendable {
    /// The routes in the order of the list, those of a group in the order of their declaration.
    public let names: [RouteName]
    private let all: Set<RouteName>
    /// Whether the roots of tabs have to be allowed, too. Those of a new session need not be.
    fileprivate let judgesRoots: Bool

    /// Resolves the groups of a list.
    ///
    /// - Parameter app: the app of the session, or nil for a free-form session: it has no groups.
    public init(
        _ list: [RouteSelector], in app: App?, judgesRoots: Bool = true, work: WorkBudget
    ) throws(WorkBudgetError) {
        self.judgesRoots = judgesRoots
        var (names, all): ([RouteName], Set<RouteName>) = ([], [])
        func add(_ name: RouteName) { if all.insert(name).inserted { names.append(name) } }
        for item in list {
            try work.spend(.entries(1))
            guard item.isGroup else {
                add(item.name)
                continue
            }
            guard let app, let group = app.names.groups[item.name] else { continue }
            try work.spend(.entries(app.routeOrder.count))
            for name in app.routeOrder where group.contains(name) { add(name) }
        }
        (self.names, self.all) = (names, all)
    }

    /// Whether the route may be shown.
    public func contains(_ route: RouteName) -> Bool { all.contains(route) }
}

extension App {
    /// Whether a list of routes may have the item: a group of the app, or a route that its sessions
    /// can show, declared or not.
    public func knows(_ item: RouteSelector) -> Bool {
        if item.isGroup { return names.groups[item.name] != nil }
        return routes[item.name] != nil || tabs.contains { $0.root.route == item.name }
            || Self.undeclaredDialogs.contains(item.name)
    }

    /// The routes of dialogs that name none.
    private static let undeclaredDialogs: [RouteName] = [
        RouteName(trusted: "alert"), RouteName(trusted: "confirmationDialog"),
    ]

    /// The routes and groups whose names are similar to that of an item.
    public func near(_ item: RouteSelector, work: WorkBudget) -> [String] {
        guard item.isGroup else {
            let known = routeOrder.lazy.map { $0.rawValue }
            return Spelling.near(item.name.rawValue, among: known, work: work)
        }
        let known = names.groups.keys.sorted().map { "@" + $0.rawValue }
        return Spelling.near(item.text, among: known, work: work)
    }
}

// MARK: - The rule

extension SessionEditor {
    /// Refuses a command of a token that may show some routes only, if it would show another one.
    ///
    /// The state that results decides, whatever the command is. Screens that were there are not
    /// asked, also if they become visible because others are taken away. `setFacts` brings only
    /// what the app and an earlier command bring.
    ///
    /// - Parameter count: the number of changes before the command.
    func checkRoutes(
        shownBy command: Command, since count: Int
    ) throws(RejectionError) {
        guard let allowed = rules.routes, changeCount > count, command.name != .setFacts
        else { return }
        let before = state(after: count)
        try within { () throws(WorkBudgetError) in
            try work.spend(.entries(4 * (before.ids.count + state.ids.count)))
        }
        if let route = state.firstShown(since: before, outside: allowed, rules.app) {
            throw .routeNotPermitted(route, allowed: allowed.names)
        }
    }
}

extension NavigationState {
    /// The first screen whose route is not allowed and that an earlier state did not show where it
    /// is now: those of the tabs, then the sheets, then what is on them. If another tab was
    /// selected, the screen on top of it counts as shown, also beneath sheets.
    fileprivate func firstShown(
        since before: NavigationState, outside allowed: AllowedRoutes, _ app: App?
    ) -> RouteName? {
        for tab in tabs {
            let old = before.tabIndex(tab.id).map { before.tabs[$0] }
            if allowed.judgesRoots, let root = tab.root, !root.shows(old?.root),
                !allowed.contains(root.route)
            {
                return root.route
            }
            let path = old?.path ?? []
            if let found = tab.path.firstNew(since: path, outside: allowed) { return found }
        }
        if allowed.judgesRoots, selectedID != before.selectedID {
            let route = tabs[selected].path.last?.route ?? app.root(of: tabs[selected]).route
            if !allowed.contains(route) { return route }
        }
        let roots = before.sheets.map { $0.root }
        if let found = sheets.map({ $0.root }).firstNew(since: roots, outside: allowed) {
            return found
        }
        for sheet in sheets {
            let old = before.sheetIndex(sheet.id).map { before.sheets[$0].path } ?? []
            if let found = sheet.path.firstNew(since: old, outside: allowed) { return found }
        }
        return nil
    }

    /// The first screen whose route is not allowed: of the paths, then of the sheets.
    public func firstScreen(outside allowed: AllowedRoutes) -> RouteName? {
        func first(in path: [Entry]) -> RouteName? {
            path.first { !allowed.contains($0.route) }?.route
        }
        for tab in tabs { if let found = first(in: tab.path) { return found } }
        for sheet in sheets {
            if let found = first(in: [sheet.root]) ?? first(in: sheet.path) { return found }
        }
        return nil
    }
}

extension [Entry] {
    /// The first entry whose route is not allowed and that is new on the path, has other params or
    /// another mark, or was moved up.
    fileprivate func firstNew(since old: [Entry], outside allowed: AllowedRoutes) -> RouteName? {
        let kept = zip(self, old).prefix { $0.shows($1) }.count
        guard kept < count else { return nil }
        var places: [EntryID: Int] = [:]
        for (index, entry) in old.enumerated().dropFirst(kept) { places[entry.id] = index }
        var next = kept
        for entry in dropFirst(kept) {
            if let place = places[entry.id], place >= next, entry.shows(old[place]) {
                next = place + 1
            } else if !allowed.contains(entry.route) {
                return entry.route
            }
        }
        return nil
    }
}

extension Entry {
    /// Whether it is the same entry with the same params and mark.
    fileprivate func shows(_ other: Entry) -> Bool {
        id == other.id && screen.shows(other.screen)
    }
}

extension Screen {
    /// Whether both have the same route, params and mark, which are compared as text.
    fileprivate func shows(_ other: Screen?) -> Bool {
        guard let other else { return false }
        return self === other
            || (route == other.route && mark == other.mark && params.text == other.params.text)
    }
}
