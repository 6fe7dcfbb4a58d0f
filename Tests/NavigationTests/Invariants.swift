import JSON
import Navigation
import Sessions

// What holds of every session after every change. The derived members are computed a second time
// here, from the JSON that clients get and not from the values that it was made of.

extension World {
    /// The first thing that is wrong with the session; nil if all is well.
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
        return visibleFlaw(json) ?? flagsFlaw(json) ?? roundTripFlaw
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
        let declared = app?.tabs.first { $0.id.rawValue == selected }?.root.rawValue
        let route = top?.string("route") ?? declared ?? selected
        let hides = app?.routes[RouteName(trusted: route)]?.hidesTabBar ?? false
        var expected = JSONObject([("container", .string(container.string("id")))])
        if let top { expected.append("entry", .string(top.string("id"))) }
        expected.append("route", .string(route))
        expected.append("params", .object(top?.object("params") ?? JSONObject()))
        expected.append("tabBarHidden", .bool(sheet != nil || hides))
        return visible == expected ? nil : "visible is \(visible), not \(expected)"
    }

    private func flagsFlaw(_ json: JSONObject) -> String? {
        let selected = json.string("selectedTab")
        let tab = json.objects("tabs").first { $0.string("id") == selected }
        let sheet = json.objects("sheets").last
        let isDeep = !(sheet ?? tab ?? JSONObject()).objects("path").isEmpty
        let mayLeave = sheet.map { $0.flag("dismissible") ?? true } ?? false
        guard json.flag("canGoBack") == (isDeep || mayLeave) else { return "canGoBack is off" }
        guard json.flag("canUndo") == (undoTarget(of: .undo(count: 1)) != nil) else {
            return "canUndo is off"
        }
        guard json.flag("canRedo") == (undoTarget(of: .redo(count: 1)) != nil) else {
            return "canRedo is off"
        }
        return nil
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
    /// The ids of entries and sheets, tabs first, from bottom to top.
    var ids: [String] {
        objects("tabs").flatMap { $0.objects("path").map { $0.string("id") } }
            + objects("sheets").flatMap { sheet in
                [sheet.string("id")] + sheet.objects("path").map { $0.string("id") }
            }
    }
}
