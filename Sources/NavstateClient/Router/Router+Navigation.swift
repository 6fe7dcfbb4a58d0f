public import Foundation

extension Router {
    /// The tabs to show, in order.
    public var tabs: [Nav.Tab] { state?.tabs.filter { !$0.isHidden } ?? [] }

    /// The selected tab, for binding to a `TabView`.
    public var selectedTab: String {
        get { state?.selectedTab ?? "" }
        set {
            // SwiftUI also sets the value that is already there.
            guard newValue != selectedTab else { return }
            perform(.select(tab: newValue, popsToRoot: false))
        }
    }

    /// The screen that the user sees. It is nil if the app does not know its route.
    package var visibleScreen: Screen? {
        guard let state else { return nil }
        if let top = state.path(of: state.active)?.last { return screen(of: top) }
        return state.sheets.last.map { screen(of: $0) } ?? root(of: state.selectedTab)
    }

    /// Whether `navigateBack` would change anything that is shown.
    public var canGoBack: Bool { target?.canGoBack ?? false }
    /// Whether there is a change to undo.
    public var canUndo: Bool { target?.canUndo ?? false }
    /// Whether there is a change to redo.
    public var canRedo: Bool { target?.canRedo ?? false }
    /// Whether the tab bar is hidden: while a sheet or a full-screen cover is presented, or because
    /// of the screen that is shown.
    public var tabBarHidden: Bool { target?.visible.tabBarHidden ?? false }

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
        entries(of: container)?.compactMap(screen) ?? []
    }

    /// Sets the path of a tab or a sheet. Screens at the beginning of the path that are already
    /// there keep their entries.
    public func setPath(_ screens: [Screen], of container: String) {
        guard let path = entries(of: container) else { return }
        let known = path.filter { screen(of: $0) != nil }
        let kept = zip(known, screens).prefix { screen(of: $0) == $1 }.count
        guard kept < known.count || kept < screens.count else { return }
        // Entries that the app does not know are removed together with the ones below them.
        let end = kept < known.count ? path.firstIndex { $0.id == known[kept].id } : nil
        let begin = path[..<(end ?? path.endIndex)].map(Nav.Destination.init)
        perform(
            .setPath(in: id(of: container), begin + screens.dropFirst(kept).map(\.destination)))
    }

    /// The entries on the path of a tab or a sheet that is shown.
    func entries(of container: String) -> [Nav.Entry]? {
        state?.path(of: container)
    }

    func screen(of entry: Nav.Entry) -> Screen? {
        screen(of: entry.id, route: entry.route, params: entry.params)
    }

    /// Shows a screen on the path of a tab or a sheet, by default of the one that the user sees. If
    /// `container` is a tab, it is selected. If `mode` is nil, the mode of the route is used, or
    /// `push` if it has none.
    public func navigate(
        to screen: Screen, mode: NavigationMode? = nil, in container: String? = nil
    ) {
        perform(
            .navigate(
                to: screen.destination, in: (container ?? activeContainer).map(id(of:)),
                mode: mode))
    }

    /// The container that the user sees: the top sheet that the app can show, or the selected tab
    /// if there is no such sheet. A sheet that was presented here counts even before it has
    /// appeared. The value is nil until there are tabs. Commands name the container explicitly, so
    /// they still mean the same when the server carries them out.
    private var activeContainer: String? {
        topSheet?.id ?? (selectedTab.isEmpty ? nil : selectedTab)
    }

    private var topSheet: Nav.Sheet? {
        func top(_ sheets: [Nav.Sheet]) -> Nav.Sheet? {
            sheets.last { !$0.isDialog && screen(of: $0) != nil }
        }
        if let own = top(target?.sheets ?? []), own.id.hasPrefix(Prediction.ownPrefix) {
            return own
        }
        return top(state?.sheets ?? [])
    }

    /// The screen that a sheet shows.
    package func screen(of sheet: Nav.Sheet) -> Screen? {
        screen(of: sheet.id, route: sheet.route, params: sheet.params)
    }

    /// Goes back one step: pops a screen, or dismisses a sheet whose path is empty.
    public func navigateBack() { back() }

    /// Goes back `count` steps.
    public func back(count: Int = 1) { perform(.back(count: count)) }

    /// Goes back to an entry, a route or a mark.
    public func back(to target: BackTarget, inclusive: Bool = false) {
        perform(.back(to: target, inclusive: inclusive))
    }

    /// Goes back to the nearest such screen in the container that the user sees: on its path, or at
    /// its root. If the container has no such screen, the router sends nothing and sets `error`.
    public func back(to screen: Screen, inclusive: Bool = false) {
        if let id = activeContainer.flatMap({ nearest(screen, in: $0) }) {
            perform(.back(to: .entry(id), inclusive: inclusive))
        } else {
            error = .noEntry(of: screen.destination)
        }
    }

    /// The id of the entry on top of a container, of the sheet, or of the tab that shows a screen.
    private func nearest(_ screen: Screen, in container: String) -> String? {
        let path = target?.path(of: container) ?? []
        if let entry = path.last(where: { self.screen(of: $0) == screen }) { return entry.id }
        let sheet = target?.sheets.first { $0.id == container }
        let root = sheet.map { self.screen(of: $0) } ?? root(of: container)
        return root == screen ? id(of: container) : nil
    }

    /// Goes back to the root. By default, this dismisses all sheets and empties the path of the
    /// selected tab.
    public func navigateToRoot(_ scope: RootScope = .tab) { perform(.root(scope)) }

    /// Opens a deep link. Returns whether the app has a link for the URL.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        let hasLink = hasLink(url.absoluteString)
        perform(.open(url))
        return hasLink
    }

    /// Undoes the last change, whoever made it.
    public func undo() { perform(.undo()) }

    /// Redoes the change that was undone last.
    public func redo() { perform(.redo()) }
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
        (state?.sheets ?? []).filter { !$0.isDialog }.compactMap { sheet in
            screen(of: sheet).map { PresentedScreen(sheet, screen: $0) }
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
        if let screen = presented(at: level, style: style) { dismiss(screen) }
    }

    /// Dismisses a screen and everything above it, as if the user had swiped it away. Does nothing
    /// if the screen is already gone.
    public func dismiss(_ presented: PresentedScreen<Screen>) {
        guard state?.sheets.contains(where: { $0.id == presented.id }) == true else { return }
        perform(.dismiss(.sheet(id(of: presented.id))))
    }

    /// Presents a screen over what the user sees. If `style` is nil, the style of the route is
    /// used.
    public func present(
        _ screen: Screen, style: SheetStyle? = nil, presentation: PresentationOptions = .standard
    ) {
        perform(.present(screen.destination, style: style, options: presentation))
    }

    /// Dismisses the top sheet, even if the user cannot swipe it away. The call of `ask` that
    /// presented the sheet returns the result.
    public func dismissSheet(result: JSONValue? = nil) {
        guard let sheet = topSheet else { return }
        dismiss(sheet, result: result)
    }

    /// Dismisses the top sheet with a result of a type of your own.
    public func dismissSheet(result: some Encodable) {
        do throws(NavstateError) {
            dismissSheet(result: try JSONValue(encoding: result) as JSONValue?)
        } catch {
            self.error = error
        }
    }

    func dismiss(_ sheet: Nav.Sheet, result: JSONValue?) {
        perform(.dismiss(.sheet(id(of: sheet.id)), result: result, force: true))
    }

    /// Presents a screen that asks a question, waits until it is dismissed, and returns the result,
    /// or of a dialog the id of the button. Returns nil if the user did not answer. If the task is
    /// cancelled, the sheet stays and its answer is ignored.
    ///
    /// ```swift
    /// if try await router.ask(.confirm(question: "Delete the chat?"))?.bool == true { delete() }
    /// ```
    ///
    /// The answer comes from `dismissSheet(result:)` or from any other client. While the router is
    /// offline, the sheet is shown, and the call waits for the connection. It throws if the sheet
    /// is dropped on reconnecting, or if the router is not running.
    ///
    /// If the app declares the answer to a screen without params, the compiler takes the generated
    /// question instead of the screen, and the answer has its type.
    @_disfavoredOverload
    public func ask(
        _ screen: Screen, style: SheetStyle? = nil, presentation: PresentationOptions = .standard
    ) async throws(NavstateError) -> JSONValue? {
        let sheet = try await answer(
            to: .present(screen.destination, style: style, options: presentation))
        return sheet.button.map(JSONValue.string) ?? sheet.result
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
