import JSON
import Navigation
import Sessions
import Testing

/// A session with everything that ever became of it, kept as a store would keep it.
///
/// The clock stands still unless a test moves it, and every change is checked against the
/// invariants at once.
struct World {
    var session: Session
    var app: App?
    var limits = Limits()
    var now: Milliseconds = World.noon
    /// Each revision's session.
    private(set) var kept: [Int: Session]
    private(set) var events: [Event] = []

    /// 2026-11-21T12:00:00Z.
    static let noon: Milliseconds = 1_795_262_400_000

    init(_ session: Session, app: App? = nil) {
        self.session = session
        self.app = app
        kept = [session.revision: session]
    }

    /// A new session of the app, or a free-form one with these tabs.
    init(app: App? = nil, tabs: [String] = ["main"]) throws {
        let names = tabs.map { Tab(id: TabID(trusted: $0)) }
        self.init(
            Session(
                id: SessionID(trusted: "s"), app: app?.id, settings: SessionSettings(),
                at: World.noon,
                state: app?.freshState ?? NavigationState(tabs: names)),
            app: app)
        session.facts = app?.defaultFacts ?? .none
        kept = [session.revision: session]
    }

    func rules(strict: Bool = false) -> Rules {
        Rules(app: app, limits: limits, strict: strict, work: WorkBudget())
    }

    /// Runs one command as the API would: read, decide, apply, keep.
    @discardableResult
    mutating func run(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false
    ) throws -> Answer {
        let decision = try decision(name, body, strict: strict)
        let before = session.state.ids
        if case .change(let event, _, let state) = decision {
            adopt(event)
            #expect(session.state == state, "the decision has another state than its event")
        }
        #expect(flaw == nil)
        let after = session.state.ids
        #expect(decision.answer.added == after.filter { !before.contains($0) })
        #expect(decision.answer.removed == before.filter { !after.contains($0) })
        return decision.answer
    }

    func decision(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false
    ) throws -> Decision {
        let body = try object(body)
        let command = try Command(name, body: body, limits: limits, work: WorkBudget())
        return try decision(AskedCommand(command, body: body), strict: strict)
    }

    func decision(_ command: Command, strict: Bool = false) throws(RejectionError) -> Decision {
        try decision(AskedCommand(command, body: JSONObject()), strict: strict)
    }

    func decision(_ asked: AskedCommand, strict: Bool = false) throws(RejectionError) -> Decision {
        try decide(
            asked, in: session, rules: rules(strict: strict),
            undoTarget: undoTarget(of: asked.command), at: now)
    }

    /// Why the command is refused.
    func refusal(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) throws -> RejectionError {
        try #require(
            throws: RejectionError.self, sourceLocation: location
        ) { try decision(name, body, strict: strict) }
    }

    mutating func adopt(_ event: Event) {
        session.apply(event)
        events.append(event)
        kept[session.revision] = session
    }
}

// MARK: - Undo and redo, from what is kept

extension World {
    func undoTarget(of command: Command) -> UndoTarget? {
        switch command {
        case .undo(let count): undoTarget(count, session.undoing.undo)
        case .redo(let count): undoTarget(count, session.undoing.redo)
        default: nil
        }
    }

    private func undoTarget(_ count: Int, _ stack: RevisionStack) -> UndoTarget? {
        let steps = min(count, stack.count)
        guard let goal = stack[steps - 1].flatMap({ kept[$0] }) else { return nil }
        return UndoTarget(state: goal.state, steps: steps, left: stack.count - steps)
    }
}

// MARK: - Seen from outside

extension World {
    var bytes: [UInt8] { SessionEncoder.encode(session, app: app) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The session as a client reads it.
    var json: JSONObject {
        let limits = JSONLimits(nestingMax: 80)
        guard case .object(let object)? = try? JSON(parsing: bytes, limits: limits) else {
            return JSONObject()
        }
        return object
    }

    var picture: String { json.picture }

    /// The record as the store gives it back.
    var record: SessionRecord {
        SessionRecord(
            id: session.id, revision: session.revision, at: session.updatedAt,
            expiresAt: session.expiresAt, app: session.app, labels: session.settings.labels,
            undoing: session.undoing, nextEntry: session.nextEntry, event: [], state: bytes)
    }
}

/// The object of that JSON text.
func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSON(parsing: Array(text.utf8)) else {
        throw NotAnObject()
    }
    return object
}

struct NotAnObject: Error {}

/// The restore of the session s that the body asks for.
func restore(_ body: String) throws -> RestoreSession {
    try RestoreSession(
        try object(body), id: SessionID(trusted: "s"), limits: Limits(), work: WorkBudget())
}

/// The app of that document, which must be free of errors.
func app(_ document: String) throws -> App {
    let report = try report(document)
    #expect(report.errors == [])
    return try #require(report.app)
}

/// What comes of reading the document under its own id, else under `test`.
func report(_ document: String) throws -> AppReport {
    let object = try object(document)
    let id = object["id"]?.plainText ?? "test"
    return try AppReader.read(
        .object(object), id: AppID(trusted: id), limits: Limits(), work: WorkBudget())
}
