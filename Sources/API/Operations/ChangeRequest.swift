internal import HTTP
internal import JSON
internal import Sessions

/// How a request wants a change to be made and answered.
struct ChangeRequest {
    let key: IdempotencyKey?
    /// Whether the change is only tried, and not stored.
    private(set) var isDry = false
    private let preferences: Preferences
    /// An invalid query. It is reported after the session and the precondition have been checked.
    private var queryProblem: Problem?

    init(_ context: RequestContext) throws(OperationError) {
        key = try context.key()
        preferences =
            context.request[.prefer] == nil ? Preferences() : Preferences(context.request)
        do {
            isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        } catch {
            guard case .problem(let problem) = error, problem.kind == .invalidRequest else {
                throw error
            }
            queryProblem = problem
        }
    }

    func checkQuery() throws(OperationError) {
        if let queryProblem { throw .problem(queryProblem) }
    }

    /// Whether a command that changes nothing is to be refused.
    var isStrict: Bool { preferences.isStrict == true }
    /// Whether the response is to have the revision only, and not the session.
    var isMinimal: Bool { preferences.returnsMinimal == true }

    /// Which preferences the response follows (RFC 7240 §3).
    ///
    /// - Parameter canBeStrict: whether the operation knows `handling=strict`.
    func appliedPreferences(canBeStrict: Bool) -> [ResponseField] {
        var names: [String] = []
        if canBeStrict, let strict = preferences.isStrict {
            names.append("handling=\(strict ? "strict" : "lenient")")
        }
        if let minimal = preferences.returnsMinimal {
            names.append("return=\(minimal ? "minimal" : "representation")")
        }
        guard !names.isEmpty else { return [] }
        return [ResponseField(.preferenceApplied, names.joined(separator: ", "))]
    }
}
