public import Bytes
internal import JSON

/// The texts and buttons that a route declares for a dialog, or that a command brings; nil where
/// they say nothing.
public struct DialogTexts: Equatable, Sendable {
    /// The title.
    public var title: ExactString?
    /// The text below the title.
    public var message: ExactString?
    /// The buttons.
    public var buttons: [DialogButton]?

    public init() {}

    /// The first member that is there, or nil if there is none.
    var firstMember: String? {
        if title != nil { return "title" }
        if message != nil { return "message" }
        return buttons == nil ? nil : "buttons"
    }
}

extension DialogTexts {
    /// Reads `title`, `message` and `buttons`.
    ///
    /// - Parameter isSettled: whether the texts are those of a dialog that was presented. Then a
    ///   title may be empty, because a value of its params was.
    init(_ reader: inout ObjectReader, isSettled: Bool = false) {
        let least = isSettled ? 0 : 1
        title = reader.exactText("title", bytes: least...Dialog.titleBytesMax)
        readBody(&reader, titleBytesMin: least)
    }

    /// Reads `message` and `buttons`.
    mutating func readBody(_ reader: inout ObjectReader, titleBytesMin: Int = 1) {
        message = reader.exactText("message", bytes: 0...Dialog.messageBytesMax)
        guard let items = reader.array("buttons") else { return }
        guard (1...Dialog.buttonsMax).contains(items.count) else {
            return reader.refuse(
                "buttons", "must have 1 to \(Dialog.buttonsMax) items", isLimit: !items.isEmpty)
        }
        var read: [DialogButton] = []
        buttons = reader.objects("buttons", of: items) { inner in
            guard let button = DialogButton(&inner, titleBytesMin) else { return nil }
            if read.contains(where: { $0.id == button.id }) {
                inner.refuse("id", "is already used by another button")
            }
            if button.role == .cancel, read.contains(where: { $0.role == .cancel }) {
                inner.refuse("role", "must be cancel for one button at most")
            }
            read.append(button)
            return button
        }
    }
}

extension DialogButton {
    fileprivate init?(_ reader: inout ObjectReader, _ titleBytesMin: Int) {
        let id: MarkName? = reader.requiredName("id")
        let title = reader.requiredText("title", bytes: titleBytesMin...Self.titleBytesMax)
        let role: Role? = reader.choice("role")
        reader.refuseUnknown()
        guard let id, let title else { return nil }
        self.init(id: id, title: title, role: role)
    }
}
