public import Foundation

// Each command as a value, and as a function of a session with the same arguments.

extension Command {
    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    /// If `mode` is nil, the mode of the route is used, or `push` if it has none.
    public static func navigate(
        to destination: Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep
    ) -> Command {
        Command(
            "navigate", screen: destination,
            ["in": container, "mode": mode, "sheets": sheets.unless(.keep)])
    }

    /// Goes back `count` steps. With `withinPath`, it stays in the current path: no sheet is
    /// dismissed and no other tab is selected.
    public static func back(count: Int = 1, withinPath: Bool = false) -> Command {
        Command("back", ["count": count.unless(1), "within": withinPath ? "path" : nil])
    }

    /// Goes back to a screen, or to the one below it if `inclusive` is true.
    public static func back(to target: BackTarget, inclusive: Bool = false) -> Command {
        Command("back", ["to": target, "inclusive": inclusive.unless(false)])
    }

    /// Goes back to the root.
    public static func root(_ scope: RootScope = .tab) -> Command {
        Command("root", ["scope": scope.unless(.tab)])
    }

    /// Presents a screen over everything else. If `style` is nil, the style of the route is used,
    /// or `sheet` if it has none. `path` lists the screens that are pushed onto the sheet from the
    /// start.
    public static func present(
        _ destination: Destination, style: SheetStyle? = nil,
        options: PresentationOptions = .standard, path: [Destination] = []
    ) -> Command {
        Command(
            "present", screen: destination,
            [
                "style": style, "tag": options.tag, "detents": options.detents.unless([]),
                "dismissible": options.isDismissible.unless(true), "path": path.unless([]),
            ])
    }

    /// Dismisses a sheet and all sheets above it. The presenter of the sheet gets the result.
    /// With `force`, even sheets that are not dismissible are dismissed.
    public static func dismiss(
        _ target: DismissTarget = .top, result: JSONValue? = nil, force: Bool = false
    ) -> Command {
        var command = Command("dismiss", ["result": result, "force": force.unless(false)])
        switch target {
        case .top: break
        case .sheet(let id): command.members["sheet"] = .string(id)
        case .tag(let tag): command.members["tag"] = .string(tag)
        case .all: command.members["all"] = true
        }
        return command
    }

    /// Selects a tab. Selecting the selected tab pops it to its root, unless `popsToRoot` is false.
    public static func select(
        tab: String, popsToRoot: Bool = true, sheets: SheetHandling = .keep
    ) -> Command {
        Command(
            "select",
            [
                "tab": tab, "reselect": popsToRoot ? nil : "none",
                "sheets": sheets.unless(.keep),
            ])
    }

    /// Opens a deep link of the app. If `mode` or `sheets` is nil, the link decides. If the link
    /// leads to one of several tabs, `tab` chooses it.
    public static func open(
        _ url: URL, mode: OpenMode? = nil, sheets: SheetHandling? = nil, tab: String? = nil
    ) -> Command {
        Command(
            "open", ["url": url.absoluteString, "mode": mode, "sheets": sheets, "tab": tab])
    }

    /// Replaces the whole path of a tab or a sheet. A destination with an id keeps its entry.
    public static func setPath(
        in container: String, _ path: [Destination], sheets: SheetHandling = .keep
    ) -> Command {
        Command("setPath", ["in": container, "path": path, "sheets": sheets.unless(.keep)])
    }

    /// Changes the params of an entry or a sheet, by default those of the visible one. The params
    /// are applied as a merge patch (RFC 7396), or replace the old ones if `replaces` is true.
    public static func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false
    ) -> Command {
        Command(
            "setParams", ["params": params, "entry": entry, "mode": replaces ? "replace" : nil])
    }

    /// Sets the badge of a tab; nil removes it.
    public static func setBadge(of tab: String, _ badge: Badge?) -> Command {
        Command("setBadge", ["tab": tab, "badge": badge?.json ?? JSONValue.null])
    }

    /// Sets facts. A value of null restores the app's default.
    public static func setFacts(_ facts: [String: JSONValue]) -> Command {
        Command("setFacts", ["facts": facts])
    }

    /// Reorders the tabs, hides those in `hidden` and shows the others. An argument that is nil
    /// changes nothing.
    public static func setTabs(order: [String]? = nil, hidden: [String]? = nil) -> Command {
        Command("setTabs", ["order": order, "hidden": hidden])
    }

    /// Carries out all the commands as one change, or none of them.
    public static func batch(_ commands: [Command]) -> Command {
        Command("batch", ["commands": commands])
    }

    /// Undoes the last changes.
    public static func undo(count: Int = 1) -> Command {
        Command("undo", ["count": count.unless(1)])
    }

    /// Redoes the changes that were undone last.
    public static func redo(count: Int = 1) -> Command {
        Command("redo", ["count": count.unless(1)])
    }

    private init(_ name: String, screen: Destination, _ members: JSONMembers) {
        self.init(name, members: screen.members())
        self.members.add(members)
    }
}

