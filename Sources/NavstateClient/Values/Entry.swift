/// A pushed screen: a route with its params.
public struct Entry: Codable, Sendable, Hashable, Identifiable {
    /// The id, which is unique within the session and never reused.
    public var id: String
    /// The name of the route.
    public var route: String
    /// The params of the route; an object.
    public var params: JSONValue
    /// A name by which `back(to: .mark(…))` finds the entry.
    public var mark: String?
    /// The members that this version of the client does not know.
    public var members: [String: JSONValue]

    /// Creates an entry.
    public init(id: String, route: String, params: JSONValue = [:], mark: String? = nil) {
        self.id = id
        self.route = route
        self.params = params
        self.mark = mark
        members = [:]
    }

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        route = try json.member("route")
        params = try json.optional("params") ?? [:]
        mark = try json.optional("mark")
        members = try json.members(besides: ["id", "route", "params", "mark"])
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("route", route)
        try json.set("params", params)
        try json.set("mark", mark)
    }
}
