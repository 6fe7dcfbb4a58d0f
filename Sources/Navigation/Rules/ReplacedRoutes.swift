internal import JSON

/// A screen that has another route, because the app has replaced its route.
public struct Moved: Equatable, Sendable {
    /// The id of the entry or sheet, or of the tab for a root.
    public var id: ScreenID
    /// The route that the screen had.
    public var from: RouteName
    /// The route that it has now.
    public var route: RouteName
}

/// Gives screens the routes that an app has in place of theirs.
struct RouteReplacer {
    let app: App
    /// The parsed params of entries and sheets.
    private(set) var parsed: [ScreenID: JSONObject]
    private(set) var moved: [Moved] = []
    private let work: WorkBudget

    init(app: App, parsed: [ScreenID: JSONObject], work: WorkBudget) {
        (self.app, self.parsed, self.work) = (app, parsed, work)
    }

    /// The state with the routes that the app has now. Ids, marks and places stay; whether the app
    /// allows the screens is another question.
    mutating func current(_ state: NavigationState) throws(WorkBudgetError) -> NavigationState {
        var current = state
        for index in current.tabs.indices {
            if let root = current.tabs[index].root,
                let screen = try replacement(of: root, .tab(current.tabs[index].id))
            {
                current.tabs[index].root = screen
            }
            current.tabs[index].path = try self.current(current.tabs[index].path)
        }
        for index in current.sheets.indices {
            let sheet = current.sheets[index]
            if let screen = try replacement(of: sheet.screen, .entry(sheet.id)) {
                current.sheets[index].screen = screen
            }
            current.sheets[index].path = try self.current(sheet.path)
        }
        return current
    }

    private mutating func current(_ path: [Entry]) throws(WorkBudgetError) -> [Entry] {
        var current = path
        for index in path.indices {
            if let screen = try replacement(of: path[index].screen, .entry(path[index].id)) {
                current[index].screen = screen
            }
        }
        return current
    }

    /// The screen that takes the place of another one, or nil if the route was not replaced.
    private mutating func replacement(
        of screen: Screen, _ id: ScreenID
    ) throws(WorkBudgetError) -> Screen? {
        try work.spend(.entries(1))
        guard let found = app.names.replacements[screen.route],
            let params = try params(of: screen, id, by: found)
        else { return nil }
        moved.append(Moved(id: id, from: screen.route, route: found.route))
        return Screen(
            route: found.route, params: params, mark: screen.mark, isLocked: screen.isLocked)
    }

    /// The params of the new screen, or nil if they would be too large: then the old screen is
    /// dropped with its route.
    private mutating func params(
        of screen: Screen, _ id: ScreenID, by found: RouteReplacement
    ) throws(WorkBudgetError) -> Params? {
        guard found.params != nil else { return screen.params }
        let bytes = screen.params.text.count
        var old = parsed[id]
        if old == nil, !screen.params.isEmpty {
            try work.spend(.parsing(bytes: bytes))
            old = screen.params.object
        }
        let made = try found.params(from: old ?? JSONObject(), bytes: bytes, work: work)
        let params = Params(made)
        guard params.text.count <= max(bytes, RouteReplacement.paramsBytesMax) else { return nil }
        parsed[id] = made.isEmpty ? nil : made
        return params
    }
}
