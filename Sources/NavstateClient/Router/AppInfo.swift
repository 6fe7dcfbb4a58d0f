internal import NavstateRules

/// The titles, icons and presentations that an app declares.
public struct AppInfo: Sendable {
    /// A tab.
    public struct Tab: Sendable, Hashable, Identifiable {
        public let id: String
        /// The title to show to people.
        public let title: String?
        /// The name of the tab's symbol.
        public let icon: String?
        /// The screen at the root of the tab.
        public let root: Nav.Destination
    }

    /// A route.
    public struct Route: Sendable, Hashable {
        /// The title as it is declared, with `{path}` in the places of params.
        public let title: String?
        /// How the screens of the route may be shown.
        public let presentation: Presentation
        /// Whether the tab bar is hidden while a screen of the route is visible.
        public let hidesTabBar: Bool
    }

    /// The id of the app.
    public let id: String
    /// The title of the app.
    public let title: String?
    /// The tabs, in their order.
    public let tabs: [Tab]
    /// The routes by their names.
    public let routes: [String: Route]
    private let definition: AppDefinition

    /// The title of a screen, with the values of its params.
    public func title(of screen: Nav.Destination) -> String? {
        definition.title(of: screen.route, params: screen.params.text)
    }
}

extension AppInfo {
    init?(_ definition: AppDefinition) {
        guard let document = try? JSONValue.read(definition.json) else { return nil }
        self.definition = definition
        id = definition.id
        title = document["title"]?.string
        tabs = (document["tabs"]?.array ?? []).map(Tab.init)
        routes = (document["routes"]?.object ?? [:]).mapValues(Route.init)
    }
}

extension AppInfo.Tab {
    fileprivate init(_ tab: JSONValue) {
        let name = tab.string ?? tab["id"]?.string ?? ""
        let declared = tab["root"]
        id = name
        title = tab["title"]?.string
        icon = tab["icon"]?.string
        root = Nav.Destination(
            declared?.string ?? declared?["route"]?.string ?? name,
            params: declared?["params"] ?? [:])
    }
}

extension AppInfo.Route {
    fileprivate init(_ route: JSONValue) {
        title = route["title"]?.string
        hidesTabBar = route["hidesTabBar"]?.bool ?? false
        presentation = Presentation(route["presentation"] ?? "push")
    }
}

extension Presentation {
    /// A presentation as an app declares it: a name, or an array of names.
    fileprivate init(_ declared: JSONValue) {
        self =
            switch declared {
            case "any": .any
            case "push": .push
            case .string(let style): Presentation(SheetStyle(rawValue: style))
            case .array(let items): Presentation(items.map(Presentation.init))
            case .null, .bool, .integer, .number, .object: .push
            }
    }
}

extension Router {
    /// The title of a screen, if the app declares one.
    func title(of screen: Screen) -> String? {
        (screen as? any AppScreen).map(\.title) ?? app?.title(of: screen.destination)
    }

    /// Whether the tab bar is hidden while a screen is visible.
    func hidesTabBar(_ screen: Screen) -> Bool {
        (screen as? any AppScreen)?.hidesTabBar
            ?? app?.routes[screen.destination.route]?.hidesTabBar ?? false
    }
}
