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
    /// The routes that commands may show, or nil for all.
    var allowed: AllowedRoutes?
    /// Each revision's session.
    private(set) var kept: [Int: Session]

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
        var rules = Rules(app: app, limits: limits, strict: strict, work: WorkBudget())
        rules.routes = allowed
        return rules
    }

    /// Runs one command as the API would: read, carry out, keep.
    @discardableResult
    mutating func run(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false
    ) throws -> Answer {
        let trial = try trial(name, body, strict: strict)
        let before = session.state.ids
        adopt(trial)
        #expect(flaw == nil)
        let after = session.state.ids
        #expect(trial.answer.added == after.filter { !before.contains($0) })
        #expect(trial.answer.removed == before.filter { !after.contains($0) })
        return trial.answer
    }

    func trial(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false
    ) throws -> Trial {
        let body = try object(body)
        let command = try readTwice(name, body, limits)
        return try trial(CommandRequest(command, body: body), strict: strict)
    }

    func trial(_ command: Command, strict: Bool = false) throws(RejectionError) -> Trial {
        try trial(CommandRequest(command, body: JSONObject()), strict: strict)
    }

    /// Carries a command out, and rolls it back afterwards, which must lead to the same session.
    func trial(_ request: CommandRequest, strict: Bool = false) throws(RejectionError) -> Trial {
        var editor = SessionEditor(session, rules: rules(strict: strict))
        let result: Result<Answer, RejectionError>
        do throws(RejectionError) {
            result = .success(
                try editor.carryOut(
                    request, undoTarget: undoTarget(of: request.command), at: now))
        } catch {
            result = .failure(error)
        }
        let (after, changeCount) = (editor.session, editor.changeCount)
        checkUndo(editor)
        return Trial(answer: try result.get(), session: after, changeCount: changeCount)
    }

    private func checkUndo(_ editor: consuming SessionEditor) {
        editor.takeBack()
        let undone = editor.session
        if undone != session { Issue.record("undone, the session is \(undone)") }
    }

    /// Makes the session conform to another document of the app.
    mutating func reconcile(with app: App) throws -> (answer: Answer, losses: Losses)? {
        self.app = app
        return try edit { [now] in try $0.reconcile(at: now) }
    }

    /// Restores a state as a PUT would.
    mutating func restore(_ restored: RestoredState, _ settings: SessionSettings) throws -> Answer?
    {
        try edit { [now] in try $0.restore(restored, settings: settings, at: now) }
    }

    /// Sets labels and time to live as a PATCH would. Returns false if that changes nothing.
    mutating func update(_ settings: SessionSettings) throws -> Bool {
        try edit { [now] in $0.update(settings, at: now) ? true : nil } != nil
    }

    private mutating func edit<Result>(
        _ body: (inout SessionEditor) throws -> Result?
    ) throws -> Result? {
        var editor = SessionEditor(session, rules: rules())
        let result = try body(&editor)
        let after = editor.session
        checkUndo(editor)
        if result != nil { adopt(after) } else { #expect(after == session) }
        return result
    }

    /// Why the command is refused.
    func refusal(
        _ name: CommandName, _ body: String = "{}", strict: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) throws -> RejectionError {
        try #require(
            throws: RejectionError.self, sourceLocation: location
        ) { try trial(name, body, strict: strict) }
    }

    mutating func adopt(_ trial: Trial) {
        if trial.answer.changed { adopt(trial.session) }
    }

    private mutating func adopt(_ next: Session) {
        session = next
        kept[session.revision] = session
    }
}

/// A command that was carried out on a copy of a session: its answer, the session afterwards, and
/// the number of changes.
struct Trial {
    var answer: Answer
    var session: Session
    var changeCount: Int
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

/// The command that is read from the text of a body, which must be the one that is read from its
/// value, or be refused with the same faults.
func readTwice(
    _ name: CommandName, _ body: JSONObject, _ limits: Limits = Limits()
) throws(RejectionError) -> Command {
    func read(_ read: () throws(RejectionError) -> Command) -> Result<Command, RejectionError> {
        do throws(RejectionError) { return .success(try read()) } catch { return .failure(error) }
    }
    let fromText = read { () throws(RejectionError) in
        try Command(
            name, body: CompactObject(JSON.object(body).bytes), limits: limits, work: WorkBudget())
    }
    let fromValue = read { () throws(RejectionError) in
        try Command(name, body: body, limits: limits, work: WorkBudget())
    }
    if fromText != fromValue { Issue.record("\(name) \(body): \(fromText), \(fromValue)") }
    return try fromText.get()
}

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

/// The report on reading the document under its own id, else under `test`.
func report(_ document: String) throws -> AppReport {
    let object = try object(document)
    let id = object["id"]?.plainText ?? "test"
    return try AppReader.read(
        .object(object), id: AppID(trusted: id), limits: Limits(), work: WorkBudget())
}
