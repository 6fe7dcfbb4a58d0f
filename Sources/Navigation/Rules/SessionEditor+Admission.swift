internal import Bytes
internal import JSON

// Admission: whether a route may be pushed or presented, and whether its params are valid.

/// A screen that may be shown where it was asked for: its route, its params with the defaults
/// filled in, and the mark and the lock that its entry gets; nil leaves those unchanged.
struct AdmittedScreen {
    var route: RouteName
    var params: Params
    var mark: MarkName?
    var isLocked: Bool?

    /// A new screen.
    var screen: Screen {
        Screen(route: route, params: params, mark: mark, isLocked: isLocked ?? false)
    }
}

extension SessionEditor {
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
        guard let declared = app.routes[route] else {
            // The route of a dialog that names none has the name of the style.
            if let asked, asked.isDialog, route.rawValue == asked.rawValue { return asked }
            throw unknown(route, in: app, at: "/route")
        }
        let style = asked ?? declared.presentation.defaultStyle
        guard declared.presentation.allows(style) else {
            let isPushed = declared.presentation == .push
            throw .routeNotAllowedHere(
                route, .presentedAs(style), allowed: app.presentable(style),
                remedy: isPushed ? .navigate : .style(declared.presentation.defaultStyle),
                pointer: pointer + "/route")
        }
        return style
    }

    /// Fills in the schema's defaults and checks the params. A route that the app does not declare,
    /// such as the root of a tab, takes none.
    ///
    /// - Parameter member: the pointer to the screen below the command's own pointer.
    @inline(__always)
    func admit(
        _ params: Params, of route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        if rules.app == nil, params.text.count <= rules.limits.paramsBytesMax { return params }
        return try checked(params, of: route, at: member)
    }

    private func checked(
        _ params: Params, of route: RouteName, at member: String
    ) throws(RejectionError) -> Params {
        var kept = params
        let schema = rules.app?.routes[route]?.schema
        if rules.app != nil, schema != nil || !params.isEmpty {
            let faults = try within { () throws(WorkBudgetError) in
                let given = params.object
                let object = try schema.filled(given, work: work)
                if object.count != given.count { kept = Params(object) }
                return try schema.faults(
                    in: object, at: pointer + member + "/params", work: work)
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

    /// Checks that the app declares a route.
    ///
    /// - Parameter member: the pointer to the name of the route below the command's own pointer.
    func checkDeclared(_ route: RouteName, at member: String) throws(RejectionError) {
        if let app = rules.app, app.routes[route] == nil {
            throw unknown(route, in: app, at: member)
        }
    }

    private func unknown(
        _ route: RouteName, in app: App, at member: String
    ) -> RejectionError {
        .unknownRoute(
            route.rawValue,
            near: Spelling.near(
                route.rawValue, among: app.routeOrder.lazy.map { $0.rawValue }, work: work),
            pointer: pointer + member)
    }
}
