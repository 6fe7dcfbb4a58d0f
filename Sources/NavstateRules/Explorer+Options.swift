internal import Bytes
internal import JSON
internal import Navigation

// Which commands are tried, and with which values.

/// Sample values for the params and results of an app's routes.
struct Samples {
    /// Params with the required members, of the routes for which some were found.
    private(set) var params: [RouteName: JSONObject] = [:]
    /// Params with all members.
    private(set) var whole: [RouteName: [JSONObject]] = [:]
    /// Results of the routes that declare a schema for them, if some were found.
    private(set) var results: [RouteName: JSON] = [:]
    private let app: App
    private let document: JSONObject
    /// The params that are looked for, with their defaults, and whether they fit their route.
    private var goal: (route: RouteName, params: JSONObject, fits: Bool)?

    init(_ definition: AppDefinition, replacing goal: RouteName?, by text: String?) {
        (app, document) = (definition.app, definition.document)
        let work = WorkBudget()
        for name in app.routeOrder {
            work.renew()
            guard let route = app.routes[name] else { continue }
            func values(_ schema: JSON?, all: Bool) -> [JSON] {
                let sampler = SchemaSampler(app.definitions, fillsOptional: all)
                return schema.map(sampler.values) ?? [.object(JSONObject())]
            }
            func params(all: Bool) -> [JSONObject] {
                values(route.paramsDocument, all: all).compactMap { $0.members }.filter {
                    (try? route.schema.faults(in: $0, at: "", work: work))?.isEmpty == true
                }
            }
            let (least, most) = (params(all: false), params(all: true))
            whole[name] = most + least
            self.params[name] = least.first ?? most.first
            if let result = route.result,
                let schema = document["routes"]?.members?[name.rawValue]?.members?["result"]
            {
                results[name] = (values(schema, all: true) + values(schema, all: false))
                    .first { (try? result.isValid($0, work: work)) == true }
            }
        }
        guard let goal, let own = text.flatMap({ JSONObject(text: $0) }) else { return }
        work.renew()
        params[goal] = own
        let route = app.routes[goal]
        let filled = (try? route?.schema.filled(own, work: work)) ?? own
        let faults = try? route?.schema.faults(in: filled, at: "", work: work)
        self.goal = (goal, filled, route == nil || faults?.isEmpty == true)
    }

    /// Whether the params that are looked for fit their route.
    var isGoalValid: Bool { goal?.fits ?? true }

    /// Whether a visible screen has the params that are looked for, if it is of that route.
    func isGoal(_ screen: Screen) -> Bool {
        guard let goal, goal.route == screen.route else { return true }
        return screen.params.object == goal.params
    }

    /// All commands that may be tried.
    func options(_ links: [ExploredLink]) -> [Explorer.Option] {
        var options: [Explorer.Option] = []
        func add(_ name: CommandName, _ body: JSONObject, as kind: Explorer.Kind) {
            let text = JSON.object(body).bytes
            guard
                let command = try? Command(
                    name, body: body, limits: Limits(), work: WorkBudget())
            else { return }
            let step = Explorer.Step(
                command: name.rawValue, body: String(decoding: text, as: UTF8.self))
            options.append(
                Explorer.Option(
                    step: step, request: CommandRequest(command, body: text), kind: kind))
        }
        for tab in app.tabs { add(.select, ["tab": tab.id.json], as: .select(tab.id)) }
        for name in app.routeOrder {
            guard let route = app.routes[name], let params = params[name] else { continue }
            let body: JSONObject = [
                "route": name.json, "params": params.isEmpty ? nil : .object(params),
            ]
            if route.presentation.allowsPush { add(.navigate, body, as: .push(name)) }
            if !route.presentation.styles.isEmpty { add(.present, body, as: .present(name)) }
            if let result = results[name] {
                add(.dismiss, ["result": result], as: .dismiss(name))
            }
            guard route.presentation.isDialog else { continue }
            let buttons = route.texts.dialog.buttons?.map { $0.id } ?? [MarkName(trusted: "ok")]
            for button in buttons {
                add(.dismiss, ["button": button.json], as: .dismiss(name))
            }
        }
        add(.back, JSONObject(), as: .back)
        add(.dismiss, JSONObject(), as: .dismiss(nil))
        for (name, value) in factsToSet() {
            add(.setFacts, ["facts": .object([name.rawValue: value])], as: .facts)
        }
        for (index, link) in links.enumerated() {
            guard let url = link.url else { continue }
            add(.open, ["url": .string(url)], as: .open(link: index))
        }
        return options
    }

