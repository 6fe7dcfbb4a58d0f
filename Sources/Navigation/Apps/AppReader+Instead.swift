internal import Bytes
internal import JSON

// The `instead` of guards. A command that could never be carried out is refused when the app is
// stored. It may lead to something with guards, but not back to its own; see `GuardRings`.

extension AppReader {
    /// Reads a command and fills in members that it leaves out: the tag of a sheet is the name of
    /// the guard, and the mode is `popTo`, so that a client that is held back twice is shown one
    /// screen.
    mutating func readInstead(_ item: JSON, of name: GuardName, at pointer: String) -> Command? {
        if case .object(let object) = item, case .string(let kind)? = object["command"],
            !["navigate", "present", "select", "open"].contains(kind)
        {
            refuse(pointer + "/command", "must be navigate, present, select or open")
            return nil
        }
        do {
            let item = checks == .needed ? item.withoutFormerDetents : item
            let command = try Command(item: item, at: pointer, limits: limits, work: work)
            if case .navigate(var filled) = command, filled.mode == nil,
                routes[filled.route]?.mode == nil
            {
                filled.mode = .popTo
                return .navigate(filled)
            }
            if case .present(var filled) = command, filled.tag == nil {
                filled.tag = ExactString(name.rawValue)
                return .present(filled)
            }
            return command
        } catch {
            if case .invalidRequest(let faults) = error { errors.append(faults) }
        }
        return nil
    }

    /// Checks that what each guard offers can be carried out, and that no chain of guards leads
    /// back to its beginning.
    mutating func checkInsteads(of app: App) throws(WorkBudgetError) {
        for name in app.guards.order {
            let pointer = "/guards/" + JSONPointer.escaped(name.rawValue) + "/instead"
            guard let command = app.guards.named[name]?.instead else { continue }
            if case .navigate(let command) = command { try check(command, at: pointer) }
            if case .present(let command) = command, try !isOwnDialog(command, at: pointer) {
                try check(command, at: pointer)
            }
            if case .select(let command) = command {
                _ = knownTab(command.tab, at: pointer + "/tab")
            }
            if case .open(let command) = command { try check(command, in: app, at: pointer) }
        }
        guard errors.isEmpty else { return }
        var rings = try GuardRings(of: app, work: work)
        try rings.check()
        errors.append(rings.errors.all)
        warnings.append(rings.warnings.all)
    }

    // MARK: - The commands

    private mutating func check(
        _ command: Navigate, at pointer: String
    ) throws(WorkBudgetError) {
        var allowed = anyPushable
        if case .named(let name) = command.target {
            guard let tab = knownTab(name, at: pointer + "/in") else { return }
            allowed = tab.routes
        }
        try check(command.route, command.params.object, pushedOn: allowed, at: pointer)
    }

    private mutating func check(_ command: Present, at pointer: String) throws(WorkBudgetError) {
        guard let route = knownRoute(command.route, at: pointer + "/route") else { return }
        let style = command.style ?? route.presentation.defaultStyle
        if !route.presentation.allows(style) {
            let detail = "which may not be presented as \(style.rawValue)"
            refuse(pointer + "/route", "names the route \(command.route), \(detail)")
        }
        errors.append(try faults(of: command.params.object, route, at: pointer + "/params"))
        let path = command.path ?? []
        if path.count > limits.pathDepthMax {
            refuse(
                pointer + "/path", "must have at most \(limits.pathDepthMax) entries", isLimit: true
            )
        }
        let ofSheet = route.routes ?? anyTab
        for (index, item) in path.enumerated() where !errors.isFull {
            let below = index > 0 ? path[index - 1].route : nil
            let allowed = pushable(on: below, in: ofSheet)
            let place = "\(pointer)/path/\(index)"
            try check(item.route, item.params.object, pushedOn: allowed, at: place)
        }
    }

    private mutating func check(
        _ command: Open, in app: App, at pointer: String
    ) throws(WorkBudgetError) {
        guard let goal = try app.resolve(command.url, work: work) else {
            return refuse(pointer + "/url", "matches no link of the app")
        }
        guard let tab = command.tab, !goal.tabs.contains(where: { $0.isNamed(tab) }) else { return }
        refuse(pointer + "/tab", "must be a tab to which the link leads")
    }

    // MARK: - Their parts

    private mutating func check(
        _ name: RouteName, _ params: JSONObject, pushedOn allowed: Set<RouteName>,
        at pointer: String
    ) throws(WorkBudgetError) {
        guard let route = knownRoute(name, at: pointer + "/route") else { return }
        if !route.presentation.allowsPush || !allowed.contains(name) {
            refuse(pointer + "/route", "names the route \(name), which may not be pushed here")
        }
        errors.append(try faults(of: params, route, at: pointer + "/params"))
    }

    private func faults(
        of params: JSONObject, _ route: Route, at pointer: String
    ) throws(WorkBudgetError) -> [InputFault] {
        let filled = try route.schema.filled(params, work: work)
        guard Params(filled).text.count <= limits.paramsBytesMax else {
            let detail = "must be at most \(limits.paramsBytesMax) bytes as JSON"
            return [InputFault(pointer: pointer, detail: detail, isLimit: true)]
        }
        return try route.schema.faults(in: filled, at: pointer, work: work)
    }

    /// A declared route. It is an error if there is none of that name.
    private mutating func knownRoute(_ name: RouteName, at pointer: String) -> Route? {
        declared(name.rawValue, at: pointer).flatMap { routes[$0] }
    }

    /// A declared tab. It is an error if there is none of that name.
    private mutating func knownTab(_ name: String, at pointer: String) -> AppTab? {
        let tab = tabs.first { $0.id.isNamed(name) }
        if tab == nil { refuse(pointer, "names the unknown tab \(name.clipped)") }
        return tab
    }

    private var anyTab: Set<RouteName> {
        tabs.reduce(into: []) { $0.formUnion($1.routes) }
    }

    /// The routes that may be pushed on some tab or sheet.
    private var anyPushable: Set<RouteName> {
        routes.values.reduce(into: anyTab) { $0.formUnion($1.routes ?? []) }
    }
}
