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
        state[path: shownID(of: container)]?.compactMap { Screen($0) } ?? []
    }

    /// Writes the path of a tab or a sheet. Screens at the beginning that are there already stay.
    public func setPath(_ screens: [Screen], of container: String) {
        let container = shownID(of: container)
        guard let path = state[path: container] else { return }
        let old = path.filter { Screen($0) != nil }
        let kept = zip(old, screens).prefix { Screen($0) == $1 }.count
        guard kept < old.count || kept < screens.count else { return }
        // Entries that this app does not know stay with the ones below them.
        let last = kept == 0 ? nil : path.firstIndex { $0.id == old[kept - 1].id }
        let begin = last.map { path[...$0] } ?? []
        change(.setPath(begin + screens.dropFirst(kept).map(entry), in: container))
    }

    /// Pushes a screen, by default onto what the user sees. A tab that is named is selected.
    public func navigate(to screen: Screen, in container: String? = nil) {
        // What the user sees need not be the server's active container any more.
        let active = state.active.isEmpty ? nil : state.active
        change(.push(entry(screen), in: container.map(shownID) ?? active))
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
        return Entry(id: makeID(), route: destination.route, params: destination.params)
    }
}

extension Router {
    /// The sheet over the tabs, to be bound to `sheet(item:)`. Nil if there is none, or if a
    /// full-screen cover is there instead. Setting nil dismisses it.
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
        state.sheets.compactMap { PresentedScreen($0, id: $0.id) }
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
        change(.dismiss(screen.id, result: nil))
    }

    /// Presents a screen over what the user sees. Without a style, that of the route counts.
    public func present(_ screen: Screen, style: SheetStyle? = nil) {
        change(.present(newSheet(screen, style: style), style: style))
    }

    /// Dismisses the top sheet. The result is for whoever asked.
    public func dismissSheet(result: JSONValue? = nil) {
        guard let sheet = state.sheets.last else { return }
        change(.dismiss(sheet.id, result: result))
    }

    /// Presents a screen that asks something, and waits until it is dismissed. Nil if the user did
    /// not answer.
    ///
    /// ```swift
    /// if try await router.ask(.confirm(question: "Delete the chat?"))?.bool == true { delete() }
    /// ```
    ///
    /// The answer is what `dismissSheet(result:)` or any other client brings.
    public func ask(
        _ screen: Screen, style: SheetStyle? = nil
    ) async throws(NavstateError) -> JSONValue? {
        let sheet = newSheet(screen, style: style)
        let result = try await answer(to: .present(sheet, style: style))
        guard let id = result.presentedSheet else {
            throw .unexpected("The server has presented no sheet.")
        }
        return try await dismissal(of: id).result
    }

    private func newSheet(_ screen: Screen, style: SheetStyle?) -> Sheet {
        let destination = screen.destination
        return Sheet(
            id: makeID(), style: style ?? .sheet, route: destination.route,
            params: destination.params, presentedBy: state.active)
    }
}
