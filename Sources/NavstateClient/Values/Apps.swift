/// An app in the list of apps.
public struct AppSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id of the app.
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

extension AppSummary {
    /// The title of the app.
    public var title: String? { members["title"]?.string }
}

/// An app as the server stored it.
public struct StoredApp: Codable, Sendable, Hashable {
    /// The document that declares the app.
    public var app: JSONValue
    /// Warnings about the document. They do not make it invalid.
    public var warnings: [Fault]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        app = try json.member("app")
        warnings = try json.member("warnings")
        members = try json.members(besides: ["app", "warnings"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("app", app)
        try json.set("warnings", warnings)
    }
}

/// The result of checking an app without storing it.
public struct AppReport: Codable, Sendable, Hashable {
    /// Whether the app could be stored.
    public var valid: Bool
    /// What is wrong.
    public var errors: [Fault]
    /// Warnings about the document. They do not make it invalid.
    public var warnings: [Fault]
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        valid = try json.member("valid")
        errors = try json.member("errors")
        warnings = try json.member("warnings")
        members = try json.members(besides: ["valid", "errors", "warnings"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("valid", valid)
        try json.set("errors", errors)
        try json.set("warnings", warnings)
    }
}

/// Where a deep link leads.
public struct Resolution: Codable, Sendable, Hashable {
    /// The tab that is selected.
    public var tab: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        tab = try json.member("tab")
        members = try json.members(besides: ["tab"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("tab", tab)
    }
}

extension Resolution {
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
