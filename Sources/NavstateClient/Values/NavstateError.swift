/// Why a call has no result.
///
/// ```swift
/// do {
///     try await session.navigate(to: "contactDetial")
/// } catch .refused(let problem) where problem.code == "unknown-route" {
///     print("Did you mean \(problem.near.joined(separator: " or "))?")
/// }
/// ```
public enum NavstateError: Error, Sendable, Hashable {
    /// The request was refused. If the server itself has refused it, nothing was changed. A proxy
    /// may refuse a request that the server has received; then, whether a change was made is
    /// unknown.
    case refused(Problem)
    /// No response was received, even after the retries. Whether a change was made is unknown.
    case unreachable(String)
    /// The response did not arrive within the time limit, even after the retries.
    case timedOut
    /// The task was cancelled. Whether a change was made is unknown.
    case cancelled
    /// The response is not what the contract of the server says.
    case unexpected(String)
    /// The arguments of the call cannot be written as JSON.
    case unencodable(String)
}

extension NavstateError {
    /// What the server said, if it refused the request.
    public var problem: Problem? {
        guard case .refused(let problem) = self else { return nil }
        return problem
    }

    /// Whether the session turned out not to exist. The 404 of a proxy does not count.
    var isSessionGone: Bool { problem?.code == "session-not-found" }

    /// Whether trying again is pointless, however long one waits. What a proxy refuses is not
    /// final, because the next attempt may reach the server.
    var isFinal: Bool {
        switch self {
        case .refused(let problem):
            problem.isFromServer && problem.status < 500 && problem.status != 429
        case .unreachable, .timedOut: false
        case .cancelled, .unexpected, .unencodable: true
        }
    }

    /// Whether the same request may succeed soon.
    var isTransient: Bool {
        switch self {
        case .refused(let problem): [429, 502, 503, 504].contains(problem.status)
        case .unreachable, .timedOut: true
        case .cancelled, .unexpected, .unencodable: false
        }
    }
}
