internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Makes the session that a creation asks for: a new one, perhaps with a template, or a copy.
struct SessionBeginnings {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// A session that is not stored yet.
    struct Begun {
        var session: Session
        var app: App?
        /// What a copy lacks of the other session, because the app does not allow it.
        var losses = Losses()
        /// The number of the record that a copy shows.
        var ticket = Ticket.none
    }

    /// - Parameter id: the id of the session if the client chose none.
    func session(
        _ wanted: CreateSession, id: SessionID
    ) throws(OperationError) -> Begun {
        if let source = wanted.copied { return try copy(of: source, wanted, id: id) }
        let app = try context.app(named: wanted.app)
        do throws(OperationError) { return try new(wanted, id: id, app) } catch {
            // A newer definition of the app may allow it.
            if app != nil { try context.confirmApps() }
            throw error
        }
    }

    private func new(
        _ wanted: CreateSession, id: SessionID, _ app: App?
    ) throws(OperationError) -> Begun {
        var session = try ruled { () throws(RejectionError) in
            try wanted.session(id: id, app: app, at: context.now)
        }
        if let app, let name = wanted.template { try begin(&session, with: name, of: app) }
        return Begun(session: session, app: app)
    }

    // MARK: - Templates

    private func begin(
        _ session: inout Session, with name: TemplateName, of app: App
    ) throws(OperationError) {
        guard let template = app.template(name) else { throw .problem(notFound(name, in: app)) }
        let rules = Rules(app: app, limits: context.limits, work: context.work)
        do { try session.begin(with: template, rules: rules) } catch {
            throw .problem(Problem(error).ofTemplate)
        }
    }

    private func notFound(_ name: TemplateName, in app: App) -> Problem {
        let known = app.templates.lazy.map(\.name.rawValue)
        return Problem(
            .templateNotFound, "The app \(app.id) has no template \(name).",
            near: Spelling.near(name.rawValue, among: known, work: context.work),
            otherwise: "Look at the app's templates.")
    }

    // MARK: - Copies

    /// Only tokens of the server may create sessions, and these may read every session.
    private func copy(
        of source: CopiedSession, _ wanted: CreateSession, id: SessionID
    ) throws(OperationError) -> Begun {
        let handle = try context.existing(source.id.rawValue)
        let stored: StoredRecord
        if let revision = source.revision {
            guard let found = try context.revision(revision, of: handle) else {
                throw .problem(.revisionGone)
            }
            stored = found
        } else {
            stored = try context.newest(handle)
        }
        let session = try context.session(stored)
        let app = try context.app(of: session)
        let copy = try within(budgetFor: .state) { () throws(WorkBudgetError) in
            try session.copied(
                to: wanted.id ?? id, wanted.settings, app: app, at: context.now,
                work: context.work)
        }
        if !copy.restored.isWhole { try context.confirmApps() }
        return Begun(
            session: copy.session, app: app, losses: copy.restored.losses,
            ticket: stored.version.ticket)
    }
}

extension Problem {
    /// The problem of a creation whose template is refused: the body has only its name.
    fileprivate var ofTemplate: Problem {
        var problem = self
        problem.detail = "The template cannot be carried out. \(detail)"
        let faults = faults.map { fault in
            InputFault(
                pointer: "/template", detail: "fails at \(fault.pointer), which \(fault.detail)")
        }
        if !faults.isEmpty { problem.members["errors"] = Problem.errors(faults)["errors"] }
        return problem
    }

    /// The detail for the list of faults of an app, without the full stop.
    fileprivate var detailOfFault: String {
        "is refused: "
            + (detail.utf8.last == UInt8(ascii: ".") ? String(detail.dropLast()) : detail)
    }

    /// The faults that the problem lists.
    fileprivate var faults: [InputFault] {
        guard case .array(let errors)? = members["errors"] else { return [] }
        return errors.compactMap { error in
            guard case .object(let object) = error, case .string(let pointer)? = object["pointer"],
                case .string(let detail)? = object["detail"]
            else { return nil }
            return InputFault(pointer: pointer, detail: detail)
        }
    }
}

// MARK: - The templates of an app that is to be stored

extension App {
    /// The faults of the templates and of the idle command. Each is carried out on a new session;
    /// guards are ignored.
    func faultsOfCommands(
        limits: Limits, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        var faults: [InputFault] = []
        var rules = Rules(app: self, limits: limits, work: work)
        rules.obeysGuards = false
        for template in templates {
            try work.spend(.entries(1))
            var session = newSession
            do { try session.begin(with: template, rules: rules) } catch {
                let pointer = "/templates/" + JSONPointer.escaped(template.name.rawValue)
                faults += try Self.faults(error, at: pointer)
            }
        }
        if let idle {
            var editor = SessionEditor(newSession, rules: rules)
            do { _ = try editor.carryOut(idle.request, at: 0) } catch {
                faults += try Self.faults(error, at: "/idle/command")
            }
        }
        return faults
    }

    private var newSession: Session {
        var session = Session(
            id: SessionID(trusted: "new"), app: id, settings: SessionSettings(), at: 0,
            state: freshState)
        session.facts = defaultFacts
        return session
    }

    private static func faults(
        _ rejection: RejectionError, at pointer: String
    ) throws(WorkBudgetError) -> [InputFault] {
        if rejection.isTooMuchWork { throw WorkBudgetError() }
        let problem = Problem(rejection)
        let faults = problem.faults
        guard faults.isEmpty else {
            let isLimit = problem.kind == .limitExceeded
            return faults.map {
                InputFault(pointer: pointer + $0.pointer, detail: $0.detail, isLimit: isLimit)
            }
        }
        guard case .inBatch(let index, let inner) = rejection else {
            return [InputFault(pointer: pointer, detail: problem.detailOfFault)]
        }
        let detail = Problem(inner).detailOfFault
        return [InputFault(pointer: "\(pointer)/commands/\(index)", detail: detail)]
    }
}

extension RejectionError {
    fileprivate var isTooMuchWork: Bool {
        if case .inBatch(_, let inner) = self { return inner.isTooMuchWork }
        if case .tooMuchWork = self { return true }
        return false
    }
}
