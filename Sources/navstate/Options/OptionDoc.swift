internal import Bytes

/// The documentation of an option, in two lengths.
package struct OptionDoc: Sendable {
    /// A phrase without a full stop, for lists.
    package let short: String
    /// Full sentences for `navstate help OPTION`, the manual page and docs/options.md: what the
    /// option is for, when to change it, and what happens at its limit. A line break counts as a
    /// space, and an empty line begins a new paragraph.
    package let long: String

    package init(_ short: String, _ long: String) {
        self.short = short
        self.long = long
    }

    /// The paragraphs of the long text, each on one line.
    package var paragraphs: [String] {
        long.split(separator: "\n\n").map { String($0).replacing("\n", with: " ") }
    }
}
