/// A dialog, for `alert` and `confirmationDialog`.
public struct PresentedDialog: Identifiable, Hashable, Sendable {
    /// An id that stays the same for as long as the dialog is presented.
    public let id: String
    /// `alert` or `confirmationDialog`.
    public let style: SheetStyle
    public let title: String
    /// The text under the title.
    public let message: String?
    /// The buttons, from top to bottom.
    public let buttons: [DialogButton]

    init(_ sheet: Nav.Sheet) {
        id = sheet.id
        style = sheet.style
        title = sheet.title ?? sheet.route
        message = sheet.message
        buttons = sheet.buttons
    }
}

extension Router {
    /// The dialog that waits for an answer, if there is one. It is over everything else.
    public var dialog: PresentedDialog? { state?.dialog.map(PresentedDialog.init) }

    /// Presents an alert or a confirmation dialog.
    public func present(_ dialog: Dialog) { perform(.present(dialog)) }

    /// Presses a button of a dialog. Does nothing if the dialog is already gone.
    public func press(_ button: DialogButton, of dialog: PresentedDialog) {
        press(button.id, ofDialog: dialog.id)
    }

    func press(_ button: String, ofDialog dialog: String) {
        guard state?.dialog?.id == dialog else { return }
        perform(.press(button, of: id(of: dialog)))
    }

    /// Presents a dialog, waits until somebody has answered it, and returns the id of the button
    /// that was pressed. Returns nil if the dialog went without an answer. If the task is
    /// cancelled, the dialog stays and its answer is ignored.
    ///
    /// ```swift
    /// if try await router.ask(deleteDialog) == "delete" { delete() }
    /// ```
    public func ask(_ dialog: Dialog) async throws(NavstateError) -> String? {
        try await answer(to: .present(dialog)).button
    }
}

extension Router {
    /// The screen at the root of a tab: the one that the session shows there, or else the one that
    /// the app has for the tab.
    public func root(of tab: String) -> Screen? {
        guard let root = state?.tabs.first(where: { $0.id == tab })?.root else {
            return Screen.root(of: tab)
        }
        return screen(of: root)
    }

    /// Replaces the params of the root of a tab, such as the text of a search. The route of the
    /// screen must be that of the root.
    public func setRoot(_ screen: Screen, of tab: String) {
        guard screen != root(of: tab) else { return }
        perform(.setParams(of: tab, screen.destination.params, replaces: true))
    }

    /// Whether the user may go back in a tab or a sheet: the screen on top of it is not locked.
    public func canPop(_ container: String) -> Bool {
        entries(of: container)?.last.map { !$0.isLocked } ?? false
    }

    /// The title of the screen that the user sees, if the session has titles.
    public var title: String? { target?.visible.title }

    /// The text on the button that leads back from that screen, if the session has titles.
    public var backTitle: String? { target?.visible.backTitle }

    /// Whether a dialog of this style is shown above `level` sheets, as a property that
    /// `alert(_:isPresented:presenting:actions:message:)` can be bound to.
    subscript(dialog level: Int, style: SheetStyle) -> Bool {
        get { dialog?.style == style && presentedScreens.count == level }
        set {
            guard !newValue, let dialog, dialog.style == style else { return }
            // SwiftUI also sets it when a button is pressed. By the time that this runs, the button
            // has answered; otherwise the user has tapped beside the dialog.
            Task { cancel(dialog) }
        }
    }

    private func cancel(_ dialog: PresentedDialog) {
        guard let button = dialog.buttons.first(where: { $0.role == .cancel }) else { return }
        press(button, of: dialog)
    }

    /// Whether an inspector is shown at a level, as a property that `inspector(isPresented:)` can
    /// be bound to.
    subscript(inspector level: Int, id id: String) -> Bool {
        get { presented(at: level, style: .inspector) != nil }
        set { if !newValue { self[presented: level, .inspector, id: id] = nil } }
    }
}
