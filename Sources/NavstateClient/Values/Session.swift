public import Foundation

/// The navigation state of one user or one screen, as it was at one revision.
///
/// ```swift
/// let session = try await navstate.session("kiosk-1").state()
/// print(session.visible.route, session.canGoBack)
/// ```
public struct Session: Codable, Sendable, Hashable, Identifiable {
    /// The id of the session.
    public var id: String
    /// The revision, which every change increases by one.
    public var revision: Int
    /// The app that the session is bound to; nil for a free-form session.
    public var app: String?
    /// The id of the selected tab.
    public var selectedTab: String
    /// The tabs in order.
    public var tabs: [Tab]
    /// The sheets, from bottom to top.
    public var sheets: [Sheet]
    /// What the user sees.
    public var visible: Visible
    /// Whether `back` would change anything.
    public var canGoBack: Bool
    /// Whether there is a change to undo.
    public var canUndo: Bool
    /// Whether there is a change to redo.
    public var canRedo: Bool
    /// All other members, including those that only a newer server knows.
    public var members: [String: JSONValue]

    private static let known: Set<String> = [
        "id", "revision", "app", "selectedTab", "tabs", "sheets", "visible", "canGoBack",
        "canUndo", "canRedo",
    ]

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        revision = try json.member("revision")
        app = try json.optional("app")
        selectedTab = try json.member("selectedTab")
        tabs = try json.member("tabs")
        sheets = try json.member("sheets")
        visible = try json.member("visible")
        canGoBack = try json.member("canGoBack")
        canUndo = try json.member("canUndo")
        canRedo = try json.member("canRedo")
        members = try json.members(besides: Self.known)
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("revision", revision)
        try json.set("app", app)
        try json.set("selectedTab", selectedTab)
        try json.set("tabs", tabs)
        try json.set("sheets", sheets)
        try json.set("visible", visible)
        try json.set("canGoBack", canGoBack)
        try json.set("canUndo", canUndo)
        try json.set("canRedo", canRedo)
    }
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

extension [String: JSONValue] {
    /// Parses a member that is an RFC 3339 time.
    func date(_ name: String) -> Date? {
        self[name]?.string.flatMap { try? Date($0, strategy: .iso8601) }
    }
}

/// What the user of a session sees.
public struct Visible: Codable, Sendable, Hashable {
    /// The id of the top sheet, or of the selected tab if there is no sheet.
    public var container: String
    /// The name of the visible route.
    public var route: String
    /// The params of the visible route; an object.
    public var params: JSONValue
    /// True while anything is presented, or if the visible route hides the tab bar.
    public var tabBarHidden: Bool
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        container = try json.member("container")
        route = try json.member("route")
        params = try json.member("params")
        tabBarHidden = try json.member("tabBarHidden")
        members = try json.members(besides: ["container", "route", "params", "tabBarHidden"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("container", container)
        try json.set("route", route)
        try json.set("params", params)
        try json.set("tabBarHidden", tabBarHidden)
    }
}

extension Visible {
    /// The id of the visible entry or sheet; nil on a tab's root.
    public var entry: String? { members["entry"]?.string }
}

/// A command that a guard holds back until its facts are set.
public struct PendingCommand: Codable, Sendable, Hashable {
    /// The name of the guard.
    public var `guard`: String
    /// The command, which is carried out as soon as the guard holds.
    public var command: Command
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        `guard` = try json.member("guard")
        command = try json.member("command")
        members = try json.members(besides: ["guard", "command"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("guard", `guard`)
        try json.set("command", command)
    }
}

extension PendingCommand {
    /// The id of the entry or sheet that is shown instead; nil if a tab's root is shown, or if the
    /// entry or sheet is gone.
    public var entry: String? { members["entry"]?.string }
    /// Whether the sheet that was shown instead was dismissed with a result.
    public var isAnswered: Bool { members["answered"]?.bool ?? false }
}
