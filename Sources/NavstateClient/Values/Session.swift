public import Foundation

extension Nav {
    /// The navigation state of one user or one screen, as it was at one revision.
    ///
    /// ```swift
    /// let session = try await navstate.session("kiosk-1").state()
    /// print(session.visible.route, session.canGoBack)
    /// ```
    public struct Session: Document, Identifiable {
        public var id = ""
        /// The revision, which every change increases by one.
        public var revision = 0
        /// The app that the session is bound to; nil for a free-form session.
        public var app: String?
        public var selectedTab = ""
        /// The tabs in order.
        public var tabs: [Nav.Tab] = []
        /// The sheets, from bottom to top.
        public var sheets: [Nav.Sheet] = []
        public var visible = Visible()
        /// Whether `back` would change anything.
        public var canGoBack = false
        /// Whether there is a change to undo.
        public var canUndo = false
        /// Whether there is a change to redo.
        public var canRedo = false
        /// All other members, including those that only a newer server knows.
        public var members: [String: JSONValue] = [:]

        static let known: [Member<Nav.Session>] = [
            .required("id", \.id), .required("revision", \.revision), .optional("app", \.app),
            .required("selectedTab", \.selectedTab), .required("tabs", \.tabs),
            .required("sheets", \.sheets), .required("visible", \.visible),
            .required("canGoBack", \.canGoBack), .required("canUndo", \.canUndo),
            .required("canRedo", \.canRedo),
        ]

        public var labels: [String: String] { members.value("labels") ?? [:] }
        /// The facts that the app knows about its user, by name.
        public var facts: [String: JSONValue] { members["facts"]?.object ?? [:] }
        /// How many seconds after its last change the session expires; nil if it never does.
        public var ttlSeconds: Int? { members["ttlSeconds"]?.integer }
        /// When the session was created, in whole seconds.
        public var createdAt: Date? { members.date("createdAt") }
        /// When the session was last changed, in whole seconds. Order states by `revision` instead.
        public var updatedAt: Date? { members.date("updatedAt") }
        /// When the session expires; nil if it never does.
        public var expiresAt: Date? { members.date("expiresAt") }
        /// The tabs that `back` returns to. It selects the last one first.
        public var tabHistory: [String] { members.value("tabHistory") ?? [] }
        /// The number of the next id, such as 12 for `e12`.
        public var nextEntry: Int? { members["nextEntry"]?.integer }
        /// The command that is carried out if nothing has changed for a while, in place of that of
        /// the app.
        public var idle: IdleCommand? { members.value("idle") }
        /// The command that a guard is holding back, if any.
        public var pending: PendingCommand? { members.value("pending") }

        /// The path of the tab or sheet with this id, if the session has one.
        public func path(of container: String) -> [Nav.Entry]? {
            tabs.first { $0.id == container }?.path ?? sheets.first { $0.id == container }?.path
        }
    }
}

/// The screen that the user sees.
public struct Visible: Document {
    /// The id of the top sheet, or of the selected tab if there is no sheet.
    public var container = ""
    public var route = ""
    /// The params of the visible route; an object.
    public var params: JSONValue = [:]
    /// True while a sheet or a full-screen cover is presented, or if the visible route hides the
    /// tab bar.
    public var tabBarHidden = false
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Visible>] = [
        .required("container", \.container), .required("route", \.route),
        .required("params", \.params), .required("tabBarHidden", \.tabBarHidden),
    ]

    /// The id of the visible entry or sheet, and on a tab's root that of the tab. Servers before
    /// version 1.2 of the contract leave it out on a root.
    public var entry: String? { members["entry"]?.string }
    /// The title of the screen, if the session has titles.
    public var title: String? { members["title"]?.string }
    /// The text on the button that leads back from the screen, if the session has titles.
    public var backTitle: String? { members["backTitle"]?.string }
}

/// A command that is carried out if a session has not changed for a while.
public struct IdleCommand: Document, JSONConvertible {
    /// How many seconds after the last change.
    public var seconds = 0
    public var command = Nav.Command()
    public var members: [String: JSONValue] = [:]

    /// Creates an idle command.
    public init(seconds: Int, _ command: Nav.Command) {
        self.seconds = seconds
        self.command = command
    }

    init() {}

    static let known: [Member<IdleCommand>] = [
        .required("seconds", \.seconds), .required("command", \.command),
    ]

    var json: JSONValue {
        .object(
            members.merging(["seconds": seconds.json, "command": command.json]) { _, own in own })
    }
}

/// A command that a guard holds back until its facts are set.
public struct PendingCommand: Document {
    public var `guard` = ""
    /// The command, which is carried out as soon as the guard holds.
    public var command = Nav.Command()
    public var members: [String: JSONValue] = [:]

    static let known: [Member<PendingCommand>] = [
        .required("guard", \.`guard`), .required("command", \.command),
    ]

    /// The id of the entry or sheet that is shown instead; nil if a tab's root is shown, or if the
    /// entry or sheet is gone.
    public var entry: String? { members["entry"]?.string }
    /// Whether the sheet that was shown instead was dismissed with a result.
    public var isAnswered: Bool { members["answered"]?.bool ?? false }
}

/// A session in the list of sessions.
public struct SessionSummary: Document, Identifiable {
    public var id = ""
    /// The revision, which every change increases by one.
    public var revision = 0
    public var selectedTab = ""
    public var visible = Visible()
    /// The entity tag of the state.
    public var etag = ""
    /// The number of open streams.
    public var watchers = 0
    public var members: [String: JSONValue] = [:]

    static let known: [Member<SessionSummary>] = [
        .required("id", \.id), .required("revision", \.revision),
        .required("selectedTab", \.selectedTab), .required("visible", \.visible),
        .required("etag", \.etag), .required("watchers", \.watchers),
    ]

    /// The app that the session is bound to; nil for a free-form session.
    public var app: String? { members["app"]?.string }
    /// When the session was last changed, in whole seconds.
    public var updatedAt: Date? { members.date("updatedAt") }
    /// When the session expires; nil if it never does.
    public var expiresAt: Date? { members.date("expiresAt") }
    public var labels: [String: String] { members.value("labels") ?? [:] }
}

/// One page of the list of sessions.
public struct SessionPage: Document {
    /// The sessions, ordered by their ids.
    public var sessions: [SessionSummary] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<SessionPage>] = [.required("sessions", \.sessions)]

    /// The `cursor` of the next page; nil on the last page.
    public var next: String? { members["next"]?.string }
    /// The ids of sessions on this page that cannot be shown because their stored records are
    /// damaged.
    public var damaged: [String] { members.value("damaged") ?? [] }
}

/// Selects the sessions that match all of the criteria.
public struct SessionFilter: Sendable, Hashable {
    /// The app to which the sessions are bound.
    public var app: String?
    /// The labels that a session must have.
    public var labels: [String: String]

    /// Creates a filter. Without arguments, it matches every session.
    public init(app: String? = nil, labels: [String: String] = [:]) {
        self.app = app
        self.labels = labels
    }

    var query: [(String, String?)] {
        let labels = labels.sorted { $0.key < $1.key }.map { ("label", "\($0):\($1)" as String?) }
        return [("app", app)] + labels
    }
}
