internal import Bytes

/// The texts and buttons of an alert or a confirmation dialog.
///
/// It is behind a reference: few sheets are dialogs, and a dialog never changes.
package final class Dialog: Sendable {
    /// The title: 1 to `titleBytesMax` bytes of UTF-8.
    package let title: String
    /// The text below the title, or nil if there is none.
    package let message: String?
    /// The buttons, 1 to `buttonsMax`.
    package let buttons: [DialogButton]

    package init(title: String, message: String?, buttons: [DialogButton]) {
        self.title = title
        self.message = message
        self.buttons = buttons
    }

    /// The title in bytes of UTF-8.
    package static let titleBytesMax = 256
    /// The message in bytes of UTF-8.
    package static let messageBytesMax = 4 << 10
    /// The buttons of a dialog.
    package static let buttonsMax = 10

    /// The button that a step back presses. Without one, the dialog waits for an answer.
    package var cancel: DialogButton? { buttons.first { $0.role == .cancel } }

    /// The button with that id.
    package func button(_ id: String) -> DialogButton? {
        buttons.first { $0.id.rawValue == id }
    }
}

extension Dialog: Equatable {
    package static func == (a: Dialog, b: Dialog) -> Bool {
        a === b || (a.title == b.title && a.message == b.message && a.buttons == b.buttons)
    }
}

/// A button of a dialog.
package struct DialogButton: Sendable {
    /// The purpose of a button, for the client that draws it.
    package enum Role: String, CaseIterable, Sendable { case cancel, destructive }

    /// The name by which the button is pressed.
    package var id: MarkName
    /// The text on the button: 1 to `titleBytesMax` bytes of UTF-8.
    package var title: String
    /// The role, or nil for a button without one.
    package var role: Role?

    package init(id: MarkName, title: String, role: Role? = nil) {
        self.id = id
        self.title = title
        self.role = role
    }

    /// The title in bytes of UTF-8.
    package static let titleBytesMax = 64

    /// The button of a dialog that names none.
    package static let ok = DialogButton(id: MarkName(trusted: "ok"), title: "OK", role: .cancel)
}

extension DialogButton: Equatable {
    /// Compares the title byte by byte.
    package static func == (a: DialogButton, b: DialogButton) -> Bool {
        a.id == b.id && a.title == b.title && a.role == b.role
    }
}
