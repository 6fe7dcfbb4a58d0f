internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// A session in this process, by the rules of the server. A copy is a session of its own.
public struct LocalSession: Sendable {
    private var session: Session
    /// The app that the session is bound to, or nil for a free-form session.
    public let app: AppDefinition?
    /// The time in milliseconds since 1970. Only `advance` and requests with a later time move it.
    public private(set) var now: Int64
    /// The states that undo and redo lead to, by revision, as far as they were made here.
    private var kept: [Int: NavigationState] = [:]
    /// The revision after which the idle command is not carried out.
    private var idleRevision: Int?
    /// Whether the session is known to fit its app.
    private var fits = true

    /// A new session.
    ///
    /// - Parameters:
    ///   - body: that of a creation, which need not name the app.
    ///   - id: the id of the session if the body has none.
    public init(
        _ app: AppDefinition?, creating body: String = "{}", id: String = "local",
        strict: Bool = false, at now: Int64 = 0
    ) throws(Rejection) {
        (self.app, self.now) = (app, now)
        let rules = Self.rules(app, strict: strict)
        session = try refusing { () throws(ProblemContent) in
            try CreateSession.session(
                RequestBody(body, limits: rules.limits), id: id, rules: rules, at: now)
        }
    }

    /// A session with a state that a GET returned before: the body of a PUT.
    public init(
        _ app: AppDefinition?, restoring body: String, id: String = "local", at now: Int64 = 0
    ) throws(Rejection) {
        (self.app, self.now) = (app, now)
        let rules = Self.rules(app)
        session = try refusing { () throws(ProblemContent) in
            try RestoreSession.session(
                RequestBody(body, limits: rules.limits), id: id, rules: rules, at: now)
        }
    }

    /// A session that continues one of a server: its revision and its ids go on from there. Only
    /// the server can undo what was done before.
    ///
    /// - Parameter state: the session as the server has sent it.
    public init(
        _ app: AppDefinition?, continuing state: String, at now: Int64 = 0
    ) throws(Rejection) {
        (self.app, fits) = (app, false)
        session = try refusing { () throws(ProblemContent) in
            try SessionDecoder.decode(response: state, app: app?.app.id)
        }
        self.now = max(now, session.updatedAt)
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
    /// What can be pushed, presented and selected now, as `GET …/allowed` returns it.
    public var allowed: String {
        let object = try? session.allowed(app?.app, work: .unlimited)
        return JSON.object(object ?? JSONObject()).text
    }
    /// When the session expires, if it does.
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
        try change(Self.rules(app, strict: strict), at: time) { next, rules throws(Rejection) in
            let request = try refusing { () throws(ProblemContent) in
                try CommandRequest(named: command, RequestBody(body, limits: rules.limits), rules)
            }
            return try next.carryOut(request, rules)
        }
    }

    /// Replaces the state and the settings: the PUT of the API.
    @discardableResult
    public mutating func restore(
        _ body: String, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try change(Self.rules(app), at: time) { next, rules throws(Rejection) in
            try next.edit(rules) { editor, now throws(ProblemContent) in
                try editor.restore(RequestBody(body, limits: rules.limits), at: now)
            }
        }
    }

    /// Changes the labels and the times: the PATCH of the API.
    @discardableResult
    public mutating func update(
        _ body: String, at time: Int64? = nil
    ) throws(Rejection) -> Outcome {
        try change(Self.rules(app), at: time) { next, rules throws(Rejection) in
            try next.edit(rules) { editor, now throws(ProblemContent) in
                try editor.update(RequestBody(body, limits: rules.limits), at: now)
            }
        }
    }

    /// Moves the time, and carries out the first thing that is due by then: a sheet goes, or the
    /// idle command is carried out. To be called until it returns nil. A session that has expired
    /// does not change any more.
    public mutating func advance(to time: Int64) -> Outcome? {
        while let due = session.due(app?.app, mayBeIdle: idleRevision != session.revision),
            due.at <= time, due.at < expiresAt ?? .max
        {
            let outcome = try? change(Self.rules(app), at: due.at) {
                next, rules throws(Rejection) in
                if let idle = due.idle { return try next.carryOut(idle, rules, isIdle: true) }
                return try next.edit(rules) { editor, now in editor.expireSheet(now) }
            }
            if due.idle != nil { idleRevision = session.revision }
            if let outcome, outcome.changed { return outcome }
            guard due.idle != nil else { break }
        }
        now = max(now, time)
        return nil
    }
}

