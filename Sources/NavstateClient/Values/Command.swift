public import Foundation

/// A command as a value, for use with `perform` and in batches. Events contain commands too.
///
/// ```swift
/// try await session.batch([
///     .select(tab: "chats"),
///     .navigate(to: Destination("contact", params: ["id": "42"])),
/// ])
/// ```
public struct Command: Codable, Sendable, Hashable {
    /// The name of the command, such as `navigate`.
    public var name: String
    /// The members of the command's body.
    public var members: [String: JSONValue]

    /// Creates a command from its name. Use this for commands that this version of the client does
    /// not know.
    public init(_ name: String, members: [String: JSONValue] = [:]) {
        self.name = name
        self.members = members
    }

    /// Reads the command from JSON.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        name = try json.member("command")
        members = try json.members(besides: ["command"])
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set("command", name)
        try json.set(members)
    }

    /// A member of the body.
    public subscript(member: String) -> JSONValue? { members[member] }

    var json: JSONValue {
        .object(members.merging(["command": .string(name)]) { _, name in name })
    }
}

extension Command {
    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    /// If `mode` is nil, the mode of the route is used, or `push` if it has none.
    public static func navigate(
        to destination: Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep
    ) -> Command {
        var members = destination.members
        members["id"] = nil
        members.set("in", container.map(JSONValue.string))
        members.set("mode", mode.map { .string($0.rawValue) })
        members.set("sheets", sheets == .keep ? nil : .string(sheets.rawValue))
        return Command("navigate", members: members)
    }

    /// Goes back `count` steps. With `withinPath`, it stays in the current path: no sheet is
    /// dismissed and no other tab is selected.
    public static func back(count: Int = 1, withinPath: Bool = false) -> Command {
        var members: [String: JSONValue] = [:]
        members.set("count", count == 1 ? nil : .integer(Int64(count)))
        members.set("within", withinPath ? "path" : nil)
        return Command("back", members: members)
    }

    /// Goes back to a screen, or to the one below it if `inclusive` is true.
    public static func back(to target: BackTarget, inclusive: Bool = false) -> Command {
        let to: JSONValue =
            switch target {
            case .entry(let id): ["entry": .string(id)]
            case .route(let route): ["route": .string(route)]
            case .mark(let mark): ["mark": .string(mark)]
            }
        var members: [String: JSONValue] = ["to": to]
        members.set("inclusive", inclusive ? true : nil)
        return Command("back", members: members)
    }

    /// Goes back to the root.
    public static func root(_ scope: RootScope = .tab) -> Command {
        Command("root", members: scope == .tab ? [:] : ["scope": .string(scope.rawValue)])
    }

    /// Presents a screen over everything else. If `style` is nil, the style of the route is used,
    /// or `sheet` if it has none. `path` lists the screens that are pushed onto the sheet from the
    /// start.
    public static func present(
        _ destination: Destination, style: SheetStyle? = nil,
        options: PresentationOptions = .standard, path: [Destination] = []
    ) -> Command {
        var members = destination.members
        members["id"] = nil
        members.set("style", style.map { .string($0.rawValue) })
        members.set("tag", options.tag.map(JSONValue.string))
        let detents = options.detents.map(JSONValue.string)
        members.set("detents", detents.isEmpty ? nil : .array(detents))
        members.set("dismissible", options.isDismissible ? nil : false)
        members.set("path", path.isEmpty ? nil : .array(path.map { .object($0.members) }))
        return Command("present", members: members)
    }

    /// Dismisses a sheet and all sheets above it. The result goes to whoever presented the sheet.
    /// With `force`, even sheets that are not dismissible are dismissed.
    public static func dismiss(
        _ target: DismissTarget = .top, result: JSONValue? = nil, force: Bool = false
    ) -> Command {
        var members: [String: JSONValue] =
            switch target {
            case .top: [:]
            case .sheet(let id): ["sheet": .string(id)]
            case .tag(let tag): ["tag": .string(tag)]
            case .all: ["all": true]
            }
        members.set("result", result)
        members.set("force", force ? true : nil)
        return Command("dismiss", members: members)
    }

    /// Selects a tab. Selecting the selected tab pops it to its root, unless `popsToRoot` is false.
    public static func select(
        tab: String, popsToRoot: Bool = true, sheets: SheetHandling = .keep
    ) -> Command {
        var members: [String: JSONValue] = ["tab": .string(tab)]
        members.set("reselect", popsToRoot ? nil : "none")
        members.set("sheets", sheets == .keep ? nil : .string(sheets.rawValue))
        return Command("select", members: members)
    }

    /// Opens a deep link of the app.
    public static func open(_ url: URL, sheets: SheetHandling = .dismiss) -> Command {
        var members: [String: JSONValue] = ["url": .string(url.absoluteString)]
        members.set("sheets", sheets == .dismiss ? nil : .string(sheets.rawValue))
        return Command("open", members: members)
    }

    /// Replaces the whole path of a tab or a sheet. A destination with an id keeps its entry.
    public static func setPath(
        in container: String, _ path: [Destination], sheets: SheetHandling = .keep
    ) -> Command {
        let items = path.map { JSONValue.object($0.members) }
        var members: [String: JSONValue] = ["in": .string(container), "path": .array(items)]
        members.set("sheets", sheets == .keep ? nil : .string(sheets.rawValue))
        return Command("setPath", members: members)
    }

    /// Changes the params of an entry or a sheet, by default those of the visible one. The params
    /// are applied as a merge patch (RFC 7396), or replace the old ones if `replaces` is true.
    public static func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false
    ) -> Command {
        var members: [String: JSONValue] = ["params": params]
        members.set("entry", entry.map(JSONValue.string))
        members.set("mode", replaces ? "replace" : nil)
        return Command("setParams", members: members)
    }

    /// Sets the badge of a tab; nil removes it.
    public static func setBadge(of tab: String, _ badge: Badge?) -> Command {
        Command("setBadge", members: ["tab": .string(tab), "badge": badge?.json ?? .null])
    }

    /// Sets facts. A value of null restores the app's default.
    public static func setFacts(_ facts: [String: JSONValue]) -> Command {
        Command("setFacts", members: ["facts": .object(facts)])
    }

    /// Reorders the tabs, hides those in `hidden` and shows the others. An argument that is nil
    /// changes nothing.
    public static func setTabs(order: [String]? = nil, hidden: [String]? = nil) -> Command {
        var members: [String: JSONValue] = [:]
        members.set("order", order.map { .array($0.map(JSONValue.string)) })
        members.set("hidden", hidden.map { .array($0.map(JSONValue.string)) })
        return Command("setTabs", members: members)
    }

    /// Carries out all the commands as one change, or none of them.
    public static func batch(_ commands: [Command]) -> Command {
        Command("batch", members: ["commands": .array(commands.map(\.json))])
    }

    /// Undoes the last changes.
    public static func undo(count: Int = 1) -> Command {
        Command("undo", members: count == 1 ? [:] : ["count": .integer(Int64(count))])
    }

    /// Redoes the changes that were undone last.
    public static func redo(count: Int = 1) -> Command {
        Command("redo", members: count == 1 ? [:] : ["count": .integer(Int64(count))])
    }
}
