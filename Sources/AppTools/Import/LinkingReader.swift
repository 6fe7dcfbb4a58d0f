internal import Bytes
internal import JSON
internal import Navigation

/// Reads the object `linking` of React Navigation's container, as JSON: which path each screen of
/// nested navigators has. The first screen with screens of its own becomes the tabs.
struct LinkingReader {
    private let host: String?
    private var prefixes: [String] = []
    /// The routes of each tab that may be pushed on it, besides those of all tabs.
    private var tabs: [Tab] = []
    /// The routes that may be pushed on every tab.
    private var shared: [String] = []

    /// A tab with the name of its root and its routes.
    private struct Tab {
        var id: String
        var title: String
        var root: String
        var routes: [String] = []
    }

    /// A screen in the configuration.
    private struct Screen {
        var name: String
        var config: ScreenConfig
        var pointer: JSONPointer
    }

    /// Where the links of a screen lead.
    private struct Place {
        /// The index of the tab, or nil for a screen over all tabs.
        var tab: Int?
        /// Whether it is the root of the tab.
        var isRoot: Bool
        /// Whether one of the links fills params.
        var hasParams = false
    }

    init(host: String?) { self.host = host }

    mutating func read(
        _ file: JSONObject, into app: inout ImportedApp
    ) throws(ImportError) {
        guard case .object(let config)? = file["config"],
            case .object(let screens)? = config["screens"]
        else { throw ImportError(detail: "is no linking object: config.screens is missing") }
        for member in file.members where member.key != "prefixes" && member.key != "config" {
            let (name, value) = app.keep(member, at: JSONPointer())
            app.keepAtTop(name, value)
        }
        readPrefixes(file["prefixes"], &app)
        let pointer = JSONPointer().appending("config")
        for member in config.members
        where !["path", "screens", "initialRouteName"].contains(where: { $0 == member.key }) {
            let (name, value) = app.keep(member, at: pointer)
            app.keepAtTop(name, value)
        }
        let top = try Self.screens(screens, at: pointer)
        let base = ScreenPath(config["path"]?.pathText ?? "")
        var first: String?
        if case .string(let name)? = config["initialRouteName"] { first = name }
        try readTop(top, base, first: first, into: &app)
        finish(&app)
    }

    private mutating func readPrefixes(_ value: JSON?, _ app: inout ImportedApp) {
        let pointer = JSONPointer().appending("prefixes")
        if case .array(let items)? = value {
            for (index, item) in items.enumerated() {
                guard case .string(let text) = item, text.contains(":") else {
                    app.note(pointer.appending(index), "is left out: it is no URL")
                    continue
                }
                prefixes.append(text)
            }
        }
        if prefixes.isEmpty { prefixes = [host.map { "https://\($0)" } ?? ""] }
    }

    private static func screens(
        _ object: JSONObject, at pointer: JSONPointer
    ) throws(ImportError) -> [Screen] {
        var screens: [Screen] = []
        for member in object.members {
            let place = pointer.appending("screens").appending(member.key)
            guard let config = ScreenConfig(member.value) else {
                throw ImportError(detail: "is malformed: \(place) must be a path or an object")
            }
            screens.append(Screen(name: member.key, config: config, pointer: place))
        }
        return screens
    }

    // MARK: - Navigators

    /// Reads the screens of the outermost navigator.
    private mutating func readTop(
        _ screens: [Screen], _ base: ScreenPath, first: String?, into app: inout ImportedApp
    ) throws(ImportError) {
        let container = screens.first { $0.config.screens != nil }
        guard let container, let inner = container.config.screens else {
            return readSingle(screens, base, first: first, into: &app)
        }
        keep(container.config, of: container, into: &app)
        let path = base.appending(container.config.paths.first ?? .empty)
        for screen in try Self.screens(inner, at: container.pointer) {
            try readTab(screen, path, into: &app)
        }
        if let name = container.config.initialRouteName,
            let index = tabs.firstIndex(where: { $0.title == name })
        {
            tabs.insert(tabs.remove(at: index), at: 0)
        }
        for screen in screens where screen.name != container.name {
            let route = add(screen, base, to: Place(tab: nil, isRoot: false), into: &app)
            app.add("hidesTabBar", .bool(true), toRoute: route)
            shared.append(route)
            try readDeeper(screen, base, to: nil, into: &app)
        }
    }

    /// Reads screens of an app without tabs: one tab, whose root is the first screen.
    private mutating func readSingle(
        _ screens: [Screen], _ base: ScreenPath, first: String?, into app: inout ImportedApp
    ) {
        if screens.isEmpty {
            let place = JSONPointer().appending("config").appending("screens")
            app.note(place, "has no screen, so the app has one empty tab and no links")
        }
        let root = screens.first { $0.name == first ?? $0.name && !$0.config.isWildcard }
        tabs.append(Tab(id: "main", title: "", root: "main"))
        for screen in screens {
            let isRoot = screen.name == root?.name
            let route = add(screen, base, to: Place(tab: 0, isRoot: isRoot), into: &app)
            if isRoot { tabs[0].root = route } else { tabs[0].routes.append(route) }
        }
    }

