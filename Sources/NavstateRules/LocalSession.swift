internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// A session in this process, by the rules of the server. A copy is a session of its own.
public struct LocalSession: Sendable {
    var session: Session
    /// The app that the session is bound to, or nil for a free-form session.
    public let app: AppDefinition?
    /// The time in milliseconds since 1970. Only `advance` and requests with a later time move it.
    public internal(set) var now: Int64
    /// The states that undo and redo lead to, by revision, as far as they were made here.
    var kept: [Int: NavigationState] = [:]
    /// The revision after which the idle command is not carried out.
    private var idleRevision: Int?
    /// Whether the session is known to fit its app.
    var fits = true

    /// A new session.
    ///
    /// - Parameters:
    ///   - body: that of a creation, which need not name the app.
    ///   - id: the id of the session if the body has none.
    public init(
        _ app: AppDefinition?, creating body: String = "{}", id: String = "local",
        strict: Bool = false, at now: Int64 = 0
    ) throws(Rejection) {
        try self.init(app, strict: strict, at: now) { rules throws(ProblemContent) in
            try CreateSession.session(
                RequestBody(body, limits: rules.limits), id: id, rules: rules, at: now)
        }
    }

    /// A session with a state that a GET returned before: the body of a PUT.
    public init(
        _ app: AppDefinition?, restoring body: String, id: String = "local", at now: Int64 = 0
    ) throws(Rejection) {
        try self.init(app, at: now) { rules throws(ProblemContent) in
            try RestoreSession.session(
                RequestBody(body, limits: rules.limits.ofRestore), id: id, rules: rules, at: now)
        }
    }

    /// A session that continues one of a server: its revision and its ids go on from there. Only
    /// the server can undo earlier changes, and knows whether the idle command has been carried out
    /// already: here it is due after the next change.
    ///
    /// - Parameter state: the session as the server has sent it.
    public init(
        _ app: AppDefinition?, continuing state: String, at now: Int64 = 0
    ) throws(Rejection) {
        try self.init(app, at: now) { _ throws(ProblemContent) in
            try SessionDecoder.decode(response: state, app: app?.app.id)
        }
        (fits, idleRevision) = (false, session.revision)
        self.now = max(now, session.updatedAt)
    }

    private init(
        _ app: AppDefinition?, strict: Bool = false, at now: Int64,
        _ session: (Rules) throws(ProblemContent) -> Session
    ) throws(Rejection) {
        (self.app, self.now) = (app, now)
        do { self.session = try session(Self.rules(app, strict: strict)) } catch {
            throw Rejection(error)
        }
    }

    /// The session as GET returns it.
    public var json: String {
        String(decoding: SessionEncoder.encode(session, app: app?.app), as: UTF8.self)
    }
    /// The number of the revision, from 1.
    public var revision: Int { session.revision }
    /// The URL of a deep link to the visible screen, if the app has one.
    public var link: String? {
        (try? app?.app.link(to: session.state, work: WorkBudget())).flatMap { $0 }
    }
    /// The routes that can be pushed and presented now and the tabs, as `GET …/allowed` returns
    /// them.
    public var allowed: String {
        let object = try? session.allowed(app?.app, work: .unlimited)
        return JSON.object(object ?? JSONObject()).text
    }
    /// When the session expires, if it does. Commands do not check it: the time of a server may be
    /// another one.
    public var expiresAt: Int64? { session.expiresAt }

    /// Whether a guard of the app holds, or nil if there is no such guard.
    public func holds(_ name: String) -> Bool? {
        GuardName(name).flatMap { app?.app.guards.named[$0]?.holds(session.facts) }
    }

    /// The steps of a user interface from this session to another one, as the API writes them.
    public func steps(to goal: LocalSession) -> String {
        let app = goal.app?.app
        let steps = session.state.steps(to: goal.session.state, app: app)
        return String(decoding: SessionEncoder.encode(steps, app: app), as: UTF8.self)
    }

    // MARK: - Changes

    /// Carries out a command of the API.
    ///
    /// - Parameters:
    ///   - strict: whether a command that changes nothing, or is held back, is refused.
    ///   - time: the time of the change, unless it is in the past.
    @discardableResult
    public mutating func perform(
        _ command: String, _ body: String = "{}", strict: Bool = false, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try change(strict: strict, at: time) { editor, before throws(ProblemContent) in
            let body = RequestBody(body, limits: editor.rules.limits)
            let request = try CommandRequest(named: command, body, editor.rules)
            return try before.carryOut(request, in: &editor)
        }
    }

    /// Replaces the state and the settings: the PUT of the API.
    @discardableResult
    public mutating func restore(
        _ body: String, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try change(at: time) { editor, before throws(ProblemContent) in
            let body = RequestBody(body, limits: editor.rules.limits.ofRestore)
            return try editor.restore(body, at: before.now)
        }
    }

    /// Changes the labels and the times: the PATCH of the API.
    @discardableResult
    public mutating func update(
        _ body: String, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try change(at: time) { editor, before throws(ProblemContent) in
            try editor.update(RequestBody(body, limits: editor.rules.limits), at: before.now)
        }
    }

    /// Moves the time, and carries out the first thing that is due by then: a sheet goes, or the
    /// idle command is carried out. To be called until it returns nil. A session that has expired
    /// does not change any more.
    public mutating func advance(to time: Int64) -> Outcome? {
        while let due = session.due(app?.app, mayBeIdle: idleRevision != session.revision),
            due.at <= time, due.at < expiresAt ?? .max
        {
            let outcome = try? change(at: due.at) { editor, before throws(ProblemContent) in
                guard let idle = due.idle else { return editor.expireSheet(before.now) }
                return try before.carryOut(idle, in: &editor, isIdle: true)
            }
            if due.idle != nil { idleRevision = session.revision }
            if let outcome, outcome.changed { return outcome }
            guard due.idle != nil else { break }
        }
        now = max(now, time)
        return nil
    }
}
