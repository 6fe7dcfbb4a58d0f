/// What a token allows.
public enum TokenScope: String, Codable, Sendable, Hashable {
    /// Everything in its session.
    case control
    /// Reading only.
    case read
}

/// A token of one session, without the secret.
public struct TokenSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id under which the token is revoked.
    public var id: String
    /// What the token allows.
    public var scope: TokenScope
    /// The name of the token, shown as the author of its changes.
    public var name: String?
    /// When the token was created, in the form of RFC 3339.
    public var createdAt: String?
    /// When the token expires; nil if it never does.
    public var expiresAt: String?
}

/// A new token. The server shows it only once.
public struct NewToken: Codable, Sendable, Hashable, Identifiable {
    /// The id under which the token is revoked.
    public var id: String
    /// The token itself, a secret.
    public var token: String
    /// What the token allows.
    public var scope: TokenScope
    /// When the token expires; nil if it never does.
    public var expiresAt: String?
}

/// A row of the list of apps.
public struct AppSummary: Codable, Sendable, Hashable, Identifiable {
    /// The id of the app.
    public var id: String
    /// The title of the app.
    public var title: String?
}

/// An app as the server has stored it.
public struct StoredApp: Codable, Sendable, Hashable {
    /// The document that declares the app.
    public var app: JSONValue
    /// What is odd in the document, but not wrong.
    public var warnings: [Fault]
}

/// What is wrong with an app that was checked and not stored.
public struct AppReport: Codable, Sendable, Hashable {
    /// Whether the app could be stored.
    public var valid: Bool
    /// What is wrong.
    public var errors: [Fault]
    /// What is odd, but not wrong.
    public var warnings: [Fault]
}

/// Where a deep link leads.
public struct Resolution: Codable, Sendable, Hashable {
    /// The tab that is selected.
    public var tab: String
    /// The screens of the tab's path; nil if the tab keeps its path.
    public var path: [JSONValue]?
    /// The sheet that is presented.
    public var present: JSONValue?
    /// The pattern of the link.
    public var pattern: String?
    /// The URL to which redirects have led.
    public var redirected: String?
    /// False if the URL leads to the app's `notFound`.
    public var matched: Bool?
}
