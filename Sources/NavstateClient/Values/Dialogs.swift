/// An alert or a confirmation dialog: texts and buttons instead of a screen.
///
/// ```swift
/// let dialog = Dialog(
///     title: "Delete the chat?",
///     buttons: [
///         DialogButton("delete", title: "Delete", role: .destructive),
///         DialogButton("keep", title: "Keep", role: .cancel),
///     ])
/// if try await session.ask(dialog) == "delete" { try await session.back() }
/// ```
public struct Dialog: Sendable, Hashable {
    /// `alert` or `confirmationDialog`; nil for the style of the route.
    public var style: SheetStyle?
    /// The title; nil for that of the route.
    public var title: String?
    /// The text under the title.
    public var message: String?
    /// The buttons, from top to bottom. If there are none, they are those of the route, or `ok`.
    public var buttons: [DialogButton]
    /// A route of the app that declares the texts; nil for a dialog that the app does not declare.
    public var destination: Nav.Destination?

    /// Creates a dialog that the app need not declare.
    public init(
        style: SheetStyle = .alert, title: String, message: String? = nil,
        buttons: [DialogButton] = []
    ) {
        self.style = style
        self.title = title
        self.message = message
        self.buttons = buttons
    }

    /// Creates a dialog whose texts the app declares for the route.
    public init(_ destination: Nav.Destination) {
        self.destination = destination
        buttons = []
    }

    var members: [String: JSONValue] {
        var members = destination?.members() ?? [:]
        members.add([
            "style": style, "title": title, "message": message,
            "buttons": buttons.map(\.json).unless([]),
        ])
        return members
    }
}

/// A button of a dialog.
public struct DialogButton: Document, Identifiable, JSONConvertible {
    /// The name by which the button is pressed.
    public var id = ""
    /// The text on the button.
    public var title = ""
    /// The meaning of the button, if it has one of those that are drawn differently.
    public var role: DialogButtonRole?
    public var members: [String: JSONValue] = [:]

    /// Creates a button.
    public init(_ id: String, title: String, role: DialogButtonRole? = nil) {
        self.id = id
        self.title = title
        self.role = role
    }

    init() {}

    static let known: [Member<DialogButton>] = [
        .required("id", \.id), .required("title", \.title), .optional("role", \.role),
    ]

    var json: JSONValue {
        var json: [String: JSONValue] = members
        json.add(["id": id, "title": title, "role": role])
        return .object(json)
    }
}

/// The meaning of a button of a dialog.
public struct DialogButtonRole: RawRepresentable, Codable, Sendable, Hashable, JSONConvertible {
    public var rawValue: String

    /// Creates a role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Leaves everything as it is. Going back from the dialog presses this button.
    public static let cancel = DialogButtonRole(rawValue: "cancel")
    /// Deletes or loses something.
    public static let destructive = DialogButtonRole(rawValue: "destructive")
}

extension Nav.Sheet {
    /// Whether this is an alert or a confirmation dialog, which has buttons instead of a path.
    public var isDialog: Bool { style == .alert || style == .confirmationDialog }

    /// The text under the title of a dialog.
    public var message: String? {
        get { members["message"]?.string }
        set { members["message"] = newValue.map(JSONValue.string) }
    }

    /// The buttons of a dialog; empty for other sheets.
    public var buttons: [DialogButton] {
        get { members.value("buttons") ?? [] }
        set { members["buttons"] = newValue.isEmpty ? nil : .array(newValue.map(\.json)) }
    }
}
