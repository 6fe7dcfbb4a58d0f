internal import Bytes
package import JSON

/// What a command is checked against.
package struct Rules {
    /// The app that the session is bound to, or nil for a free-form session.
    package var app: App?
    /// The sizes that a session may have.
    package var limits: Limits
    /// The work that the request may still cause; with too little left, the command is refused.
    package var work: WorkBudget
    /// Whether a command without an effect is refused.
    package var strict: Bool
    /// Whether commands are held back by guards. They are not when a template is tried out.
    package var obeysGuards = true
}

extension Rules {
    package init(app: App?, limits: Limits, strict: Bool = false, work: WorkBudget) {
        self.init(app: app, limits: limits, work: work, strict: strict)
    }
}

/// The state that `undo` or `redo` leads to. The caller finds it, because it can read older
/// revisions.
package struct UndoTarget: Equatable, Sendable {
    /// The state of the older revision.
    package var state: NavigationState
    /// The number of steps to it; at most as many as the client asked for.
    package var steps: Int
    /// The number of further steps that can be taken in the same direction.
    package var left: Int

    package init(state: NavigationState, steps: Int, left: Int) {
        self.state = state
        self.steps = steps
        self.left = left
    }
}

/// The navigation state of a session while a command changes it. Every change is applied and
/// recorded at once.
///
/// It is not copyable, so that no step of a command copies the state by chance.
struct StateEditor: ~Copyable {
    let rules: Rules
    /// What `back` does on the root of a tab.
    let tabBack: TabBack
    private(set) var state: NavigationState
    private(set) var nextEntry: Int
    private(set) var changes: [Change] = []
    private(set) var facts: Facts
    private(set) var pending: PendingCommand?
    /// How often facts and the pending command were set.
    private(set) var sets = (facts: 0, pending: 0)
    /// What guards have done to the command that is being carried out.
    var guarded = Answer.Guarded.none
    /// The command's position in the body: empty, or `/commands/i` in a batch.
    var pointer = ""
    var isInBatch = false
    var waiting = Waiting()

    init(_ session: borrowing Session, rules: consuming Rules) {
        self.rules = rules
        tabBack = session.tabBack(rules.app)
        state = session.state
        nextEntry = session.nextEntry
        facts = session.facts
        pending = session.pending
    }

    private init(copyOf other: borrowing StateEditor) {
        rules = other.rules
        tabBack = other.tabBack
        state = other.state
        nextEntry = other.nextEntry
        changes = other.changes
        facts = other.facts
        pending = other.pending
        sets = other.sets
        guarded = other.guarded
        pointer = other.pointer
        isInBatch = other.isInBatch
        waiting = other.waiting
    }

    /// A copy, for something that may have to be taken back.
    borrowing func copy() -> StateEditor { StateEditor(copyOf: self) }

    var work: WorkBudget { rules.work }

    mutating func perform(_ change: Change) {
        state.apply(change)
        changes.append(change)
    }

    mutating func set(_ facts: Facts) {
        self.facts = facts
        sets.facts += 1
    }

    mutating func set(_ pending: PendingCommand?) {
        self.pending = pending
        sets.pending += 1
    }

    mutating func newID() -> EntryID {
        defer { nextEntry += 1 }
        return EntryID(number: nextEntry)
    }

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

// MARK: - Resolving names

extension StateEditor {
    func container(_ target: Target) throws(RejectionError) -> Container {
        switch target {
        case .active: return state.active
        case .named(let name):
            guard let id = EntryID(name) else { return .tab(try tab(name)) }
            guard let index = state.sheetIndex(id) else { throw .sheetNotFound(name) }
            return .sheet(index)
        }
    }

    func tab(_ name: String) throws(RejectionError) -> Int {
        guard let index = state.tabIndex(named: name) else {
            throw .tabNotFound(name, known: state.tabs.map(\.id))
        }
        return index
    }

    /// The number of sheets left when those over the container are dismissed.
    func sheetsKept(by container: Container) -> Int {
        switch container {
        case .tab: 0
        case .sheet(let index): index + 1
        }
    }
}

// MARK: - Shared steps

extension StateEditor {
    /// Handles the sheets over a target as the command asks. Call it before any other change.
    mutating func clear(
        over container: Container, _ handling: SheetHandling
    ) throws(RejectionError) {
        let kept = sheetsKept(by: container)
        guard let top = state.sheets.last, state.sheets.count > kept else { return }
        switch handling {
        case .keep: break
        case .dismiss: perform(.dismissed(keeping: kept))
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

    mutating func newEntry(_ screen: AdmittedScreen) -> Entry {
        Entry(id: newID(), route: screen.route, params: screen.params, mark: screen.mark)
    }

    func checkDepth(_ count: Int, at member: String) throws(RejectionError) {
        guard count <= rules.limits.pathDepthMax else {
            throw .limitExceeded(
                "A path can have at most \(rules.limits.pathDepthMax) entries. "
                    + "Pop some, or use the mode reset or popTo.",
                pointer: pointer + member)
        }
    }

    /// Makes entries with new ids, except for the beginning of the path that is unchanged. An
    /// entry of the beginning keeps its mark unless another one is wanted.
    mutating func path(
        _ wanted: [AdmittedScreen], over current: [Entry]
    ) throws(RejectionError) -> [Entry] {
        var path: [Entry] = []
        for (item, entry) in zip(wanted, current) {
            guard item.route == entry.route, try isSame(item.params, entry.params) else { break }
            path.append(entry)
            if let mark = item.mark { path[path.count - 1].mark = mark }
        }
        for item in wanted.dropFirst(path.count) { path.append(newEntry(item)) }
        return path
    }

    mutating func setPath(_ path: [Entry], of container: Container) throws(RejectionError) {
        let current = state[path: container]
        guard current.elementsEqual(path, by: { $0.id == $1.id && $0.mark == $1.mark }) else {
            return perform(.pathSet(path, of: container))
        }
        for (old, new) in zip(current, path) where try !isSame(old.params, new.params) {
            return perform(.pathSet(path, of: container))
        }
    }
}
