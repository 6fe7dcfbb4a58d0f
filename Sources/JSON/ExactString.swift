/// A string that equals only strings of the same Unicode scalars.
///
/// `String` takes canonically equivalent spellings for equal, and comparing or hashing them takes
/// time that grows with the square of a run of combining marks. Text from outside is therefore
/// compared and looked up as this type, byte by byte.
package struct ExactString: Hashable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        JSONText.isSame(left.text, right.text)
    }

    /// Eight bytes at a time, as the hasher takes a word as fast as a byte.
    package func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count & 7 == 0 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(count)
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The case of that name. `init(rawValue:)` compares by canonical equivalence, so it is not for text
    /// from outside.
    package init?(named name: String) {
        let found = Self.allCases.first { JSONText.isSame($0.rawValue, name) }
        guard let found else { return nil }
        self = found
    }
}
