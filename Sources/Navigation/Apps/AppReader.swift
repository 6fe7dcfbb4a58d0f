internal import Bytes
public import JSON

/// The result of reading the document of an app.
public struct AppReport: Sendable {
    /// The app, or nil if there are errors.
    public var app: App?
    /// Everything that makes the document invalid.
    public var errors: [InputFault]
    /// Members that are valid but probably mistakes.
    public var warnings: [InputFault]

    public init(app: App?, errors: [InputFault], warnings: [InputFault]) {
        self.app = app
        self.errors = errors
        self.warnings = warnings
    }
}

/// The rules that an app is checked against.
public enum AppChecks: Sendable {
    /// All rules, for an app that is to be stored.
    case all
    /// Only the rules that using the app depends on, for an app that is stored already. The version
    /// that stored it has checked it, and a newer rule must not make its sessions unusable.
    case needed
}

/// Reads and checks the document of an app: names, references, schemas, links.
///
/// It continues after an error, so that one attempt reports all errors.
public struct AppReader {
    var errors = Faults()
    var warnings = Faults()
    var routes: [RouteName: Route] = [:]
    var routeOrder: [RouteName] = []
    /// The routes of each group, including those of the groups in it.
    var groups: [RouteName: Set<RouteName>] = [:]
    var tabs: [AppTab] = []
    var links: [Link] = []
    var notFound: PlaceTemplate?
    var guards = AppGuards()
    let limits: Limits
    let work: WorkBudget
    let checks: AppChecks

    /// More than a thousand routes or links is probably a mistake.
    static let routesMax = 1000
    static let linksMax = 1000

    /// Reads a document.
    ///
    /// - Parameter id: the id under which the app is stored; an id in the document must be the
    ///   same.
    /// - Throws: if checking the document takes more work than the budget allows.
    public static func read(
        _ document: JSON, id: AppID, limits: Limits, work: WorkBudget, checks: AppChecks = .all
    ) throws(WorkBudgetError) -> AppReport {
        guard case .object(let object) = document else {
            let fault = InputFault(pointer: "", detail: "must be a JSON object")
            return AppReport(app: nil, errors: [fault], warnings: [])
        }
        var reader = AppReader(limits: limits, work: work, checks: checks)
        let app = try reader.read(object, id)
        return AppReport(
            app: reader.errors.isEmpty ? app : nil, errors: reader.errors.all,
            warnings: reader.warnings.all)
    }

    private init(limits: Limits, work: WorkBudget, checks: AppChecks) {
        self.limits = limits
        self.work = work
        self.checks = checks
    }

    private mutating func read(_ object: JSONObject, _ id: AppID) throws(WorkBudgetError) -> App {
        var reader = ObjectReader(object, at: "", work: work)
        let own: AppID? = reader.name("id")
        if let own, own != id {
            reader.refuse("id", "must be \(id), the id under which it is stored")
        }
        let title = reader.text("title")
        let definitions = reader.object("$defs") ?? JSONObject()
        let routesObject = reader.object("routes") ?? JSONObject()
        let groupsObject = reader.object("groups") ?? JSONObject()
        let tabItems = reader.requiredArray("tabs")
        let linkItems = reader.array("links") ?? []
        let caseSensitive = reader.flag("caseSensitive", default: true)
        let notFoundObject = reader.object("notFound")
        let templatesObject = reader.object("templates")
        let factsObject = reader.object("facts") ?? JSONObject()
        let guardsObject = reader.object("guards") ?? JSONObject()
        let tabBack: TabBack = reader.choice("tabBack") ?? .stay
        let idle = reader.object("idle").flatMap { reader.idle($0, limits, bytesMax: .max) }
        _ = reader.text("$schema")
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        try readRoutes(routesObject, definitions, facts: factsObject)
        try readGroups(groupsObject)
        try readRouteLists(routesObject)
        try readGuards(guardsObject)
        if let tabItems { try readTabs(tabItems) }
        try readLinks(linkItems, caseSensitive: caseSensitive)
        if let notFoundObject { try readNotFound(notFoundObject) }
        let templates = templatesObject.map { readTemplates($0) } ?? []
        try warnOfRoots(tabItems ?? [])
        try checkPaths()
        warnOfUnreachable()
        try warnOfUnused(object)
        let app = App(
            id: id, title: title, routes: routes, routeOrder: routeOrder, tabs: tabs,
            links: links, notFound: notFound, templates: templates,
            behavior: AppBehavior(tabBack: tabBack, idle: idle, routes: routes),
            guards: guards,
            names: RouteNames(groups: groups, replacements: readReplacements(routesObject)),
            definitions: definitions)
        if checks == .all { try checkInsteads(of: app) }
        return app
    }