    /// The values that guards name, and of each fact one that no guard names.
    private func factsToSet() -> [(FactName, JSON)] {
        var found: [(FactName, JSON)] = []
        for fact in app.guards.facts {
            var values: [JSON] = []
            for item in app.guards.named.values.sorted(by: { $0.name < $1.name }) {
                for condition in item.conditions where condition.fact == fact.name {
                    values += condition.values.filter { !values.contains($0) }
                }
            }
            guard !values.isEmpty else { continue }
            found += values.map { (fact.name, $0) }
            let schema = document["facts"]?.members?[fact.name.rawValue]?.members?["schema"]
            let others =
                [fact.fallback]
                + (schema.map { SchemaSampler(app.definitions).values(of: $0) } ?? [])
                + [.bool(false), .bool(true), .integer(0), .string("other")]
            let other = others.first { other in
                !values.contains(other) && other != .null
                    && (try? fact.schema?.isValid(other, work: WorkBudget())) ?? true
            }
            if let other { found.append((fact.name, other)) }
        }
        return found
    }
}

/// A link of the app with a URL that opens it.
struct ExploredLink {
    let declared: DeclaredLink
    /// The position among the links of the app, whose patterns need not differ.
    let rank: Int
    let pointer: String
    /// Nil if no URL was found that opens this link and no other.
    let url: String?
    /// A URL that matches the pattern.
    let example: String?

    static func all(of definition: AppDefinition, _ samples: Samples) -> [ExploredLink] {
        let app = definition.app
        let work = WorkBudget()
        // Links with the same pattern have their order in the document.
        var pointers: [ExactString: [Int]] = [:]
        if case .array(let items)? = definition.document["links"] {
            for (index, item) in items.enumerated().reversed() {
                guard case .string(let text)? = item.members?["pattern"] else { continue }
                pointers[ExactString(text), default: []].append(index)
            }
        }
        let all = app.links.enumerated().map { rank, link -> (Int, ExploredLink) in
            work.renew()
            let index = pointers[ExactString(link.pattern.text)]?.popLast() ?? 0
            let urls =
                (try? app.sampleURLs(of: link, { samples.whole[$0] ?? [] }, work: work)) ?? []
            let url = urls.first { (try? app.opens($0, by: link, work: work)) == true }
            return (
                index,
                ExploredLink(
                    declared: link.declared, rank: rank, pointer: "/links/\(index)", url: url,
                    example: urls.first)
            )
        }
        return all.sorted { $0.0 < $1.0 }.map { $0.1 }
    }

    /// Whether a session shows what the link declares.
    func isShown(by session: Session, _ app: App) -> Bool {
        let tab = session.state.tabs[session.state.selected].id
        guard !declared.isRedirect else { return true }
        guard declared.tabs.contains(tab) else { return false }
        let visible = app.visibleRoute(of: session.state)
        if let sheet = declared.sheet { return visible == sheet.path.last ?? sheet.route }
        guard let path = declared.path else { return true }
        return visible == path.last ?? Optional(app).declaredRoot(of: tab).route
    }

