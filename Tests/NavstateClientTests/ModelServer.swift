import Testing

@testable import NavstateClient

/// A small server with rules close to the real ones, for the tests of the router's rules, which
/// need thousands of orders of events. It shares no code with the router, so that both cannot be
/// wrong in the same way. Pushing the route `reset` clears the path, `single` passes its params to
/// a top entry with the same route, `cover` is presented as a full-screen cover, `guarded` is held
/// back and `login` is presented instead, and `refused` is refused.
struct ModelServer {
    private(set) var state = NavigationState()
    private(set) var revision = 1
    private var past: [NavigationState] = []
    private var nextEntry = 1
    private(set) var members: [String: JSONValue] = [:]

    init() {
        state.tabs = [Tab(id: "a"), Tab(id: "b"), Tab(id: "c")]
        state.selectedTab = "a"
    }

    /// Carries out a command. Returns nil if the command is refused.
    mutating func perform(_ command: Command) throws -> CommandResult? {
        let before = state
        guard apply(command) else {
            state = before
            return nil
        }
        let changed = state != before
        if changed {
            revision += 1
            if command.name != "undo" { past.append(before) }
        }
        let (old, new) = (before.ids, state.ids)
        var result: [String: JSONValue] = [
            "changed": .bool(changed),
            "added": .array(new.filter { !old.contains($0) }.map(JSONValue.string)),
            "removed": .array(old.filter { !new.contains($0) }.map(JSONValue.string)),
            "session": try json,
        ]
        if command["route"] == "guarded" { result["held"] = "signedIn" }
        return try JSONValue.object(result).decode()
    }

    /// Deletes the session and creates it again.
    mutating func create() { self = ModelServer() }

    /// Sets a member that only other clients change.
    mutating func set(_ name: String, _ value: JSONValue) {
        members[name] = value
        revision += 1
    }

    /// The state as a session.
    func session() throws -> Session { try json.decode() }

    /// The state as JSON.
    var json: JSONValue {
        get throws {
            let state: [String: JSONValue] = [
                "id": "s", "revision": .integer(Int64(revision)),
                "selectedTab": .string(state.selectedTab),
                "tabs": try JSONValue(encoding: state.tabs),
                "sheets": try JSONValue(encoding: state.sheets),
                "visible": [
                    "container": .string(state.active), "route": "r", "params": [:],
                    "tabBarHidden": false,
                ],
                "canGoBack": true, "canUndo": true, "canRedo": true,
            ]
            return .object(state.merging(members) { _, member in member })
        }
    }

    private mutating func makeID() -> String {
        nextEntry += 1
        return "e\(nextEntry)"
    }

    private mutating func apply(_ command: Command) -> Bool {
        let container = command["in"]?.string ?? state.active
        let route = command["route"]?.string ?? ""
        guard route != "refused" else { return false }
        if route == "guarded" {
            state.sheets.append(Sheet(id: makeID(), route: "login", presentedBy: state.active))
            return true
        }
        switch command.name {
        case "navigate": return navigate(route, command["params"] ?? [:], in: container)
        case "setPath": return setPath(command["path"]?.array ?? [], of: container)
        case "back": goBack()
        case "root": return goToRoot(all: command["scope"] == "all")
        case "present": return present(route, command)
        case "dismiss":
            let id = command["sheet"]?.string ?? ""
            guard let index = state.sheets.firstIndex(where: { $0.id == id }) else { return false }
            let isLocked =
                command["button"] == nil && state.sheets[index...].contains { !$0.isDismissible }
            guard !isLocked || command["force"] == true else { return false }
            state.sheets.removeLast(state.sheets.count - index)
        case "select": state.selectedTab = command["tab"]?.string ?? ""
        case "undo": state = past.popLast() ?? state
        default: Issue.record("The model has no command \(command.name).")
        }
        return true
    }

    private mutating func navigate(
        _ route: String, _ params: JSONValue, in container: String
    ) -> Bool {
        guard var path = state[path: container] else { return false }
        if route == "reset" { path = [] }
        if route == "single", path.last?.route == route {
            path[path.count - 1].params = params
        } else {
            path.append(Entry(id: makeID(), route: route, params: params))
        }
        state[path: container] = path
        if state.tabs.contains(where: { $0.id == container }) { state.selectedTab = container }
        return true
    }

    private mutating func goBack() {
        guard let sheet = state.sheets.last else {
            for index in state.tabs.indices where state.tabs[index].id == state.selectedTab {
                _ = state.tabs[index].path.popLast()
            }
            return
        }
        if !sheet.path.isEmpty {
            state.sheets[state.sheets.count - 1].path.removeLast()
        } else if sheet.isDismissible {
            state.sheets.removeLast()
        }
    }

