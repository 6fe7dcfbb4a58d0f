internal import Bytes
public import JSON

/// An entry or a sheet that was removed because the app no longer allows it, or a root that is as
/// the app declares it for that reason.
public struct Dropped: Equatable, Sendable {
    /// The reason why something was dropped.
    public enum Why: String, Sendable {
        case routeGone = "route-gone"
        case routeNotAllowedHere = "route-not-allowed-here"
        case invalidParams = "invalid-params"
        case tabGone = "tab-gone"
        case sheetDropped = "sheet-dropped"
        /// The screen that presented the sheet was dropped.
        case presenterGone = "presenter-gone"
        case guarded
        /// The time of the sheet was over.
        case expired
    }

    /// The id of the entry or sheet, or of the tab for its root.
    public var id: ScreenID
    /// The route of the entry or sheet.
    public var route: RouteName
    /// The reason.
    public var why: Why
}

/// The parts that a state has lost because its app does not allow them.
public struct Losses: Equatable, Sendable {
    /// Entries and sheets.
    public var entries: [Dropped] = []
    /// Tabs, whose entries are among the others.
    public var tabs: [TabID] = []
    /// Screens whose route was replaced. They are not lost, unless they are among the entries.
    public var moved: [Moved] = []

    public init(entries: [Dropped] = [], tabs: [TabID] = []) {
        self.entries = entries
        self.tabs = tabs
    }

    /// Whether nothing was lost. What was moved is not lost.
    var isEmpty: Bool { entries.isEmpty && tabs.isEmpty }
}

extension NavigationState {
    /// Makes the state conform to an app, and returns what had to be dropped.
    ///
    /// Screens whose route was replaced get the new one. Then the tabs become those of the app, in
    /// its order unless the session has an order of its own.
    /// Entries and sheets are dropped if their route no longer exists, if it is not allowed there,
    /// or if their params are invalid even with defaults. With a sheet, its path is dropped. Then
    /// everything is dropped that is under a guard that fails.
    ///
    /// - Parameter facts: the facts, which fit the app.
    /// - Throws: if this takes more work than the budget allows.
    public func reconciled(
        with app: App, _ facts: Facts, work: WorkBudget
    ) throws(WorkBudgetError) -> (state: NavigationState, losses: Losses) {
        var fit = AppFitter(app: app, facts: facts, parsed: [:], work: work)
        return (try reconciled(&fit), fit.losses)
    }

    fileprivate func reconciled(
        _ fit: inout AppFitter
    ) throws(WorkBudgetError) -> NavigationState {
        let current = fit.app.names.replacements.isEmpty ? self : try fit.replaceRoutes(of: self)
        var fitting = try current.fitting(&fit)
        if !fit.app.guards.isEmpty,
            let (open, dropped) = fitting.removingGuarded(by: fit.app, fit.facts)
        {
            fit.drop(dropped)
            fitting = open
        }
        fit.drop(fitting.removeOrphans())
        return fitting
    }

    private func fitting(_ fit: inout AppFitter) throws(WorkBudgetError) -> NavigationState {
        let app = fit.app
        var fresh = NavigationState(tabs: [])
        for declared in declaredTabs(of: app) {
            var tab = tabs.first { $0.id == declared.id } ?? Tab(id: declared.id)
            if let root = tab.root { tab.root = try fit.root(root, of: declared) }
            tab.path = try fit.path(tab.path, declared.routes)
            fresh.tabs.append(tab)
        }
        for tab in tabs where app.tab(tab.id) == nil { fit.drop(tab) }
        fresh.hasOwnOrder = hasOwnOrder && !app.declares(fresh.tabs)
        fresh.select(as: self, app, fit.facts)
        let anyTab = app.tabs.reduce(into: Set<RouteName>()) { $0.formUnion($1.routes) }
        for sheet in sheets {
            switch try fit.screen(of: sheet, in: self) {
            case .params(let params):
                var kept = sheet
                kept.params = params
                let allowed = app.routes[sheet.route]?.routes ?? anyTab
                kept.path = try fit.path(sheet.path, allowed)
                fresh.sheets.append(kept)
            case .misfit(let why):
                fit.drop([sheet.root], why)
                fit.drop(sheet.path, .sheetDropped)
            }
        }
        return fresh
    }
}

