package import JSON

/// A declared navigation graph that has been checked.
package final class App: Sendable {
    /// The id under which the app is stored.
    package let id: AppID
    /// The title for people.
    package let title: String?
    /// The declared routes by name.
    package let routes: [RouteName: Route]
    /// The names of the routes in the order of their declaration.
    package let routeOrder: [RouteName]
    /// The tabs in the order in which they are declared; never empty.
    package let tabs: [AppTab]
    /// The deep links by rank: the first one that matches a URL is used.
    package let links: [Link]
    /// What to show for a URL that leads nowhere else, or nil to refuse such a URL.
    let notFound: LinkPlace?
    /// What new sessions can begin with, in the order of the declaration.
    package let templates: [AppTemplate]
    /// What `back` does on the root of a tab.
    package let tabBack: TabBack
    /// The facts and the guards.
    package let guards: AppGuards
    /// The `$defs` that the schemas of the routes may refer to, as they are declared.
    package let definitions: JSONObject

    init(
        id: AppID, title: String?, routes: [RouteName: Route], routeOrder: [RouteName],
        tabs: [AppTab], links: [Link], notFound: LinkPlace?, templates: [AppTemplate],
        tabBack: TabBack, guards: AppGuards, definitions: JSONObject
    ) {
        self.id = id
        self.title = title
        self.routes = routes
        self.routeOrder = routeOrder
        self.tabs = tabs
        self.links = links
        self.notFound = notFound
        self.templates = templates
        self.tabBack = tabBack
        self.guards = guards
        self.definitions = definitions
    }
}

/// A tab as the app declares it.
package struct AppTab: Sendable {
    /// The id of the tab, which sessions use.
    package var id: TabID
    /// The title for people.
    package var title: String?
    /// The name of an icon; the server does not interpret it.
    package var icon: String?
    /// The route that the tab shows when its path is empty; it need not be declared.
    package var root: RouteName
    /// The routes that may be pushed on its path, with groups resolved.
    package var routes: Set<RouteName>
    /// The guards that the tab names, which include those of its root.
    var guardNames: GuardNames?
}

/// How a route may appear.
package enum Presentation: String, CaseIterable, Sendable {
    case push, sheet, fullScreenCover, any

    /// Whether the route may be on a path.
    package var allowsPush: Bool { self == .push || self == .any }

    /// Whether the route may be presented in that style.
    package func allows(_ style: SheetStyle) -> Bool {
        switch self {
        case .push: false
        case .sheet: style == .sheet
        case .fullScreenCover: style == .fullScreenCover
        case .any: true
        }
    }

    /// The style of a `present` that names none.
    package var defaultStyle: SheetStyle { self == .fullScreenCover ? .fullScreenCover : .sheet }
}

/// A destination as the app declares it.
package struct Route: Sendable {
    /// The title for people.
    package var title: String?
    /// Whether the tab bar is hidden while the route is visible.
    package var hidesTabBar = false
    /// How the route may appear.
    package var presentation = Presentation.push
    /// The mode of a `navigate` that names none, or nil if the route declares none either.
    package var mode: NavigationMode?
    /// The guards of every entry and sheet of the route.
    var guardNames: GuardNames?
    /// The routes that may be pushed on a sheet of this route, or nil for those of the selected
    /// tab.
    package var routes: Set<RouteName>?
    /// The schema of the params, or nil if the route takes none.
    package var schema: JSONSchema?
    /// The schema while it is being compiled.
    var root: SchemaCompiler.Root?
    /// The schema as it was declared, for documentation and forms.
    package var paramsDocument: JSON?
    /// The schema of the result that `dismiss` may bring, or nil if any result is allowed.
    package var result: JSONSchema?
    /// The schema of the result while it is being compiled.
    var resultRoot: SchemaCompiler.Root?

    package init() {}

    /// The params with the schema's defaults for missing members.
    package func filled(
        _ params: JSONObject, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        try schema?.fillingDefaults(params, work: work) ?? params
    }

    /// The faults of the params, as many as a list of faults can hold.
    package func faults(
        in params: JSONObject, at pointer: String, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        guard let schema else { return surplus(params, at: pointer) }
        let start = JSONPointer(trusted: pointer)
        return try schema.validate(.object(params), at: start, work: work).map(InputFault.init)
    }

    /// Whether the params are valid.
    func takes(_ params: JSONObject, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard let schema else { return params.isEmpty }
        return try schema.isValid(.object(params), work: work)
    }

    private func surplus(_ params: JSONObject, at pointer: String) -> [InputFault] {
        var faults = Faults()
        for member in params.members where !faults.isFull {
            faults.append(
                InputFault(
                    pointer: pointer + "/" + JSONPointer.escaped(member.key),
                    detail: "is not allowed: the route takes no params"))
        }
        return faults.all
    }
}

extension App {
    /// The declared tab of that id.
    package func tab(_ id: TabID) -> AppTab? { tabs.first { $0.id == id } }

    /// The routes that may be pushed on a container.
    package func pushable(in container: Container, _ state: NavigationState) -> Set<RouteName> {
        switch container {
        case .tab(let index):
            tab(state.tabs[index].id)?.routes ?? []
        case .sheet(let index):
            pushable(
                onSheet: state.sheets[index].route, over: state.tabs[state.selected].id)
        }
    }

    /// The routes that may be pushed on a sheet of that route.
    package func pushable(onSheet route: RouteName, over tab: TabID) -> Set<RouteName> {
        routes[route]?.routes ?? self.tab(tab)?.routes ?? []
    }

    /// The allowed routes whose presentation permits pushing, in the order of their declaration.
    package func pushableRoutes(_ allowed: Set<RouteName>) -> [RouteName] {
        routeOrder.filter { allowed.contains($0) && routes[$0]?.presentation.allowsPush == true }
    }

    /// The routes that may be presented in that style.
    package func presentable(_ style: SheetStyle) -> [RouteName] {
        routeOrder.filter { routes[$0]?.presentation.allows(style) == true }
    }

    /// The state of a new session.
    package var freshState: NavigationState {
        var state = NavigationState(tabs: tabs.map { Tab(id: $0.id) })
        if !guards.isEmpty { state.selected = state.firstTab(self, defaultFacts) }
        return state
    }
}

extension App? {
    /// The route that a tab shows when its path is empty: the declared root, otherwise its own id.
    package func root(of tab: TabID) -> RouteName {
        self?.tab(tab)?.root ?? RouteName(trusted: tab.rawValue)
    }

    /// Whether the tab bar is hidden while the route is visible; false without an app.
    package func hidesTabBar(_ route: RouteName) -> Bool {
        self?.routes[route]?.hidesTabBar ?? false
    }
}
