/// What can be done in a session now.
public struct Allowed: Codable, Sendable, Hashable {
    /// The tabs.
    public var tabs: [AllowedTab]
    /// Whether `back` would change anything.
    public var canGoBack: Bool
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        tabs = try json.member("tabs")
        canGoBack = try json.member("canGoBack")
        members = try json.members(besides: ["tabs", "canGoBack"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("tabs", tabs)
        try json.set("canGoBack", canGoBack)
    }
}

extension Allowed {
    /// The routes that can be pushed; nil if any can.
    public var push: [AllowedRoute]? { members.value("push") }
    /// The routes that can be presented; nil if any can.
    public var present: [AllowedRoute]? { members.value("present") }
}

/// A route that can be shown now.
public struct AllowedRoute: Codable, Sendable, Hashable {
    /// The name of the route.
    public var route: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        route = try json.member("route")
        members = try json.members(besides: ["route"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("route", route)
    }
}

extension AllowedRoute {
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
public struct AllowedTab: Codable, Sendable, Hashable, Identifiable {
    /// The id of the tab.
    public var id: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        members = try json.members(besides: ["id"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
    }
}

extension AllowedTab {
    /// The title to show to people.
    public var title: String? { members["title"]?.string }
    /// The name of the tab's symbol.
    public var icon: String? { members["icon"]?.string }
    /// The guard of the tab, if it has one.
    public var `guard`: String? { members["guard"]?.string }
    /// Whether the guard holds now; nil if there is no guard.
    public var holds: Bool? { members["holds"]?.bool }
}
