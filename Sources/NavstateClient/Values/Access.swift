public import Foundation

/// What a token allows.
public struct TokenScope: RawRepresentable, Codable, Sendable, Hashable {
    /// The name of the scope.
    public var rawValue: String

    /// Creates a scope from its name. Use this for scopes that this version of the client does not
    /// know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Everything within the session.
    public static let control = TokenScope(rawValue: "control")
    /// Reading only.
    public static let read = TokenScope(rawValue: "read")
}

/// A token of one session, without the secret.
public struct TokenSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id of the token, which is needed to revoke it.
    public var id: String
    /// What the token allows.
    public var scope: TokenScope
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        scope = try json.member("scope")
        members = try json.members(besides: ["id", "scope"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("scope", scope)
    }
}

extension TokenSummary {
    /// The name of the token, shown as the author of its changes.
    public var name: String? { members["name"]?.string }
    /// When the token was created, in whole seconds.
    public var createdAt: Date? { members.date("createdAt") }
    /// When the token expires; nil if it never does.
    public var expiresAt: Date? { members.date("expiresAt") }
}

/// A new token. The server shows it only once. Its `description` leaves out the secret.
public struct NewToken: Codable, Sendable, Hashable, Identifiable {
    /// The id of the token, which is needed to revoke it.
    public var id: String
    /// The token itself, a secret.
    public var token: String
    /// What the token allows.
    public var scope: TokenScope
    /// All other members.
    public var members: [String: JSONValue]

    /// Reads the value from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        token = try json.member("token")
        scope = try json.member("scope")
        members = try json.members(besides: ["id", "token", "scope"])
    }

    /// Writes the value as JSON, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("token", token)
        try json.set("scope", scope)
    }
}

extension NewToken {
    /// The name of the token, shown as the author of its changes.
    public var name: String? { members["name"]?.string }
    /// When the token was created, in whole seconds.
    public var createdAt: Date? { members.date("createdAt") }
    /// When the token expires; nil if it never does.
    public var expiresAt: Date? { members.date("expiresAt") }
}

extension NewToken: CustomStringConvertible, CustomReflectable {
    /// The id and the scope of the token.
    public var description: String { "NewToken(id: \(id), scope: \(scope.rawValue))" }

    /// The members of the token that are not secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "scope": scope.rawValue], displayStyle: .struct)
    }
}
