internal import Bytes

/// Reads a field value by the grammar of RFC 9110 §5.6. All its bytes are allowed in a value.
struct FieldScanner {
    let bytes: [UInt8]
    private(set) var position: Int
    /// Whether a malformed parameter was found.
    private(set) var isBroken = false
    let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    mutating func skip() { position = min(position + 1, end) }

    mutating func skipBlanks() {
        while position < end, ASCII.isBlank(bytes[position]) { position += 1 }
    }

    /// Skips commas and blanks: a list may have empty elements (RFC 9110 §5.6.1.2).
    mutating func skipEmptyElements() {
        while position < end, ASCII.isBlank(bytes[position]) || bytes[position] == ASCII.comma {
            position += 1
        }
    }

    /// Skips a byte and the blanks around it, if it comes next.
    mutating func take(_ byte: UInt8) -> Bool {
        let start = position
        skipBlanks()
        guard position < end, bytes[position] == byte else {
            position = start
            return false
        }
        position += 1
        skipBlanks()
        return true
    }

    /// Skips a byte if it is at the position.
    mutating func takeHere(_ byte: UInt8) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads a token.
    mutating func token() -> Range<Int>? {
        let start = position
        while position < end, ASCII.isToken(bytes[position]) { position += 1 }
        return start < position ? start..<position : nil
    }

    /// Reads a token or a quoted string, and returns it without its quotes and backslashes.
    mutating func word() -> [UInt8]? {
        guard position < end, bytes[position] == ASCII.quote else {
            return token().map { Array(bytes[$0]) }
        }
        position += 1
        var content: [UInt8] = []
        while position < end {
            let byte = bytes[position]
            position += 1
            if byte == ASCII.quote { return content }
            guard byte == ASCII.backslash else {
                content.append(byte)
                continue
            }
            guard position < end else { return nil }
            content.append(bytes[position])
            position += 1
        }
        return nil
    }

    /// Reads the next `; name [= word]` and returns the name in lower case, or nil if there is
    /// none. Empty parameters are skipped (RFC 9110 §5.6.6).
    mutating func parameter() -> (name: String, value: [UInt8])? {
        while take(ASCII.semicolon) {
            if isAtEnd || bytes[position] == ASCII.semicolon { continue }
            guard let name = token() else { return fail() }
            let text = lowercased(name)
            guard take(ASCII.equals) else { return (text, []) }
            guard let value = word() else { return fail() }
            return (text, value)
        }
        return nil
    }

    private mutating func fail() -> (name: String, value: [UInt8])? {
        isBroken = true
        return nil
    }

    func lowercased(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].map(ASCII.lowercased), as: UTF8.self)
    }
}
