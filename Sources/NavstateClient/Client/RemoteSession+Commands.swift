public import Foundation

// Each command as a function of its own, with the same arguments as in `Command`.

extension RemoteSession {
    /// Carries out a command.
    @discardableResult
    public func perform(
        _ command: Command, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        let path = path(command.name.percentEncoded)
        let call = Call(method: "POST", path: path, body: .object(command.members))
        return try await requester.send(options.applied(to: call)).decoded()
    }

    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    @discardableResult
    public func navigate(
        to destination: Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .navigate(to: destination, in: container, mode: mode, sheets: sheets),
            options: options)
    }

    /// Goes back `count` steps.
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

    /// Presents a screen over everything else.
    ///
    /// ```swift
    /// try await session.present("compose", presentation: PresentationOptions(detents: ["medium"]))
    /// ```
    @discardableResult
    public func present(
        _ destination: Destination, style: SheetStyle? = nil,
        presentation: PresentationOptions = .standard, path: [Destination] = [],
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        let command = Command.present(
            destination, style: style, options: presentation, path: path)
        return try await perform(command, options: options)
    }

    /// Dismisses a sheet and all sheets above it.
    @discardableResult
    public func dismiss(
        _ target: DismissTarget = .top, result: JSONValue? = nil, force: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.dismiss(target, result: result, force: force), options: options)
    }

    /// Selects a tab.
    @discardableResult
    public func select(
        tab: String, popsToRoot: Bool = true, sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(
            .select(tab: tab, popsToRoot: popsToRoot, sheets: sheets), options: options)
    }

    /// Opens a deep link.
    @discardableResult
    public func open(
        _ url: URL, sheets: SheetHandling = .dismiss, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.open(url, sheets: sheets), options: options)
    }

    /// Replaces the whole path of a tab or a sheet. Destinations that were created from entries
    /// keep those entries.
    ///
    /// ```swift
    /// let first = try await session.state().path(of: "chats")?.first.map(Destination.init)
    /// try await session.setPath(in: "chats", [first ?? "inbox", "settings"])
    /// ```
    @discardableResult
    public func setPath(
        in container: String, _ path: [Destination], sheets: SheetHandling = .keep,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setPath(in: container, path, sheets: sheets), options: options)
    }

    /// Changes the params of an entry or a sheet, by default those of the visible one.
    @discardableResult
    public func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false,
        options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setParams(of: entry, params, replaces: replaces), options: options)
    }

    /// Sets the badge of a tab. A badge of nil removes it.
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

    /// Reorders and hides tabs.
    @discardableResult
    public func setTabs(
        order: [String]? = nil, hidden: [String]? = nil, options: ChangeOptions = .standard
    ) async throws(NavstateError) -> CommandResult {
        try await perform(.setTabs(order: order, hidden: hidden), options: options)
    }

    /// Carries out all the commands as one change, or none of them.
    ///
    /// ```swift
    /// let result = try await session.batch([.select(tab: "chats"), .navigate(to: "settings")])
    /// print(result.results.map(\.changed))
    /// ```
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
}
