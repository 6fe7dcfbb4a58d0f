internal import JSON

/// A label of a session, by which sessions are listed.
package struct Label: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Whether both have the same bytes. `==` compares by Unicode, which takes time that grows with
    /// the square of the length.
    package func isSame(as other: Label) -> Bool {
        JSONText.isSame(key, other.key) && JSONText.isSame(value, other.value)
    }
}
