internal import JSON

/// A label of a session, by which sessions are listed.
package struct Label: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Compares bytes, as canonically equivalent labels are different labels.
    package static func == (a: Label, b: Label) -> Bool {
        JSONText.isSame(a.key, b.key) && JSONText.isSame(a.value, b.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(key))
        hasher.combine(ExactString(value))
    }
}
