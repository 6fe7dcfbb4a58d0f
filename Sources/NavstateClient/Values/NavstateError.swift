/// Why a call failed.
///
/// ```swift
/// do {
///     try await session.navigate(to: "contactDetial")
/// } catch .refused(let problem) where problem.code == "unknown-route" {
///     print("Did you mean \(problem.near.joined(separator: " or "))?")
/// }
/// ```
public enum NavstateError: Error, Sendable, Hashable {
    /// The request was refused. If the server itself refused it, nothing was changed. If a proxy
    /// did, the server may still have received the request, and it is unknown whether a change was
    /// made.
    case refused(Problem)
    /// There was no response, even after the retries. It is unknown whether a change was made.
    case unreachable(String)
    /// The response did not arrive within the time limit, even after the retries. It is unknown
    /// whether a change was made.
    case timedOut
    /// The task was cancelled. It is unknown whether a change was made.
    case cancelled
    /// The response violates the server's contract.
    case unexpected(String)
    /// The arguments of the call cannot be encoded as JSON.
    case unencodable(String)
}

extension NavstateError {
    /// The problem that the server reported, if it refused the request.
    public var problem: Problem? {
        guard case .refused(let problem) = self else { return nil }
        return problem
    }

    /// Whether the server says that the session does not exist. A 404 from a proxy does not count.
    var isSessionGone: Bool { problem?.code == "session-not-found" }

    /// Whether there is no point in trying again, however much later. A refusal by a proxy is not
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
