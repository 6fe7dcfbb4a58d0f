package import JSON

/// Something that an app's new declaration leaves no place for.
package struct Dropped: Equatable, Sendable {
    package enum Why: String, Sendable {
        case routeGone = "route-gone"
        case routeNotAllowedHere = "route-not-allowed-here"
        case invalidParams = "invalid-params"
        case tabGone = "tab-gone"
        case sheetDropped = "sheet-dropped"
    }

    package var id: EntryID
    package var route: RouteName
    package var why: Why
}

extension NavigationState {
    /// The state as far as the app allows it, and what had to go.
    ///
    /// Tabs become the app's, in its order; entries and sheets whose route is gone or not allowed
    /// there, or whose params no longer fit even with the defaults, are dropped, and with a sheet
    /// what was pushed on it.
    ///
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

/// Whether a screen fits the app, and with which params.
private enum Fit {
    case params(Params)
    case misfit(Dropped.Why)
}

/// Looks at one screen after another and notes what has to go.
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

    /// Params that fit are kept as they are, those that defaults make complete are filled in.
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
    /// The state as far as the app allows it.
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
    /// The event that makes the session fit its app; nil if it fits already. It is no step of undo,
    /// as undo could only lead to a state that does not fit and is reconciled in turn.
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
