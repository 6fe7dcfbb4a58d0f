internal import JSON

// Which routes may be where, with which params.

/// A route that may be at its place, with its params and their defaults.
typealias AdmittedScreen = (route: RouteName, params: Params)

extension StateEditor {
    /// Checks a route and its params for a place on a path; fills the defaults in.
    func admit(
        _ route: RouteName, _ params: JSONObject, on container: Container, at member: String = ""
    ) throws(RejectionError) -> Params {
        if let app = rules.app {
            try admit(route, app, allowed: app.pushable(in: container, state), member) {
                "on \(describe(container))"
            }
        }
        return try admit(params, of: route, at: member)
    }

    /// The same for a path's entry on a sheet that is not there yet.
    func admit(
        _ item: PathItem, onSheet route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        if let app = rules.app {
            let allowed = app.pushable(onSheet: route, over: state.tabs[state.selected].id)
            try admit(item.route, app, allowed: allowed, member) {
                "on the sheet \(route)"
            }
        }
        return try admit(item.params, of: item.route, at: member)
    }

    /// Several screens one after another. The first that is refused decides what the refusal is
    /// about; where that is its params, what is wrong with those of the others is told, too.
    func admitAll(
        _ count: Int, _ admit: (Int) throws(RejectionError) -> AdmittedScreen
    ) throws(RejectionError) -> [AdmittedScreen] {
        var admitted: [AdmittedScreen] = []
        var faults = Faults()
        for index in 0..<count where !faults.isFull {
            do {
                admitted.append(try admit(index))
            } catch {
                if case .invalidParams(let found) = error {
                    faults.append(found)
                } else if faults.isEmpty {
                    throw error
                }
            }
        }
        guard faults.isEmpty else { throw .invalidParams(faults.all) }
        return admitted
    }

    /// Checks a route for being presented, and says in which style.
    func style(of route: RouteName, asked: SheetStyle?) throws(RejectionError) -> SheetStyle {
        guard let app = rules.app else { return asked ?? .sheet }
        guard let declared = app.routes[route] else { throw unknown(route, app, "") }
        let style = asked ?? declared.presentation.defaultStyle
        guard declared.presentation.allows(style) else {
            throw .routeNotAllowedHere(
                route, place: "as a \(style.rawValue)",
                allowed: app.presentable(style),
                pointer: pointer + "/route")
        }
        return style
    }

    /// The params with the schema's defaults, checked.
    func admit(
        _ params: JSONObject, of route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        var params = params
        if let declared = rules.app?.routes[route] {
            let place = pointer + member + "/params"
            let faults = try within { () throws(WorkBudgetError) in
                params = try declared.filled(params, work: work)
                return try declared.faults(in: params, at: place, work: work)
            }
            guard faults.isEmpty else { throw .invalidParams(faults) }
        }
        let kept = Params(params)
        guard kept.text.count <= rules.limits.paramsBytesMax else {
            throw .limitExceeded(
                "Params can have at most \(rules.limits.paramsBytesMax) bytes as JSON.",
                pointer: pointer + member + "/params")
        }
        return kept
    }

    private func admit(
        _ route: RouteName, _ app: App, allowed: Set<RouteName>, _ member: String,
        place: () -> String
    ) throws(RejectionError) {
        guard let declared = app.routes[route] else { throw unknown(route, app, member) }
        guard declared.presentation.allowsPush, allowed.contains(route) else {
            try within { () throws(WorkBudgetError) in
                try work.spend(.entries(app.routeOrder.count))
            }
            throw .routeNotAllowedHere(
                route, place: place(), allowed: app.pushableRoutes(allowed),
                pointer: pointer + member + "/route")
        }
    }

    private func unknown(_ route: RouteName, _ app: App, _ member: String) -> RejectionError {
        .unknownRoute(
            route.rawValue,
            near: Spelling.near(
                route.rawValue, among: app.routeOrder.lazy.map(\.rawValue), work: work),
            pointer: pointer + member + "/route")
    }

    private func describe(_ container: Container) -> String {
        switch container {
        case .tab(let index): "the tab \(state.tabs[index].id)"
        case .sheet(let index): "the sheet \(state.sheets[index].route)"
        }
    }
}
