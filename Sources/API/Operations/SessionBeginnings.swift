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
        /// The parts that a copy lacks of the other session, because the app does not allow them.
        var losses = Losses()
        /// The guard that holds the deep link back at which the session begins.
        var held: GuardName?
        /// The number of the record that a copy shows.
        var ticket = Ticket.none
    }

    /// - Parameters:
    ///   - id: the id of the session if the client chose none.
    ///   - isStrict: whether a deep link that a guard holds back is refused.
    func session(
        _ wanted: CreateSession, id: SessionID, isStrict: Bool
    ) throws(OperationError) -> Begun {
        if let source = wanted.copied { return try copy(of: source, wanted, id: id) }
        let app = try context.app(named: wanted.app)
        do throws(OperationError) {
            return try new(wanted, id: id, app, isStrict: isStrict)
        } catch {
            // A newer definition of the app may allow it.
            if app != nil { try context.confirmApps() }
            throw error
        }
    }

    private func new(
        _ wanted: CreateSession, id: SessionID, _ app: App?, isStrict: Bool
    ) throws(OperationError) -> Begun {
        var rules = Rules(app: app, limits: context.limits, strict: isStrict, work: context.work)
        if wanted.url != nil {
            rules.routes = try context.allowedRoutes(in: app, isNew: true)
        }
        do throws(ProblemContent) {
            let (session, held) = try wanted.begun(id: id, rules: rules, at: context.now)
            return Begun(session: session, app: app, held: held)
        } catch {
            throw .problem(Problem(error))
        }
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
        let app = try context.app(boundTo: session.app)
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