extension NavigationState {
    /// The route of a screen, or nil if it is not there.
    fileprivate func route(of screen: ScreenID, _ app: App) -> RouteName? {
        switch screen {
        case .tab(let id): return app.tab(id)?.root.route
        case .entry(let id):
            if let index = sheetIndex(id) { return sheets[index].route }
            return position(of: id).map { self[path: $0.container][$0.index].route }
        }
    }

    /// The tabs of an app in its order. If the session has an order of its own, they have that one,
    /// with new tabs after the others.
    private func declaredTabs(of app: App) -> [AppTab] {
        guard hasOwnOrder else { return app.tabs }
        return tabs.compactMap { app.tab($0.id) }
            + app.tabs.filter { tabIndex($0.id) == nil }
    }

    /// Selects the tab that was selected before, or the first tab if that one no longer exists, and
    /// keeps the tabs of the history that still exist.
    private mutating func select(
        as before: NavigationState, _ app: App, _ facts: Facts
    ) {
        if let index = tabIndex(before.tabs[before.selected].id) {
            selected = index
        } else {
            apply(.selected(tab: firstTab(app, facts)))
        }
        guard app.tabBack == .history else { return }
        let now = tabs[selected].id
        tabHistory = before.tabHistory.filter { $0 != now && tabIndex($0) != nil }
    }
}

/// Whether the app allows a screen with these params, and otherwise the reason.
private enum FitResult {
    case params(Params)
    case misfit(Dropped.Why)
}

/// Checks one screen after another and collects what has to be dropped.
private struct AppFitter {
    let app: App
    let facts: Facts
    private(set) var parsed: [ScreenID: JSONObject]
    let work: WorkBudget
    private(set) var losses = Losses()

    init(app: App, facts: Facts, parsed: [ScreenID: JSONObject], work: WorkBudget) {
        self.app = app
        self.facts = facts
        self.parsed = parsed
        self.work = work
    }

    /// The state with the routes that the app has in place of others.
    mutating func replaceRoutes(
        of state: NavigationState
    ) throws(WorkBudgetError) -> NavigationState {
        var replacer = RouteReplacer(app: app, parsed: parsed, work: work)
        let current = try replacer.current(state)
        (parsed, losses.moved) = (replacer.parsed, replacer.moved)
        return current
    }

    mutating func drop(_ entries: [Entry], _ why: Dropped.Why) {
        losses.entries += entries.map { Dropped(id: .entry($0.id), route: $0.route, why: why) }
    }

    mutating func drop(_ more: [Dropped]) { losses.entries += more }

    mutating func drop(_ tab: Tab) {
        losses.tabs.append(tab.id)
        drop(tab.path, .tabGone)
    }

    mutating func path(
        _ path: [Entry], _ allowed: Set<RouteName>
    ) throws(WorkBudgetError) -> [Entry] {
        var kept: [Entry] = []
        for entry in path {
            let allowed = app.pushable(on: kept.last?.route, in: allowed)
            switch try screen(entry, allowed) {
            case .params(let params):
                var fitting = entry
                fitting.params = params
                kept.append(fitting)
            case .misfit(let why): drop([entry], why)
            }
        }
        return kept
    }

    private mutating func screen(
        _ entry: Entry, _ allowed: Set<RouteName>
    ) throws(WorkBudgetError) -> FitResult {
        try work.spend(.entries(2))
        guard let route = app.routes[entry.route] else { return .misfit(.routeGone) }
        guard route.presentation.allowsPush, allowed.contains(entry.route) else {
            return .misfit(.routeNotAllowedHere)
        }
        return try params(of: entry.screen, .entry(entry.id), route)
    }

    mutating func screen(
        of sheet: Sheet, in state: NavigationState
    ) throws(WorkBudgetError) -> FitResult {
        guard let route = app.routes[sheet.route] else {
            let isOwnRoute = sheet.dialog != nil && sheet.route.rawValue == sheet.style.rawValue
            guard isOwnRoute else { return .misfit(.routeGone) }
            return sheet.params.isEmpty ? .params(sheet.params) : .misfit(.invalidParams)
        }
        guard route.presentation.allows(sheet.style) else { return .misfit(.routeNotAllowedHere) }
        if let on = route.on, let presenter = state.route(of: sheet.presentedBy, app),
            !on.contains(presenter)
        {
            return .misfit(.routeNotAllowedHere)
        }
        return try params(of: sheet.screen, .entry(sheet.id), route)
    }

