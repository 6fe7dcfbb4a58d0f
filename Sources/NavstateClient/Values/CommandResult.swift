/// The result of a command.
public struct CommandResult: Codable, Sendable, Hashable {
    /// False if there was nothing to do; `reason` says why.
    public var changed: Bool
    /// Why nothing was changed, for example `at-root`.
    public var reason: String?
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String]
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String]
    /// The session as it is now.
    public var session: Session
    /// All other members.
    public var members: [String: JSONValue]

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        changed = try json.member("changed")
        reason = try json.optional("reason")
        added = try json.member("added")
        removed = try json.member("removed")
        session = try json.member("session")
        members = try json.members(
            besides: ["changed", "reason", "added", "removed", "session"])
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("changed", changed)
        try json.set("reason", reason)
        try json.set("added", added)
        try json.set("removed", removed)
        try json.set("session", session)
    }
}

extension CommandResult {
    /// How many entries and sheets `back` removed.
    public var popped: Int? { members["popped"]?.integer }
    /// The tab that `back` selected.
    public var selected: String? { members["selected"]?.string }
    /// How many changes were undone.
    public var undone: Int? { members["undone"]?.integer }
    /// How many changes were redone.
    public var redone: Int? { members["redone"]?.integer }
    /// The guard that is holding the command back, if any.
    public var held: String? { members["held"]?.string }
    /// The pending command that was carried out because its guard holds now.
    public var resumed: Command? { members.value("resumed") }
    /// Why the resumed command was refused.
    public var refused: Problem? { members.value("refused") }
    /// The pending command that will not be resumed any more.
    public var givenUp: Command? { members.value("givenUp") }
    /// Entries that could not be restored or are no longer allowed.
    public var dropped: [DroppedEntry] { members.value("dropped") ?? [] }
    /// The results of a batch's commands, in order.
    public var results: [BatchItemResult] { members.value("results") ?? [] }
}

/// An entry or a sheet that the app no longer allows, or that a guard has removed.
public struct DroppedEntry: Codable, Sendable, Hashable {
    /// The id of the entry or sheet.
    public var id: String
    /// Its route.
    public var route: String
    /// Why it was removed, such as `guarded`.
    public var why: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        route = try json.member("route")
        why = try json.member("why")
        members = try json.members(besides: ["id", "route", "why"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("route", route)
        try json.set("why", why)
    }
}

/// The result of one command of a batch.
public struct BatchItemResult: Codable, Sendable, Hashable {
    /// False if there was nothing to do; `reason` says why.
    public var changed: Bool
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String]
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        changed = try json.member("changed")
        added = try json.member("added")
        removed = try json.member("removed")
        members = try json.members(besides: ["changed", "added", "removed"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("changed", changed)
        try json.set("added", added)
        try json.set("removed", removed)
    }
}

extension BatchItemResult {
    /// Why nothing was changed, for example `at-root`.
    public var reason: String? { members["reason"]?.string }
    /// The guard that is holding the command back, if any.
    public var held: String? { members["held"]?.string }
    /// The pending command that was carried out because its guard holds now.
    public var resumed: Command? { members.value("resumed") }
    /// Why the resumed command was refused.
    public var refused: Problem? { members.value("refused") }
    /// The pending command that will not be resumed any more.
    public var givenUp: Command? { members.value("givenUp") }
    /// How many entries and sheets `back` removed.
    public var popped: Int? { members["popped"]?.integer }
    /// The tab that `back` selected.
    public var selected: String? { members["selected"]?.string }
}

/// The result of a command in one of several sessions.
public struct ManyResult: Codable, Sendable, Hashable {
    /// The id of the session.
    public var session: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        session = try json.member("session")
        members = try json.members(besides: ["session"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("session", session)
    }
}

extension ManyResult {
    /// Whether anything was changed; nil if the command was refused.
    public var changed: Bool? { members["changed"]?.bool }
    /// Why nothing was changed, for example `at-root`.
    public var reason: String? { members["reason"]?.string }
    /// The guard that is holding the command back, if any.
    public var held: String? { members["held"]?.string }
    /// The revision of the session now; nil if the command was refused.
    public var revision: Int? { members["revision"]?.integer }
    /// Why the command was refused.
    public var problem: Problem? { members.value("problem") }
}
