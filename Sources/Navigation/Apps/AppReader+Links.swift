internal import Bytes
internal import JSON

// The `links` of an app's document.

extension AppReader {
    /// - Parameter caseSensitive: whether the case of literal text counts in links that do not say.
    mutating func readLinks(
        _ items: [JSON], caseSensitive: Bool
    ) throws(WorkBudgetError) {
        guard items.count <= Self.linksMax else {
            return refuse(
                "/links", "must have at most \(Self.linksMax) links", isLimit: true)
        }
        var found: [(link: Link, pointer: String)] = []
        for (index, item) in items.enumerated() {
            let pointer = "/links/\(index)"
            guard case .object(let object) = item else {
                refuse(pointer, "must be an object")
                continue
            }
            let link = try readLink(object, at: pointer, caseSensitive: caseSensitive)
            if let link { found.append((link, pointer)) }
        }
        if checks == .all { try warnOfUnreached(found) }
        // A pattern is split and decoded, and its rank is compared with about ten others.
        try work.spend(.steps(found.reduce(0) { $0 + 12 * $1.link.pattern.text.utf8.count }))
        links = LinkPattern.inOrder(found.map { $0.link }) { $0.pattern }
    }

    private mutating func readLink(
        _ object: JSONObject, at pointer: String, caseSensitive: Bool
    ) throws(WorkBudgetError) -> Link? {
        var reader = ObjectReader(object, at: pointer, work: work)
        let text = reader.requiredText("pattern")
        let ignoresCase = !reader.flag("caseSensitive", default: caseSensitive)
        let redirect = reader.value("redirect")
        let place = PlaceMembers(&reader)
        let guardNames = reader.guardNames()
        if redirect != nil {
            for name in PlaceMembers.names + ["guard"] where object[name] != nil {
                reader.refuse(name, "cannot be combined with redirect")
            }
        } else if place.tab == nil, object["tabs"] == nil, place.path == nil, place.sheet == nil {
            reader.refuse(at: "", "must have a tab, a path, a sheet to present or a redirect")
        }
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        guard let text,
            var pattern = try pattern(text, ignoringCase: ignoresCase, at: pointer + "/pattern")
        else { return nil }
        if let redirect { return readRedirect(redirect, from: pattern, at: pointer + "/redirect") }
        guard var place = try readPlace(place, using: pattern.captureNames, at: pointer) else {
            return nil
        }
        place.placement.guards = guardNames.flatMap { declaredGuards($0, at: pointer + "/guard") }
        if pattern.dependsOnParams {
            let uses = try captureUses(of: place)
            pattern.mark(needed: uses.needed, integers: uses.integers)
        }
        return Link(pattern: pattern, destination: .place(place))
    }

    /// Reads `notFound`, the place for URLs that lead nowhere else.
    mutating func readNotFound(_ object: JSONObject) throws(WorkBudgetError) {
        let pointer = "/notFound"
        var reader = ObjectReader(object, at: pointer, work: work)
        let place = PlaceMembers(&reader)
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        let names = CaptureNames(certain: ["url"], possible: [])
        notFound = try readPlace(place, using: names, at: pointer)
    }

    /// The members that say where a link leads.
    private struct PlaceMembers {
        let tab: TabID?
        let tabs: [JSON]?
        let path: [JSON]?
        let sheet: JSONObject?
        let placement: LinkPlacement
        /// The params of the root.
        let params: JSONObject?

        static let names = ["tab", "tabs", "path", "params", "present", "mode", "sheets"]

        init(_ reader: inout ObjectReader) {
            tab = reader.name("tab")
            tabs = reader.array("tabs")
            path = reader.array("path")
            sheet = reader.object("present")
            placement = LinkPlacement(mode: reader.choice("mode"), sheets: reader.choice("sheets"))
            if tab != nil, tabs != nil { reader.refuse("tabs", "cannot be combined with tab") }
            params = reader.object("params")
        }
    }

    private mutating func readPlace(
        _ members: PlaceMembers, using names: CaptureNames, at pointer: String
    ) throws(WorkBudgetError) -> PlaceTemplate? {
        let listed = members.tabs.map { linkTabs($0, at: pointer + "/tabs") }
        guard let tab = listed?.first ?? linkTab(members.tab, at: pointer + "/tab") else {
            return nil
        }
        var place = PlaceTemplate(tab: tab.id)
        place.placement = members.placement
        place.placement.tabs = listed?.map { $0.id } ?? []
        if let params = members.params {
            place.roots = try rootScreens(params, of: listed ?? [tab], for: names, at: pointer)
            place.path = []
        }
        // Each of the tabs has to be able to show the link's screens.
        let allowed = (listed ?? []).reduce(tab.routes) { $0.intersection($1.routes) }
        if let path = members.path {
            place.path = try readScreens(
                path, for: names, allowed: allowed, at: pointer + "/path")
        }
        if let sheet = members.sheet {
            place.sheet = try readSheet(
                sheet, for: names, allowed: allowed, at: pointer + "/present")
        }
        return place
    }

    private mutating func readRedirect(
        _ value: JSON, from pattern: LinkPattern, at pointer: String
    ) -> Link? {
        guard case .string(let text) = value else {
            refuse(pointer, "must be a URL, with captures of the pattern as {name}")
            return nil
        }
        let redirect: LinkRedirect
        do { redirect = try LinkRedirect(text, for: pattern) } catch {
            refuse(pointer, error.detail)
            return nil
        }
        for name in redirect.captures where !pattern.captureNames.contains(name) {
            refuse(pointer, "uses {\(name)}, which the pattern does not capture")
        }
        if redirect.isSame(as: pattern) { refuse(pointer, "must not lead to its own pattern") }
        var pattern = pattern
        pattern.mark(needed: Set(redirect.needed.map { ExactString($0) }), integers: [])
        return Link(pattern: pattern, destination: .redirect(redirect))
    }

