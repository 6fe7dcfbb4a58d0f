internal import Bytes
internal import JSON

/// A label of a session. Lists and streams of sessions can be filtered by labels.
package struct Label: Hashable, Sendable {
    /// The name of the label: 1–64 letters, digits and `. _ ~ -`.
    package var key: String
    /// The value, which may be empty.
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Compares byte by byte: canonically equivalent labels are different.
    package static func == (a: Label, b: Label) -> Bool {
        a.key == b.key && a.value == b.value
    }

    /// Hashes the bytes, as `==` compares them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(key))
        hasher.combine(ExactString(value))
    }
}
