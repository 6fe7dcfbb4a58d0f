import Foundation

/// Options that apply to every change of a session.
///
/// ```swift
/// try await session.back(options: ChangeOptions(ifMatch: change.etag))
/// ```
public struct ChangeOptions: Sendable, Hashable {
    /// Makes the change only if the session still has this entity tag. Otherwise the change is
    /// refused with `revision-mismatch`.
    public var ifMatch: String?
    /// The idempotency key: requests with the same key count as one change. If it is nil, each call
    /// gets a key of its own.
    public var idempotencyKey: String?
    /// Returns the full result without changing anything.
    public var isDryRun: Bool
    /// Refuses a command that would change nothing, instead of returning `changed: false`.
    public var isStrict: Bool

    /// Creates options. Those that are left out have their standard values.
    public init(
        ifMatch: String? = nil, idempotencyKey: String? = nil, isDryRun: Bool = false,
        isStrict: Bool = false
    ) {
        self.ifMatch = ifMatch
        self.idempotencyKey = idempotencyKey
        self.isDryRun = isDryRun
        self.isStrict = isStrict
    }

    /// A new idempotency key for each call, and no other options.
    public static let standard = ChangeOptions()

    /// The same options with an idempotency key.
    var keyed: ChangeOptions {
        var options = self
        options.idempotencyKey = idempotencyKey ?? UUID().uuidString
        return options
    }

    /// Adds these options to a request.
    func applied(to call: Call) -> Call {
        var call = call
        call.fields["Idempotency-Key"] = idempotencyKey ?? UUID().uuidString
        if let ifMatch { call.fields["If-Match"] = ifMatch }
        if isStrict { call.fields["Prefer"] = "handling=strict" }
        if isDryRun { call.query.append(("dryRun", "true")) }
        return call
    }
}
