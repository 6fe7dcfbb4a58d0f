public import Bytes

// JSON is written piece by piece, by code that knows the structure of what it writes.
extension ByteWriter {
    /// Appends a finite number in the shortest form that reads back as the same double. It always
    /// has a point or an exponent: `1.0`, `0.1`, `1e+21`.
    public mutating func append(_ number: Double) {
        precondition(number.isFinite, "JSON has no number that is not finite")
        append(number.description)
    }

    // MARK: - Members

    /// Begins a member whose name is escaped where it must be.
    public mutating func member(key: String) {
        element()
        append(string: key)
        append(ASCII.colon)
    }

    /// Appends a member that is a string, which is escaped where it must be.
    @inline(__always)
    public mutating func member(_ name: StaticString, string text: String) {
        member(name)
        append(string: text)
    }

    /// Appends a member that is a string of sixteen hexadecimal digits.
    public mutating func member(_ name: StaticString, hexadecimal word: UInt64) {
        member(name)
        append(ASCII.quote)
        append(hexadecimal: word, digits: 16)
        append(ASCII.quote)
    }

    /// Appends a member that is any value.
    public mutating func member(_ name: StaticString, _ value: JSON) {
        member(name)
        value.write(to: &self)
    }

    /// Appends a member that is an array of strings without characters that are escaped.
    public mutating func member(_ name: StaticString, names: [String]) {
        member(name)
        append(literal: "[")
        for name in names {
            element()
            append(quoting: name)
        }
        append(literal: "]")
    }

    // MARK: - Strings

    /// Appends a string in quotes and escapes only what must be escaped.
    public mutating func append(string: String) { string.withBytes { append(string: $0) } }

    private mutating func append(string text: Span<UInt8>) {
        guard text.plainEnd(in: 0..<text.count) < text.count, Self.mustEscape(text) else {
            return append(quoting: text)
        }
        append(ASCII.quote)
        for index in text.indices { append(escaped: text[index]) }
        append(ASCII.quote)
    }

    private static func mustEscape(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where mustBeEscaped(text[index]) { return true }
        return false
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(literal: #"\""#)
        case UInt8(ascii: "\\"): append(literal: #"\\"#)
        case 0x08: append(literal: #"\b"#)
        case 0x09: append(literal: #"\t"#)
        case 0x0A: append(literal: #"\n"#)
        case 0x0C: append(literal: #"\f"#)
        case 0x0D: append(literal: #"\r"#)
        case 0x00..<0x20:
            append(literal: byte < 0x10 ? #"\u000"# : #"\u001"#)
            append(Hexadecimal.digit(byte & 0x0F))
        default: append(byte)
        }
    }
}
