public import Foundation

extension Router {
    /// The tabs to show, in order.
    public var tabs: [Tab] { state.tabs.filter { !$0.isHidden } }

    /// The selected tab, for binding to a `TabView`.
    public var selectedTab: String {
        get { state.selectedTab }
        set {
            // SwiftUI also sets the value that is already there.
            guard newValue != state.selectedTab else { return }
            change(.select(newValue))
        }
    }

    /// The screens above the root of a tab or a sheet, for binding to a `NavigationStack`. Entries
    /// whose route the app does not know are left out.
    ///
    /// ```swift
    /// NavigationStack(path: $router["chats"]) { ChatList() }
    /// ```
    public subscript(container: String) -> [Screen] {
        get { path(of: container) }
        set { setPath(newValue, of: container) }
    }

    /// The screens above the root of a tab or a sheet.
    public func path(of container: String) -> [Screen] {
        state[path: shownID(of: container)]?.compactMap(screen) ?? []
    }

    /// Sets the path of a tab or a sheet. Screens at the beginning of the path that are already
    /// there keep their entries.
    public func setPath(_ screens: [Screen], of container: String) {
        let container = shownID(of: container)
        guard let path = state[path: container] else { return }
        let known = path.filter { screen(of: $0) != nil }
        let kept = zip(known, screens).prefix { screen(of: $0) == $1 }.count
        guard kept < known.count || kept < screens.count else { return }
        // Entries that the app does not know are removed together with the ones below them.
        let end = kept < known.count ? path.firstIndex { $0.id == known[kept].id } : nil
        let begin = path[..<(end ?? path.endIndex)]
        change(.setPath(begin + screens.dropFirst(kept).map(entry), in: container))
    }

    /// Pushes a screen onto a tab or a sheet, by default onto the one that the user sees. If
    /// `container` is a tab, it is selected.
    public func navigate(to screen: Screen, in container: String? = nil) {
        change(.push(entry(screen), in: container.map(shownID) ?? activeContainer))
    }

    /// The container that the user sees: the top sheet that the app can show, or the selected tab
    /// if there is no such sheet. A sheet that was presented here counts even before it has
    /// appeared. The value is nil until there are tabs. Commands name the container explicitly, so
    /// they still mean the same when the server carries them out.
    private var activeContainer: String? {
        if let sheet = topSheet { return sheet.id }
        return state.selectedTab.isEmpty ? nil : state.selectedTab
    }

    private var topSheet: Sheet? {
        func top(_ sheets: [Sheet]) -> Sheet? {
            sheets.last {
                !$0.isDialog && screen(of: $0.id, route: $0.route, params: $0.params) != nil
            }
        }
        if let own = top(target.sheets), LocalID.isLocal(own.id) { return own }
        return top(state.sheets)
    }

    /// Goes back one step: pops a screen, or dismisses a sheet whose path is empty.
    public func navigateBack() { change(.back) }

    /// Goes back to the root. By default, this dismisses all sheets and empties the path of the
    /// selected tab.
    public func navigateToRoot(_ scope: RootScope = .tab) { change(.root(scope)) }

    /// Opens a deep link. Only the server knows where it leads.
    public func open(_ url: URL) { change(.command(.open(url))) }

    /// Undoes the last change, whoever made it.
    public func undo() { change(.command(.undo())) }

    /// Redoes the change that was undone last.
    public func redo() { change(.command(.redo())) }

    /// Carries out any other command.
    public func perform(_ command: Command) { change(.command(command)) }

    private func entry(_ screen: Screen) -> Entry {
        let destination = screen.destination
        return Entry(
            id: makeID(), route: destination.route, params: destination.params,
            mark: destination.mark)
    }

    private func screen(of entry: Entry) -> Screen? {
        screen(of: entry.id, route: entry.route, params: entry.params)
    }
}

extension Router {
    /// The sheet over the tabs, for binding to `sheet(item:)`. It is nil if nothing is presented or
    /// a full-screen cover is presented instead. Setting nil dismisses whatever sheet is there at
    /// that moment; to dismiss one particular sheet, call `dismiss(_:)`.
    public var sheet: PresentedScreen<Screen>? {
        get { presented(at: 0, style: .sheet) }
        set { if newValue == nil { dismiss(at: 0, style: .sheet) } }
    }

