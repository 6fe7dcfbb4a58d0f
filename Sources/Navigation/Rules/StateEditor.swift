internal import JSON

/// What commands are measured by.
package struct Rules: Sendable {
    /// The app that the session is bound to; nil for a free-form session.
    package var app: App?
    package var limits: Limits
    /// Refuse what lenient handling calls "nothing to do".
    package var strict: Bool

    package init(app: App?, limits: Limits, strict: Bool = false) {
        self.app = app
        self.limits = limits
        self.strict = strict
    }
}

/// Where `undo` or `redo` leads; found by the caller, who can read older revisions.
package struct Past: Equatable, Sendable {
    package var state: NavigationState
    /// How many steps that is; at most as many as were asked for.
    package var steps: Int
    /// How many more can be taken that way.
    package var left: Int

    package init(state: NavigationState, steps: Int, left: Int) {
        self.state = state
        self.steps = steps
        self.left = left
    }
}

/// A session's navigation while a command works on it: every change is made and noted at once.
struct StateEditor {
    let rules: Rules
    private(set) var state: NavigationState
    private(set) var nextEntry: Int
    private(set) var changes: [Change] = []
    let work: WorkBudget
    /// Where the command lies in the body: empty, or `/commands/i` in a batch.
    var pointer = ""

    init(_ session: Session, rules: Rules, work: WorkBudget) {
        self.rules = rules
        self.work = work
        state = session.state
        nextEntry = session.nextEntry
    }

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

    /// Makes a refusal of a budget that the request uses up.
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

// MARK: - Finding what a command names

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

    /// How many sheets there are when those over the container are gone.
    func sheetsKept(by container: Container) -> Int {
        switch container {
        case .tab: 0
        case .sheet(let index): index + 1
        }
    }
}

// MARK: - Steps that several commands share

extension StateEditor {
    /// Looks after the sheets over a target; call it before anything else changes.
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

    /// Gives new ids to a path, but for its beginning that equals what is there.
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
