public import Foundation

/// A session on a server.
///
/// ```swift
/// let session = navstate.session("kiosk-1")
/// try await session.navigate(to: Nav.Destination("contact", params: ["id": "42"]))
/// ```
public struct RemoteSession: Sendable {
    /// The server that the session is on.
    public let navstate: Navstate
    public let id: String

    var requester: Requester { navstate.requester }

    func path(_ rest: String = "") -> String {
        "/v1/sessions/\(id.percentEncoded)\(rest.isEmpty ? "" : "/")\(rest)"
    }
}

extension RemoteSession {
    /// Returns the current state of the session, or an earlier one; at least the last 32 are kept.
    public func state(at revision: Int? = nil) async throws(NavstateError) -> Nav.Session {
        let query = [("revision", revision.map(String.init))]
        return try await requester.send(Call(path: path(), query: query)).decoded()
    }

    /// Returns the current state together with its entity tag, for `ChangeOptions.ifMatch`.
    public func taggedState() async throws(NavstateError) -> (session: Nav.Session, etag: String) {
        let reply = try await requester.send(Call(path: path()))
        return (try reply.decoded(), reply.fields["etag"] ?? "")
    }

    /// Waits until the session differs from the state with this entity tag. Returns nil if that
    /// does not happen within `seconds` (60 at most).
    ///
    /// ```swift
    /// var (state, etag) = try await session.taggedState()
    /// while let next = try await session.waitForChange(after: etag, seconds: 60) {
    ///     (state, etag) = next
    /// }
    /// ```
    public func waitForChange(
        after etag: String, seconds: Int = 30
    ) async throws(NavstateError) -> (session: Nav.Session, etag: String)? {
        let call = Call(path: path(), fields: ["If-None-Match": etag], waitSeconds: seconds)
        let reply = try await requester.send(call)
        if reply.status == 304 { return nil }
        return (try reply.decoded(), reply.fields["etag"] ?? "")
    }

    /// Deletes the session and ends its streams.
    public func delete(options: ChangeOptions = .standard) async throws(NavstateError) {
        let call = Call(method: "DELETE", path: path())
        _ = try await requester.send(options.applied(to: call))
    }

    /// Sets labels and the time to live. A label whose value is nil is removed, and labels that are
    /// not mentioned stay as they are.
    ///
    /// ```swift
    /// try await session.update(labels: ["room": "lobby", "floor": nil], ttlSeconds: .never)
    /// ```
    @discardableResult
    public func update(
        labels: [String: String?] = [:], ttlSeconds: TimeToLive? = nil, idle: IdleChange? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Nav.Session {
        let labels = labels.mapValues { $0?.json ?? .null }
        let body = JSONValue.members([
            "labels": labels.unless([:]), "ttlSeconds": ttlSeconds, "idle": idle,
        ])
        let call = Call(method: "PATCH", path: path(), body: body)
        return try await requester.send(options.applied(to: call)).decoded()
    }

    /// Restores a state that was read earlier, and creates the session if it does not exist. With
    /// `onlyCreates`, the call is refused if the session exists.
    @discardableResult
    public func restore(
        _ state: JSONValue, onlyCreates: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Nav.Session {
        var call = Call(method: "PUT", path: path(), body: state)
        if onlyCreates { call.fields["If-None-Match"] = "*" }
        return try await requester.send(options.applied(to: call)).decoded()
    }

    /// Restores a state that was read earlier, like the function that takes its JSON.
    @discardableResult
    public func restore(
        _ state: Nav.Session, onlyCreates: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Nav.Session {
        try await restore(
            JSONValue(encoding: state), onlyCreates: onlyCreates, options: options)
    }

    /// Returns one page of the session's past changes, newest first. To get the following page,
    /// pass the page's `next` as `before`.
    public func history(
        limit: Int? = nil, before: Int? = nil
    ) async throws(NavstateError) -> HistoryPage {
        let query = [("limit", limit.map(String.init)), ("before", before.map(String.init))]
        return try await requester.send(Call(path: path("history"), query: query)).decoded()
    }

    /// Returns what can be done in the session now.
    public func allowed() async throws(NavstateError) -> Allowed {
        try await requester.send(Call(path: path("allowed"))).decoded()
    }

    /// Returns the deep link to what is visible. The server refuses with `no-link` if the app
    /// declares no link for it.
    public func link() async throws(NavstateError) -> URL {
        let link: JSONValue = try await requester.send(Call(path: path("link"))).decoded()
        guard let url = link["url"]?.string.flatMap(URL.init) else {
            throw .unexpected("The link is not a URL.")
        }
        return url
    }

    /// Returns the steps that take a user interface from one revision to another, by default to the
    /// newest.
    public func steps(from: Int, to: Int? = nil) async throws(NavstateError) -> Steps {
        let query = [("from", String(from) as String?), ("to", to.map(String.init))]
        return try await requester.send(Call(path: path("steps"), query: query)).decoded()
    }
}

/// The idle command of a session, for `update`.
public enum IdleChange: Sendable, Hashable, JSONConvertible {
    /// This command, after so many seconds without a change.
    case after(seconds: Int, Nav.Command)
    /// The command that the app declares, if any.
    case ofApp

    var json: JSONValue {
        switch self {
        case .after(let seconds, let command): IdleCommand(seconds: seconds, command).json
        case .ofApp: .null
        }
    }
}

/// When a session expires, for `update`.
public enum TimeToLive: Sendable, Hashable, ExpressibleByIntegerLiteral, JSONConvertible {
    /// The session expires this many seconds after its last change.
    case seconds(Int)
    /// The session does not expire.
    case never

    /// A time to live of this many seconds.
    public init(integerLiteral value: Int) { self = .seconds(value) }

    var json: JSONValue {
        switch self {
        case .seconds(let seconds): .integer(Int64(seconds))
        case .never: .null
        }
    }
}
