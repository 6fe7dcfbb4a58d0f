// Computes how a user interface gets from one state to another, one animation at a time.
//
// The order of the steps:
//
//     tabs        their order, and which of them are hidden; the tab that is left is still shown
//     dismiss     from the top
//     select
//     tabs        only if the tab that is left is removed or hidden
//     pop         tabs, then the sheets that stay
//     push        tabs, then the sheets that stay
//     present     each new sheet from the bottom, followed by the pushes on its own path
//     params      and marks, of what stays: tabs, then sheets
//     badge
//
// 1. Carried out one after another on the first state, the steps give the tabs, the selection and
//    the sheets of the second one, with the same ids and the same text of params.
// 2. Each state in between is valid: the selected tab exists and is not hidden, and no id occurs
//    twice, because everything that is removed is removed before anything is added.
// 3. An entry stays if it has the same id and route in both states and all entries below it stay;
//    a sheet stays if it differs only in its params, its mark, its time and its path and all
//    sheets below it stay. A screen that has moved is removed, and added again with its id.
// 4. The history of tabs and the origin of their order are not visible, so they have no steps.
//
// The work grows with the sizes of the states only.

extension NavigationState {
    /// The steps from this state to another one of the same session; none if they show the same.
    ///
    /// - Parameter app: the app of the session, which declares the roots of its tabs.
    public func steps(to goal: NavigationState, app: App?) -> [Step] {
        var planner = StepPlanner(start: self, goal: goal, app: app)
        planner.plan()
        return planner.steps
    }
}

private struct StepPlanner {
    let start: NavigationState
    let goal: NavigationState
    let app: App?
    private(set) var steps: [NavigationState.Step] = []
    /// The tabs of the first state by id.
    private let tabs: [TabID: Tab]
    /// The number of sheets that stay.
    private let sheetsKept: Int

    init(start: NavigationState, goal: NavigationState, app: App?) {
        self.app = app
        self.start = start
        self.goal = goal
        tabs = start.tabs.reduce(into: [:]) { $0[$1.id] = $1 }
        sheetsKept = zip(start.sheets, goal.sheets).prefix { $0.isSameSheet(as: $1) }.count
    }

    mutating func plan() {
        let first = Arrangement(whileLeaving: start.tabs[start.selected].id, start, for: goal)
        arrange(first, after: Arrangement(start))
        for sheet in start.sheets[sheetsKept...].reversed() { steps.append(.dismiss(sheet.id)) }
        let selected = goal.tabs[goal.selected].id
        if selected != start.tabs[start.selected].id { steps.append(.select(selected)) }
        arrange(Arrangement(goal), after: first)
        for path in pathsKept { pop(path) }
        for path in pathsKept { push(path) }
        for sheet in goal.sheets[sheetsKept...] { present(sheet) }
        for tab in goal.tabs {
            setRoot(of: tab, before: tabs[tab.id])
            setParams(Path(of: tab, before: tabs[tab.id]))
        }
        for (old, new) in zip(start.sheets, goal.sheets).prefix(sheetsKept) {
            if old.dismissible != new.dismissible || old.expiresAt != new.expiresAt
                || !old.screen.isShownLike(new.screen)
            {
                steps.append(.params(new.screen, of: .entry(new.id), sheet: new))
            }
            setParams(Path(of: new, before: old))
        }
        for tab in goal.tabs where tab.badge != tabs[tab.id]?.badge {
            steps.append(.badge(tab.badge, of: tab.id))
        }
    }

    private mutating func arrange(_ arrangement: Arrangement, after last: Arrangement) {
        guard arrangement != last else { return }
        steps.append(.tabs(order: arrangement.order, hidden: arrangement.hidden))
    }

    // MARK: - Paths

    /// The paths of the tabs of the second state and of the sheets that stay.
    private var pathsKept: [Path] {
        goal.tabs.map { Path(of: $0, before: tabs[$0.id]) }
            + zip(start.sheets, goal.sheets).prefix(sheetsKept).map { Path(of: $1, before: $0) }
    }

    private mutating func pop(_ path: Path) {
        let count = path.old.count - path.kept
        if count > 0 { steps.append(.pop(count, from: path.id)) }
    }

    private mutating func push(_ path: Path) {
        for entry in path.new[path.kept...] { steps.append(.push(entry, on: path.id)) }
    }

    private mutating func present(_ sheet: Sheet) {
        var bare = sheet
        bare.path = []
        steps.append(.present(bare))
        for entry in sheet.path { steps.append(.push(entry, on: .sheet(sheet.id))) }
    }

    private mutating func setParams(_ path: Path) {
        for index in 0..<path.kept where !path.old[index].screen.isShownLike(path.new[index].screen)
        {
            let entry = path.new[index]
            steps.append(.params(entry.screen, of: .entry(entry.id), sheet: nil))
        }
    }

    private mutating func setRoot(of tab: Tab, before: Tab?) {
        let (old, new) = (before?.root, tab.root)
        guard old !== new else { return }
        let shown = new ?? app.declaredRoot(of: tab.id)
        if let old, let new, old.isShownLike(new) { return }
        steps.append(.params(shown, of: .tab(tab.id), sheet: nil))
    }
}

extension Screen {
    /// Whether both are shown alike. Params are compared as text, so that the client has those that
    /// the session shows.
    fileprivate func isShownLike(_ other: Screen) -> Bool {
        self === other || text == other.text
    }
}

/// The order of the tabs, and which of them are hidden.
private struct Arrangement: Equatable {
    var order: [TabID]
    var hidden: [TabID]

    init(_ state: NavigationState) {
        order = state.tabs.map { $0.id }
        hidden = state.tabs.lazy.filter { $0.isHidden }.map { $0.id }
    }

    /// The arrangement of the second state, but with the tab that is left still in its old place.
    init(whileLeaving left: TabID, _ start: NavigationState, for goal: NavigationState) {
        self.init(goal)
        hidden.removeAll { $0 == left }
        if !order.contains(left) { order.insert(left, at: min(start.selected, order.count)) }
    }
}

/// The path of a container in both states.
private struct Path {
    let id: NavigationState.ContainerID
    let old: [Entry]
    let new: [Entry]
    /// The number of entries that stay.
    let kept: Int

    init(of tab: Tab, before: Tab?) {
        self.init(.tab(tab.id), from: before?.path ?? [], to: tab.path)
    }

    init(of sheet: Sheet, before: Sheet) {
        self.init(.sheet(sheet.id), from: before.path, to: sheet.path)
    }

    private init(_ id: NavigationState.ContainerID, from old: [Entry], to new: [Entry]) {
        self.id = id
        self.old = old
        self.new = new
        kept = zip(old, new).prefix { $0.id == $1.id && $0.route == $1.route }.count
    }
}

extension Sheet {
    /// Whether only params, mark, lock, time, path and presenter may differ, which change while the
    /// sheet is presented. No step says who presents it.
    fileprivate func isSameSheet(as other: Sheet) -> Bool {
        id == other.id && route == other.route && style == other.style && tag == other.tag
            && detents == other.detents && dialog == other.dialog && anchor == other.anchor
    }
}
