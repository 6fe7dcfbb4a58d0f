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
    package func reconciled(with app: App) -> (state: NavigationState, dropped: [Dropped]) {
        var dropped: [Dropped] = []
        var fresh = app.freshState
        for (index, declared) in app.tabs.enumerated() {
            guard let old = tabs.first(where: { $0.id == declared.id }) else { continue }
            fresh.tabs[index] = old
            fresh.tabs[index].path = app.fitting(old.path, declared.routes, &dropped)
        }
        for tab in tabs where app.tab(tab.id) == nil {
            dropped += tab.path.map { Dropped(id: $0.id, route: $0.route, why: .tabGone) }
        }
        fresh.selected = fresh.tabIndex(tabs[selected].id) ?? 0
        let anyTab = app.tabs.reduce(into: Set<RouteName>()) { $0.formUnion($1.routes) }
        for sheet in sheets {
            switch app.fitting(sheet) {
            case .params(let params):
                var kept = sheet
                kept.params = params
                let allowed = app.routes[sheet.route]?.routes ?? anyTab
                kept.path = app.fitting(sheet.path, allowed, &dropped)
                fresh.sheets.append(kept)
            case .misfit(let why):
                dropped.append(Dropped(id: sheet.id, route: sheet.route, why: why))
                dropped += sheet.path.map {
                    Dropped(id: $0.id, route: $0.route, why: .sheetDropped)
                }
            }
        }
        return (fresh, dropped)
    }
}

extension App {
    fileprivate func fitting(
        _ path: [Entry], _ allowed: Set<RouteName>, _ dropped: inout [Dropped]
    ) -> [Entry] {
        var kept: [Entry] = []
        for entry in path {
            switch fitting(entry, allowed) {
            case .params(let params):
                kept.append(Entry(id: entry.id, route: entry.route, params: params))
            case .misfit(let why):
                dropped.append(Dropped(id: entry.id, route: entry.route, why: why))
            }
        }
        return kept
    }

    private func fitting(_ entry: Entry, _ allowed: Set<RouteName>) -> Fit {
        guard let route = routes[entry.route] else { return .misfit(.routeGone) }
        guard route.presentation.allowsPush, allowed.contains(entry.route) else {
            return .misfit(.routeNotAllowedHere)
        }
        return route.fitting(entry.params)
    }

    fileprivate func fitting(_ sheet: Sheet) -> Fit {
        guard let route = routes[sheet.route] else { return .misfit(.routeGone) }
        guard route.presentation.allows(sheet.style) else { return .misfit(.routeNotAllowedHere) }
        return route.fitting(sheet.params)
    }
}

/// Whether a screen fits the app, and with which params.
private enum Fit {
    case params(Params)
    case misfit(Dropped.Why)
}

extension Route {
    /// Params that fit are kept as they are, those that defaults make complete are filled in.
    fileprivate func fitting(_ params: Params) -> Fit {
        let object = params.object
        if faults(in: object, at: "").isEmpty { return .params(params) }
        let filled = filled(object)
        guard faults(in: filled, at: "").isEmpty else { return .misfit(.invalidParams) }
        return .params(Params(filled))
    }
}

extension Session {
    /// The event that makes the session fit its app; nil if it fits already.
    package func reconciling(
        with app: App, at: Milliseconds
    ) -> (event: Event, dropped: [Dropped])? {
        let (fitting, dropped) = state.reconciled(with: app)
        guard fitting != state else { return nil }
        let (added, removed) = difference(state.ids, fitting.ids)
        let event = Event(
            at: at, changes: [.stateSet(fitting)], added: added, removed: removed,
            nextEntry: nextEntry)
        return (event, dropped)
    }
}
