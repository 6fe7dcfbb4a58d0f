/// The server's own description of why it refused a request (RFC 9457).
public struct Problem: Codable, Sendable, Hashable {
    /// The path of a page about this kind of problem, such as `/problems/unknown-route`.
    public var type: String
    /// A short summary for people.
    public var title: String
    /// The status code of the HTTP response; 0 if the problem is only part of a response and has no
    /// status.
    public var status: Int
    /// What is wrong, and what to do about it.
    public var detail: String
    /// All other members, such as `near` and `errors`.
    public var members: [String: JSONValue]

    /// Creates a problem.
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
    /// Whether navstate itself sent the problem, rather than a proxy in front of it.
    var isFromServer: Bool { type.hasPrefix("/problems/") }

    /// The name of this kind of problem, such as `unknown-route`. It is stable.
    public var code: String { type.split(separator: "/").last.map(String.init) ?? type }

    /// Names similar to the one that was not found.
    public var near: [String] { members.value("near") ?? [] }

    /// What is wrong with each member of the body.
    public var errors: [Fault] { members.value("errors") ?? [] }

    /// The current state of the session, if a condition failed.
    public var session: Session? { members.value("session") }

    /// The id of the request in the server's log.
    public var requestID: String? { members["requestId"]?.string }

    /// How many seconds to wait before a retry, if the server said so.
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
    /// A JSON pointer to the member, or to where it is missing (RFC 6901). It is nil for a query
    /// parameter.
    public var pointer: String? { members["pointer"]?.string }
    /// The name of the query parameter; nil for a member of the body.
    public var parameter: String? { members["parameter"]?.string }
}
