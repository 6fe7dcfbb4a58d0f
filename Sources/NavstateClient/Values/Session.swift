public import Foundation

/// The navigation state of one user or one screen, as it was at one revision.
///
/// ```swift
/// let session = try await navstate.session("kiosk-1").state()
/// print(session.visible.route, session.canGoBack)
/// ```
public struct Session: Document, Identifiable {
    /// The id of the session.
    public var id = ""
    /// The revision, which every change increases by one.
    public var revision = 0
    /// The app that the session is bound to; nil for a free-form session.
    public var app: String?
    /// The id of the selected tab.
    public var selectedTab = ""
    /// The tabs in order.
    public var tabs: [Tab] = []
    /// The sheets, from bottom to top.
    public var sheets: [Sheet] = []
    /// What the user sees.
    public var visible = Visible()
    /// Whether `back` would change anything.
    public var canGoBack = false
    /// Whether there is a change to undo.
    public var canUndo = false
    /// Whether there is a change to redo.
    public var canRedo = false
    /// All other members, including those that only a newer server knows.
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Session>] = [
        .required("id", \.id), .required("revision", \.revision), .optional("app", \.app),
        .required("selectedTab", \.selectedTab), .required("tabs", \.tabs),
        .required("sheets", \.sheets), .required("visible", \.visible),
        .required("canGoBack", \.canGoBack), .required("canUndo", \.canUndo),
        .required("canRedo", \.canRedo),
    ]
}

extension Session {
    /// The labels of the session.
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
    /// The command that a guard is holding back, if any.
    public var pending: PendingCommand? { members.value("pending") }

    /// The path of the tab or sheet with this id, if the session has one.
    public func path(of container: String) -> [Entry]? {
        tabs.first { $0.id == container }?.path ?? sheets.first { $0.id == container }?.path
    }
}

/// What the user of a session sees.
public struct Visible: Document {
    /// The id of the top sheet, or of the selected tab if there is no sheet.
    public var container = ""
    /// The name of the visible route.
    public var route = ""
    /// The params of the visible route; an object.
    public var params: JSONValue = [:]
    /// True while anything is presented, or if the visible route hides the tab bar.
    public var tabBarHidden = false
    /// All other members.
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Visible>] = [
        .required("container", \.container), .required("route", \.route),
        .required("params", \.params), .required("tabBarHidden", \.tabBarHidden),
    ]
}

extension Visible {
    /// The id of the visible entry or sheet; nil on a tab's root.
    public var entry: String? { members["entry"]?.string }
}

/// A command that a guard holds back until its facts are set.
public struct PendingCommand: Document {
    /// The name of the guard.
    public var `guard` = ""
    /// The command, which is carried out as soon as the guard holds.
    public var command = Command()
    /// All other members.
    public var members: [String: JSONValue] = [:]

    static let known: [Member<PendingCommand>] = [
        .required("guard", \.`guard`), .required("command", \.command),
    ]
}

extension PendingCommand {
    /// The id of the entry or sheet that is shown instead; nil if a tab's root is shown, or if the
    /// entry or sheet is gone.
    public var entry: String? { members["entry"]?.string }
    /// Whether the sheet that was shown instead was dismissed with a result.
    public var isAnswered: Bool { members["answered"]?.bool ?? false }
}

/// A session in the list of sessions.
public struct SessionSummary: Document, Identifiable {
    /// The id of the session.
    public var id = ""
    /// The revision, which every change increases by one.
    public var revision = 0
    /// The id of the selected tab.
    public var selectedTab = ""
    /// What the user sees.
    public var visible = Visible()
    /// The entity tag of the state.
    public var etag = ""
    /// The number of open streams.
    public var watchers = 0
    /// All other members.
    public var members: [String: JSONValue] = [:]

    static let known: [Member<SessionSummary>] = [
        .required("id", \.id), .required("revision", \.revision),
        .required("selectedTab", \.selectedTab), .required("visible", \.visible),
        .required("etag", \.etag), .required("watchers", \.watchers),
    ]
}

extension SessionSummary {
    /// The app that the session is bound to; nil for a free-form session.
    public var app: String? { members["app"]?.string }
    /// When the session was last changed, in whole seconds.
    public var updatedAt: Date? { members.date("updatedAt") }
    /// When the session expires; nil if it never does.
    public var expiresAt: Date? { members.date("expiresAt") }
    /// The labels of the session.
    public var labels: [String: String] { members.value("labels") ?? [:] }
}

/// One page of the list of sessions.
public struct SessionPage: Document {
    /// The sessions, ordered by their ids.
    public var sessions: [SessionSummary] = []
    /// All other members.
    public var members: [String: JSONValue] = [:]

    static let known: [Member<SessionPage>] = [.required("sessions", \.sessions)]
}

extension SessionPage {
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
