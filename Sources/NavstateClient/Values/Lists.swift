public import Foundation

/// A session in the list of sessions.
public struct SessionSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id of the session.
    public var id: String
    /// The revision, which every change increases by one.
    public var revision: Int
    /// The id of the selected tab.
    public var selectedTab: String
    /// What the user sees.
    public var visible: Visible
    /// The entity tag of the state.
    public var etag: String
    /// The number of open streams.
    public var watchers: Int
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        revision = try json.member("revision")
        selectedTab = try json.member("selectedTab")
        visible = try json.member("visible")
        etag = try json.member("etag")
        watchers = try json.member("watchers")
        members = try json.members(besides: [
            "id", "revision", "selectedTab", "visible", "etag", "watchers",
        ])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("revision", revision)
        try json.set("selectedTab", selectedTab)
        try json.set("visible", visible)
        try json.set("etag", etag)
        try json.set("watchers", watchers)
    }
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
public struct SessionPage: Codable, Sendable, Hashable {
    /// The sessions, ordered by their ids.
    public var sessions: [SessionSummary]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        sessions = try json.member("sessions")
        members = try json.members(besides: ["sessions"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("sessions", sessions)
    }
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

/// A past change of a session.
public struct HistoryItem: Codable, Sendable, Hashable {
    /// The revision that the change led to.
    public var revision: Int
    /// The command that made the change.
    public var command: Command
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String]
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        revision = try json.member("revision")
        command = try json.member("command")
        added = try json.member("added")
        removed = try json.member("removed")
        members = try json.members(besides: ["revision", "command", "added", "removed"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("revision", revision)
        try json.set("command", command)
        try json.set("added", added)
        try json.set("removed", removed)
    }
}

extension HistoryItem {
    /// When the change was made, in whole seconds.
    public var at: Date? { members.date("at") }
    /// The name of the token that made the change, if it had one.
    public var by: String? { members["by"]?.string }
    /// The guard that held the command back, if any.
    public var held: String? { members["held"]?.string }
    /// The pending command that was carried out because its guard came to hold.
    public var resumed: Command? { members.value("resumed") }
    /// Why the resumed command was refused.
    public var refused: Problem? { members.value("refused") }
    /// The pending command that will not be resumed any more.
    public var givenUp: Command? { members.value("givenUp") }
    /// Entries that the app no longer allowed, or that could not be restored.
    public var dropped: [DroppedEntry] { members.value("dropped") ?? [] }
    /// Tabs that the app does not have.
    public var droppedTabs: [String] { members.value("droppedTabs") ?? [] }
}

/// One page of a session's history.
public struct HistoryPage: Codable, Sendable, Hashable {
    /// The changes, newest first.
    public var history: [HistoryItem]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        history = try json.member("history")
        members = try json.members(besides: ["history"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("history", history)
    }
}

extension HistoryPage {
    /// The `before` of the next page; nil on the last page.
    public var next: Int? { members["next"]?.integer }
}

/// Whether a sheet is still presented and, if not, how it was removed.
public struct SheetState: Codable, Sendable, Hashable {
    /// The id of the sheet.
    public var sheet: String
    /// `presented` or `dismissed`.
    public var state: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        sheet = try json.member("sheet")
        state = try json.member("state")
        members = try json.members(besides: ["sheet", "state"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("sheet", sheet)
        try json.set("state", state)
    }
}

extension SheetState {
    /// The revision that removed the sheet.
    public var revision: Int? { members["revision"]?.integer }
    /// When the sheet was removed, in whole seconds.
    public var at: Date? { members.date("at") }
    /// The command that removed the sheet, such as `dismiss` or `back`.
    public var command: String? { members["command"]?.string }
    /// The result that the sheet was dismissed with, if any.
    public var result: JSONValue? { members["result"] }
    /// Whether the sheet is gone.
    public var isDismissed: Bool { state == "dismissed" }
}

/// The steps from one revision to another, one animation each.
public struct Steps: Codable, Sendable, Hashable {
    /// The revision at which the steps begin.
    public var from: Int
    /// The revision at which they end.
    public var to: Int
    /// The steps in order.
    public var steps: [Step]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        from = try json.member("from")
        to = try json.member("to")
        steps = try json.member("steps")
        members = try json.members(besides: ["from", "to", "steps"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("from", from)
        try json.set("to", to)
        try json.set("steps", steps)
    }
}
