internal import Bytes
internal import JSON

// Edges: what may be pushed on a screen, and presented over it.

extension App {
    /// The routes that may be pushed on a container.
    public func pushable(in container: Container, _ state: NavigationState) -> Set<RouteName> {
        switch container {
        case .tab(let index):
            tab(state.tabs[index].id)?.routes ?? []
        case .sheet(let index):
            pushable(
                onSheet: state.sheets[index].route, over: state.tabs[state.selected].id)
        }
    }

    /// The routes that may be pushed on a sheet of that route.
    public func pushable(onSheet route: RouteName, over tab: TabID) -> Set<RouteName> {
        routes[route]?.routes ?? self.tab(tab)?.routes ?? []
    }

    /// The routes that may be pushed on a screen: those that its route lists, otherwise those of
    /// its container. On the root of a container those of the container count.
    ///
    /// - Parameter route: the route of the entry, or nil for the root.
    public func pushable(
        on route: RouteName?, in container: Set<RouteName>
    ) -> Set<RouteName> {
        route.flatMap { routes[$0]?.routes } ?? container
    }

    /// The routes that may be pushed on the visible screen.
    public func pushableOnVisible(_ state: NavigationState) -> Set<RouteName> {
        if state.openDialog != nil { return [] }
        let active = state.active
        return pushable(on: state[path: active].last?.route, in: pushable(in: active, state))
    }

    /// Whether a sheet of a route may be presented over a screen.
    public func mayPresent(_ route: RouteName, over visible: RouteName) -> Bool {
        routes[route]?.on?.contains(visible) ?? true
    }
}

extension SessionEditor {
    /// Checks that routes may follow each other on a path: each has to be allowed on the one
    /// beneath it.
    ///
    /// - Parameters:
    ///   - start: the index of the first one that is checked; those below are as they were.
    ///   - member: the pointer to the first one below the command's own pointer, or to the path if
    ///     all of it is new.
    func checkEdges(
        _ path: [RouteName], from start: Int, on container: Container, at member: String = "/route"
    ) throws(RejectionError) {
        for index in start..<path.count {
            let place = member == "/path" ? "/path/\(index)/route" : member
            try checkEdge(
                path[index], on: index > 0 ? path[index - 1] : nil, of: container, at: place)
        }
    }

    /// Checks that a route may be pushed on a screen.
    ///
    /// - Parameter below: the route of the entry beneath, or nil for the root of the container.
    func checkEdge(
        _ route: RouteName, on below: RouteName?, of container: Container, at member: String
    ) throws(RejectionError) {
        guard let app = rules.app else { return }
        let ofContainer = app.pushable(in: container, state)
        let place: PushPlace =
            switch (below, container) {
            case (let below?, _): .screen(below)
            case (nil, .tab(let index)): .root(of: state.tabs[index].id)
            case (nil, .sheet(let index)): .screen(state.sheets[index].route)
            }
        let allowed = app.pushable(on: below, in: ofContainer)
        try checkEdge(route, place, allowed: allowed, at: member)
    }

    /// Checks the path of a sheet that is about to be presented.
    func checkEdge(
        _ route: RouteName, on below: RouteName?, ofSheet sheet: RouteName, at member: String
    ) throws(RejectionError) {
        guard let app = rules.app else { return }
        let ofSheet = app.pushable(onSheet: sheet, over: state.tabs[state.selected].id)
        let allowed = app.pushable(on: below, in: ofSheet)
        try checkEdge(route, .screen(below ?? sheet), allowed: allowed, at: member)
    }

    private func checkEdge(
        _ route: RouteName, _ place: PushPlace, allowed: Set<RouteName>, at member: String
    ) throws(RejectionError) {
        guard let app = rules.app else { return }
        guard let presentation = app.routes[route]?.presentation else {
            return try checkDeclared(route, at: member)
        }
        guard !presentation.allowsPush || !allowed.contains(route) else { return }
        try within { () throws(WorkBudgetError) in
            try work.spend(.entries(app.routeOrder.count))
        }
        throw .routeNotAllowedHere(
            route, .pushedOn(place), allowed: app.pushableRoutes(allowed),
            remedy: presentation.allowsPush
                ? remedy(for: route, at: place, member) : .present,
            pointer: pointer + member)
    }

    /// The tab on whose root the route may be pushed, unless that is the place.
    private func remedy(
        for route: RouteName, at place: PushPlace, _ member: String
    ) -> Remedy? {
        guard let tab = rules.app?.tabs.first(where: { $0.routes.contains(route) })?.id,
            place != .root(of: tab)
        else { return nil }
        return member == "/route" ? .add(in: tab) : .pathOf(tab)
    }

    /// Checks that a sheet may be presented over what is visible.
    func checkPresenter(of route: RouteName, at member: String) throws(RejectionError) {
        guard let app = rules.app, let on = app.routes[route]?.on else { return }
        let visible = app.visibleRoute(of: state)
        guard !on.contains(visible) else { return }
        throw .routeNotAllowedHere(
            route, .presentedOn(visible), allowed: app.routeOrder.filter(on.contains), remedy: nil,
            pointer: pointer + member)
    }
}

extension App {
    /// The route of the visible screen.
    public func visibleRoute(of state: NavigationState) -> RouteName {
        Optional(self).visibleScreen(of: state).route
    }
}
