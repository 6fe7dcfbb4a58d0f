public import Foundation

/// A session on a server.
///
/// ```swift
/// let session = navstate.session("kiosk-1")
/// try await session.navigate(to: Destination("contact", params: ["id": "42"]))
/// ```
public struct RemoteSession: Sendable {
    /// The server of the session.
    public let navstate: Navstate
    /// The id of the session.
    public let id: String

    var requester: Requester { navstate.requester }

    func path(_ rest: String = "") -> String {
        "/v1/sessions/\(id.percentEncoded)\(rest.isEmpty ? "" : "/")\(rest)"
    }
}

extension RemoteSession {
    /// The session as it is now, or as it was at one of its last 32 revisions.
    public func state(at revision: Int? = nil) async throws(NavstateError) -> Session {
        let query = [("revision", revision.map(String.init))]
        return try await requester.send(Call(path: path(), query: query)).decoded()
    }

    /// The session with the entity tag of its state, for `ChangeOptions.ifMatch`.
    public func taggedState() async throws(NavstateError) -> (session: Session, etag: String) {
        let reply = try await requester.send(Call(path: path()))
        return (try reply.decoded(), reply.fields["etag"] ?? "")
    }

    /// Waits until the session differs from the state with this entity tag. Nil if that does not
    /// happen within the time, which is at most 60 seconds.
    ///
    /// ```swift
    /// var (state, etag) = try await session.taggedState()
    /// while let next = try await session.waitForChange(after: etag, seconds: 60) {
    ///     (state, etag) = next
    /// }
    /// ```
    public func waitForChange(
        after etag: String, seconds: Int = 30
    ) async throws(NavstateError) -> (session: Session, etag: String)? {
        let fields = ["If-None-Match": etag, "Prefer": "wait=\(seconds)"]
        let reply = try await requester.send(
            Call(path: path(), fields: fields, waitSeconds: seconds))
        if reply.status == 304 { return nil }
        return (try reply.decoded(), reply.fields["etag"] ?? "")
    }

    /// Deletes the session. Its streams end.
    public func delete(options: ChangeOptions = .standard) async throws(NavstateError) {
        let call = Call(method: "DELETE", path: path())
        _ = try await requester.send(options.applied(to: call))
    }

    /// Sets labels and the time to live. A label that is nil is removed, and those that are not
    /// named stay.
    ///
    /// ```swift
    /// try await session.update(labels: ["room": "lobby", "floor": nil], ttlSeconds: .never)
    /// ```
    @discardableResult
    public func update(
        labels: [String: String?] = [:], ttlSeconds: TimeToLive? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Session {
        var body: [String: JSONValue] = [:]
        let changed = labels.mapValues { $0.map(JSONValue.string) ?? .null }
        body.set("labels", changed.isEmpty ? nil : .object(changed))
        body.set("ttlSeconds", ttlSeconds?.json)
        let call = Call(method: "PATCH", path: path(), body: .object(body))
        return try await requester.send(options.applied(to: call)).decoded()
    }

    /// Restores a state that was read before, and creates the session if it does not exist. With
    /// `onlyCreates`, an existing session is left alone and the call is refused.
    @discardableResult
    public func restore(
        _ state: JSONValue, onlyCreates: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Session {
        var call = Call(method: "PUT", path: path(), body: state)
        if onlyCreates { call.fields["If-None-Match"] = "*" }
        return try await requester.send(options.applied(to: call)).decoded()
    }

    /// Restores a state that was read before, as the other function does with its JSON.
    @discardableResult
    public func restore(
        _ state: Session, onlyCreates: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> Session {
        try await restore(
            JSONValue(encoding: state), onlyCreates: onlyCreates, options: options)
    }

    /// What happened, newest first. Pass `next` of a page as `before` of the next one.
    public func history(
        limit: Int? = nil, before: Int? = nil
    ) async throws(NavstateError) -> HistoryPage {
        let query = [("limit", limit.map(String.init)), ("before", before.map(String.init))]
        return try await requester.send(Call(path: path("history"), query: query)).decoded()
    }

    /// What may be done now.
    public func allowed() async throws(NavstateError) -> Allowed {
        try await requester.send(Call(path: path("allowed"))).decoded()
    }

    /// The deep link of what is visible. Refused with `no-link` if the app declares none.
    public func link() async throws(NavstateError) -> URL {
        let link: JSONValue = try await requester.send(Call(path: path("link"))).decoded()
        guard let url = link["url"]?.string.flatMap(URL.init) else {
            throw .unexpected("The link is not a URL.")
        }
        return url
    }

    /// How a user interface gets from one revision to another, by default to the newest.
    public func steps(from: Int, to: Int? = nil) async throws(NavstateError) -> Steps {
        let query = [("from", String(from) as String?), ("to", to.map(String.init))]
        return try await requester.send(Call(path: path("steps"), query: query)).decoded()
    }
}

/// When a session expires, for `update`.
public enum TimeToLive: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The session expires this many seconds after its last change.
    case seconds(Int)
    /// The session does not expire.
    case never

    /// The number of seconds.
    public init(integerLiteral value: Int) { self = .seconds(value) }

    var json: JSONValue {
        switch self {
        case .seconds(let seconds): .integer(Int64(seconds))
        case .never: .null
        }
    }
}
