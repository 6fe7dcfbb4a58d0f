/// What a new session begins with. Everything is optional.
public struct NewSession: Sendable, Hashable {
    /// The id of the session; nil lets the server make one.
    public var id: String?
    /// The app to which the session is bound; nil for a free-form session.
    public var app: String?
    /// A template of the app, with which the session begins.
    public var template: String?
    /// The tabs of a free-form session; empty for the one tab `main`.
    public var tabs: [String]
    /// The tab that is selected; nil for the first one.
    public var selectedTab: String?
    /// Initial values of facts.
    public var facts: [String: JSONValue]
    /// Labels, by which sessions can be found.
    public var labels: [String: String]
    /// The session expires this many seconds after its last change; nil for never.
    public var ttlSeconds: Int?
    /// Any other member, such as `tabBack` or `copyOf`.
    public var members: [String: JSONValue]

    /// A new session with these properties.
    public init(
        id: String? = nil, app: String? = nil, template: String? = nil, tabs: [String] = [],
        selectedTab: String? = nil, facts: [String: JSONValue] = [:],
        labels: [String: String] = [:], ttlSeconds: Int? = nil,
        members: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.app = app
        self.template = template
        self.tabs = tabs
        self.selectedTab = selectedTab
        self.facts = facts
        self.labels = labels
        self.ttlSeconds = ttlSeconds
        self.members = members
    }

    /// A session that begins as another one is now, or was at a revision that is still kept.
    public static func copy(
        of session: String, at revision: Int? = nil, id: String? = nil
    ) -> NewSession {
        var new = NewSession(id: id, members: ["copyOf": .string(session)])
        new.members.set("revision", revision.map { .integer(Int64($0)) })
        return new
    }

    var json: JSONValue {
        var json = members
        json.set("id", id.map(JSONValue.string))
        json.set("app", app.map(JSONValue.string))
        json.set("template", template.map(JSONValue.string))
        json.set("tabs", tabs.isEmpty ? nil : .array(tabs.map(JSONValue.string)))
        json.set("selectedTab", selectedTab.map(JSONValue.string))
        json.set("facts", facts.isEmpty ? nil : .object(facts))
        json.set("labels", labels.isEmpty ? nil : .object(labels.mapValues(JSONValue.string)))
        json.set("ttlSeconds", ttlSeconds.map { .integer(Int64($0)) })
        return .object(json)
    }
}

extension Navstate {
    /// Creates a session. Refused with `session-exists` if the id is in use.
    ///
    /// ```swift
    /// let session = try await navstate.create(NewSession(id: "kiosk-1", app: "chat"))
    /// ```
    @discardableResult
    public func create(
        _ new: NewSession = NewSession(), options: ChangeOptions = .standard
    ) async throws(NavstateError) -> RemoteSession {
        let call = Call(method: "POST", path: "/v1/sessions", body: new.json)
        let state: Session = try await requester.send(options.applied(to: call)).decoded()
        return session(state.id)
    }

    /// A page of the list of the sessions that match the filter and whose ids begin with
    /// `idPrefix`. Pass `next` of a page as the cursor of the next one.
    public func sessions(
        _ filter: SessionFilter = SessionFilter(), idPrefix: String? = nil, limit: Int? = nil,
        cursor: String? = nil
    ) async throws(NavstateError) -> SessionPage {
        let page = [("q", idPrefix), ("limit", limit.map(String.init)), ("cursor", cursor)]
        let call = Call(path: "/v1/sessions", query: filter.query + page)
        return try await requester.send(call).decoded()
    }

    /// Carries one command out on each session that matches everything given. A refusal is in the
    /// row of its session, and the other sessions are not affected.
    ///
    /// ```swift
    /// try await navstate.perform(.root(.all), on: SessionFilter(labels: ["room": "lobby"]))
    /// ```
    @discardableResult
    public func perform(
        _ command: Command, on filter: SessionFilter, sessions: [String]? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> [ManyResult] {
        var body: [String: JSONValue] = ["command": command.json]
        body.set("app", filter.app.map(JSONValue.string))
        let labels = filter.labels.mapValues(JSONValue.string)
        body.set("labels", labels.isEmpty ? nil : .object(labels))
        body.set("sessions", sessions.map { .array($0.map(JSONValue.string)) })
        let call = Call(method: "POST", path: "/v1/commands", body: .object(body))
        let reply = try await requester.send(options.applied(to: call))
        return try reply.decoded(as: Results.self).results
    }

    private struct Results: Decodable {
        var results: [ManyResult]
    }
}
