public import JSON

extension CreateSession {
    /// Makes the new session, with the template or the deep link that it begins with.
    ///
    /// - Parameters:
    ///   - fresh: the id to use if the body has none.
    ///   - rules: those for the deep link. A template is never strict, and shows any route.
    /// - Returns: the session, and the guard that holds the link back, if one does.
    public func begun(
        id fresh: SessionID, rules: Rules, at: Milliseconds
    ) throws(ProblemContent) -> (session: Session, held: GuardName?) {
        var session: Session
        do { session = try self.session(id: fresh, app: rules.app, at: at) } catch {
            throw ProblemContent(error)
        }
        guard let app = rules.app else { return (session, nil) }
        if let template { try session.begin(with: template, of: app, rules: rules) }
        guard let url else { return (session, nil) }
        do {
            let held = try session.begin(at: url, rules: rules)
            return (session, held)
        } catch {
            throw ProblemContent(error)
        }
    }
}

extension Session {
    fileprivate mutating func begin(
        with name: TemplateName, of app: App, rules: Rules
    ) throws(ProblemContent) {
        guard let template = app.template(name) else {
            let known = app.templates.lazy.map { $0.name.rawValue }
            throw ProblemContent(
                .templateNotFound, "The app \(app.id) has no template \(name).",
                near: Spelling.near(name.rawValue, among: known, work: rules.work),
                otherwise: "Look at the app's templates.")
        }
        let own = Rules(app: app, limits: rules.limits, work: rules.work)
        do { try begin(with: template, rules: own) } catch {
            throw ProblemContent(error).ofTemplate
        }
    }
}

extension RestoreSession {
    /// Refuses another app than that of the session.
    public func checkApp(of own: AppID?) throws(RejectionError) {
        guard app != nil, app != own else { return }
        let now = own.map { "is bound to \($0)" } ?? "is not bound to an app"
        let fault = InputFault(
            pointer: "/app", detail: "cannot be changed: the session \(now)")
        throw .invalidRequest([fault])
    }

    /// The state that is to be restored, as far as the app allows it, without the sheets whose time
    /// is over.
    ///
    /// - Parameter nextEntry: the number of the session's next new entry.
    public func fitting(
        _ app: App?, nextEntry: Int, at now: Milliseconds, work: WorkBudget
    ) throws(RejectionError) -> RestoredState {
        var restored = try state(nextEntry: nextEntry, app: app)
        if let app {
            do { restored = try restored.reconciled(with: app, work: work) } catch {
                throw .tooMuchWork(.request)
            }
        }
        restored.dropExpired(at: now)
        return restored
    }
}

extension Session {
    /// A new session with a restored state.
    public init(
        id: SessionID, _ restored: RestoredState, by body: RestoreSession, at now: Milliseconds
    ) {
        self.init(
            id: id, app: body.app, settings: body.settings, at: now, state: restored.state,
            nextEntry: restored.nextEntry)
        (facts, pending) = (restored.facts, restored.pending)
    }
}

extension ProblemContent {
    /// The problem of a creation whose template is refused: the body has only its name.
    fileprivate var ofTemplate: ProblemContent {
        var problem = self
        problem.detail = "The template cannot be carried out. \(detail)"
        let faults = faults.map { fault in
            InputFault(
                pointer: "/template", detail: "fails at \(fault.pointer), which \(fault.detail)")
        }
        if !faults.isEmpty { problem.members["errors"] = Self.errors(faults)["errors"] }
        return problem
    }
}
