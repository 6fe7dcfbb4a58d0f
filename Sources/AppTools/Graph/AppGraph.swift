internal import Bytes
internal import JSON
public import Navigation

/// The graph of an app: its screens, what leads from one to another, guards and links.
///
/// Routes that several screens can push are a group of the app if there is one, and drawn once. A
/// screen without `routes` of its own can push what its tab can, which is not drawn again.
public struct AppGraph: Sendable {
    /// The kinds of nodes, each with a shape of its own.
    enum Shape: Sendable {
        case root, pushed, sheet, cover, link, guarded
    }

    struct Node: Sendable {
        var id: String
        var lines: [String]
        var shape: Shape
    }

    enum Line: Sendable {
        case push, present, offer
    }

    struct Edge: Sendable {
        var from: String
        var to: String
        var line: Line
        var label: String?
    }

    struct Group: Sendable {
        var id: String
        var title: String
        var nodes: [String]
    }

    private(set) var nodes: [Node] = []
    private(set) var groups: [Group] = []
    private(set) var edges: [Edge] = []
    private let app: App
    private var ids: [ExactString: String] = [:]
    private var used: Set<ExactString> = []

    public init(of app: App) {
        self.app = app
        addScreens()
        let sources = pushes()
        addGroups(sources.map(\.routes))
        for (from, routes) in sources { push(from, routes) }
        present()
        addGuards()
        addLinks()
    }

    // MARK: - Nodes

    private mutating func addScreens() {
        for tab in app.tabs where ids[key(tab.root.route)] == nil {
            add(tab.root.route, shape: .root, title: tab.title)
        }
        for route in app.routeOrder where ids[key(route)] == nil {
            let presentation = app.routes[route]?.presentation ?? .push
            let isCover = presentation.styles.first == .fullScreenCover
            let shape: Shape = presentation.allowsPush ? .pushed : isCover ? .cover : .sheet
            add(route, shape: shape, title: nil)
        }
    }

    private mutating func add(_ route: RouteName, shape: Shape, title: String?) {
        let declared = app.routes[route]
        var lines = [declared?.texts.title?.declared ?? title ?? route.rawValue]
        if let result = declared?.result {
            let words = result.acceptedTypes.sentence.split(separator: " ").map(String.init)
            lines.append(words.filter { $0 != "a" && $0 != "an" }.joined(separator: " "))
        } else if let buttons = declared?.texts.dialog.buttons {
            lines.append(buttons.map(\.id.rawValue).joined(separator: ", "))
        }
        let id = newID(route.rawValue, "screen")
        ids[key(route)] = id
        nodes.append(Node(id: id, lines: lines, shape: shape))
    }

    /// An id that is the name if that can be one, and is not used yet.
    private mutating func newID(_ name: String?, _ fallback: String) -> String {
        if let name, Self.isPlain(name), used.insert(ExactString(name)).inserted { return name }
        var number = 1
        while !used.insert(ExactString("\(fallback)\(number)")).inserted { number += 1 }
        return "\(fallback)\(number)"
    }

    /// Words that diagrams use themselves.
    private static let reserved = [
        "call", "class", "classdef", "click", "default", "digraph", "direction", "edge", "end",
        "flowchart", "graph", "href", "linkstyle", "node", "strict", "style", "subgraph",
    ]

