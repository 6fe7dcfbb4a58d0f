package import JSON

/// What a command is checked against.
package struct Rules {
    /// The app that the session is bound to; nil for a free-form session.
    package var app: App?
    /// The sizes that a session may have.
    package var limits: Limits
    /// Whether a command without an effect is refused.
    package var strict: Bool
    /// The work that the request may still cause; with too little left, the command is refused.
    package var work: WorkBudget

    package init(app: App?, limits: Limits, strict: Bool = false, work: WorkBudget) {
        self.app = app
        self.limits = limits
        self.strict = strict
        self.work = work
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
struct StateEditor {
    let rules: Rules
    private(set) var state: NavigationState
    private(set) var nextEntry: Int
    private(set) var changes: [Change] = []
    /// The command's position in the body: empty, or `/commands/i` in a batch.
    var pointer = ""

    init(_ session: Session, rules: Rules) {
        self.rules = rules
        state = session.state
        nextEntry = session.nextEntry
    }

    var work: WorkBudget { rules.work }

    mutating func perform(_ change: Change) {
        state.apply(change)
        changes.append(change)
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

    mutating func select(_ tab: Int) {
        if state.selected != tab { perform(.selected(tab: tab)) }
    }

    mutating func dismissSheets(keeping count: Int) {
        if state.sheets.count > count { perform(.dismissed(keeping: count)) }
    }

    mutating func pop(_ count: Int, from container: Container) {
        if count > 0 { perform(.popped(count, from: container)) }
    }

    mutating func push(
        _ route: RouteName, _ params: Params, on container: Container
    ) throws(RejectionError) {
        try checkDepth(state[path: container].count + 1, at: "/route")
        perform(.pushed(Entry(id: newID(), route: route, params: params), on: container))
    }

    func checkDepth(_ count: Int, at member: String) throws(RejectionError) {
        guard count <= rules.limits.pathDepthMax else {
            throw .limitExceeded(
                "A path can have at most \(rules.limits.pathDepthMax) entries. "
                    + "Pop some, or use the mode reset or popTo.",
                pointer: pointer + member)
        }
    }

    /// Makes entries with new ids, except for the beginning of the path that is unchanged.
    mutating func path(
        _ wanted: [(route: RouteName, params: Params)], over current: [Entry]
    ) throws(RejectionError) -> [Entry] {
        var path: [Entry] = []
        for (item, entry) in zip(wanted, current) {
            guard item.route == entry.route, try isSame(item.params, entry.params) else { break }
            path.append(entry)
        }
        for item in wanted.dropFirst(path.count) {
            path.append(Entry(id: newID(), route: item.route, params: item.params))
        }
        return path
    }

    mutating func setPath(_ path: [Entry], of container: Container) throws(RejectionError) {
        let current = state[path: container]
        guard current.elementsEqual(path, by: { $0.id == $1.id }) else {
            return perform(.pathSet(path, of: container))
        }
        for (old, new) in zip(current, path) where try !isSame(old.params, new.params) {
            return perform(.pathSet(path, of: container))
        }
    }
}