    mutating func refuse(_ pointer: String, _ detail: String, isLimit: Bool = false) {
        errors.append(InputFault(pointer: pointer, detail: detail, isLimit: isLimit))
    }

    mutating func warn(_ code: AppWarning, at pointer: String, _ detail: String) {
        warnings.append(InputFault(pointer: pointer, detail: detail, code: code))
    }

    // MARK: - Routes

    /// Reads the routes and the facts, and compiles their schemas together with the shared
    /// definitions.
    private mutating func readRoutes(
        _ object: JSONObject, _ definitions: JSONObject, facts: JSONObject
    ) throws(WorkBudgetError) {
        var compiler = try SchemaCompiler(
            definitions: definitions, at: JSONPointer().appending("$defs"), work: work)
        errors.append(compiler.takeProblems().map(InputFault.init))
        if object.count > Self.routesMax {
            refuse("/routes", "must have at most \(Self.routesMax) routes", isLimit: true)
        } else {
            try readRoutes(object, &compiler)
        }
        try readFacts(facts, &compiler)
        try compiler.settle()
        for name in routeOrder {
            if let root = routes[name]?.compiling.params {
                routes[name]?.schema = try compiler.schema(root, checksDefaults: checks == .all)
            }
            if let root = routes[name]?.compiling.result {
                routes[name]?.result = try compiler.schema(root, checksDefaults: checks == .all)
            }
        }
        try compileFacts(&compiler)
        errors.append(compiler.takeProblems().map(InputFault.init))
        for note in compiler.takeWarnings() {
            warn(.ineffectiveKeyword, at: note.pointer.description, note.detail)
        }
        try checkDefaults()
    }

    private mutating func readRoutes(
        _ object: JSONObject, _ compiler: inout SchemaCompiler
    ) throws(WorkBudgetError) {
        for member in object.members {
            guard
                let (name, body, pointer): (RouteName, _, _) = declaration(
                    member, in: "routes", form: "an object, for example {}")
            else { continue }
            routeOrder.append(name)
            routes[name] = Route()
            if let body { routes[name] = try readRoute(body, at: pointer, &compiler) }
        }
    }

    private mutating func readRoute(
        _ object: JSONObject, at pointer: String, _ compiler: inout SchemaCompiler
    ) throws(WorkBudgetError) -> Route {
        var reader = ObjectReader(object, at: pointer, work: work)
        var route = Route()
        route.hidesTabBar = reader.flag("hidesTabBar", default: false)
        readPresentation(&route, &reader)
        route.mode = reader.choice("mode")
        route.guardNames = reader.guardNames()
        route.paramsDocument = reader.value("params")
        let result = reader.value("result")
        if result != nil, route.presentation == .push, reader.faults.isEmpty {
            reader.refuse("result", "is only for routes that can be presented; set presentation")
        }
        if route.presentation.isDialog {
            for member in ["routes", "result"] where object.contains(member) {
                reader.refuse(member, "must be absent: a dialog has no path and no result")
            }
        }
        _ = reader.array("routes")
        _ = reader.array("on")
        _ = reader.object("was")
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        if let document = route.paramsDocument {
            let paramsPointer = JSONPointer(trusted: pointer).appending("params")
            route.compiling.params = try compiler.add(document, at: paramsPointer)
            errors.append(compiler.takeProblems().map(InputFault.init))
        }
        if let result {
            let place = JSONPointer(trusted: pointer).appending("result")
            route.compiling.result = try compiler.add(result, at: place)
            errors.append(compiler.takeProblems().map(InputFault.init))
        }
        return route
    }

