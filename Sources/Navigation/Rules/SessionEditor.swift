public import Bytes
public import JSON

/// The app, limits and options that a command is checked against.
public struct Rules {
    /// The app that the session is bound to, or nil for a free-form session.
    public var app: App?
    /// The sizes that a session may have.
    public var limits: Limits
    /// The work that the request may still cause; with too little left, the command is refused.
    public var work: WorkBudget
    /// Whether a command without an effect is refused.
    public var strict: Bool
    /// Whether commands are held back by guards. They are not when a template is tried out.
    public var obeysGuards = true
    /// The routes that commands may show, or nil for all.
    public var routes: AllowedRoutes?
    /// The goals of URLs that many commands open, which are not looked for again.
    public var goals: [ExactString: LinkGoal] = [:]
}

extension Rules {
    public init(
        app: App?, limits: Limits, strict: Bool = false, work: WorkBudget,
        routes: AllowedRoutes? = nil
    ) {
        self.init(app: app, limits: limits, work: work, strict: strict, routes: routes)
    }

    /// Whether there are guards that commands have to obey.
    var watchesGuards: Bool { obeysGuards && app?.guards.isEmpty == false }
}

/// The state that `undo` or `redo` leads to. The caller finds it, because it can read older
/// revisions.
public struct UndoTarget: Equatable, Sendable {
    /// The state of the older revision.
    public var state: NavigationState
    /// The number of steps to it; at most as many as the client asked for.
    public var steps: Int
    /// The number of further steps that can be taken in the same direction.
    public var left: Int

    public init(state: NavigationState, steps: Int, left: Int) {
        self.state = state
        self.steps = steps
        self.left = left
    }
}

/// A session while changes are made to it, in place. Every change is carried out at once, and what
/// undoes it is noted. So whatever must not stay can be rolled back: a command that a guard holds
/// back, an attempt to resume one, or everything.
///
/// It is not copyable, so that no step of a command copies the session by chance. A call of a
/// method that is not mutating copies the bytes of the editor, so those that every command needs
/// are inlined.
public struct SessionEditor: ~Copyable {
    /// The rules that commands obey.
    public private(set) var rules: Rules
    public private(set) var session: Session
    /// The session before the first change, apart from what `undoLog` restores.
    private var former: Former
    /// The changes that undo the ones so far, newest last.
    private var undoLog: [Undo] = []
    /// The ids that the command under way has added and removed.
    private(set) var ids = IDChanges()
    /// Whether the command under way may have put something under a guard that fails.
    var mayViolateGuards = false
    /// The effects of guards on the command that is being carried out.
    var guarded = Answer.Guarded.none
    /// The command's position in the body: empty, or `/commands/i` in a batch.
    var pointer = ""
    var isInBatch = false
    var waiting = Waiting()
    /// Other effects of the command that is being carried out.
    var effects = CommandEffects()
    /// The time of the command under way.
    var now: Milliseconds = 0

    /// A change that undoes one of the session.
    private enum Undo {
        case navigation(Change)
        case facts(Facts)
        case pending(PendingCommand?)
        case settings(SessionSettings)
    }

    /// The members that a new revision changes.
    private struct Former {
        let revision: Int
        let updatedAt: Milliseconds
        let undoing: UndoStacks
        let nextEntry: Int

        init(_ session: borrowing Session) {
            (revision, updatedAt) = (session.revision, session.updatedAt)
            (undoing, nextEntry) = (session.undoing, session.nextEntry)
        }
    }

    /// An editor of no session, which has to begin with one.
    public static var empty: SessionEditor {
        SessionEditor(.none, rules: Rules(app: nil, limits: Limits(), work: WorkBudget(units: 0)))
    }

    public init(_ session: consuming Session, rules: consuming Rules) {
        self.rules = rules
        former = Former(session)
        self.session = session
    }

    /// Begins with another session, which is exchanged for the one that the editor has: neither is
    /// copied.
    public mutating func begin(_ session: inout Session, rules: consuming Rules) {
        self.rules = rules
        swap(&self.session, &session)
        former = Former(self.session)
        if isInBatch { (pointer, isInBatch) = ("", false) }
        if waiting.start != nil || waiting.removed != nil { waiting = Waiting() }
        if !guarded.isNone { guarded = .none }
    }

    /// Exchanges the session back.
    ///
    /// - Parameter keepsChanges: false to undo all changes first.
    public mutating func end(_ session: inout Session, keepsChanges: Bool) {
        if keepsChanges { while undoLog.popLast() != nil {} } else { takeBack() }
        swap(&self.session, &session)
    }

