/// Why the server refused a request, as it said itself (RFC 9457).
public struct Problem: Codable, Sendable, Hashable {
    /// The path of a page about this kind of problem, such as `/problems/unknown-route`.
    public var type: String
    /// A few words for people.
    public var title: String
    /// The status of the HTTP response; 0 if the problem is a part of a response and has none.
    public var status: Int
    /// What to do about it.
    public var detail: String
    /// All other members, such as `near` and `errors`.
    public var members: [String: JSONValue]

    /// A problem with these members.
    public init(
        type: String, title: String, status: Int, detail: String,
        members: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.members = members
    }

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        type = try json.optional("type") ?? "about:blank"
        title = try json.optional("title") ?? ""
        status = try json.optional("status") ?? 0
        detail = try json.optional("detail") ?? ""
        members = try json.members(besides: ["type", "title", "status", "detail"])
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("type", type)
        try json.set("title", title)
        try json.set("status", status)
        try json.set("detail", detail)
    }
}

extension Problem {
    /// Whether navstate itself has sent the problem, and not a proxy before it.
    var isFromServer: Bool { type.hasPrefix("/problems/") }

    /// The name of this kind of problem, such as `unknown-route`. It is stable.
    public var code: String { type.split(separator: "/").last.map(String.init) ?? type }

    /// Names that resemble the one that was not found.
    public var near: [String] { members.value("near") ?? [] }

    /// What is wrong with each member of the body.
    public var errors: [Fault] { members.value("errors") ?? [] }

    /// The current state of the session, if a condition failed.
    public var session: Session? { members.value("session") }

    /// The name of the request in the server's log.
    public var requestID: String? { members["requestId"]?.string }

    /// How many seconds to wait before another attempt, if the server said so.
    public var retryAfterSeconds: Int? { members["retryAfterSeconds"]?.integer }
}

/// What is wrong with one member of a body.
public struct Fault: Codable, Sendable, Hashable {
    /// What is wrong with it.
    public var detail: String
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        detail = try json.member("detail")
        members = try json.members(besides: ["detail"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("detail", detail)
    }
}

extension Fault {
    /// Where the member is or would be (RFC 6901); nil for a query parameter.
    public var pointer: String? { members["pointer"]?.string }
    /// The query parameter; nil for a member of the body.
    public var parameter: String? { members["parameter"]?.string }
}
