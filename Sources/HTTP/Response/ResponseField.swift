internal import Bytes

/// One field of a response. The name is a literal; the value may contain any text.
package struct ResponseField: Sendable, Equatable {
    /// The name.
    package let name: ResponseFieldName
    /// The value; control characters are written as spaces.
    package let value: String

    package init(_ name: ResponseFieldName, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The name of a response field as it is sent. It is made from a literal and never contains input.
package struct ResponseFieldName: ExpressibleByStringLiteral, Equatable, Sendable {
    /// The name as text.
    package let text: String

    package init(stringLiteral text: String) {
        precondition(
            !text.isEmpty && text.utf8.allSatisfy(ASCII.isToken), "a field name is a token")
        self.text = text
    }

    /// `Allow`
    package static let allow: Self = "Allow"
    /// `Link`
    package static let link: Self = "Link"
    /// `Preference-Applied`
    package static let preferenceApplied: Self = "Preference-Applied"
    /// `Retry-After`
    package static let retryAfter: Self = "Retry-After"
    /// `WWW-Authenticate`
    package static let wwwAuthenticate: Self = "WWW-Authenticate"
    /// `Vary`
    package static let vary: Self = "Vary"
}
