import Testing

@testable import NavstateClient

/// A server in a few lines, whose rules are close to the real ones: it serves the tests of the
/// router's rules, which need thousands of orders of events. The route `reset` clears the path that
/// it is pushed on, `cover` is presented as a full-screen cover, and `refused` is refused.
struct ModelServer {
    private(set) var state = NavigationState()
    private(set) var revision = 1
    private var past: [NavigationState] = []
    private var nextEntry = 1

    init() {
        state.tabs = [Tab(id: "a"), Tab(id: "b"), Tab(id: "c")]
        state.selectedTab = "a"
    }

    /// Nil if the command is refused.
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
        let result: JSONValue = [
            "changed": .bool(changed),
            "added": .array(new.filter { !old.contains($0) }.map(JSONValue.string)),
            "removed": .array(old.filter { !new.contains($0) }.map(JSONValue.string)),
            "session": try json,
        ]
        return try result.decode()
    }

    /// The state as a session.
    func session() throws -> Session { try json.decode() }

    private var json: JSONValue {
        get throws {
            [
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
        switch command.name {
        case "navigate":
            guard let path = state[path: container] else { return false }
            let entry = Entry(id: makeID(), route: route, params: command["params"] ?? [:])
            state[path: container] = route == "reset" ? [entry] : path + [entry]
            if state.tabs.contains(where: { $0.id == container }) { state.selectedTab = container }
            return true
        case "setPath": return setPath(command["path"]?.array ?? [], of: container)
        case "back": state.apply(.back)
        case "root": state.apply(.root(command["scope"] == "all" ? .all : .tab))
        case "present":
            let style = command["style"]?.string ?? (route == "cover" ? "fullScreenCover" : "sheet")
            state.sheets.append(
                Sheet(
                    id: makeID(), style: SheetStyle(rawValue: style), route: route,
                    params: command["params"] ?? [:], presentedBy: state.active))
        case "dismiss":
            let id = command["sheet"]?.string ?? ""
            guard state.sheets.contains(where: { $0.id == id }) else { return false }
            state.apply(.dismiss(id, result: nil))
        case "select": state.selectedTab = command["tab"]?.string ?? ""
        case "undo": state = past.popLast() ?? state
        default: Issue.record("The model has no command \(command.name).")
        }
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
        return true
    }

    /// The own state of a router replaces that of the server.
    mutating func restore(_ document: JSONValue) throws {
        past.append(state)
        revision += 1
        state.selectedTab = try #require(document["selectedTab"]?.string)
        state.tabs = try #require(document["tabs"]?.array).map { tab in
            let path = tab["path"]?.array ?? []
            return Tab(id: tab["id"]?.string ?? "", path: try path.map { try entry($0) })
        }
        state.sheets = try #require(document["sheets"]?.array).map { sheet in
            Sheet(
                id: sheet["id"]?.string ?? makeID(),
                style: SheetStyle(rawValue: sheet["style"]?.string ?? "sheet"),
                route: sheet["route"]?.string ?? "", params: sheet["params"] ?? [:],
                presentedBy: sheet["presentedBy"]?.string ?? "",
                path: try (sheet["path"]?.array ?? []).map { try entry($0) })
        }
    }

    private mutating func entry(_ json: JSONValue) throws -> Entry {
        Entry(
            id: json["id"]?.string ?? makeID(), route: try #require(json["route"]?.string),
            params: json["params"] ?? [:])
    }
}

extension NavigationState {
    /// What is there, without ids.
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