    private mutating func goToRoot(all: Bool) -> Bool {
        guard dropSheets(from: 0) else { return false }
        for index in state.tabs.indices where all || state.tabs[index].id == state.selectedTab {
            state.tabs[index].path = []
        }
        if all { state.selectedTab = "a" }
        return true
    }

    /// Removes sheets from the top. Returns false if one of them is not dismissible.
    private mutating func dropSheets(from index: Int) -> Bool {
        guard state.sheets[index...].allSatisfy(\.isDismissible) else { return false }
        state.sheets.removeLast(state.sheets.count - index)
        return true
    }

    private mutating func present(_ route: String, _ command: Command) -> Bool {
        let style = command["style"]?.string ?? (route == "cover" ? "fullScreenCover" : "sheet")
        var sheet = Sheet(
            id: "", style: SheetStyle(rawValue: style), route: route,
            params: command["params"] ?? [:],
            presentedBy: state[path: state.active]?.last?.id ?? state.active)
        sheet.tag = command["tag"]?.string
        sheet.members = (command.members).filter {
            ["title", "message", "buttons"].contains($0.key)
        }
        sheet.isDismissible = command["dismissible"] != false
        sheet.detents = command["detents"]?.array?.compactMap(\.string) ?? []
        if let tag = sheet.tag, let index = state.sheets.firstIndex(where: { $0.tag == tag }) {
            let old = state.sheets[index]
            guard dropSheets(from: index + 1) else { return false }
            let isSame =
                old.route == route && old.params == sheet.params && old.style == sheet.style
            if isSame { return true }
            state.sheets.removeLast()
        }
        sheet.id = makeID()
        state.sheets.append(sheet)
        return true
    }

    private mutating func setPath(_ items: [JSONValue], of container: String) -> Bool {
        guard let old = state[path: container] else { return false }
        var path: [Entry] = []
        for item in items {
            if let id = item["id"]?.string {
                guard let entry = old.first(where: { $0.id == id }) else { return false }
                path.append(entry)
            } else {
                let route = item["route"]?.string ?? ""
                guard route != "refused" else { return false }
                path.append(Entry(id: makeID(), route: route, params: item["params"] ?? [:]))
            }
        }
        state[path: container] = path
        let gone = old.map(\.id).filter { id in !path.contains { $0.id == id } }
        let first = state.sheets.firstIndex { gone.contains($0.presentedBy) }
        return first.map { dropSheets(from: $0) } ?? true
    }

    /// Replaces the state with that of a document.
    mutating func restore(_ document: JSONValue) throws {
        past.append(state)
        revision += 1
        let own = ["id", "revision", "selectedTab", "tabs", "sheets", "visible"]
        members = (document.object ?? [:]).filter {
            !own.contains($0.key) && !$0.key.hasPrefix("can")
        }
        state.selectedTab = try #require(document["selectedTab"]?.string)
        state.tabs = try #require(document["tabs"]?.array).map { tab in
            let path = tab["path"]?.array ?? []
            return Tab(id: tab["id"]?.string ?? "", path: try path.map { try entry($0) })
        }
        state.sheets = try #require(document["sheets"]?.array).map { sheet in
            var restored = Sheet(
                id: sheet["id"]?.string ?? makeID(),
                style: SheetStyle(rawValue: sheet["style"]?.string ?? "sheet"),
                route: sheet["route"]?.string ?? "", params: sheet["params"] ?? [:],
                presentedBy: sheet["presentedBy"]?.string ?? "",
                path: try (sheet["path"]?.array ?? []).map { try entry($0) })
            restored.tag = sheet["tag"]?.string
            restored.isDismissible = sheet["dismissible"] != false
            return restored
        }
    }

    private mutating func entry(_ json: JSONValue) throws -> Entry {
        Entry(
            id: json["id"]?.string ?? makeID(), route: try #require(json["route"]?.string),
            params: json["params"] ?? [:])
    }
}

extension NavigationState {
    /// The contents of the session, without ids.
    var outline: String {
        func text(_ path: [Entry]) -> String {
            "[" + path.map { "\($0.route)\($0.params["n"]?.integer ?? 0)" }.joined(separator: ",")
                + "]"
        }
        let tabs = tabs.map { ($0.id == selectedTab ? "*" : "") + $0.id + text($0.path) }
        let sheets = sheets.map { "\($0.style.rawValue):\($0.route)" + text($0.path) }
        return (tabs + sheets).joined(separator: " ")
    }
}