    /// The full-screen cover over the tabs, for binding to `fullScreenCover(item:)`.
    public var fullScreenCover: PresentedScreen<Screen>? {
        get { presented(at: 0, style: .fullScreenCover) }
        set { if newValue == nil { dismiss(at: 0, style: .fullScreenCover) } }
    }

    /// All sheets, covers, popovers and inspectors, from bottom to top. Sheets whose route the app
    /// does not know are left out.
    public var presentedScreens: [PresentedScreen<Screen>] {
        state.sheets.compactMap { sheet in
            sheet.isDialog
                ? nil
                : screen(of: sheet.id, route: sheet.route, params: sheet.params).map {
                    PresentedScreen(sheet, screen: $0)
                }
        }
    }

    /// Returns the screen presented above `level` other sheets, if it has this style.
    public func presented(at level: Int, style: SheetStyle) -> PresentedScreen<Screen>? {
        let screens = presentedScreens
        guard screens.indices.contains(level) else { return nil }
        // A screen with an unknown style is shown as a sheet.
        let known: Set<SheetStyle> = [.fullScreenCover, .popover, .inspector]
        let shown = known.contains(screens[level].style) ? screens[level].style : .sheet
        return shown == style ? screens[level] : nil
    }

    /// Dismisses the screen presented above `level` other sheets and everything above it, as if the
    /// user had swiped it away.
    public func dismiss(at level: Int, style: SheetStyle) {
        guard let screen = presented(at: level, style: style) else { return }
        dismiss(screen)
    }

    /// Dismisses a screen and everything above it, as if the user had swiped it away. Does nothing
    /// if the screen is already gone.
    public func dismiss(_ presented: PresentedScreen<Screen>) {
        guard state.sheets.contains(where: { $0.id == presented.id }) else { return }
        change(.dismiss(presented.id, result: nil, force: false))
    }

    /// Presents a screen over what the user sees. If `style` is nil, the style of the route is
    /// used.
    public func present(
        _ screen: Screen, style: SheetStyle? = nil, presentation: PresentationOptions = .standard
    ) {
        change(.present(newSheet(screen, style: style, presentation), style: style))
    }

    /// Dismisses the top sheet, even if the user cannot swipe it away. The call of `ask` that
    /// presented the sheet returns the result.
    public func dismissSheet(result: JSONValue? = nil) {
        guard let sheet = topSheet else { return }
        change(.dismiss(sheet.id, result: result, force: true))
    }

    /// Presents a screen that asks a question, waits until it is dismissed, and returns the result.
    /// Returns nil if the user did not answer. If the task is cancelled, the sheet stays and its
    /// answer is ignored.
    ///
    /// ```swift
    /// if try await router.ask(.confirm(question: "Delete the chat?"))?.bool == true { delete() }
    /// ```
    ///
    /// The answer comes from `dismissSheet(result:)` or from any other client. While the router is
    /// offline, the sheet is shown, and the call waits for the connection. It throws if the sheet
    /// is dropped on reconnecting, or if the router is not running.
    public func ask(
        _ screen: Screen, style: SheetStyle? = nil, presentation: PresentationOptions = .standard
    ) async throws(NavstateError) -> JSONValue? {
        let sheet = newSheet(screen, style: style, presentation)
        return try await dismissal(of: answer(to: .present(sheet, style: style))).result
    }

    private func newSheet(
        _ screen: Screen, style: SheetStyle?, _ presentation: PresentationOptions
    ) -> Sheet {
        let destination = screen.destination
        var sheet = Sheet(
            id: makeID(), style: style ?? .sheet, route: destination.route,
            params: destination.params, presentedBy: state.visible)
        sheet.tag = presentation.tag
        sheet.detents = presentation.detents
        sheet.isDismissible = presentation.isDismissible && destination.isLocked != true
        sheet.anchor = presentation.anchor
        sheet.members["ttlSeconds"] = presentation.ttlSeconds?.json
        sheet.mark = destination.mark
        return sheet
    }
}

extension Router {
    /// The screen at a level, as a property that `sheet(item:)` can be bound to. Setting nil
    /// dismisses only the sheet with this id, not one that has taken its place.
    subscript(presented level: Int, style: SheetStyle, id id: String) -> PresentedScreen<Screen>? {
        get { presented(at: level, style: style) }
        set {
            guard newValue == nil, let screen = presentedScreens.first(where: { $0.id == id })
            else { return }
            dismiss(screen)
        }
    }
}
