internal import Bytes
internal import JSON

// Alerts and confirmation dialogs: sheets with texts and buttons in place of a path. Nothing lands
// on a dialog, so there is at most one, on top of all sheets.

extension NavigationState {
    /// The dialog on top, if there is one.
    public var openDialog: (id: EntryID, dialog: Dialog)? {
        sheets.last.flatMap { sheet in sheet.dialog.map { (sheet.id, $0) } }
    }
}

extension SessionEditor {
    /// Refuses to put something on a dialog.
    ///
    /// - Parameter container: the container to put it on; nil stands for a new sheet.
    @inline(__always)
    func refuseDialog(_ container: Container?) throws(RejectionError) {
        guard let (id, dialog) = state.openDialog else { return }
        if let container, container != .sheet(state.sheets.count - 1) { return }
        throw .dialogOpen(id, buttons: dialog.buttons.map { $0.id })
    }

    // MARK: - Presenting

    /// The faults of the members that a style does not have, or needs.
    func faults(of command: Present, style: SheetStyle) -> [InputFault] {
        let route = rules.app?.routes[command.route]
        return command.faults(style, of: route ?? Route(), at: pointer)
    }

    private func title(of command: Present) -> ScreenText? {
        command.dialog.title.map { ScreenText($0.text) }
            ?? rules.app?.routes[command.route]?.texts.title
    }

    /// The texts of a dialog, with the values of its params.
    ///
    /// - Parameter params: the params with the defaults.
    func dialog(_ command: Present, params: Params) -> Dialog? {
        guard let title = title(of: command) else { return nil }
        let declared = rules.app?.routes[command.route]?.texts.dialog ?? DialogTexts()
        let message = (command.dialog.message ?? declared.message).map { ScreenText($0.text) }
        let buttons = command.dialog.buttons ?? declared.buttons ?? [.ok]
        return Dialog(
            title: title.filled(with: params, missing: nil, bytesMax: Dialog.titleBytesMax)
                ?? command.route.rawValue,
            message: message.flatMap {
                $0.filled(with: params, missing: "", bytesMax: Dialog.messageBytesMax)
            },
            buttons: buttons.map { button in
                let title = ScreenText(button.title).filled(
                    with: params, missing: "", bytesMax: DialogButton.titleBytesMax)
                return DialogButton(
                    id: button.id, title: title ?? button.title, role: button.role)
            })
    }

    // MARK: - Pressing

    /// Presses a button of the dialog at an index that is about to be dismissed; without one, the
    /// `cancel` button.
    ///
    /// - Parameter name: the id of the button, as the client wrote it.
    mutating func press(_ name: String?, at index: Int) throws(RejectionError) {
        guard state.sheets.indices.contains(index), let dialog = state.sheets[index].dialog else {
            guard name == nil else {
                throw .invalidRequest([fault("/button", "is only for a dialog")])
            }
            return
        }
        let id = state.sheets[index].id
        if let name {
            guard let button = dialog.button(name) else { throw unknown(name, of: dialog) }
            effects.replacedSheet = id
            pressed(button, of: id)
        } else if let cancel = dialog.cancel {
            pressed(cancel, of: id)
        }
    }

    private mutating func pressed(_ button: DialogButton, of id: EntryID) {
        effects.pressed.append((id, button.id))
        guard button.role != .cancel, let pending, pending.entry == id else { return }
        set(pending.withoutEntry(isAnswered: true))
    }

    private func unknown(_ name: String, of dialog: Dialog) -> RejectionError {
        let names = dialog.buttons.lazy.map { $0.id.rawValue }
        return .unknownButton(
            name, known: Array(names), near: Spelling.near(name, among: names, work: work),
            pointer: pointer + "/button")
    }
}

extension Present {
    /// The faults of the members that a style does not have, or needs.
    ///
    /// - Parameters:
    ///   - route: what the app declares of the route.
    ///   - pointer: the pointer to the command.
    func faults(_ style: SheetStyle, of route: Route, at pointer: String) -> [InputFault] {
        var faults: [InputFault] = []
        func refuse(_ member: String, if isGiven: Bool, _ detail: String) {
            guard isGiven else { return }
            faults.append(InputFault(pointer: pointer + "/" + member, detail: detail))
        }
        if style.isDialog {
            refuse("path", if: path != nil, "must be absent: a dialog has no path")
            refuse("detents", if: detents != nil, "must be absent: a dialog has no detents")
            refuse(
                "dismissible", if: dismissible != nil,
                "must be absent: a dialog is dismissible if it has a cancel button")
            refuse(
                "title", if: dialog.title == nil && route.texts.title == nil,
                "is required for a dialog whose route declares no title")
        } else if let member = dialog.firstMember {
            refuse(member, if: true, "is only for the styles alert and confirmationDialog")
        }
        refuse("anchor", if: anchor != nil && style != .popover, "is only for the style popover")
        return faults
    }
}