    /// The root of a tab, or nil if it is to be as the app declares it.
    mutating func root(
        _ root: Screen, of tab: AppTab
    ) throws(WorkBudgetError) -> Screen? {
        try work.spend(.entries(2))
        var why = Dropped.Why.routeNotAllowedHere
        if root.route == tab.root.route {
            if try root.params.isSame(as: tab.root.params, work: work) {
                return root.mark == nil ? nil : root
            }
            switch try params(of: root, .tab(tab.id), app.routes[root.route] ?? Route()) {
            case .params(let params): return root.with(params: params)
            case .misfit(let reason): why = reason
            }
        }
        losses.entries.append(Dropped(id: .tab(tab.id), route: root.route, why: why))
        return nil
    }

    /// Keeps params that are valid, and fills in defaults if that makes them valid.
    private mutating func params(
        of screen: Screen, _ id: ScreenID, _ route: Route
    ) throws(WorkBudgetError) -> FitResult {
        var object = JSONObject()
        if let known = parsed[id] {
            object = known
        } else if !screen.params.isEmpty {
            try work.spend(.parsing(bytes: screen.params.text.count))
            object = screen.params.object
        }
        if try route.schema.takes(object, work: work) { return .params(screen.params) }
        let filled = try route.schema.filled(object, work: work)
        guard filled.count > object.count, try route.schema.takes(filled, work: work) else {
            return .misfit(.invalidParams)
        }
        if parsed[id] != nil { parsed[id] = filled }
        return .params(Params(filled))
    }
}

extension RestoredState {
    /// Makes the state conform to an app, and the facts and the pending command with it.
    public func reconciled(
        with app: App, work: WorkBudget
    ) throws(WorkBudgetError) -> RestoredState {
        let facts = try facts.fitted(to: app, work: work)
        var fit = AppFitter(app: app, facts: facts, parsed: parsed, work: work)
        let state = try state.reconciled(&fit)
        var fitting = RestoredState(state: state, nextEntry: nextEntry, parsed: fit.parsed)
        fitting.losses = fit.losses
        fitting.facts = facts
        fitting.pending = pending?.kept(in: state, app, facts)
        fitting.isWhole = isWhole(in: fitting)
        return fitting
    }

    /// Whether nothing is missing in what an app allows of it.
    private func isWhole(in fitting: RestoredState) -> Bool {
        fitting.losses.isEmpty && (pending == nil) == (fitting.pending == nil)
            && zip(facts.names, facts.values).allSatisfy { fitting.facts[$0] == $1 }
    }
}

extension SessionEditor {
    /// Makes the session conform to its app. The change is not a step for undo, because that would
    /// lead to a state that has to be reconciled again.
    ///
    /// - Returns: nil if the session conforms already.
    public mutating func reconcile(
        at: Milliseconds
    ) throws(WorkBudgetError) -> (answer: Answer, losses: Losses)? {
        guard let app = rules.app else { return nil }
        let facts = try facts.fitted(to: app, work: work)
        let (fitting, losses) = try state.reconciled(with: app, facts, work: work)
        let givenUp = isPendingKept(in: fitting, app, facts) ? nil : pending?.command
        guard fitting != state || facts != self.facts || givenUp != nil else { return nil }
        let (added, removed) = difference(state.ids, fitting.ids)
        var answer = Answer(added: added, removed: removed)
        if fitting != state { perform(.stateSet(fitting)) }
        if facts != self.facts { set(facts) }
        if givenUp != nil {
            set(PendingCommand?.none)
            answer.guarded.givenUp = givenUp
        }
        endRevision(.aside, at: at)
        return (answer, losses)
    }

    private func isPendingKept(
        in fitting: NavigationState, _ app: App, _ facts: Facts
    ) -> Bool {
        guard let kept = pending?.kept(in: fitting, app, facts) else { return false }
        return kept.entry != nil || kept.isAnswered || state.selectedID == fitting.selectedID
    }
}
