import JSON
import Navigation
import Sessions

// Laws of every session after every change. The derived members are computed a second time
// here, from the JSON that clients get and not from the values that it was made of.

extension World {
    /// The first thing that is wrong with the session, or nil if all is well.
    var flaw: String? {
        let json = json
        guard !json.isEmpty else { return "the session does not parse: \(text)" }
        let known = json.ids
        guard Set(known).count == known.count else { return "ids are there twice: \(known)" }
        let numbers = known.compactMap { EntryID($0)?.number }
        guard numbers.count == known.count, numbers.allSatisfy({ $0 < session.nextEntry }) else {
            return "an id is none, or not from the counter: \(known)"
        }
        guard json.integer("revision") == session.revision else { return "the revision is off" }
        let depth = (json.objects("tabs") + json.objects("sheets")).map { $0.objects("path").count }
        guard depth.allSatisfy({ $0 <= limits.pathDepthMax }) else { return "a path is too long" }
        guard json.objects("sheets").count <= limits.sheetsMax else { return "too many sheets" }
        return visibleFlaw(json) ?? presenterFlaw(json) ?? flagsFlaw(json) ?? tabsFlaw(json)
            ?? guardFlaw(json) ?? roundTripFlaw
    }

    private func presenterFlaw(_ json: JSONObject) -> String? {
        var beneath = Set<String>()
        for container in json.objects("tabs") + json.objects("sheets") {
            if container["presentedBy"] != nil, !beneath.contains(container.string("presentedBy")) {
                return "\(container.string("presentedBy")) presents a sheet and is not beneath it"
            }
            beneath.insert(container.string("id"))
            beneath.formUnion(container.objects("path").map { $0.string("id") })
        }
        return nil
    }

    private func visibleFlaw(_ json: JSONObject) -> String? {
        let selected = json.string("selectedTab")
        guard let tab = json.objects("tabs").first(where: { $0.string("id") == selected }) else {
            return "the selected tab is none"
        }
        let sheet = json.objects("sheets").last
        let container = sheet ?? tab
        let top = container.objects("path").last ?? sheet
        let visible = json.object("visible")
        let declared = app?.tabs.first { $0.id.rawValue == selected }?.root
        let root = tab["root"] == nil ? nil : tab.object("root")
        let shown = top ?? root
        let route = shown?.string("route") ?? declared?.route.rawValue ?? selected
        // Sheets that do not cover the tab bar do not count.
        let onTab = tab.objects("path").last?.string("route") ?? declared?.route.rawValue
        let hides = onTab.flatMap { app?.routes[RouteName(trusted: $0)]?.hidesTabBar } ?? false
        let covers = json.objects("sheets").contains {
            ["sheet", "fullScreenCover"].contains($0.string("style"))
        }
        var expected = JSONObject([("container", .string(container.string("id")))])
        expected.append("entry", .string(top?.string("id") ?? selected))
        expected.append("route", .string(route))
        expected.append(
            "params", .object(shown?.object("params") ?? declared?.params.object ?? JSONObject()))
        if let titles = ShownTitles(app) {
            let isRoot = top == nil
            let ofDialog = sheet?["buttons"] == nil ? nil : sheet?.string("title")
            expected.append("title", .string(ofDialog ?? titles.title(shown, isRoot, tab)))
            let path = container.objects("path")
            if !path.isEmpty {
                let below = path.dropLast().last ?? sheet ?? root
                let isRoot = path.count == 1 && sheet == nil
                expected.append("backTitle", .string(titles.backTitle(below, isRoot, tab)))
            }
        }
        expected.append("tabBarHidden", .bool(covers || hides))
        return visible == expected ? nil : "visible is \(visible), not \(expected)"
    }

    private func flagsFlaw(_ json: JSONObject) -> String? {
        let selected = json.string("selectedTab")
        let tab = json.objects("tabs").first { $0.string("id") == selected }
        let sheet = json.objects("sheets").last
        let top = (sheet ?? tab ?? JSONObject()).objects("path").last
        let isDeep = top != nil && top?.flag("locked") != true
        let mayLeave = top == nil && (sheet.map { $0.flag("dismissible") ?? true } ?? false)
        let mayStep = top == nil && sheet == nil && mayStepToAnotherTab(json)
        guard json.flag("canGoBack") == (isDeep || mayLeave || mayStep) else {
            return "canGoBack is off"
        }
        guard json.flag("canUndo") == (undoTarget(of: .undo(count: 1)) != nil) else {
            return "canUndo is off"
        }
        guard json.flag("canRedo") == (undoTarget(of: .redo(count: 1)) != nil) else {
            return "canRedo is off"
        }
        return nil
    }

