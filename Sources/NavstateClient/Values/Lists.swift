/// A row of the list of sessions.
public struct SessionSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id of the session.
    public var id: String
    /// The number of changes that the session has had.
    public var revision: Int
    /// The app to which the session is bound.
    public var app: String?
    /// The labels of the session; nil if it has none.
    public var labels: [String: String]?
    /// The id of the selected tab.
    public var selectedTab: String
    /// What the user sees.
    public var visible: Visible
    /// When the session was last changed, in the form of RFC 3339.
    public var updatedAt: String
    /// When the session expires; nil if it never does.
    public var expiresAt: String?
    /// The entity tag of the state.
    public var etag: String
    /// The number of open streams.
    public var watchers: Int
}

/// A part of the list of sessions.
public struct SessionPage: Codable, Sendable, Hashable {
    /// The sessions, ordered by their ids.
    public var sessions: [SessionSummary]
    /// The `cursor` of the next page; nil on the last page.
    public var next: String?
}

/// Which sessions are meant.
public struct SessionFilter: Sendable, Hashable {
    /// The beginning of the id.
    public var idPrefix: String?
    /// The app to which the sessions are bound.
    public var app: String?
    /// Labels that the sessions have, all of them.
    public var labels: [String: String]

    public init(idPrefix: String? = nil, app: String? = nil, labels: [String: String] = [:]) {
        self.idPrefix = idPrefix
        self.app = app
        self.labels = labels
    }

    var query: [(String, String?)] {
        let labels = labels.sorted { $0.key < $1.key }.map { ("label", "\($0):\($1)" as String?) }
        return [("q", idPrefix), ("app", app)] + labels
    }
}

/// A past change of a session.
public struct HistoryItem: Codable, Sendable, Hashable {
    /// The revision that the change led to.
    public var revision: Int
    /// When it was made, in the form of RFC 3339.
    public var at: String
    /// What was changed.
    public var command: Command
    /// The ids of new entries and sheets.
    public var added: [String]
    /// The ids of entries and sheets that went.
    public var removed: [String]
    /// The name of the token that made the change.
    public var by: String?
}

/// A part of a session's history.
public struct HistoryPage: Codable, Sendable, Hashable {
    /// The changes, newest first.
    public var history: [HistoryItem]
    /// The `before` of the next page; nil on the last page.
    public var next: Int?
}

/// What may be done in a session now.
public struct Allowed: Codable, Sendable, Hashable {
    /// The routes that can be pushed; nil if any can.
    public var push: [AllowedRoute]?
    /// The routes that can be presented; nil if any can.
    public var present: [AllowedRoute]?
    /// The tabs.
    public var tabs: [AllowedTab]
    /// Whether `back` would change anything.
    public var canGoBack: Bool
}

/// A route that may be shown now.
public struct AllowedRoute: Codable, Sendable, Hashable {
    /// The name of the route.
    public var route: String
    /// Its title for people.
    public var title: String?
    /// The JSON Schema of its params; nil if it takes none.
    public var params: JSONValue?
    /// How it can be presented.
    public var styles: [SheetStyle]?
    /// The guard of the route.
    public var `guard`: String?
    /// Whether the guard holds now.
    public var holds: Bool?
}

/// A tab as the app declares it.
public struct AllowedTab: Codable, Sendable, Hashable, Identifiable {
    /// The id of the tab.
    public var id: String
    /// Its title for people.
    public var title: String?
    /// The name of its symbol.
    public var icon: String?
    /// The guard of the tab.
    public var `guard`: String?
    /// Whether the guard holds now.
    public var holds: Bool?
}

/// Whether a sheet is presented, and otherwise what became of it.
public struct SheetState: Codable, Sendable, Hashable {
    /// The id of the sheet.
    public var sheet: String
    /// `presented` or `dismissed`.
    public var state: String
    /// The revision that removed the sheet.
    public var revision: Int?
    /// The command that removed the sheet, such as `dismiss` or `back`.
    public var command: String?
    /// What the sheet was dismissed with; nil if there was no result.
    public var result: JSONValue?

    /// Whether the sheet is gone.
    public var isDismissed: Bool { state == "dismissed" }
}

/// The way from one revision to another, one animation at a time.
public struct Steps: Codable, Sendable, Hashable {
    /// The revision at which the steps begin.
    public var from: Int
    /// The revision to which they lead.
    public var to: Int
    /// The steps in their order.
    public var steps: [Step]
}
