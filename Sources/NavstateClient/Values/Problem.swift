public import Foundation
public import NavstateRules

extension Nav {
    /// The server's own description of why it refused a request (RFC 9457).
    public struct Problem: Document {
        /// The path of a page about this kind of problem, such as `/problems/unknown-route`.
        public var type = "about:blank"
        /// A short summary for people.
        public var title = ""
        /// The status code of the HTTP response; 0 if the problem is only part of a response.
        public var status = 0
        /// The reason of the refusal, and the way to correct the request.
        public var detail = ""
        /// All other members, such as `near` and `errors`.
        public var members: [String: JSONValue] = [:]

        /// Creates a problem.
        public init(
            type: String, title: String, status: Int, detail: String,
            members: [String: JSONValue] = [:]
        ) {
            self.type = type
            self.title = title
            self.status = status
            self.detail = detail
            self.members = members
        }

        init() {}

        static let known: [Member<Nav.Problem>] = [
            .defaulted("type", \.type), .defaulted("title", \.title),
            .defaulted("status", \.status),
            .defaulted("detail", \.detail),
        ]

        /// Whether navstate itself sent the problem, rather than a proxy in front of it.
        var isFromServer: Bool { type.hasPrefix("/problems/") }

        /// The name of this kind of problem, such as `unknown-route`. It is stable.
        public var code: String { type.split(separator: "/").last.map(String.init) ?? type }

        /// Names similar to the one that was not found.
        public var near: [String] { members.value("near") ?? [] }

        /// The faults of the request's members and parameters.
        public var errors: [Fault] { members.value("errors") ?? [] }

        /// The current state of the session, if a condition failed.
        public var session: Nav.Session? { members.value("session") }

        /// The id of the request in the server's log.
        public var requestID: String? { members["requestId"]?.string }

        /// How many seconds to wait before a retry, if the server said so.
        public var retryAfterSeconds: Int? { members["retryAfterSeconds"]?.integer }
    }
}

/// A fault of one member of a body, or of a query parameter.
public struct Fault: Document {
    public var detail = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Fault>] = [.required("detail", \.detail)]

    /// A JSON pointer to the member, or to where it is missing (RFC 6901). It is nil for a query
    /// parameter.
    public var pointer: String? { members["pointer"]?.string }
    /// The name of the query parameter; nil for a member of the body.
    public var parameter: String? { members["parameter"]?.string }
}

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
    case refused(Nav.Problem)
    /// There was no response, even after the retries. It is unknown whether a change was made.
    case unreachable(String)
    /// The response did not arrive within the time limit, even after the retries. It is unknown
    /// whether a change was made.
    case timedOut
    /// The task was cancelled. It is unknown whether a change was made.
    case cancelled
    /// The response violates the server's contract.
    case unexpected(String)
    /// The arguments of the call cannot be encoded as JSON, or the URL of the server cannot be
    /// used. Nothing was sent.
    case unencodable(String)
}

extension Nav.Problem: LocalizedError {
    /// The status, the code and the detail in one line.
    public var errorDescription: String? {
        let detail = detail.isEmpty ? title : detail
        return (status > 0 ? "\(status) " : "") + "\(code): \(detail)"
    }
}

extension NavstateError: LocalizedError {
    /// The reason in one line.
    public var errorDescription: String? {
        switch self {
        case .refused(let problem): problem.errorDescription
        case .unreachable(let reason): "unreachable: \(reason)"
        case .timedOut: "timed-out: The server has not answered in time."
        case .cancelled: "cancelled: The call was cancelled."
        case .unexpected(let reason): "unexpected: \(reason)"
        case .unencodable(let reason): "unencodable: \(reason)"
        }
    }
}

extension NavstateError {
    /// Creates the error of a command that the rules refuse.
    init(_ rejection: Rejection) {
        do {
            self = .refused(try JSONValue.read(rejection.json).decode())
        } catch {
            self = .unexpected("\(rejection)")
        }
    }
}

extension Rejection: LocalizedError {
    /// The status, the code and the detail in one line.
    public var errorDescription: String? { NavstateError(self).errorDescription }
}

extension NavstateError {
    /// The problem that the server reported, if it refused the request.
    public var problem: Nav.Problem? {
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
            problem.isFromServer && problem.status != 429
                && (problem.status < 500 || problem.status == 501)
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
