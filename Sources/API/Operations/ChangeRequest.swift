internal import Bytes
internal import HTTP
internal import Navigation
internal import Sessions

/// How a request wants a change to be made and answered.
struct ChangeRequest: Sendable {
    let key: IdempotencyKey?
    /// Whether the change is only tried, and not stored.
    let isDry: Bool
    /// Whether it is the idle command of the session.
    let isIdle: Bool
    private let preferences: Preferences

    /// A change that the service makes by itself.
    init(isIdle: Bool) {
        (key, isDry, self.isIdle, preferences) = (nil, false, isIdle, Preferences())
    }

    /// - Parameter mixBody: mixes the body of the request into its digest.
    init(
        _ context: RequestContext, _ mixBody: (inout FNV1a) -> Void
    ) throws(OperationError) {
        let key = try context.key(mixBody)
        isDry = try Self.isDry(context)
        preferences =
            context.request[.prefer] == nil ? Preferences() : Preferences(context.request)
        self.key = key
        isIdle = false
    }

    /// An invalid query counts as empty at first. `checkQuery` refuses it after the session and the
    /// precondition have been checked.
    private static func isDry(_ context: RequestContext) throws(OperationError) -> Bool {
        guard context.request.query != nil else { return false }
        do {
            return try readQuery(context)
        } catch {
            guard case .problem(let problem) = error, problem.kind == .invalidRequest else {
                throw error
            }
            return false
        }
    }

    private static func readQuery(_ context: RequestContext) throws(OperationError) -> Bool {
        try Query(context, allowed: ["dryRun"]).flag("dryRun")
    }

    /// Refuses an invalid query.
    func checkQuery(_ context: RequestContext) throws(OperationError) {
        if context.request.query != nil { _ = try Self.readQuery(context) }
    }

    /// Whether a command that changes nothing is to be refused.
    var isStrict: Bool { preferences.isStrict == true }
    /// Whether the response to a command is to have the revision only, and not the session.
    var isMinimal: Bool { preferences.returnsMinimal == true }

    /// Which preferences the response to a command follows (RFC 7240 §3). Others follow none.
    var appliedPreferences: [ResponseField] {
        var names: [String] = []
        if let strict = preferences.isStrict {
            names.append("handling=\(strict ? "strict" : "lenient")")
        }
        if let minimal = preferences.returnsMinimal {
            names.append("return=\(minimal ? "minimal" : "representation")")
        }
        guard !names.isEmpty else { return [] }
        return [ResponseField(.preferenceApplied, names.joined(separator: ", "))]
    }
}