extension RemoteSession {
    /// Carries out a command. Each command also has a method:
    ///
    /// ```swift
    /// try await session.present("compose", presentation: PresentationOptions(detents: ["medium"]))
    ///
    /// let first = try await session.state().path(of: "chats")?.first.map(Destination.init)
    /// try await session.setPath(in: "chats", [first ?? "inbox", "settings"])
    ///
    /// let result = try await session.batch([.select(tab: "chats"), .navigate(to: "settings")])
    /// print(result.results.map(\.changed))
    /// ```
    @discardableResult
    public func perform(
        _ command: Command, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        let path = path(command.name.percentEncoded)
        let call = Call(method: "POST", path: path, body: .object(command.members))
        return try await requester.send(options.applied(to: call)).decoded()
    }

    // Begin of what Sources/Assets/generate.py makes of the functions above.

    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    /// If `mode` is nil, the mode of the route is used, or `push` if it has none.
    @discardableResult
    public func navigate(
        to destination: Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .navigate(to: destination, in: container, mode: mode, sheets: sheets), options: options)
    }

    /// Goes back `count` steps. With `withinPath`, it stays in the current path: no sheet is
    /// dismissed and no other tab is selected.
    @discardableResult
    public func back(
        count: Int = 1, withinPath: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.back(count: count, withinPath: withinPath), options: options)
    }

    /// Goes back to a screen, or to the one below it if `inclusive` is true.
    @discardableResult
    public func back(
        to target: BackTarget, inclusive: Bool = false, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.back(to: target, inclusive: inclusive), options: options)
    }

    /// Goes back to the root.
    @discardableResult
    public func root(
        _ scope: RootScope = .tab, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.root(scope), options: options)
    }

    /// Presents a screen over everything else. If `style` is nil, the style of the route is used,
    /// or `sheet` if it has none. `path` lists the screens that are pushed onto the sheet from the
    /// start.
    @discardableResult
    public func present(
        _ destination: Destination, style: SheetStyle? = nil,
        presentation: PresentationOptions = .standard, path: [Destination] = [],
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .present(destination, style: style, options: presentation, path: path),
            options: options)
    }

    /// Dismisses a sheet and all sheets above it. The presenter of the sheet gets the result.
    /// With `force`, even sheets that are not dismissible are dismissed.
    @discardableResult
    public func dismiss(
        _ target: DismissTarget = .top, result: JSONValue? = nil, force: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.dismiss(target, result: result, force: force), options: options)
    }

    /// Selects a tab. Selecting the selected tab pops it to its root, unless `popsToRoot` is false.
    @discardableResult
    public func select(
        tab: String, popsToRoot: Bool = true, sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .select(tab: tab, popsToRoot: popsToRoot, sheets: sheets), options: options)
    }

    /// Opens a deep link of the app. If `mode` or `sheets` is nil, the link decides. If the link
    /// leads to one of several tabs, `tab` chooses it.
    @discardableResult
    public func open(
        _ url: URL, mode: OpenMode? = nil, sheets: SheetHandling? = nil, tab: String? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.open(url, mode: mode, sheets: sheets, tab: tab), options: options)
    }

    /// Replaces the whole path of a tab or a sheet. A destination with an id keeps its entry.
    @discardableResult
    public func setPath(
        in container: String, _ path: [Destination], sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setPath(in: container, path, sheets: sheets), options: options)
    }

    /// Changes the params of an entry or a sheet, by default those of the visible one. The params
    /// are applied as a merge patch (RFC 7396), or replace the old ones if `replaces` is true.
    @discardableResult
    public func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setParams(of: entry, params, replaces: replaces), options: options)
    }

    /// Sets the badge of a tab; nil removes it.
    @discardableResult
    public func setBadge(
        of tab: String, _ badge: Badge?, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setBadge(of: tab, badge), options: options)
    }

    /// Sets facts. A value of null restores the app's default.
    @discardableResult
    public func setFacts(
        _ facts: [String: JSONValue], options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setFacts(facts), options: options)
    }

    /// Reorders the tabs, hides those in `hidden` and shows the others. An argument that is nil
    /// changes nothing.
    @discardableResult
    public func setTabs(
        order: [String]? = nil, hidden: [String]? = nil, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setTabs(order: order, hidden: hidden), options: options)
    }

    /// Carries out all the commands as one change, or none of them.
    @discardableResult
    public func batch(
        _ commands: [Command], options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.batch(commands), options: options)
    }

    /// Undoes the last changes.
    @discardableResult
    public func undo(
        count: Int = 1, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.undo(count: count), options: options)
    }

    /// Redoes the changes that were undone last.
    @discardableResult
    public func redo(
        count: Int = 1, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.redo(count: count), options: options)
    }

    // End of it.
}
