/// The kinds of warnings about the document of an app: what is valid but probably a mistake. The
/// codes are part of the API.
public enum AppWarning: String, CaseIterable, Sendable {
    /// A keyword of a schema has no effect.
    case ineffectiveKeyword = "ineffective-keyword"
    /// The root of a tab is a route that is not declared.
    case undeclaredRoot = "undeclared-root"
    /// The root of a tab lacks params that its route requires.
    case rootWithoutParams = "root-without-params"
    /// Nothing can push the route.
    case unlistedRoute = "unlisted-route"
    /// A title names a param that the route cannot have.
    case unknownParam = "unknown-param"
    /// Another link takes all URLs of the link.
    case unreachedLink = "unreached-link"
    /// The params of a link do not fit its route.
    case unfitLink = "unfit-link"
    /// Guards lead to each other for a value that no guard names.
    case guardLoop = "guard-loop"
    /// Nothing uses the guard.
    case unusedGuard = "unused-guard"
    /// Nothing uses the fact.
    case unusedFact = "unused-fact"
    /// Nothing uses the group.
    case unusedGroup = "unused-group"
    /// Nothing uses the member of `$defs`.
    case unusedDefinition = "unused-definition"
    /// The pages of the server have no drawing for the icon.
    case unknownIcon = "unknown-icon"
}
