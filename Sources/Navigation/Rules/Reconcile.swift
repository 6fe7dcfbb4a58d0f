package import JSON

/// An entry or a sheet that was removed because the app no longer allows it.
package struct Dropped: Equatable, Sendable {
    /// The reason why something was dropped.
    package enum Why: String, Sendable {
        case routeGone = "route-gone"
        case routeNotAllowedHere = "route-not-allowed-here"
        case invalidParams = "invalid-params"
        case tabGone = "tab-gone"
        case sheetDropped = "sheet-dropped"
    }

    /// The id of the entry or sheet.
    package var id: EntryID
    /// The route of the entry or sheet.
    package var route: RouteName
    /// The reason.
    package var why: Why
}

extension NavigationState {
    /// Makes the state conform to an app, and returns what had to be dropped.
    ///
    /// The tabs become those of the app, in its order. Entries and sheets are dropped if their
    /// route no longer exists, if it is not allowed there, or if their params are invalid even with
    /// defaults. With a sheet, its path is dropped.
    ///
    /// - Throws: if this takes more work than the budget allows.
    package func reconciled(
        with app: App, work: WorkBudget
    ) throws(WorkBudgetError) -> (state: NavigationState, dropped: [Dropped]) {
        var fit = Fitting(app: app, parsed: [:], work: work)
        return (try reconciled(&fit), fit.dropped)
    }

    fileprivate func reconciled(
        _ fit: inout Fitting
    ) throws(WorkBudgetError) -> NavigationState {
        let app = fit.app
        var fresh = app.freshState
        for (index, declared) in app.tabs.enumerated() {
            guard let old = tabs.first(where: { $0.id == declared.id }) else { continue }
            fresh.tabs[index] = old
            fresh.tabs[index].path = try fit.path(old.path, declared.routes)
        }
        for tab in tabs where app.tab(tab.id) == nil { fit.drop(tab.path, .tabGone) }
        fresh.selected = fresh.tabIndex(tabs[selected].id) ?? 0
        let anyTab = app.tabs.reduce(into: Set<RouteName>()) { $0.formUnion($1.routes) }
        for sheet in sheets {
            switch try fit.screen(of: sheet) {
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

/// Whether the app allows a screen: with these params, or not and for which reason.
private enum Fit {
    case params(Params)
    case misfit(Dropped.Why)
}

/// Checks one screen after another and collects what has to be dropped.
private struct Fitting {
    let app: App
    private(set) var parsed: [EntryID: JSONObject]
    let work: WorkBudget
    private(set) var dropped: [Dropped] = []

    init(app: App, parsed: [EntryID: JSONObject], work: WorkBudget) {
        self.app = app
        self.parsed = parsed
        self.work = work
    }

    mutating func drop(_ entries: [Entry], _ why: Dropped.Why) {
        dropped += entries.map { Dropped(id: $0.id, route: $0.route, why: why) }
    }

    mutating func path(
        _ path: [Entry], _ allowed: Set<RouteName>
    ) throws(WorkBudgetError) -> [Entry] {
        var kept: [Entry] = []
        for entry in path {
            switch try screen(entry, allowed) {
            case .params(let params):
                kept.append(Entry(id: entry.id, route: entry.route, params: params))
            case .misfit(let why): drop([entry], why)
            }
        }
        return kept
    }

    private mutating func screen(
        _ entry: Entry, _ allowed: Set<RouteName>
    ) throws(WorkBudgetError) -> Fit {
        try work.spend(.entries(2))
        guard let route = app.routes[entry.route] else { return .misfit(.routeGone) }
        guard route.presentation.allowsPush, allowed.contains(entry.route) else {
            return .misfit(.routeNotAllowedHere)
        }
        return try params(of: entry, route)
    }

    mutating func screen(of sheet: Sheet) throws(WorkBudgetError) -> Fit {
        guard let route = app.routes[sheet.route] else { return .misfit(.routeGone) }
        guard route.presentation.allows(sheet.style) else { return .misfit(.routeNotAllowedHere) }
        return try params(of: sheet.root, route)
    }

    /// Keeps params that are valid, and fills in defaults if that makes them valid.
    private mutating func params(of entry: Entry, _ route: Route) throws(WorkBudgetError) -> Fit {
        var object = JSONObject()
        if let known = parsed[entry.id] {
            object = known
        } else if !entry.params.isEmpty {
            try work.spend(.parsing(bytes: entry.params.text.count))
            object = entry.params.object
        }
        if try route.takes(object, work: work) { return .params(entry.params) }
        let filled = try route.filled(object, work: work)
        guard filled.count > object.count, try route.takes(filled, work: work) else {
            return .misfit(.invalidParams)
        }
        if parsed[entry.id] != nil { parsed[entry.id] = filled }
        return .params(Params(filled))
    }
}

extension RestoredState {
    /// Makes the state conform to an app.
    package func reconciled(
        with app: App, work: WorkBudget
    ) throws(WorkBudgetError) -> RestoredState {
        var fit = Fitting(app: app, parsed: parsed, work: work)
        let state = try state.reconciled(&fit)
        return RestoredState(
            state: state, nextEntry: nextEntry, dropped: fit.dropped, parsed: fit.parsed)
    }
}

extension Session {
    /// The event that makes the session conform to its app; nil if it does already. It is not a
    /// step for undo, because that would lead to a state that has to be reconciled again.
    package func reconciling(
        with app: App, at: Milliseconds, work: WorkBudget
    ) throws(WorkBudgetError) -> (event: Event, dropped: [Dropped])? {
        let (fitting, dropped) = try state.reconciled(with: app, work: work)
        guard fitting != state else { return nil }
        let (added, removed) = difference(state.ids, fitting.ids)
        let event = Event(
            at: at, changes: [.stateSet(fitting)], added: added, removed: removed,
            nextEntry: nextEntry, step: .aside)
        return (event, dropped)
    }
}
