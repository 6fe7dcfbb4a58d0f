internal import Bytes

/// A string in the text that was checked but not decoded.
struct StringToken: Sendable {
    /// The range between the quotes.
    var range: Range<Int>
    var isEscaped: Bool
}

extension JSONReader {
    /// Skips a string and checks its escapes, its UTF-8 and that control characters are escaped.
    @inline(__always)
    mutating func scanString(
        _ expectation: JSONSyntaxError.Expectation
    ) throws(JSONSyntaxError) -> StringToken {
        guard byte == UInt8(ascii: "\"") else { throw unexpected(expectation) }
        let first = offset + 1
        var isEscaped = false
        offset = first
        while true {
            skipPlain()
            let found = byte
            if found == UInt8(ascii: "\"") {
                offset += 1
                return StringToken(range: first..<offset - 1, isEscaped: isEscaped)
            }
            if found == UInt8(ascii: "\\") {
                isEscaped = true
                try skipEscape()
            } else {
                try skipScalar()
            }
        }
    }

    /// Skips ASCII characters that are not special. Most strings end within the first block; in
    /// longer ones, whole blocks are checked at once.
    @inline(__always)
    private mutating func skipPlain() {
        let soon = min(end, offset + Self.blockCount)
        var position = offset
        while position < soon, isPlain(bytes[position]) {
            position += 1
        }
        if position == soon { position = plainEnd(from: position) }
        offset = position
    }

    private static let blockCount = 16

    @inline(never)
    private func plainEnd(from first: Int) -> Int {
        var position = first
        while end - position >= Self.blockCount {
            let block = bytes.span.extracting(position..<position + Self.blockCount)
            // There is no branch in the loop, so it is vectorized.
            var others: UInt8 = 0
            for index in 0..<Self.blockCount {
                let byte = block[index]
                others |=
                    (byte &- 0x20 >= 0x60 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0)
                    | (byte == UInt8(ascii: "\\") ? 1 : 0)
            }
            guard others == 0 else { break }
            position += Self.blockCount
        }
        while position < end, isPlain(bytes[position]) {
            position += 1
        }
        return position
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Skips a character outside ASCII; anything else is an error.
    private mutating func skipScalar() throws(JSONSyntaxError) {
        guard offset < end else { throw failure(.textEnds) }
        guard bytes[offset] >= 0x20 else { throw failure(.controlCharacter) }
        guard let length = UTF8Sequence.length(in: bytes, at: offset, end: end) else {
            throw failure(.invalidUTF8)
        }
        offset += length
    }

    /// Skips an escape, or the two escapes of a surrogate pair.
    private mutating func skipEscape() throws(JSONSyntaxError) {
        let position = offset
        offset += 1
        guard offset < end else { throw failure(.textEnds) }
        guard byte == UInt8(ascii: "u") else {
            guard simpleEscape(byte) != nil else { throw failure(.invalidEscape, at: position) }
            offset += 1
            return
        }
        let unit = try scanHexUnit(escapeAt: position)
        guard unit & 0xF800 == 0xD800 else { return }
        guard unit < 0xDC00 else { throw failure(.loneSurrogate, at: position) }
        guard offset < end else { throw failure(.textEnds) }
        guard byte == UInt8(ascii: "\\") else { throw failure(.loneSurrogate, at: position) }
        let second = offset
        offset += 1
        guard offset < end else { throw failure(.textEnds) }
        guard byte == UInt8(ascii: "u") else { throw failure(.loneSurrogate, at: position) }
        guard try scanHexUnit(escapeAt: second) & 0xFC00 == 0xDC00 else {
            throw failure(.loneSurrogate, at: position)
        }
    }

    /// Reads `uXXXX`, whose `u` was checked.
    private mutating func scanHexUnit(escapeAt position: Int) throws(JSONSyntaxError) -> UInt32 {
        offset += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard offset < end else { throw failure(.textEnds) }
            guard let digit = Hexadecimal.value(byte) else {
                throw failure(.invalidEscape, at: position)
            }
            unit = unit << 4 | UInt32(digit)
            offset += 1
        }
        return unit
    }
}

// MARK: - Decoding

extension JSONReader {
    /// The text of a string that was checked.
    func string(_ token: StringToken) -> String {
        guard token.isEscaped else {
            return String(decoding: bytes[token.range], as: UTF8.self)
        }
        return unescaped(token.range)
    }

    /// Decodes escapes, which were checked.
    private func unescaped(_ range: Range<Int>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            if bytes[position] != UInt8(ascii: "\\") {
                decoded.append(bytes[position])
                position += 1
            } else if let plain = simpleEscape(bytes[position + 1]) {
                decoded.append(plain)
                position += 2
            } else {
                let (scalar, length) = unicodeEscape(at: position)
                decoded.append(contentsOf: Unicode.UTF8.encode(scalar) ?? .init())
                position += length
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private func unicodeEscape(at position: Int) -> (Unicode.Scalar, length: Int) {
        let first = hexUnit(at: position + 2)
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        let second = hexUnit(at: position + 8)
        let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        precondition(scalar != nil, "the surrogate pair was checked")
        return (scalar ?? "\u{FFFD}", 12)
    }

    private func hexUnit(at position: Int) -> UInt32 {
        bytes[position..<position + 4].reduce(0) { $0 << 4 | (UInt32(Hexadecimal.value($1) ?? 0)) }
    }

    private func simpleEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