// MARK: - How a change is made

extension LocalSession {
    private static func rules(_ app: AppDefinition?, strict: Bool = false) -> Rules {
        Rules(app: app?.app, limits: Limits(), strict: strict, work: WorkBudget())
    }

    /// Makes a change on a copy, so that a refused one leaves nothing behind.
    private mutating func change(
        _ rules: Rules, at time: Int64?,
        _ body: (inout LocalSession, Rules) throws(Rejection) -> Outcome
    ) throws(Rejection) -> Outcome {
        now = max(now, time ?? now)
        var next = self
        if !fits { try next.reconcile(rules) }
        let outcome = try body(&next, rules)
        self = next
        return outcome
    }

    private mutating func reconcile(_ rules: Rules) throws(Rejection) {
        fits = true
        _ = try edit(rules) { editor, now throws(ProblemContent) in
            do throws(WorkBudgetError) {
                guard let found = try editor.reconcile(at: now) else { return .none("reconcile") }
                let cause = EventText.Cause(command: "reconcile", losses: found.losses)
                return LocalChange(answer: found.answer, cause: cause)
            } catch {
                throw ProblemContent(.tooMuchWork(.state))
            }
        }
    }

    private mutating func carryOut(
        _ request: CommandRequest, _ rules: Rules, isIdle: Bool = false
    ) throws(Rejection) -> Outcome {
        let target = try undoTarget(for: request.command)
        return try edit(rules) { editor, now throws(ProblemContent) in
            do throws(RejectionError) {
                let answer = try editor.carryOut(request, undoTarget: target, at: now)
                let cause = EventText.Cause(
                    command: request.command.name.rawValue, body: request.body, isIdle: isIdle)
                return LocalChange(answer: answer, cause: cause, isCommand: true)
            } catch {
                throw ProblemContent(error)
            }
        }
    }

    private mutating func edit(
        _ rules: Rules,
        _ body: (inout SessionEditor, Int64) throws(ProblemContent) -> LocalChange
    ) throws(Rejection) -> Outcome {
        let change: LocalChange
        var editor = SessionEditor(session, rules: rules)
        do { change = try body(&editor, now) } catch { throw Rejection(error) }
        let changed = editor.finish()
        let state = SessionEncoder.encode(changed, app: app?.app)
        guard change.answer.changed else { return change.outcome(state) }
        guard state.count <= rules.limits.sessionBytesMax else {
            throw Rejection(.sessionTooLarge(rules.limits))
        }
        kept[session.revision] = session.state
        session = changed
        if kept.count > 4 * UndoStacks.stepsMax {
            let runs = session.undoing.undo.runs + session.undoing.redo.runs
            let needed = Set(runs.flatMap { min($0.bottom, $0.top)...$0.highest })
            kept = kept.filter { needed.contains($0.key) }
        }
        return change.outcome(state)
    }

    private static let stateNotHere = ProblemContent(
        .revisionGone, "That state was not made here. Only the server of the session has it.")

    /// The state that `undo` or `redo` leads to.
    private func undoTarget(for command: Command) throws(Rejection) -> UndoTarget? {
        let (count, stack): (Int, RevisionStack)
        if case .undo(let steps) = command {
            (count, stack) = (steps, session.undoing.undo)
        } else if case .redo(let steps) = command {
            (count, stack) = (steps, session.undoing.redo)
        } else {
            return nil
        }
        let steps = min(count, stack.count)
        guard steps > 0, let revision = stack[steps - 1] else { return nil }
        guard let state = kept[revision] else { throw Rejection(Self.stateNotHere) }
        return UndoTarget(state: state, steps: steps, left: stack.count - steps)
    }
}
