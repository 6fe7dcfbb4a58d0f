import Foundation

/// What every change of a session can be given besides its own arguments.
///
/// ```swift
/// try await session.back(options: ChangeOptions(ifMatch: change.etag))
/// ```
public struct ChangeOptions: Sendable, Hashable {
    /// The change is made only if the session still has this entity tag; otherwise it is refused
    /// with `revision-mismatch`.
    public var ifMatch: String?
    /// Requests with the same key are one change. Nil makes a key for each call.
    public var idempotencyKey: String?
    /// Returns the full result and changes nothing.
    public var isDryRun: Bool
    /// Refuses a command that has nothing to do, instead of returning `changed: false`.
    public var isStrict: Bool

    /// Options that differ from the standard where they are given.
    public init(
        ifMatch: String? = nil, idempotencyKey: String? = nil, isDryRun: Bool = false,
        isStrict: Bool = false
    ) {
        self.ifMatch = ifMatch
        self.idempotencyKey = idempotencyKey
        self.isDryRun = isDryRun
        self.isStrict = isStrict
    }

    /// A new key, and nothing else.
    public static let standard = ChangeOptions()

    /// The request with these options.
    func applied(to call: Call) -> Call {
        var call = call
        call.fields["Idempotency-Key"] = idempotencyKey ?? UUID().uuidString
        if let ifMatch { call.fields["If-Match"] = ifMatch }
        if isStrict { call.fields["Prefer"] = "handling=strict" }
        if isDryRun { call.query.append(("dryRun", "true")) }
        return call
    }
}
