public import Foundation

extension RemoteSession {
    /// Carries out a command. Each command also has a method:
    ///
    /// ```swift
    /// try await session.present("compose", presentation: PresentationOptions(detents: ["medium"]))
    ///
    /// let first = try await session.state().path(of: "chats")?.first.map(Nav.Destination.init)
    /// try await session.setPath(in: "chats", [first ?? "inbox", "settings"])
    ///
    /// let result = try await session.batch([.select(tab: "chats"), .navigate(to: "settings")])
    /// print(result.results.map(\.changed))
    /// ```
    @discardableResult
    public func perform(
        _ command: Nav.Command, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        let path = path(command.name.percentEncoded)
        let call = Call(method: "POST", path: path, body: .object(command.members))
        return try await requester.send(options.applied(to: call)).decoded()
    }

    // Begin of what Sources/Assets/generate.py makes of `Commands`.

    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    /// If `mode` is nil, the mode of the route is used, or `push` if it has none.
    @discardableResult
    public func navigate(
        to destination: Nav.Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .navigate(to: destination, in: container, mode: mode, sheets: sheets), options: options)
    }

    /// Pushes a screen onto the path of a tab without selecting it. If `mode` is nil, the mode of
    /// the route is used, or `push` if it has none.
    @discardableResult
    public func navigate(
        to destination: Nav.Destination, inBackground tab: String, mode: NavigationMode? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .navigate(to: destination, inBackground: tab, mode: mode), options: options)
    }

    /// Goes back `count` steps. With `withinPath`, it stays in the current path: no sheet is
    /// dismissed and no other tab is selected. A locked screen stops it, unless `force` is set.
    @discardableResult
    public func back(
        count: Int = 1, withinPath: Bool = false, force: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .back(count: count, withinPath: withinPath, force: force), options: options)
    }

    /// Goes back to a screen, or to the one below it if `inclusive` is true. With `force`, even
    /// locked screens are removed.
    @discardableResult
    public func back(
        to target: BackTarget, inclusive: Bool = false, force: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.back(to: target, inclusive: inclusive, force: force), options: options)
    }

    /// Goes back to the root.
    @discardableResult
    public func root(
        _ scope: RootScope = .tab, sheets: SheetHandling = .dismiss,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.root(scope, sheets: sheets), options: options)
    }

    /// Presents a screen over everything else. If `style` is nil, the style of the route is used,
    /// or `sheet` if it has none. `path` lists the screens that are pushed onto the sheet from the
    /// start.
    @discardableResult
    public func present(
        _ destination: Nav.Destination, style: SheetStyle? = nil,
        presentation: PresentationOptions = .standard, path: [Nav.Destination] = [],
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .present(destination, style: style, options: presentation, path: path),
            options: options)
    }

    /// Presents an alert or a confirmation dialog, on which nothing else can be put. A dialog with
    /// the same tag is replaced. After `ttlSeconds`, it goes without an answer.
    @discardableResult
    public func present(
        _ dialog: Dialog, tag: String? = nil, ttlSeconds: Int? = nil,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.present(dialog, tag: tag, ttlSeconds: ttlSeconds), options: options)
    }

    /// Presses a button of the dialog with this id. If another dialog is open by then, the command
    /// is refused.
    @discardableResult
    public func press(
        _ button: String, of dialog: String, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.press(button, of: dialog), options: options)
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

    /// Selects a tab, and replaces the params of its root. With `emptiesPath`, the root is visible
    /// then.
    @discardableResult
    public func select(
        tab: String, params: JSONValue, emptiesPath: Bool = false, sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .select(tab: tab, params: params, emptiesPath: emptiesPath, sheets: sheets),
            options: options)
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
        in container: String, _ path: [Nav.Destination], sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setPath(in: container, path, sheets: sheets), options: options)
    }

    /// Changes the params of an entry, a sheet or a root, by default those of the visible one. The
    /// params are applied as a merge patch (RFC 7396), or replace the old ones if `replaces` is
    /// true.
    @discardableResult
    public func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setParams(of: entry, params, replaces: replaces), options: options)
    }

    /// Locks an entry or a sheet, or unlocks it, by default the visible one. Navigation does not
    /// remove a locked screen, unless it is forced.
    @discardableResult
    public func setLocked(
        _ isLocked: Bool, of entry: String? = nil, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setLocked(isLocked, of: entry), options: options)
    }

    /// Sets the badge of a tab; nil removes it.
    @discardableResult
    public func setBadge(
        of tab: String, _ badge: Nav.Badge?, options: ChangeOptions = .standard
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
        _ commands: [Nav.Command], options: ChangeOptions = .standard
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