    private mutating func pattern(
        _ text: String, ignoringCase: Bool, at pointer: String
    ) throws(WorkBudgetError) -> LinkPattern? {
        // Each segment, capture and item of the query becomes several objects.
        let separators = text.utf8.count {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "&")
        }
        try work.spend(.entries(32 * separators))
        do throws(LinkPattern.Malformed) {
            return try LinkPattern(text, ignoringCase: ignoringCase)
        } catch {
            refuse(pointer, error.detail)
            return nil
        }
    }

    /// The tab of that id, or the first tab if the link names none.
    private mutating func linkTab(_ id: TabID?, at pointer: String) -> AppTab? {
        guard let id else { return tabs.first }
        let tab = tabs.first { $0.id == id }
        if tab == nil { refuse(pointer, "names the unknown tab \(id)") }
        return tab
    }

    /// The tabs of a list, at least one and each once. The list is empty if there is none, which is
    /// an error.
    private mutating func linkTabs(_ items: [JSON], at pointer: String) -> [AppTab] {
        if items.isEmpty { refuse(pointer, "must name at least one tab") }
        if items.count > limits.tabsMax {
            refuse(pointer, "must have at most \(limits.tabsMax) names", isLimit: true)
            return []
        }
        var found: [AppTab] = []
        for (index, item) in items.enumerated() {
            let place = "\(pointer)/\(index)"
            guard case .string(let text) = item else {
                refuse(place, "must be the id of a tab")
                continue
            }
            guard let tab = tabs.first(where: { $0.id.isNamed(text) }) else {
                refuse(place, "names the unknown tab \(text.clipped)")
                continue
            }
            if found.contains(where: { $0.id == tab.id }) {
                refuse(place, "repeats the tab \(tab.id)")
            }
            found.append(tab)
        }
        return found
    }

    private mutating func readScreens(
        _ items: [JSON], for names: CaptureNames, allowed: Set<RouteName>, at pointer: String
    ) throws(WorkBudgetError) -> [ScreenTemplate] {
        if items.count > limits.pathDepthMax {
            refuse(
                pointer, "must have at most \(limits.pathDepthMax) entries", isLimit: true)
        }
        var screens: [ScreenTemplate] = []
        for (index, item) in items.enumerated() {
            let here = "\(pointer)/\(index)"
            guard let screen = try readScreen(item, for: names, at: here) else { continue }
            let pushes = routes[screen.route]?.presentation.allowsPush == true
            let edges = pushable(on: screens.last?.route, in: allowed)
            if !pushes || !edges.contains(screen.route) {
                refuse(here, "names the route \(screen.route), which may not be pushed here")
            }
            screens.append(screen)
        }
        return screens
    }

    /// Reads an item of a path: a route's name, or an object with the route and its params.
    private mutating func readScreen(
        _ item: JSON, for names: CaptureNames, at pointer: String
    ) throws(WorkBudgetError) -> ScreenTemplate? {
        switch item {
        case .string(let text):
            guard let route = declared(text, at: pointer) else { return nil }
            return try checked(
                ScreenTemplate(route: route, params: JSONObject()), for: names, at: pointer)
        case .object(let object):
            var reader = ObjectReader(object, at: pointer, work: work)
            let text = reader.requiredText("route")
            let params = reader.object("params") ?? JSONObject()
            let mark: MarkName? = reader.name("mark")
            reader.allowNotes()
            reader.refuseUnknown()
            errors.append(reader.faults)
            guard let text, let route = declared(text, at: pointer + "/route") else { return nil }
            let screen = ScreenTemplate(route: route, params: params, mark: mark)
            return try checked(screen, for: names, at: pointer)
        case .null, .bool, .integer, .double, .array:
            refuse(pointer, "must be the name of a route, or an object with route and params")
            return nil
        }
    }

    private mutating func readSheet(
        _ object: JSONObject, for names: CaptureNames, allowed: Set<RouteName>, at pointer: String
    ) throws(WorkBudgetError) -> SheetTemplate? {
        var reader = ObjectReader(object, at: pointer, work: work)
        let text = reader.requiredText("route")
        let params = reader.object("params") ?? JSONObject()
        let mark: MarkName? = reader.name("mark")
        let asked: SheetStyle? = reader.choice("style")
        let tag = reader.exactText("tag", bytes: 1...Limits.tagBytesMax)
        let detents = reader.detents(leavingOutOthers: checks == .needed)
        let dismissible = reader.flag("dismissible", default: true)
        let items = reader.array("path") ?? []
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        guard let text, let name = declared(text, at: pointer + "/route"),
            let route = routes[name],
            let screen = try checked(
                ScreenTemplate(route: name, params: params, mark: mark), for: names, at: pointer)
        else { return nil }
        let style = asked ?? route.presentation.defaultStyle
        checkDialog(style, of: route, in: object, at: pointer)
        if !route.presentation.allows(style) {
            refuse(
                pointer + "/route",
                "names the route \(name), which may not be presented as \(style.rawValue)")
        }
        let path = try readScreens(
            items, for: names, allowed: route.routes ?? allowed, at: pointer + "/path")
        return SheetTemplate(
            screen: screen, style: style, tag: tag, detents: detents ?? [],
            dismissible: dismissible, path: path)
    }
}