    /// Makes the session what it was before the first change.
    public mutating func takeBack() {
        undo(downTo: 0)
        session.revision = former.revision
        session.updatedAt = former.updatedAt
        session.undoing = former.undoing
        session.nextEntry = former.nextEntry
    }

    /// The session with the changes.
    public consuming func finish() -> Session { session }

    var state: NavigationState { _read { yield session.state } }
    var facts: Facts { session.facts }
    var pending: PendingCommand? { session.pending }
    /// The effect of `back` on the root of a tab.
    var tabBack: TabBack { session.tabBack(rules.app) }
    var work: WorkBudget { rules.work }

    // MARK: - Changes

    mutating func perform(_ change: Change) {
        if rules.watchesGuards, !mayViolateGuards { mayViolateGuards = mayViolate(change) }
        let undo = session.state.apply(change)
        ids.note(change, undoneBy: undo)
        undoLog.append(.navigation(undo))
    }

    mutating func set(_ facts: Facts) {
        undoLog.append(.facts(session.facts))
        session.facts = facts
    }

    mutating func set(_ pending: PendingCommand?) {
        undoLog.append(.pending(session.pending))
        session.pending = pending
    }

    mutating func set(_ settings: SessionSettings) {
        undoLog.append(.settings(session.settings))
        session.settings = settings
    }

    mutating func newID() -> EntryID {
        defer { session.nextEntry += 1 }
        return EntryID(number: session.nextEntry)
    }

    mutating func setNextEntry(_ number: Int) { session.nextEntry = number }

    /// Makes the changes so far the next revision.
    mutating func endRevision(_ move: UndoStacks.Move, at: Milliseconds) {
        session.undoing.move(move, from: session.revision)
        session.revision += 1
        session.updatedAt = at
    }

    // MARK: - Rolling back

    /// A point to which changes can be rolled back.
    struct Savepoint {
        fileprivate let undoCount: Int
        fileprivate let nextEntry: Int
        fileprivate let ids: IDChanges
        fileprivate let mayViolateGuards: Bool
        fileprivate let guarded: Answer.Guarded
        fileprivate let waiting: Waiting
    }

    var savepoint: Savepoint {
        Savepoint(
            undoCount: undoLog.count, nextEntry: session.nextEntry, ids: ids,
            mayViolateGuards: mayViolateGuards, guarded: guarded, waiting: waiting)
    }

    mutating func rollBack(to savepoint: Savepoint) {
        undo(downTo: savepoint.undoCount)
        session.nextEntry = savepoint.nextEntry
        ids = savepoint.ids
        mayViolateGuards = savepoint.mayViolateGuards
        guarded = savepoint.guarded
        waiting = savepoint.waiting
    }

    private mutating func undo(downTo count: Int) {
        while undoLog.count > count, let undo = undoLog.popLast() {
            switch undo {
            case .navigation(let change): session.state.apply(change)
            case .facts(let facts): session.facts = facts
            case .pending(let pending): session.pending = pending
            case .settings(let settings): session.settings = settings
            }
        }
    }

    /// The number of changes so far.
    public var changeCount: Int { undoLog.count }

    /// The navigation state after the first changes only.
    public func state(after count: Int) -> NavigationState {
        var state = session.state
        for undo in undoLog[count...].reversed() {
            if case .navigation(let change) = undo { state.apply(change) }
        }
        return state
    }

    /// Whether there are changes of the navigation state after the first ones.
    @inline(__always)
    func hasNavigated(since count: Int) -> Bool {
        let log = undoLog.span
        for index in count..<log.count { if case .navigation = log[index] { return true } }
        return false
    }

    /// Whether the pending command was set after the first changes.
    @inline(__always)
    func hasSetPending(since count: Int) -> Bool {
        let log = undoLog.span
        for index in count..<log.count { if case .pending = log[index] { return true } }
        return false
    }

    // MARK: - Ids

    /// Begins to note the ids that are added and removed.
    mutating func beginCommand() { ids = IDChanges() }

    /// The ids that the command under way has added and removed. To compare all ids of both states
    /// is paid for; it is not needed if at most one of the changes adds or removes any.
    ///
    /// - Parameter count: the number of changes before the command.
    @inline(__always)
    func changedIDs(
        since count: Int
    ) throws(RejectionError) -> (added: [EntryID], removed: [EntryID]) {
        ids.areMixed ? try comparedIDs(since: count) : (ids.added, ids.removed)
    }

