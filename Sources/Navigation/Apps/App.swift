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
    /// The place for a URL that leads nowhere else, or nil to refuse such a URL.
    let notFound: PlaceTemplate?
    /// The beginnings of new sessions, in the order of the declaration.
    package let templates: [AppTemplate]
    /// The behavior of sessions besides commands.
    private let behavior: AppBehavior
    /// The facts and the guards.
    package let guards: AppGuards
    /// The names of groups, and former names of routes.
    package let names: RouteNames
    /// The `$defs` that the schemas of the routes may refer to, as they are declared.
    package let definitions: JSONObject

    init(
        id: AppID, title: String?, routes: [RouteName: Route], routeOrder: [RouteName],
        tabs: [AppTab], links: [Link], notFound: PlaceTemplate?, templates: [AppTemplate],
        behavior: AppBehavior, guards: AppGuards, names: RouteNames, definitions: JSONObject
    ) {
        self.id = id
        self.title = title
        self.routes = routes
        self.routeOrder = routeOrder
        self.tabs = tabs
        self.links = links
        self.notFound = notFound
        self.templates = templates
        self.guards = guards
        self.names = names
        self.definitions = definitions
        self.behavior = behavior
    }

    /// The effect of `back` on the root of a tab.
    package var tabBack: TabBack { behavior.tabBack }
    /// The idle command of sessions that have none of their own.
    package var idle: IdleCommand? { behavior.idle }
    /// Whether the screens of sessions have titles.
    package var showsTitles: Bool { behavior.showsTitles }
    /// Whether a route hides the tab bar.
    fileprivate var hidesTabBars: Bool { behavior.hidesTabBars }
}

/// The behavior that an app declares besides its screens.
struct AppBehavior: Sendable {
    /// The effect of `back` on the root of a tab.
    var tabBack = TabBack.stay
    /// The idle command of sessions.
    var idle: IdleCommand?
    /// Whether the screens of sessions have titles: whether a title has a `{path}`, or a route has
    /// a `backTitle`. Dialogs have texts of their own.
    let showsTitles: Bool
    /// Whether a route hides the tab bar.
    let hidesTabBars: Bool

    init(tabBack: TabBack, idle: IdleCommand?, routes: [RouteName: Route]) {
        (self.tabBack, self.idle) = (tabBack, idle)
        showsTitles = routes.values.contains { route in
            route.texts.backTitle != nil
                || (!route.presentation.isDialog && route.texts.title?.isFixed == false)
        }
        hidesTabBars = routes.values.contains { $0.hidesTabBar }
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
    /// The root that the tab begins with; its route need not be declared.
    package var root: Screen
    /// Whether the app declares the root with params.
    package var hasRootParams = false
    /// The routes that may be pushed on its path, with groups resolved.
    package var routes: Set<RouteName>
    /// The guards that the tab names, which include those of its root.
    var guardNames: GuardNames?
}

/// How a route may appear.
package struct Presentation: Equatable, Sendable {
    /// Whether the route may be on a path.
    package var allowsPush: Bool
    /// The styles in which the route may be presented. A `present` that names none has the first.
    package var styles: [SheetStyle]

    /// On a path only, which is so unless a route says otherwise.
    package static let push = Presentation(allowsPush: true, styles: [])
    /// On a path, as a sheet or as a full-screen cover.
    package static let any = Presentation(allowsPush: true, styles: [.sheet, .fullScreenCover])

    /// Whether the route is a dialog.
    package var isDialog: Bool { styles.first?.isDialog ?? false }
    /// The style of a `present` that names none.
    package var defaultStyle: SheetStyle { styles.first ?? .sheet }

    /// Whether the route may be presented in that style.
    package func allows(_ style: SheetStyle) -> Bool { styles.contains(style) }
}

/// The texts that a route declares, with places for its params.
package struct RouteTexts: Sendable {
    /// The title for people, or that of a dialog.
    package var title: ScreenText?
    /// The text on the button that leads back to the route, or nil for its title.
    package var backTitle: ScreenText?
    /// The message and the buttons of a dialog.
    package var dialog = DialogTexts()

    /// The title if it is the same for all params.
    package var fixedTitle: String? {
        title.flatMap { $0.isFixed ? $0.declared : nil }
    }
}

/// A destination as the app declares it.
package struct Route: Sendable {
    /// The texts that people read.
    package var texts = RouteTexts()
    /// The members of the params by which two screens of the route are the same, or nil if the
    /// route does not say it.
    package var identity: [ParamsPath]?
    /// The routes of the visible screens over which the route may be presented, or nil for all.
    package var on: Set<RouteName>?
    /// Whether the tab bar is hidden while the route is visible.
    package var hidesTabBar = false
    /// How the route may appear.
    package var presentation = Presentation.push
    /// The mode of a `navigate` that names none, or nil if the route declares none either.
    package var mode: NavigationMode?
    /// The guards of every entry and sheet of the route.
    var guardNames: GuardNames?
    /// The routes that may be pushed on a screen of this route, or nil for those of its container:
    /// of the tab; or of the sheet, for which those of the selected tab count if the sheet's route
    /// has none.
    package var routes: Set<RouteName>?
    /// The schema of the params, or nil if the route takes none.
    package var schema: JSONSchema?
    /// The schemas while they are being compiled.
    var compiling: (params: SchemaCompiler.Root?, result: SchemaCompiler.Root?)
    /// The schema as it was declared, for documentation and forms.
    package var paramsDocument: JSON?
    /// The schema of the result that `dismiss` may bring, or nil if any result is allowed.
    package var result: JSONSchema?

    package init() {}
}

/// The schema of a route's params. A route without one, or one that the app does not declare, takes
/// no params.
extension JSONSchema? {
    /// The params with the schema's defaults for missing members.
    package func filled(
        _ params: JSONObject, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        try self?.fillingDefaults(params, work: work) ?? params
    }

    /// The faults of the params, as many as a list of faults can hold.
    package func faults(
        in params: JSONObject, at pointer: @autoclosure () -> String, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        guard let schema = self else {
            return params.isEmpty ? [] : surplus(params, at: pointer())
        }
        let faults = try schema.validate(
            .object(params), at: JSONPointer(trusted: pointer()), work: work)
        return faults.isEmpty ? [] : faults.map(InputFault.init)
    }

    /// Whether the params are valid.
    func takes(_ params: JSONObject, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard let schema = self else { return params.isEmpty }
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
    /// Whether the tab bar is hidden by what is visible beneath the styles that do not cover it:
    /// whether its route says so. False without an app.
    package func hidesTabBar(_ state: NavigationState) -> Bool {
        guard let self, self.hidesTabBars else { return false }
        guard state.sheets.contains(where: { !$0.style.coversTabBar }) else {
            return self.routes[visibleScreen(of: state).route]?.hidesTabBar ?? false
        }
        var beneath = state
        beneath.sheets = []
        return self.routes[visibleScreen(of: beneath).route]?.hidesTabBar ?? false
    }
}
