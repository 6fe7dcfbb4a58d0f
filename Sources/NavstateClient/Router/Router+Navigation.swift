public import Foundation

extension Router {
    /// The tabs to show, in their order.
    public var tabs: [Tab] { state.tabs.filter { !$0.isHidden } }

    /// The selected tab, to be bound to a `TabView`.
    public var selectedTab: String {
        get { state.selectedTab }
        set {
            // SwiftUI also writes what is there already.
            guard newValue != state.selectedTab else { return }
            change(.select(newValue))
        }
    }

    /// The screens above the root of a tab or a sheet, to be bound to a `NavigationStack`. Entries
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

    /// Writes the path of a tab or a sheet. Screens at the beginning that are there already stay.
    public func setPath(_ screens: [Screen], of container: String) {
        let container = shownID(of: container)
        guard let path = state[path: container] else { return }
        let known = path.filter { screen(of: $0) != nil }
        let kept = zip(known, screens).prefix { screen(of: $0) == $1 }.count
        guard kept < known.count || kept < screens.count else { return }
        // Entries that this app does not know go with the ones below them.
        let end = kept < known.count ? path.firstIndex { $0.id == known[kept].id } : nil
        let begin = path[..<(end ?? path.endIndex)]
        change(.setPath(begin + screens.dropFirst(kept).map(entry), in: container))
    }

    /// Pushes a screen, by default onto what the user sees. A tab that is named is selected.
    public func navigate(to screen: Screen, in container: String? = nil) {
        change(.push(entry(screen), in: container.map(shownID) ?? activeContainer))
    }

    /// The container that the user sees: the top sheet that the app can show, or else the selected
    /// tab. A sheet that was presented here counts before it has appeared. Nil before there are
    /// tabs. A command names it, so that it means the same when the server carries it out.
    private var activeContainer: String? {
        if let sheet = topSheet { return sheet.id }
        return state.selectedTab.isEmpty ? nil : state.selectedTab
    }

    private var topSheet: Sheet? {
        func top(_ sheets: [Sheet]) -> Sheet? {
            sheets.last { screen(of: $0.id, route: $0.route, params: $0.params) != nil }
        }
        if let own = top(target.sheets), LocalID.isLocal(own.id) { return own }
        return top(state.sheets)
    }

    /// Goes back one step: pops a screen, or dismisses a sheet that has no path.
    public func navigateBack() { change(.back) }

    /// Goes back to the root, by default of the selected tab, without sheets.
    public func navigateToRoot(_ scope: RootScope = .tab) { change(.root(scope)) }

    /// Opens a deep link. Where it leads, only the server knows.
    public func open(_ url: URL) { change(.command(.open(url))) }

    /// Takes the last change back, whoever made it.
    public func undo() { change(.command(.undo())) }

    /// Makes the change again that was taken back.
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
    /// The sheet over the tabs, to be bound to `sheet(item:)`. Nil if there is none, or if a
    /// full-screen cover is there instead. Setting nil dismisses what is there at that time; to
    /// dismiss one sheet and no other, call `dismiss(_:)`.
    public var sheet: PresentedScreen<Screen>? {
        get { presented(at: 0, style: .sheet) }
        set { if newValue == nil { dismiss(at: 0, style: .sheet) } }
    }

    /// The full-screen cover over the tabs, to be bound to `fullScreenCover(item:)`.
    public var fullScreenCover: PresentedScreen<Screen>? {
        get { presented(at: 0, style: .fullScreenCover) }
        set { if newValue == nil { dismiss(at: 0, style: .fullScreenCover) } }
    }

    /// All sheets and full-screen covers, from bottom to top. A sheet whose route the app does not
    /// know is left out.
    public var presentedScreens: [PresentedScreen<Screen>] {
        state.sheets.compactMap { sheet in
            screen(of: sheet.id, route: sheet.route, params: sheet.params).map {
                PresentedScreen(sheet, screen: $0)
            }
        }
    }

    /// What is presented above `level` other sheets, if it has this style.
    public func presented(at level: Int, style: SheetStyle) -> PresentedScreen<Screen>? {
        let screens = presentedScreens
        guard screens.indices.contains(level) else { return nil }
        // A style that this version does not know is shown as a sheet.
        let isCover = screens[level].style == .fullScreenCover
        return isCover == (style == .fullScreenCover) ? screens[level] : nil
    }

    /// Dismisses what is presented above `level` other sheets, with everything over it, as when the
    /// user swipes it away.
    public func dismiss(at level: Int, style: SheetStyle) {
        guard let screen = presented(at: level, style: style) else { return }
        dismiss(screen)
    }

    /// Dismisses this sheet, with everything over it, as when the user swipes it away. Does nothing
    /// if it is gone already.
    public func dismiss(_ presented: PresentedScreen<Screen>) {
        guard state.sheets.contains(where: { $0.id == presented.id }) else { return }
        change(.dismiss(presented.id, result: nil, force: false))
    }

    /// Presents a screen over what the user sees. Without a style, that of the route counts.
    public func present(
        _ screen: Screen, style: SheetStyle? = nil, presentation: PresentationOptions = .standard
    ) {
        change(.present(newSheet(screen, style: style, presentation), style: style))
    }

    /// Dismisses the top sheet, also one that the user cannot swipe away. The result is for whoever
    /// asked.
    public func dismissSheet(result: JSONValue? = nil) {
        guard let sheet = topSheet else { return }
        change(.dismiss(sheet.id, result: result, force: true))
    }

    /// Presents a screen that asks something, and waits until it is dismissed. Nil if the user did
    /// not answer. If the task is cancelled, the sheet stays, and its answer is ignored.
    ///
    /// ```swift
    /// if try await router.ask(.confirm(question: "Delete the chat?"))?.bool == true { delete() }
    /// ```
    ///
    /// The answer is what `dismissSheet(result:)` or any other client brings. Without a connection
    /// the sheet is shown, and the question goes on when the connection is back. It throws if the
    /// sheet is dropped then, or if the router is not running.
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
            params: destination.params, presentedBy: state.active)
        sheet.tag = presentation.tag
        sheet.detents = presentation.detents
        sheet.isDismissible = presentation.isDismissible
        sheet.members.set("mark", destination.mark.map(JSONValue.string))
        return sheet
    }
}

extension Router {
    /// As a property to which `sheet(item:)` can be bound. Setting nil dismisses the sheet with
    /// this id, not one that has taken its place.
    subscript(presented level: Int, style: SheetStyle, id id: String) -> PresentedScreen<Screen>? {
        get { presented(at: level, style: style) }
        set {
            guard newValue == nil, let screen = presentedScreens.first(where: { $0.id == id })
            else { return }
            dismiss(screen)
        }
    }
}
