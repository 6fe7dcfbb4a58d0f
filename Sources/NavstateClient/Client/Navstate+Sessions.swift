/// The initial state of a new session. Everything is optional.
public struct NewSession: Sendable, Hashable {
    /// The id of the session. If it is nil, the server chooses one.
    public var id: String?
    /// The app that the session is bound to; nil for a free-form session.
    public var app: String?
    /// The template of the app that the session starts from.
    public var template: String?
    /// The tabs of a free-form session. If it is empty, the session has a single tab, `main`.
    public var tabs: [String]
    /// The selected tab; nil selects the first one.
    public var selectedTab: String?
    /// Initial values of facts.
    public var facts: [String: JSONValue]
    /// Labels to find the session by.
    public var labels: [String: String]
    /// How many seconds after its last change the session expires; nil if it never does.
    public var ttlSeconds: Int?
    /// Any other member, such as `tabBack` or `copyOf`.
    public var members: [String: JSONValue]

    /// Creates the description of a new session.
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

    /// A session that starts as a copy of another one, either of its current state or of a revision
    /// that the server still keeps.
    public static func copy(
        of session: String, at revision: Int? = nil, id: String? = nil
    ) -> NewSession {
        var new = NewSession(id: id)
        new.members.add(["copyOf": session, "revision": revision])
        return new
    }

    var json: JSONValue {
        var json = members
        json.add([
            "id": id, "app": app, "template": template, "tabs": tabs.unless([]),
            "selectedTab": selectedTab, "facts": facts.unless([:]), "labels": labels.unless([:]),
            "ttlSeconds": ttlSeconds,
        ])
        return .object(json)
    }
}

extension Navstate {
    /// Creates a session. The server refuses with `session-exists` if the id is already in use.
    ///
    /// ```swift
    /// let session = try await navstate.create(NewSession(id: "kiosk-1", app: "chat"))
    /// ```
    @discardableResult
    public func create(
        _ new: NewSession = NewSession(), options: ChangeOptions = .standard
    ) async throws(NavstateError) -> RemoteSession {
        let call = Call(method: "POST", path: "/v1/sessions", body: new.json)
        let state: Nav.Session = try await requester.send(options.applied(to: call)).decoded()
        return session(state.id)
    }

    /// Returns one page of the sessions that match the filter and whose ids begin with `idPrefix`.
    /// To get the following page, pass the page's `next` as `cursor`.
    public func sessions(
        _ filter: SessionFilter = SessionFilter(), idPrefix: String? = nil, limit: Int? = nil,
        cursor: String? = nil
    ) async throws(NavstateError) -> SessionPage {
        let page = [("q", idPrefix), ("limit", limit.map(String.init)), ("cursor", cursor)]
        let call = Call(path: "/v1/sessions", query: filter.query + page)
        return try await requester.send(call).decoded()
    }

    /// Carries out a command in every session that matches both the filter and the list of ids. If
    /// one session refuses the command, its row has the problem, and the other sessions are not
    /// affected.
    ///
    /// ```swift
    /// try await navstate.perform(.root(.all), on: SessionFilter(labels: ["room": "lobby"]))
    /// ```
    @discardableResult
    public func perform(
        _ command: Nav.Command, on filter: SessionFilter, sessions: [String]? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> [ManyResult] {
        let body = JSONValue.members([
            "command": command, "app": filter.app, "labels": filter.labels.unless([:]),
            "sessions": sessions,
        ])
        let call = Call(method: "POST", path: "/v1/commands", body: body)
        return try await requester.send(options.applied(to: call)).decoded(member: "results")
    }
}