    private func comparedIDs(
        since count: Int
    ) throws(RejectionError) -> (added: [EntryID], removed: [EntryID]) {
        let (old, new) = (state(after: count).ids, state.ids)
        try within { () throws(WorkBudgetError) in
            try work.spend(.entries(old.count + new.count))
        }
        return difference(old, new)
    }
}

extension SessionEditor {
    func fault(_ member: String, _ detail: String) -> InputFault {
        InputFault(pointer: pointer + member, detail: detail)
    }

    /// Turns a budget that is used up into a refusal.
    @inline(__always)
    func within<Value>(
        _ body: () throws(WorkBudgetError) -> Value
    ) throws(RejectionError) -> Value {
        do { return try body() } catch { throw .tooMuchWork(.request) }
    }

    /// Whether two screens have the same params.
    func isSame(_ a: Params, _ b: Params) throws(RejectionError) -> Bool {
        try within { () throws(WorkBudgetError) in try a.isSame(as: b, work: work) }
    }
}

// MARK: - Shared steps

extension SessionEditor {
    /// Handles the sheets over a target as the command asks. Call it before any other change.
    mutating func clear(
        over container: Container, _ handling: SheetHandling?
    ) throws(RejectionError) {
        let kept = sheetsKept(by: container)
        guard let top = state.sheets.last, state.sheets.count > kept else { return }
        switch handling {
        case .keep, nil: break
        case .dismiss, .force: perform(.dismissed(keeping: kept))
        case .reject: throw .sheetOpen(top.id)
        }
    }

    mutating func dismissSheets(keeping count: Int) {
        if state.sheets.count > count { perform(.dismissed(keeping: count)) }
    }

    mutating func pop(_ count: Int, from container: Container) {
        if count > 0 { perform(.popped(count, from: container)) }
    }

    mutating func push(
        _ screen: AdmittedScreen, on container: Container
    ) throws(RejectionError) {
        try checkDepth(state[path: container].count + 1, at: "/route")
        perform(.pushed(newEntry(screen), on: container))
    }

    /// Gives an entry or a sheet these params, and the mark and the lock unless they are nil.
    mutating func update(
        _ entry: Entry, _ wanted: AdmittedScreen
    ) throws(RejectionError) {
        let screen = try updated(entry.screen, wanted)
        if screen !== entry.screen { perform(.screenSet(screen, of: entry.id)) }
    }

    /// The screen with the params, the mark and the lock that are wanted; the same object if it has
    /// them.
    func updated(_ screen: Screen, _ wanted: AdmittedScreen) throws(RejectionError) -> Screen {
        let marked = screen.with(mark: wanted.mark, isLocked: wanted.isLocked)
        return try isSame(wanted.params, screen.params)
            ? marked : marked.with(params: wanted.params)
    }

    mutating func newEntry(_ screen: AdmittedScreen) -> Entry {
        Entry(id: newID(), screen: screen.screen)
    }

    @inline(__always)
    func checkDepth(_ count: Int, at member: String) throws(RejectionError) {
        guard count <= rules.limits.pathDepthMax else {
            throw .limitExceeded(
                "A path can have at most \(rules.limits.pathDepthMax) entries. "
                    + "Pop some, or use the mode reset or popTo.",
                pointer: pointer + member)
        }
    }

    /// Makes entries with new ids, except for the beginning of the path, which is of the same
    /// screens. An entry of the beginning keeps its mark and its lock unless others are wanted.
    mutating func path(
        _ wanted: [AdmittedScreen], over current: [Entry]
    ) throws(RejectionError) -> [Entry] {
        var path: [Entry] = []
        for (item, entry) in zip(wanted, current) {
            guard try isSame(entry.screen, as: item) else { break }
            path.append(Entry(id: entry.id, screen: try updated(entry.screen, item)))
        }
        for item in wanted.dropFirst(path.count) { path.append(newEntry(item)) }
        return path
    }

    mutating func setPath(_ path: [Entry], of container: Container) throws(RejectionError) {
        let current = state[path: container]
        let isSamePath = current.elementsEqual(path) {
            $0.id == $1.id && $0.mark == $1.mark && $0.isLocked == $1.isLocked
        }
        guard isSamePath else { return perform(.pathSet(path, of: container)) }
        for (old, new) in zip(current, path) where try !isSame(old.params, new.params) {
            return perform(.pathSet(path, of: container))
        }
    }
}