    /// Reads a tab: a screen, or a navigator whose first screen is the root.
    private mutating func readTab(
        _ screen: Screen, _ base: ScreenPath, into app: inout ImportedApp
    ) throws(ImportError) {
        let index = tabs.count
        let ids = tabs.map(\.id)
        var id = URLShape.unused(screen.name, ids)
        // Some names, such as active, have a meaning of their own where commands name a tab.
        if TabID(id) == nil { id = URLShape.unused("tab \(id)", ids) }
        tabs.append(Tab(id: id, title: screen.name, root: id))
        guard let inner = screen.config.screens else {
            tabs[index].root = add(screen, base, to: Place(tab: index, isRoot: true), into: &app)
            return
        }
        keep(screen.config, of: screen, into: &app)
        let path = base.appending(screen.config.paths.first ?? .empty)
        let children = try Self.screens(inner, at: screen.pointer)
        let first = screen.config.initialRouteName ?? children.first?.name
        for child in children {
            let isRoot = child.name == first
            let route = add(child, path, to: Place(tab: index, isRoot: isRoot), into: &app)
            if isRoot { tabs[index].root = route } else { tabs[index].routes.append(route) }
            try readDeeper(child, path, to: index, into: &app)
        }
    }

    /// Screens below those of a tab's path become screens of that path.
    private mutating func readDeeper(
        _ screen: Screen, _ base: ScreenPath, to tab: Int?, into app: inout ImportedApp
    ) throws(ImportError) {
        guard let inner = screen.config.screens else { return }
        let path = base.appending(screen.config.paths.first ?? .empty)
        for child in try Self.screens(inner, at: screen.pointer) {
            app.note(
                child.pointer,
                "is deeper than the path of a tab, and becomes a screen of that path")
            let route = add(child, path, to: Place(tab: tab, isRoot: false), into: &app)
            if let tab { tabs[tab].routes.append(route) } else { shared.append(route) }
            try readDeeper(child, path, to: tab, into: &app)
        }
    }

    // MARK: - Screens

    private func keep(_ config: ScreenConfig, of screen: Screen, into app: inout ImportedApp) {
        for member in config.others {
            let (name, value) = app.keep(member, at: screen.pointer)
            app.keepAtTop(name, value)
        }
    }

    /// Adds the route of a screen and its links.
    private func add(
        _ screen: Screen, _ base: ScreenPath, to place: Place, into app: inout ImportedApp
    ) -> String {
        let route = app.addRoute(screen.name)
        if screen.config.isEmpty {
            app.note(
                screen.pointer.appending("screens"),
                "has no screen, so \(screen.name) becomes a screen itself")
        }
        if route != screen.name { app.add("x-screen", .string(screen.name), toRoute: route) }
        for member in screen.config.others {
            let (name, value) = app.keep(member, at: screen.pointer)
            app.add(name, value, toRoute: route)
        }
        let paths = screen.config.paths.map { $0.isExact ? $0 : base.appending($0) }
        let params = paths.filter { !$0.isWildcard }.map { screen.config.params(of: $0).params }
        var place = place
        place.hasParams = params.contains { !$0.isEmpty }
        for path in paths where !path.isWildcard {
            addLinks(path, of: screen, route, to: place, into: &app)
        }
        if paths.contains(where: \.isWildcard) { app.notFound = target(route, [], at: place) }
        if let schema = ImportedParam.schema(ImportedParam.joined(params, isRoot: place.isRoot)) {
            app.add("params", schema, toRoute: route)
        }
        return route
    }

    /// Adds the links of a path.
    private func addLinks(
        _ path: ScreenPath, of screen: Screen, _ route: String, to place: Place,
        into app: inout ImportedApp
    ) {
        let (params, query) = screen.config.params(of: path)
        for lost in path.lost + screen.config.lost(of: path) { app.note(screen.pointer, lost) }
        let items = query.map { "\($0)={\($0)?}" }
        let suffix = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        for variant in path.variants {
            let names = variant.names + query
            for prefix in prefixes {
                let start = Self.origin(prefix)
                if start.hasSuffix("://"), variant.text.hasPrefix("{") {
                    app.note(
                        screen.pointer,
                        "with \(prefix) the value is the host of the URL, which has no upper case")
                }
                app.addLink(
                    ImportedLink(
                        pattern: Self.joined(start, variant.text) + suffix,
                        body: target(route, names, at: place), source: screen.pointer,
                        params: params))
            }
        }
    }

    private func target(_ route: String, _ names: [String], at place: Place) -> JSONObject {
        var body = JSONObject()
        if let tab = place.tab { body.append("tab", .string(tabs[tab].id)) }
        if place.isRoot, place.hasParams {
            // Without params the link would leave the ones that an earlier link has set.
            body.append("params", .object(ImportedParam.captures(names)))
        } else {
            let screens = place.isRoot ? [] : [ImportedParam.screen(route, names)]
            body.append("path", .array(screens))
        }
        return body
    }

    /// The part of a pattern that a prefix stands for: any subdomain is a capture.
    private static func origin(_ prefix: String) -> String {
        guard let star = prefix.firstRange(of: "://*.") else { return prefix }
        return prefix[..<star.lowerBound] + "://{subdomain}." + prefix[star.upperBound...]
    }

    private static func joined(_ start: String, _ path: String) -> String {
        if start.hasSuffix("://") { return path.isEmpty ? "\(start)/" : start + path }
        let origin = start.hasSuffix("/") ? String(start.dropLast()) : start
        return "\(origin)/\(path)"
    }

    private mutating func finish(_ app: inout ImportedApp) {
        app.tabs = tabs.map { tab in
            [
                "id": .string(tab.id), "title": tab.title.isEmpty ? nil : .string(tab.title),
                "root": .string(tab.root),
                "routes": .array((tab.routes + shared).map { JSON.string($0) }),
            ]
        }
    }
}

extension JSON {
    fileprivate var pathText: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