    /// The first screen that may not be where the link shows it, if there is one, and the screen
    /// beneath. A link to several tabs has to be possible by hand on one of them.
    func firstOutOfReach(_ app: App) -> (route: RouteName, beneath: RouteName)? {
        func first(
            in path: [RouteName], on root: RouteName, _ ofContainer: Set<RouteName>
        ) -> (route: RouteName, beneath: RouteName)? {
            var beneath: RouteName?
            for route in path {
                guard app.pushable(on: beneath, in: ofContainer).contains(route),
                    app.routes[route]?.presentation.allowsPush == true
                else { return (route, beneath ?? root) }
                beneath = route
            }
            return nil
        }
        var found: (route: RouteName, beneath: RouteName)?
        for tab in declared.tabs {
            let root = Optional(app).declaredRoot(of: tab).route
            let visible = declared.path?.last ?? root
            found = first(in: declared.path ?? [], on: root, app.tab(tab)?.routes ?? [])
            if found == nil, let sheet = declared.sheet {
                let isPresentable =
                    declared.path == nil || app.mayPresent(sheet.route, over: visible)
                let ofSheet = app.pushable(onSheet: sheet.route, over: tab)
                found =
                    isPresentable
                    ? first(in: sheet.path, on: sheet.route, ofSheet) : (sheet.route, visible)
            }
            guard found != nil else { return nil }
        }
        return found
    }
}

/// The place that a state shows, with the commands that are possible there.
struct Place {
    let visible: RouteName
    private let session: Session
    private let pushable: Set<RouteName>
    private let sheet: Sheet?
    private let isTabBarHidden: Bool

    init(_ session: Session, _ app: App) {
        self.session = session
        visible = app.visibleRoute(of: session.state)
        pushable = app.pushableOnVisible(session.state)
        sheet = session.state.sheets.last
        isTabBarHidden =
            session.state.sheets.contains { $0.style.coversTabBar }
            || Optional(app).hidesTabBar(session.state)
    }

    /// Whether a command is offered, also if a guard holds it back.
    func offers(_ kind: Explorer.Kind, of app: App, samples: Samples) -> Bool {
        switch kind {
        case .push(let route): pushable.contains(route)
        case .present(let route):
            sheet?.dialog == nil && app.mayPresent(route, over: visible)
        case .select(let tab):
            !session.state.tabs.contains { $0.id == tab && $0.isHidden }
                && session.state.tabs[session.state.selected].id != tab
        case .dismiss(let route?): sheet?.route == route
        case .dismiss(nil):
            sheet.map { $0.dialog == nil && samples.results[$0.route] == nil } ?? false
        case .back, .open, .facts: true
        }
    }

    /// Whether a command that has an effect leads a user on from here. Facts do only if a command
    /// waits for them, and a tab can be selected only if the tab bar is there.
    func isWayOn(_ kind: Explorer.Kind, to after: Session) -> Bool {
        switch kind {
        case .push, .dismiss, .back: true
        // Another sheet of the same screen shows nothing else.
        case .present(let route): route != visible
        case .select: !isTabBarHidden
        case .facts: session.pending != nil && session.state != after.state
        case .open: false
        }
    }

    /// Whether a command is refused only because of a guard.
    func isGuarded(_ kind: Explorer.Kind, _ app: App) -> Bool {
        switch kind {
        case .push(let route), .present(let route):
            app.guards.ofRoutes[route].map { !$0.holds(session.facts) } ?? false
        case .select(let tab): !isTabBarHidden && !app.isOpen(tab, session.facts)
        case .dismiss, .back, .open, .facts: false
        }
    }
}

extension Guard {
    /// Facts with which the guard holds, at most a few.
    func valuesToSet(_ facts: Facts) -> [JSONObject] {
        var found = [JSONObject()]
        for condition in conditions {
            if let value = facts[condition.fact], condition.values.contains(value) { continue }
            found = found.flatMap { before in
                condition.values.prefix(4).map { value in
                    var after = before
                    after[condition.fact.rawValue] = value
                    return after
                }
            }
            found = Array(found.prefix(16))
        }
        return found
    }
}

extension App {
    func pointer(to route: RouteName) -> String {
        "/routes/" + JSONPointer.escaped(route.rawValue)
    }

    func pointer(to tab: TabID) -> String {
        "/tabs/\(tabs.firstIndex { $0.id == tab } ?? 0)"
    }
}

extension JSON {
    var members: JSONObject? { if case .object(let object) = self { object } else { nil } }
}