    private func mayStepToAnotherTab(_ json: JSONObject) -> Bool {
        func isOpen(_ id: String) -> Bool {
            app?.guards.ofTabs[TabID(trusted: id)]?.holds(session.facts) ?? true
        }
        let shown = json.objects("tabs").filter { $0.flag("hidden") == nil }
            .map { $0.string("id") }.filter(isOpen)
        return switch app?.tabBack.rawValue ?? json.string("tabBack") {
        case "first": shown.first != json.string("selectedTab")
        case "history": json.strings("tabHistory").contains(where: shown.contains)
        default: false
        }
    }

    private func tabsFlaw(_ json: JSONObject) -> String? {
        let selected = json.string("selectedTab")
        let tabs = json.objects("tabs")
        let ids = tabs.map { $0.string("id") }
        guard !tabs.contains(where: { $0.string("id") == selected && $0.flag("hidden") == true })
        else { return "the selected tab is hidden" }
        let history = json.strings("tabHistory")
        guard Set(history).isSubset(of: ids), Set(history).count == history.count,
            !history.contains(selected)
        else { return "the history of tabs is \(history)" }
        guard history.isEmpty || (app?.tabBack ?? session.settings.tabBack) == .history else {
            return "there is a history of tabs"
        }
        let declared = app?.tabs.map(\.id.rawValue) ?? ids
        guard json.flag("ownOrder") == (ids == declared ? nil : true) else {
            return "ownOrder is off"
        }
        return nil
    }

    /// Nothing is under a guard that fails, and what is pending is held back by one that does.
    private func guardFlaw(_ json: JSONObject) -> String? {
        guard let app, !app.guards.isEmpty else {
            return json["pending"] == nil ? nil : "something is pending without a guard"
        }
        func isShut(_ found: Guard?) -> Bool { found.map { !$0.holds(session.facts) } ?? false }
        func isShut(_ found: GuardList?) -> Bool { found?.guards.contains(where: isShut) ?? false }
        func hasShut(_ container: JSONObject) -> Bool {
            container.objects("path").contains {
                isShut(app.guards.ofRoutes[RouteName(trusted: $0.string("route"))])
            }
        }
        for tab in json.objects("tabs") {
            let isUsed =
                tab.string("id") == json.string("selectedTab") || !tab.objects("path").isEmpty
            if isUsed, isShut(app.guards.ofTabs[TabID(trusted: tab.string("id"))]) {
                return "a tab is under a guard that fails"
            }
            if hasShut(tab) { return "an entry is under a guard that fails" }
        }
        for sheet in json.objects("sheets") {
            let route = RouteName(trusted: sheet.string("route"))
            if isShut(app.guards.ofRoutes[route]) || hasShut(sheet) {
                return "a sheet is under a guard that fails"
            }
        }
        let declared = app.guards.facts.map(\.name.rawValue)
        guard json.object("facts").members.map(\.key) == declared else { return "facts are off" }
        guard let pending = session.pending else { return nil }
        guard isShut(app.guards.named[pending.guardName]) else { return "its guard holds" }
        let isThere = pending.entry.map { json.ids.contains($0.description) } ?? true
        return isThere ? nil : "what was shown instead of the pending command is gone"
    }

    private var roundTripFlaw: String? {
        do {
            let read = try SessionDecoder.decode(record)
            return read == session ? nil : "it reads back as another: \(text)"
        } catch {
            return "it does not read back: \(error)"
        }
    }
}

extension JSONObject {
    func strings(_ name: String) -> [String] {
        guard case .array(let items)? = self[name] else { return [] }
        return items.compactMap(\.plainText)
    }

    /// The ids of entries and sheets, tabs first, from bottom to top.
    var ids: [String] {
        objects("tabs").flatMap { $0.objects("path").map { $0.string("id") } }
            + objects("sheets").flatMap { sheet in
                [sheet.string("id")] + sheet.objects("path").map { $0.string("id") }
            }
    }
}
