/// An app in the list of apps.
public struct AppSummary: Document, Identifiable {
    public var id = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<AppSummary>] = [.required("id", \.id)]

    public var title: String? { members["title"]?.string }
}

/// An app as the server stored it.
public struct StoredApp: Document {
    /// The document that declares the app.
    public var app: JSONValue = [:]
    /// Warnings about the document. They do not make it invalid.
    public var warnings: [Fault] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<StoredApp>] = [
        .required("app", \.app), .required("warnings", \.warnings),
    ]
}

/// The result of checking an app without storing it.
public struct AppReport: Document {
    /// Whether the app could be stored.
    public var valid = false
    public var errors: [Fault] = []
    /// Warnings about the document. They do not make it invalid.
    public var warnings: [Fault] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<AppReport>] = [
        .required("valid", \.valid), .required("errors", \.errors),
        .required("warnings", \.warnings),
    ]

    /// The effects on the sessions of the app; nil if it is invalid or has no sessions.
    public var impact: AppImpact? { members.value("impact") }
}

/// The effects of an app on a page of its sessions, as sums over the sessions.
public struct AppImpact: Document {
    /// The sessions that were looked at.
    public var sessions = 0
    /// The sessions that do not fit the app and change when they are used next.
    public var affected = 0
    /// The sessions with a screen whose route is replaced.
    public var moved = 0
    /// The sessions with a screen that is dropped.
    public var losing = 0
    /// The routes that are replaced, and then those that lose screens.
    public var routes: [RouteImpact] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<AppImpact>] = [
        .required("sessions", \.sessions), .required("affected", \.affected),
        .required("moved", \.moved), .required("losing", \.losing), .required("routes", \.routes),
    ]

    /// The `cursor` of the next page; nil on the last page.
    public var next: String? { members["next"]?.string }
}

/// The effects of an app on the screens of one route.
public struct RouteImpact: Document {
    public var route = ""
    /// The sessions with such screens.
    public var sessions = 0
    /// The screens.
    public var screens = 0
    public var members: [String: JSONValue] = [:]

    static let known: [Member<RouteImpact>] = [
        .required("route", \.route), .required("sessions", \.sessions),
        .required("screens", \.screens),
    ]

    /// The route that replaces it; nil if the screens are dropped.
    public var to: String? { members["to"]?.string }
    /// Why the screens are dropped, such as `route-gone`; nil if they are moved.
    public var why: String? { members["why"]?.string }
}

/// Where a deep link leads.
public struct Resolution: Document {
    /// The tab that is selected.
    public var tab = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Resolution>] = [.required("tab", \.tab)]

    /// The screens that become the tab's path; nil if the tab keeps its path.
    public var path: [JSONValue]? { members.value("path") }
    /// The sheet that is presented, if any.
    public var present: JSONValue? { members["present"] }
    /// The pattern of the link that the URL matched.
    public var pattern: String? { members["pattern"]?.string }
    /// The URL that redirects led to, if there were any.
    public var redirected: String? { members["redirected"]?.string }
    /// False if the URL leads to the app's `notFound`.
    public var matched: Bool? { members["matched"]?.bool }
}

/// The commands and targets that a session allows now.
public struct Allowed: Document {
    public var tabs: [AllowedTab] = []
    /// Whether `back` would change anything.
    public var canGoBack = false
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Allowed>] = [
        .required("tabs", \.tabs), .required("canGoBack", \.canGoBack),
    ]

    /// The routes that can be pushed; nil if any can.
    public var push: [AllowedRoute]? { members.value("push") }
    /// The routes that can be presented; nil if any can.
    public var present: [AllowedRoute]? { members.value("present") }
    /// The only commands that the token of the client may send; nil if it may send all.
    public var commands: [String]? { members.value("commands") }
}

/// A route that can be shown now.
public struct AllowedRoute: Document {
    public var route = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<AllowedRoute>] = [.required("route", \.route)]

    /// The title to show to people.
    public var title: String? { members["title"]?.string }
    /// The JSON Schema of its params; nil if it takes none.
    public var params: JSONValue? { members["params"] }
    /// The styles in which it can be presented.
    public var styles: [SheetStyle]? { members.value("styles") }
    /// The guard of the route, if it has one.
    public var `guard`: String? { members["guard"]?.string }
    /// Whether the guard holds now; nil if there is no guard.
    public var holds: Bool? { members["holds"]?.bool }
}

/// A tab as the app declares it.
public struct AllowedTab: Document, Identifiable {
    /// The id of the tab.
    public var id = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<AllowedTab>] = [.required("id", \.id)]

    /// The title to show to people.
    public var title: String? { members["title"]?.string }
    /// The name of the tab's symbol.
    public var icon: String? { members["icon"]?.string }
    /// The guard of the tab, if it has one.
    public var `guard`: String? { members["guard"]?.string }
    /// Whether the guard holds now; nil if there is no guard.
    public var holds: Bool? { members["holds"]?.bool }
}
