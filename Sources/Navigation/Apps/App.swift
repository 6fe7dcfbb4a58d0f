public import JSON

/// A declared navigation graph that has been checked.
public final class App: Sendable {
    /// The id under which the app is stored.
    public let id: AppID
    /// The title for people.
    public let title: String?
    /// The declared routes by name.
    public let routes: [RouteName: Route]
    /// The names of the routes in the order of their declaration.
    public let routeOrder: [RouteName]
    /// The tabs in the order in which they are declared; never empty.
    public let tabs: [AppTab]
    /// The deep links by rank: the first one that matches a URL is used.
    public let links: [Link]
    /// The place for a URL that leads nowhere else, or nil to refuse such a URL.
    let notFound: PlaceTemplate?
    /// The beginnings of new sessions, in the order of the declaration.
    public let templates: [AppTemplate]
    /// The behavior of sessions besides commands.
    private let behavior: AppBehavior
    /// The facts and the guards.
    public let guards: AppGuards
    /// The names of groups, and former names of routes.
    public let names: RouteNames
    /// The `$defs` that the schemas of the routes may refer to, as they are declared.
    public let definitions: JSONObject

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
    public var tabBack: TabBack { behavior.tabBack }
    /// The idle command of sessions that have none of their own.
    public var idle: IdleCommand? { behavior.idle }
    /// Whether the screens of sessions have titles.
    public var showsTitles: Bool { behavior.showsTitles }
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
public struct AppTab: Sendable {
    /// The id of the tab, which sessions use.
    public var id: TabID
    /// The title for people.
    public var title: String?
    /// The name of an icon; the server does not interpret it.
    public var icon: String?
    /// The root that the tab begins with; its route need not be declared.
    public var root: Screen
    /// Whether the app declares the root with params.
    public var hasRootParams = false
    /// The routes that may be pushed on its path, with groups resolved.
    public var routes: Set<RouteName>
    /// The guards that the tab names, which include those of its root.
    var guardNames: GuardNames?
}

/// How a route may appear.
public struct Presentation: Equatable, Sendable {
    /// Whether the route may be on a path.
    public var allowsPush: Bool
    /// The styles in which the route may be presented. A `present` that names none has the first.
    public var styles: [SheetStyle]

    /// On a path only, which is so unless a route says otherwise.
    public static let push = Presentation(allowsPush: true, styles: [])
    /// On a path, as a sheet or as a full-screen cover.
    public static let any = Presentation(allowsPush: true, styles: [.sheet, .fullScreenCover])

    /// Whether the route is a dialog.
    public var isDialog: Bool { styles.first?.isDialog ?? false }
    /// The style of a `present` that names none.
    public var defaultStyle: SheetStyle { styles.first ?? .sheet }

    /// Whether the route may be presented in that style.
    public func allows(_ style: SheetStyle) -> Bool { styles.contains(style) }
}

/// The texts that a route declares, with places for its params.
public struct RouteTexts: Sendable {
    /// The title for people, or that of a dialog.
    public var title: ScreenText?
    /// The text on the button that leads back to the route, or nil for its title.
    public var backTitle: ScreenText?
    /// The message and the buttons of a dialog.
    public var dialog = DialogTexts()

    /// The title if it is the same for all params.
    public var fixedTitle: String? {
        title.flatMap { $0.isFixed ? $0.declared : nil }
    }
}

/// A destination as the app declares it.
public struct Route: Sendable {
    /// The texts that people read.
    public var texts = RouteTexts()
    /// The members of the params by which two screens of the route are the same, or nil if the
    /// route does not say it.
    public var identity: [ParamsPath]?
    /// The routes of the visible screens over which the route may be presented, or nil for all.
    public var on: Set<RouteName>?
    /// Whether the tab bar is hidden while the route is visible.
    public var hidesTabBar = false
    /// How the route may appear.
    public var presentation = Presentation.push
    /// The mode of a `navigate` that names none, or nil if the route declares none either.
    public var mode: NavigationMode?
    /// The guards of every entry and sheet of the route.
    var guardNames: GuardNames?
    /// The routes that may be pushed on a screen of this route, or nil for those of its container:
    /// of the tab; or of the sheet, for which those of the selected tab count if the sheet's route
    /// has none.
    public var routes: Set<RouteName>?
    /// The schema of the params, or nil if the route takes none.
    public var schema: JSONSchema?
    /// The schemas while they are being compiled.
    var compiling: (params: SchemaCompiler.Root?, result: SchemaCompiler.Root?)
    /// The schema as it was declared, for documentation and forms.
    public var paramsDocument: JSON?
    /// The schema of the result that `dismiss` may bring, or nil if any result is allowed.
    public var result: JSONSchema?

    public init() {}
}

/// The schema of a route's params. A route without one, or one that the app does not declare, takes
/// no params.
extension JSONSchema? {
    /// The params with the schema's defaults for missing members.
    public func filled(
        _ params: JSONObject, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        try self?.fillingDefaults(params, work: work) ?? params
    }

    /// The faults of the params, as many as a list of faults can hold.
    public func faults(
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
    public func tab(_ id: TabID) -> AppTab? { tabs.first { $0.id == id } }

    /// The allowed routes whose presentation permits pushing, in the order of their declaration.
    public func pushableRoutes(_ allowed: Set<RouteName>) -> [RouteName] {
        routeOrder.filter { allowed.contains($0) && routes[$0]?.presentation.allowsPush == true }
    }

    /// The routes that may be presented in that style.
    public func presentable(_ style: SheetStyle) -> [RouteName] {
        routeOrder.filter { routes[$0]?.presentation.allows(style) == true }
    }

    /// The state of a new session.
    public var freshState: NavigationState {
        var state = NavigationState(tabs: tabs.map { Tab(id: $0.id) })
        if !guards.isEmpty { state.selected = state.firstTab(self, defaultFacts) }
        return state
    }
}

extension App? {
    /// Whether the tab bar is hidden by what is visible beneath the styles that do not cover it:
    /// whether its route says so. False without an app.
    public func hidesTabBar(_ state: NavigationState) -> Bool {
        guard let self, self.hidesTabBars else { return false }
        guard state.sheets.contains(where: { !$0.style.coversTabBar }) else {
            return self.routes[visibleScreen(of: state).route]?.hidesTabBar ?? false
        }
        var beneath = state
        beneath.sheets = []
        return self.routes[visibleScreen(of: beneath).route]?.hidesTabBar ?? false
    }
}
