package import JSON

/// A declared navigation graph, checked and ready to be asked.
package final class App: Sendable {
    package let id: AppID
    package let title: String?
    package let routes: [RouteName: Route]
    /// The routes' names as declared.
    package let routeOrder: [RouteName]
    package let tabs: [AppTab]
    /// By rank: the first that fits a URL is the one.
    package let links: [Link]

    init(
        id: AppID, title: String?, routes: [RouteName: Route], routeOrder: [RouteName],
        tabs: [AppTab], links: [Link]
    ) {
        self.id = id
        self.title = title
        self.routes = routes
        self.routeOrder = routeOrder
        self.tabs = tabs
        self.links = links
    }
}

/// A tab as the app declares it.
package struct AppTab: Sendable {
    package var id: TabID
    package var title: String?
    package var icon: String?
    /// What the tab shows when nothing is pushed; need not be a declared route.
    package var root: RouteName
    /// What may be pushed in it, groups resolved.
    package var routes: Set<RouteName>
}

/// How a route may appear.
package enum Presentation: String, CaseIterable, Sendable {
    case push, sheet, fullScreenCover, any

    package var allowsPush: Bool { self == .push || self == .any }

    package func allows(_ style: SheetStyle) -> Bool {
        switch self {
        case .push: false
        case .sheet: style == .sheet
        case .fullScreenCover: style == .fullScreenCover
        case .any: true
        }
    }

    package var defaultStyle: SheetStyle { self == .fullScreenCover ? .fullScreenCover : .sheet }
}

/// A destination as the app declares it.
package struct Route: Sendable {
    package var title: String?
    package var hidesTabBar = false
    package var presentation = Presentation.push
    /// The mode of a `navigate` that names none.
    package var mode = NavigationMode.push
    /// What may be pushed on a sheet of this route; nil: what the selected tab may.
    package var routes: Set<RouteName>?
    /// nil: the route takes no params.
    package var schema: JSONSchema?
    /// The schema while it is being compiled.
    var root: SchemaCompiler.Root?
    /// The schema as it was declared, for people and forms.
    package var paramsDocument: JSON?

    package init() {}

    /// The params with the schema's defaults for what is absent.
    package func filled(
        _ params: JSONObject, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        try schema?.fillingDefaults(params, work: work) ?? params
    }

    /// Everything that is wrong with the params, as far as a list of faults goes.
    package func faults(
        in params: JSONObject, at pointer: String, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        guard let schema else { return surplus(params, at: pointer) }
        let place = JSONPointer(trusted: pointer)
        return try schema.validate(.object(params), at: place, work: work).map(InputFault.init)
    }

    /// Whether nothing is wrong with the params.
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
    package func tab(_ id: TabID) -> AppTab? { tabs.first { $0.id == id } }

    /// What may be pushed on a container.
    package func pushable(in container: Container, _ state: NavigationState) -> Set<RouteName> {
        switch container {
        case .tab(let index):
            tab(state.tabs[index].id)?.routes ?? []
        case .sheet(let index):
            pushable(
                onSheet: state.sheets[index].route, over: state.tabs[state.selected].id)
        }
    }

    /// What may be pushed on a sheet of that route.
    package func pushable(onSheet route: RouteName, over tab: TabID) -> Set<RouteName> {
        routes[route]?.routes ?? self.tab(tab)?.routes ?? []
    }

    /// Those of the allowed routes that may be pushed at all, as declared.
    package func pushableRoutes(_ allowed: Set<RouteName>) -> [RouteName] {
        routeOrder.filter { allowed.contains($0) && routes[$0]?.presentation.allowsPush == true }
    }

    /// The routes that may be presented in that style.
    package func presentable(_ style: SheetStyle) -> [RouteName] {
        routeOrder.filter { routes[$0]?.presentation.allows(style) == true }
    }

    /// The tabs of a new session.
    package var freshState: NavigationState {
        NavigationState(tabs: tabs.map { Tab(id: $0.id) })
    }
}

extension App? {
    /// What a tab shows when nothing is pushed: its declared root, else its own name.
    package func root(of tab: TabID) -> RouteName {
        self?.tab(tab)?.root ?? RouteName(trusted: tab.rawValue)
    }

    package func hidesTabBar(_ route: RouteName) -> Bool {
        self?.routes[route]?.hidesTabBar ?? false
    }
}
