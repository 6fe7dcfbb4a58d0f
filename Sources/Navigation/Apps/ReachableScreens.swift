public import JSON

/// The screens that some session of an app can show, whatever its facts are.
///
/// Screens that are shown together have to be allowed by all their guards at once. So each place is
/// reached with the values that the facts must have there, and a guard that contradicts them closes
/// it. A screen that is not found here cannot be shown; one that is found may need params that do
/// not exist.
public struct ReachableScreens {
    /// The values of which a fact must have one. A fact that is missing may have any value.
    private typealias Needs = [FactName: [JSON]]

    /// A place that screens can be at: the root of a container, or an entry of a route.
    private struct Place: Hashable {
        var container: Container
        var route: RouteName?
    }

    private enum Container: Hashable {
        case tab(TabID)
        case sheet(RouteName, over: TabID)

        var tab: TabID {
            switch self {
            case .tab(let tab), .sheet(_, let tab): tab
            }
        }
    }

    /// The routes that can be visible.
    public private(set) var routes: Set<RouteName> = []
    /// The tabs that can be selected.
    public private(set) var tabs: Set<TabID> = []
    /// The routes that were to be shown somewhere, with the guard that contradicts the place.
    public private(set) var blockedRoutes: [RouteName: GuardName] = [:]
    /// The tabs whose guards contradict each other.
    public private(set) var blockedTabs: [TabID: GuardName] = [:]
    /// The positions of links whose guards, or those of their screens, contradict each other.
    public private(set) var blockedLinks: [Int: GuardName] = [:]

    private let app: App
    private let obeysGuards: Bool
    private var known: [Place: [Needs]] = [:]
    private var open: [(Place, Needs)] = []
    private var work: WorkBudget

    /// More kinds of needs for one place are taken for none at all.
    private static let needsMax = 16

    /// - Parameters:
    ///   - obeysGuards: whether guards count.
    ///   - work: the search ends with an error if it is used up.
    public init(
        of app: App, obeysGuards: Bool = true, work: WorkBudget
    ) throws(WorkBudgetError) {
        (self.app, self.obeysGuards, self.work) = (app, obeysGuards, work)
        for tab in app.tabs { enterTab(tab.id) }
        let links = app.links.map { $0.declared } + [app.declaredNotFound].compactMap { $0 }
        for (position, link) in links.enumerated() { enter(link, at: position) }
        for item in app.guards.named.values where item.instead != nil {
            try enter(instead: item)
        }
        while let (place, needs) = open.popLast() { try visit(place, needs) }
    }

    // MARK: - Entering a place

    private mutating func enterTab(_ tab: TabID) {
        guard
            let needs = self.needs([:], app.guards.ofTabs[tab], block: { $0.blockedTabs[tab] = $1 })
        else { return }
        tabs.insert(tab)
        add(Place(container: .tab(tab), route: nil), needs)
    }

    /// Shows a route at a place, if its guards and what is there agree.
    private mutating func enter(_ route: RouteName, in container: Container, _ needs: Needs) {
        let list = app.guards.ofRoutes[route]
        guard let needs = self.needs(needs, list, block: { $0.blockedRoutes[route] = $1 }) else {
            return
        }
        if case .sheet(route, _) = container {
            add(Place(container: container, route: nil), needs)
        } else {
            add(Place(container: container, route: route), needs)
        }
    }

    private mutating func enter(_ link: DeclaredLink, at position: Int) {
        let shown = (link.path ?? []) + (link.sheet.map { [$0.route] + $0.path } ?? [])
        let lists = [link.guards] + shown.map { app.guards.ofRoutes[$0] }
        var isOpen = link.isRedirect
        for tab in link.tabs {
            var needs: Needs? = [:]
            for list in [app.guards.ofTabs[tab]] + lists {
                guard let before = needs else { break }
                needs = self.needs(before, list) { $0.blockedLinks[position] = $1 }
            }
            guard let needs else { continue }
            isOpen = true
            for route in link.path ?? [] {
                add(Place(container: .tab(tab), route: route), needs)
            }
            guard let sheet = link.sheet else { continue }
            for route in [nil] + sheet.path.map({ Optional($0) }) {
                add(Place(container: .sheet(sheet.route, over: tab), route: route), needs)
            }
        }
        if isOpen { blockedLinks[position] = nil }
    }

    /// The screen that a guard shows instead may be in any tab.
    private mutating func enter(instead item: Guard) throws(WorkBudgetError) {
        guard let command = item.instead else { return }
        for tab in app.tabs {
            var container = Container.tab(tab.id)
            for screen in try command.shown(by: app, work: work) {
                if screen.isSheet { container = .sheet(screen.route, over: tab.id) }
                guard let needs = needs([:], app.guards.ofTabs[tab.id], block: { _, _ in }),
                    let all = self.needs(
                        needs, app.guards.ofRoutes[screen.route], block: { _, _ in })
                else { continue }
                add(Place(container: container, route: screen.isSheet ? nil : screen.route), all)
            }
        }
    }

    private mutating func add(_ place: Place, _ needs: Needs) {
        let all = known[place, default: []]
        guard !all.contains(where: { $0.isImplied(by: needs) }) else { return }
        let needs = all.count < Self.needsMax ? needs : [:]
        known[place] = all.filter { !needs.isImplied(by: $0) } + [needs]
        open.append((place, needs))
    }

    // MARK: - From one place to others

    private mutating func visit(_ place: Place, _ needs: Needs) throws(WorkBudgetError) {
        let tab = place.container.tab
        let ofContainer: Set<RouteName>
        let visible: RouteName
        switch place.container {
        case .tab:
            ofContainer = app.tab(tab)?.routes ?? []
            visible = place.route ?? Optional(app).declaredRoot(of: tab).route
        case .sheet(let route, _):
            ofContainer = app.pushable(onSheet: route, over: tab)
            visible = place.route ?? route
        }
        routes.insert(visible)
        guard app.routes[visible]?.presentation.isDialog != true else { return }
        try work.spend(.entries(app.routeOrder.count))
        let pushable = app.pushable(on: place.route, in: ofContainer)
        for route in app.routeOrder {
            guard let declared = app.routes[route] else { continue }
            if declared.presentation.allowsPush, pushable.contains(route) {
                enter(route, in: place.container, needs)
            }
            if !declared.presentation.styles.isEmpty, app.mayPresent(route, over: visible) {
                enter(route, in: .sheet(route, over: tab), needs)
            }
        }
    }

    // MARK: - Needs

    /// The needs together with those of guards. Nil if they contradict each other, which is noted.
    private mutating func needs(
        _ needs: Needs, _ list: GuardList?, block: (inout Self, GuardName) -> Void
    ) -> Needs? {
        guard obeysGuards, let list else { return needs }
        var all = needs
        for item in list.guards {
            for condition in item.conditions {
                let both =
                    all[condition.fact].map { $0.filter(condition.values.contains) }
                    ?? condition.values
                guard !both.isEmpty else {
                    block(&self, item.name)
                    return nil
                }
                all[condition.fact] = both
            }
        }
        return all
    }
}

extension [FactName: [JSON]] {
    /// Whether facts that meet other needs meet these as well.
    fileprivate func isImplied(by other: Self) -> Bool {
        allSatisfy { name, values in
            other[name].map { $0.allSatisfy(values.contains) } ?? false
        }
    }
}
