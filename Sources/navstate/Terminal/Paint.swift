/// Colors and emphasis for a terminal, or none.
package struct Paint: Sendable {
    private let isOn: Bool

    /// - Parameter isOn: whether escape sequences are written at all.
    package init(isOn: Bool) { self.isOn = isOn }

    /// How a piece of text looks.
    package enum Style: Sendable {
        case plain
        /// What is visible in the app.
        case strong
        /// What matters less, such as ids and params.
        case faint
        /// What is selected.
        case accent

        /// The parameters of the sequence "select graphic rendition" (ECMA-48).
        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .strong: "1"
            case .faint: "2"
            case .accent: "36"
            }
        }
    }

    /// The text in a style.
    package func text(_ text: String, _ style: Style) -> String {
        guard isOn, let code = style.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