    /// Reads the `routes` of each route. They may name routes that are declared further below, so
    /// this happens after all routes are known.
    private mutating func readRouteLists(_ object: JSONObject) throws(WorkBudgetError) {
        for member in object.members {
            guard let name = RouteName(member.key), case .object(let body) = member.value,
                case .array(let items)? = body["routes"]
            else { continue }
            let pointer = "/routes/\(JSONPointer.escaped(member.key))/routes"
            let allowed = try self.routes(items, at: pointer)
            routes[name]?.routes = allowed
        }
        for member in object.members {
            guard let name = RouteName(member.key), case .object(let body) = member.value,
                case .array(let items)? = body["on"]
            else { continue }
            let pointer = "/routes/\(JSONPointer.escaped(member.key))/on"
            let presenters = try self.routes(items, at: pointer)
            routes[name]?.on = presenters
            if routes[name]?.presentation.styles.isEmpty == true {
                refuse(pointer, "is only for routes that can be presented; set presentation")
            }
        }
    }

    mutating func declared(_ text: String, at pointer: String) -> RouteName? {
        let name = RouteName(text)
        if let name, routes[name] != nil { return name }
        guard !errors.isFull else { return nil }
        let hint = Spelling.proposal(
            for: text, among: routeOrder.lazy.map({ $0.rawValue }), work: work)
        refuse(pointer, "names the unknown route \(text.clipped)\(hint)")
        return nil
    }

    // MARK: - Tabs

    private mutating func readTabs(_ items: [JSON]) throws(WorkBudgetError) {
        guard (1...limits.tabsMax).contains(items.count) else {
            return refuse(
                "/tabs", "must have 1 to \(limits.tabsMax) tabs", isLimit: !items.isEmpty)
        }
        for (index, item) in items.enumerated() {
            let pointer = "/tabs/\(index)"
            guard case .object(let object) = item else {
                refuse(pointer, "must be an object")
                continue
            }
            try readTab(object, at: pointer)
        }
        checkOpenTab()
    }

    private mutating func readTab(
        _ object: JSONObject, at pointer: String
    ) throws(WorkBudgetError) {
        var reader = ObjectReader(object, at: pointer, work: work)
        let id: TabID? = reader.requiredName("id")
        let title = reader.text("title")
        let icon = reader.text("icon")
        let root = try readRoot(&reader)
        let items = reader.array("routes") ?? []
        let guardNames = reader.guardNames()
        var hasRootParams = false
        if case .object? = object["root"] { hasRootParams = true }
        if let id, tabs.contains(where: { $0.id == id }) {
            reader.refuse("id", "is already used by another tab")
        }
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        if let icon { warnOfIcon(icon, at: pointer + "/icon") }
        let allowed = try routes(items, at: pointer + "/routes")
        guard let id else { return }
        let tab = AppTab(
            id: id, title: title, icon: icon,
            root: root ?? Screen(route: RouteName(trusted: id.rawValue)),
            hasRootParams: hasRootParams, routes: allowed, guardNames: guardNames)
        guardTab(tab, at: pointer)
        tabs.append(tab)
    }

    /// Warns of routes that nothing can push: neither a tab, nor a sheet, nor a screen that can be
    /// there itself.
    private mutating func warnOfUnreachable() {
        var open = Array(tabs.reduce(into: Set<RouteName>()) { $0.formUnion($1.routes) })
        open += routeOrder.filter { routes[$0]?.presentation.styles.isEmpty == false }
        var reached: Set<RouteName> = []
        while let name = open.popLast() {
            if reached.insert(name).inserted { open += routes[name]?.routes ?? [] }
        }
        reached.formUnion(tabs.map { $0.root.route })
        for name in routeOrder
        where routes[name]?.presentation == .push && !reached.contains(name) {
            let pointer = "/routes/" + JSONPointer.escaped(name.rawValue)
            warn(.unlistedRoute, at: pointer, "is not listed by any tab, sheet or pushed route")
        }
    }
}
