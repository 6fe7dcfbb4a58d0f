/// A string that generic code compares and hashes byte by byte: the key of a dictionary, an element
/// of a set. Elsewhere `==` of `String` does so (`Text.swift`).
public struct ExactString: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The string.
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public static func == (left: ExactString, right: ExactString) -> Bool {
        left.text == right.text
    }

    public func hash(into hasher: inout Hasher) {
        text.withBytes { $0.hash(into: &hasher) }
    }
}

extension Span<UInt8> {
    /// Hashes eight bytes at a time, since the hasher is as fast for a word as for a byte.
    public func hash(into hasher: inout Hasher) {
        var index = 0
        while index + 8 <= count {
            hasher.combine(EightBytes(self, at: index).word)
            index += 8
        }
        var rest: UInt64 = 0
        while index < count {
            rest = rest << 8 | UInt64(self[index])
            index += 1
        }
        hasher.combine(rest << 8 | UInt64(UInt8(truncatingIfNeeded: count)))
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The case with this raw value. For input it replaces `init(rawValue:)`, which compares by
    /// canonical equivalence.
    public init?(named name: String) {
        let found = Self.allCases.first { $0.rawValue == name }
        guard let found else { return nil }
        self = found
    }
}

extension String {
    /// The text for a message: all of it if it is short, otherwise the first 60 characters.
    public var clipped: String {
        utf8.count <= 80 ? self : String(unicodeScalars.prefix(60)) + "…"
    }
}
