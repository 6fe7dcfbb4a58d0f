internal import Bytes

/// The texts and buttons of an alert or a confirmation dialog.
///
/// It is behind a reference: few sheets are dialogs, and a dialog never changes.
public final class Dialog: Sendable {
    /// The title: 1 to `titleBytesMax` bytes of UTF-8.
    public let title: String
    /// The text below the title, or nil if there is none.
    public let message: String?
    /// The buttons, 1 to `buttonsMax`.
    public let buttons: [DialogButton]

    public init(title: String, message: String?, buttons: [DialogButton]) {
        self.title = title
        self.message = message
        self.buttons = buttons
    }

    /// The title in bytes of UTF-8.
    public static let titleBytesMax = 256
    /// The message in bytes of UTF-8.
    public static let messageBytesMax = 4 << 10
    /// The buttons of a dialog.
    public static let buttonsMax = 10

    /// The button that a step back presses. Without one, the dialog waits for an answer.
    public var cancel: DialogButton? { buttons.first { $0.role == .cancel } }

    /// The button with that id.
    public func button(_ id: String) -> DialogButton? {
        buttons.first { $0.id.rawValue == id }
    }
}

extension Dialog: Equatable {
    public static func == (a: Dialog, b: Dialog) -> Bool {
        a === b || (a.title == b.title && a.message == b.message && a.buttons == b.buttons)
    }
}

/// A button of a dialog.
public struct DialogButton: Sendable {
    /// The purpose of a button, for the client that draws it.
    public enum Role: String, CaseIterable, Sendable { case cancel, destructive }

    /// The name by which the button is pressed.
    public var id: MarkName
    /// The text on the button: 1 to `titleBytesMax` bytes of UTF-8.
    public var title: String
    /// The role, or nil for a button without one.
    public var role: Role?

    public init(id: MarkName, title: String, role: Role? = nil) {
        self.id = id
        self.title = title
        self.role = role
    }

    /// The title in bytes of UTF-8.
    public static let titleBytesMax = 64

    /// The button of a dialog that names none.
    public static let ok = DialogButton(id: MarkName(trusted: "ok"), title: "OK", role: .cancel)
}

extension DialogButton: Equatable {
    /// Compares the title byte by byte.
    public static func == (a: DialogButton, b: DialogButton) -> Bool {
        a.id == b.id && a.title == b.title && a.role == b.role
    }
}
