public import Foundation

/// The access that a token gives.
public struct TokenScope: RawRepresentable, Codable, Sendable, Hashable, JSONConvertible {
    public var rawValue: String

    /// Creates a scope from its name. Use this for scopes that this version of the client does not
    /// know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Everything within the session.
    public static let control = TokenScope(rawValue: "control")
    /// Reading only.
    public static let read = TokenScope(rawValue: "read")
}

/// The details of a token.
public protocol TokenDetails {
    /// The members that have no property of their own.
    var members: [String: JSONValue] { get }
}

extension TokenDetails {
    /// The name of the token, shown as the author of its changes.
    public var name: String? { members["name"]?.string }
    /// The only commands that the token may send; nil if it may send all.
    public var commands: [String]? { members.value("commands") }
    /// The only routes and groups (`@name`) that the token may show; nil if it may show all.
    public var routes: [String]? { members.value("routes") }
    /// When the token was created, in whole seconds.
    public var createdAt: Date? { members.date("createdAt") }
    /// When the token expires; nil if it never does.
    public var expiresAt: Date? { members.date("expiresAt") }
}

/// A token of one session, without the secret.
public struct TokenSummary: Document, Identifiable, TokenDetails {
    /// The id of the token, which is needed to revoke it.
    public var id = ""
    public var scope = TokenScope.read
    public var members: [String: JSONValue] = [:]

    static let known: [Member<TokenSummary>] = [.required("id", \.id), .required("scope", \.scope)]
}

/// A new token. The server shows it only once. Its `description` leaves out the secret.
public struct NewToken: Document, Identifiable, TokenDetails {
    /// The id of the token, which is needed to revoke it.
    public var id = ""
    /// The token itself, a secret.
    public var token = ""
    public var scope = TokenScope.read
    public var members: [String: JSONValue] = [:]

    static let known: [Member<NewToken>] = [
        .required("id", \.id), .required("token", \.token), .required("scope", \.scope),
    ]
}

extension NewToken: CustomStringConvertible, CustomReflectable {
    /// The id and the scope of the token.
    public var description: String { "NewToken(id: \(id), scope: \(scope.rawValue))" }

    /// The members of the token that are not secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "scope": scope.rawValue], displayStyle: .struct)
    }
}
