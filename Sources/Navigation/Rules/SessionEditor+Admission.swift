internal import JSON

// Admission: whether a route may be pushed or presented, and whether its params are valid.

/// A route that may be shown where it was asked for, its params with the defaults filled in, and
/// the mark that its entry gets, if any.
typealias AdmittedScreen = (route: RouteName, params: Params, mark: MarkName?)

extension SessionEditor {
    /// Checks that a route may be pushed on a container, and returns the params with the defaults.
    ///
    /// - Parameter member: the pointer to the screen below the command's own pointer.
    func admit(
        _ route: RouteName, _ params: Params, on container: Container, at member: String = ""
    ) throws(RejectionError) -> Params {
        if let app = rules.app {
            let allowed = app.pushable(in: container, state)
            let isPath = !member.isEmpty
            try admit(route, by: app, allowed: allowed, at: member) {
                let tab = app.tabs.first { $0.routes.contains(route) }?.id
                let remedy = tab.map { isPath ? Remedy.pathOf($0) : .add(in: $0) }
                return ("on \(describe(container))", remedy)
            }
        }
        return try admit(params, of: route, at: member)
    }

    /// Does the same for an entry on the path of a sheet that is about to be presented.
    func admit(
        _ item: PathItem, onSheet route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        if let app = rules.app {
            let allowed = app.pushable(onSheet: route, over: state.tabs[state.selected].id)
            try admit(item.route, by: app, allowed: allowed, at: member) {
                ("on the sheet \(route)", nil)
            }
        }
        return try admit(item.params, of: item.route, at: member)
    }

    /// Admits several screens in order. The first refusal is thrown; if it is about params, the
    /// faults in the params of the other screens are reported with it.
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

    /// Checks that a route may be presented, and returns the style.
    ///
    /// - Parameter asked: the style that the client asks for, or nil for the default of the route.
    func style(of route: RouteName, asked: SheetStyle?) throws(RejectionError) -> SheetStyle {
        guard let app = rules.app else { return asked ?? .sheet }
        guard let declared = app.routes[route] else { throw unknown(route, in: app, at: "") }
        let style = asked ?? declared.presentation.defaultStyle
        guard declared.presentation.allows(style) else {
            let isPushed = declared.presentation == .push
            throw .routeNotAllowedHere(
                route, place: "as a \(style.rawValue)", allowed: app.presentable(style),
                remedy: isPushed ? .navigate : .style(declared.presentation.defaultStyle),
                pointer: pointer + "/route")
        }
        return style
    }

    /// Fills in the schema's defaults and checks the params.
    func admit(
        _ params: Params, of route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        var kept = params
        if let declared = rules.app?.routes[route], declared.schema != nil || !params.isEmpty {
            let paramsPointer = pointer + member + "/params"
            let faults = try within { () throws(WorkBudgetError) in
                let object = try declared.filled(params.object, work: work)
                kept = Params(object)
                return try declared.faults(in: object, at: paramsPointer, work: work)
            }
            guard faults.isEmpty else { throw .invalidParams(faults) }
        }
        guard kept.text.count <= rules.limits.paramsBytesMax else {
            throw .limitExceeded(
                "Params can have at most \(rules.limits.paramsBytesMax) bytes as JSON.",
                pointer: pointer + member + "/params")
        }
        return kept
    }

    private func admit(
        _ route: RouteName, by app: App, allowed: Set<RouteName>, at member: String,
        place: () -> (String, Remedy?)
    ) throws(RejectionError) {
        guard let declared = app.routes[route] else { throw unknown(route, in: app, at: member) }
        guard declared.presentation.allowsPush, allowed.contains(route) else {
            try within { () throws(WorkBudgetError) in
                try work.spend(.entries(app.routeOrder.count))
            }
            let (place, elsewhere) = place()
            throw .routeNotAllowedHere(
                route, place: place, allowed: app.pushableRoutes(allowed),
                remedy: declared.presentation.allowsPush ? elsewhere : .present,
                pointer: pointer + member + "/route")
        }
    }

    private func unknown(
        _ route: RouteName, in app: App, at member: String
    ) -> RejectionError {
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