    private static func isPlain(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.first.map(isLetter) == true
            && bytes.allSatisfy { isLetter($0) || ASCII.isDigit($0) }
            && !reserved.contains(name.lowercased())
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private func key(_ route: RouteName) -> ExactString { ExactString(route.rawValue) }

    private func id(_ route: RouteName) -> String { ids[key(route)] ?? route.rawValue }

    // MARK: - Pushes and sheets

    /// The routes that the roots of tabs can push, and the screens with lists of their own.
    private func pushes() -> [(from: RouteName, routes: [RouteName])] {
        var sources: [(from: RouteName, routes: [RouteName])] = []
        func add(_ from: RouteName, _ routes: Set<RouteName>) {
            let pushable = app.pushableRoutes(routes)
            if let index = sources.firstIndex(where: { $0.from == from }) {
                sources[index].routes += pushable.filter { !sources[index].routes.contains($0) }
            } else {
                sources.append((from, pushable))
            }
        }
        for tab in app.tabs { add(tab.root.route, tab.routes) }
        for route in app.routeOrder {
            if let routes = app.routes[route]?.routes { add(route, routes) }
        }
        return sources
    }

    /// Adds the groups of the app that several screens can push, the largest first.
    private mutating func addGroups(_ lists: [[RouteName]]) {
        var grouped: Set<RouteName> = []
        let names = app.names.groups.keys.sorted { first, second in
            let (a, b) = (app.names.groups[first]?.count ?? 0, app.names.groups[second]?.count ?? 0)
            return a == b ? first < second : a > b
        }
        for name in names {
            let members = app.routeOrder.filter { app.names.groups[name]?.contains($0) == true }
            let users = lists.count { list in members.allSatisfy(list.contains) }
            // An edge to a group cannot say which of its screens are under a guard.
            guard members.count > 1, users > 1, grouped.isDisjoint(with: members),
                members.allSatisfy({ app.guards.ofRoutes[$0] == nil })
            else { continue }
            grouped.formUnion(members)
            let id = newID(nil, "group")
            groups.append(Group(id: id, title: name.rawValue, nodes: members.map(self.id)))
        }
    }

    private mutating func push(_ from: RouteName, _ routes: [RouteName]) {
        var left = routes
        for group in groups {
            let members = app.routeOrder.filter { group.nodes.contains(id($0)) }
            guard !members.isEmpty, members.allSatisfy(routes.contains) else { continue }
            left.removeAll { members.contains($0) }
            edges.append(Edge(from: id(from), to: group.id, line: .push, label: nil))
        }
        for route in left {
            edges.append(Edge(from: id(from), to: id(route), line: .push, label: label(route)))
        }
    }

    /// Sheets that every screen can present are presented by the tabs.
    private mutating func present() {
        let roots = app.tabs.map(\.root.route)
        var tabs = roots.first.map(id)
        for route in app.routeOrder {
            guard let declared = app.routes[route], !declared.presentation.styles.isEmpty else {
                continue
            }
            guard let on = declared.on else {
                if roots.count > 1, !groups.contains(where: { $0.id == tabs }) {
                    let group = Group(
                        id: newID("tabs", "group"), title: app.title ?? app.id.rawValue,
                        nodes: nodes.filter { $0.shape == .root }.map(\.id))
                    groups.append(group)
                    tabs = group.id
                }
                if let tabs {
                    edges.append(
                        Edge(from: tabs, to: id(route), line: .present, label: label(route)))
                }
                continue
            }
            for from in (roots + app.routeOrder).filter(on.contains).unique {
                edges.append(
                    Edge(from: id(from), to: id(route), line: .present, label: label(route)))
            }
        }
    }

    // MARK: - Guards and links

    private func label(_ route: RouteName) -> String? {
        app.guards.ofRoutes[route].map {
            $0.guards.map(\.name.rawValue).joined(separator: ", ")
        }
    }

    private mutating func addGuards() {
        for item in app.guards.named.values.sorted(by: { $0.name < $1.name }) {
            guard let command = item.instead,
                let shown = try? command.shown(by: app, work: WorkBudget()),
                let route = shown.last?.route
            else { continue }
            let id = newID(item.name.rawValue, "guard")
            nodes.append(Node(id: id, lines: [item.name.rawValue], shape: .guarded))
            edges.append(Edge(from: id, to: self.id(route), line: .offer, label: nil))
        }
    }

    private mutating func addLinks() {
        let links = app.links.map(\.declared)
        let origin = sharedOrigin(links.map(\.pattern))
        let ids = links.map { _ in newID(nil, "l") }
        for (index, link) in links.enumerated() {
            let text = String(link.pattern.dropFirst(origin.count))
            nodes.append(Node(id: ids[index], lines: [text], shape: .link))
            let tab = link.tabs.first.map { Optional(app).declaredRoot(of: $0).route }
            let shown = link.sheet.map { $0.path.last ?? $0.route } ?? link.path?.last ?? tab
            if let shown {
                let guards = link.guards?.guards.map(\.name.rawValue).joined(separator: ", ")
                edges.append(Edge(from: ids[index], to: id(shown), line: .push, label: guards))
            } else if let target = target(of: app.links[index]),
                let other = links.firstIndex(where: { $0.pattern == target })
            {
                edges.append(
                    Edge(from: ids[index], to: ids[other], line: .push, label: "redirect"))
            }
        }
    }

    /// The pattern of the link to which a redirect leads.
    private func target(of link: Link) -> String? {
        let work = WorkBudget()
        let urls = try? app.sampleURLs(of: link, { _ in [] }, work: work)
        return urls?.first.flatMap { try? app.resolve($0, work: work) }?.pattern
    }

    /// The scheme and the host that all patterns begin with, if a path follows in each.
    private func sharedOrigin(_ patterns: [String]) -> String {
        guard let first = patterns.first, let colon = first.firstIndex(of: ":") else { return "" }
        let behind = first[colon...].dropFirst(3)
        guard first[colon...].hasPrefix("://"), let slash = behind.firstIndex(of: "/") else {
            return ""
        }
        let origin = String(first[..<slash])
        return patterns.allSatisfy { $0.hasPrefix(origin + "/") } ? origin : ""
    }
}

extension [RouteName] {
    /// The names in their order, each once.
    fileprivate var unique: [RouteName] {
        var known: Set<RouteName> = []
        return filter { known.insert($0).inserted }
    }
}
