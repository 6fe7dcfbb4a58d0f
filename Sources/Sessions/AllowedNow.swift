internal import Bytes
public import JSON
public import Navigation

// The routes that are possible in a session now: the body of `GET …/allowed`.

extension Session {
    /// The routes that can be pushed or presented now, the tabs, and the schemas that they refer
    /// to.
    ///
    /// - Parameter limits: those of the token of the request, if it has any.
    public func allowed(
        _ app: App?, to limits: TokenLimits? = nil, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        func allows(_ command: CommandName) -> Bool {
            limits?.commands?.contains(TokenCommand(command)) ?? true
        }
        var object = JSONObject()
        if let (_, dialog) = state.openDialog {
            object.append("push", .array([]))
            object.append("present", .array([]))
            object.append("buttons", .array(dialog.buttons.map { $0.id.json }))
        } else if let app {
            var routes = DescribedRoutes(app: app, facts: facts)
            if let list = limits?.routes {
                routes.allowed = try AllowedRoutes(list, in: app, work: work)
            }
            let pushable = app.pushableOnVisible(state)
            let pushed = allows(.navigate) ? app.pushableRoutes(pushable) : []
            object.append("push", .array(routes.permitted(pushed).map { routes.described($0) }))
            let visible = app.visibleRoute(of: state)
            object.append(
                "present", .array(allows(.present) ? routes.presentable(over: visible) : []))
        }
        object.append("tabs", .array(state.tabs.map { described($0.id, app) }))
        object.append("canGoBack", .bool(allows(.back) && canGoBack(app)))
        if let commands = limits?.commands {
            object.append("commands", .array(commands.map { .string($0.name) }))
        }
        if let app {
            let definitions = app.definitions(usedIn: [
                object["push"], object["present"], object["tabs"],
            ])
            if !definitions.isEmpty { object.append("$defs", .object(definitions)) }
        }
        return object
    }

    private func described(_ tab: TabID, _ app: App?) -> JSON {
        let declared = app?.tab(tab)
        let found = app?.guards.ofTabs[tab]
        let params = declared.flatMap {
            $0.hasRootParams ? app?.routes[$0.root.route]?.paramsDocument : nil
        }
        return .object([
            "id": tab.json, "title": declared?.title.map(JSON.string),
            "icon": declared?.icon.map(JSON.string), "params": params, "guard": found?.declared,
            "holds": found.map { .bool($0.holds(facts)) },
        ])
    }
}

/// Routes with what a form or a menu shows of them.
private struct DescribedRoutes {
    let app: App
    let facts: Facts
    /// The routes that may be shown, or nil for all.
    var allowed: AllowedRoutes?

    func permitted(_ names: [RouteName]) -> [RouteName] {
        allowed.map { allowed in names.filter { allowed.contains($0) } } ?? names
    }

    func described(_ name: RouteName, styles: [SheetStyle]? = nil) -> JSON {
        let route = app.routes[name]
        let found = app.guards.ofRoutes[name]
        return .object([
            "route": name.json, "title": route?.texts.fixedTitle.map(JSON.string),
            "styles": styles.map { .array($0.map { .string($0.rawValue) }) },
            "params": route?.paramsDocument, "guard": found?.declared,
            "holds": found.map { .bool($0.holds(facts)) },
        ])
    }

    func presentable(over visible: RouteName) -> [JSON] {
        permitted(app.routeOrder).compactMap { name in
            guard app.mayPresent(name, over: visible) else { return nil }
            let styles = SheetStyle.allCases.filter {
                app.routes[name]?.presentation.allows($0) == true
            }
            return styles.isEmpty ? nil : described(name, styles: styles)
        }
    }
}
