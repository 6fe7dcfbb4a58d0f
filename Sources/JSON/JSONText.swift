/// The pieces of JSON text, for code that writes an object of known shape by hand.
package enum JSONText {
    /// Appends text as it stands. Twice as fast as appending the UTF-8 view as a sequence.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        let span = text.utf8.span
        bytes.append(addingCapacity: span.count) { (out: inout OutputSpan<UInt8>) in
            for index in span.indices { out.append(span[index]) }
        }
    }

    /// Appends a string in quotes, escaped where it must be.
    package static func appendString(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let first = bytes.count
        append(string, to: &bytes)
        escape(from: first, in: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends text that is known to be UTF-8 in quotes, escaped where it must be.
    package static func appendQuoted(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let first = bytes.count
        bytes.append(contentsOf: text)
        escape(from: first, in: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a number in decimal.
    package static func appendInteger(_ number: Int, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendNatural(number.magnitude, to: &bytes)
    }

    package static func appendNatural(_ number: UInt, to bytes: inout [UInt8]) {
        guard number > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var (rest, first) = (number, 20)
        repeat {
            first -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] = UInt8(ascii: "0") + UInt8(digit)
            rest = quotient
        } while rest > 0
        bytes.append(addingCapacity: 20 - first) { (out: inout OutputSpan<UInt8>) in
            for index in first..<20 { out.append(digits[index]) }
        }
    }

    /// Appends a finite number in the shortest form that reads back as the same double. It always
    /// has a point or an exponent: `1.0`, `0.1`, `1e+21`.
    package static func appendDouble(_ number: Double, to bytes: inout [UInt8]) {
        precondition(number.isFinite, "JSON has no number that is not finite")
        bytes.append(contentsOf: number.description.utf8)
    }

    /// Escapes what was appended; mostly there is nothing to escape, so it is looked for first.
    private static func escape(from first: Int, in bytes: inout [UInt8]) {
        var place = first
        let end = bytes.count
        while place < end, !mustBeEscaped(bytes[place]) { place += 1 }
        guard place < end else { return }
        let rest = Array(bytes[place...])
        bytes.removeSubrange(place...)
        for byte in rest {
            appendEscaped(byte, to: &bytes)
        }
    }

    @inline(__always)
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0x00..<0x10: bytes.append(contentsOf: #"\u000"#.utf8 + hex(byte))
        case 0x10..<0x20: bytes.append(contentsOf: #"\u001"#.utf8 + hex(byte & 0x0F))
        default: bytes.append(byte)
        }
    }

    private static func hex(_ nibble: UInt8) -> [UInt8] {
        [nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10]
    }
}

// MARK: - Comparing

extension JSONText {
    /// Whether two strings have the same scalars; `==` would also take canonical equivalents.
    @inline(__always)
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Whether these bytes are the string's UTF-8.
    @inline(__always)
    package static func isSame(_ bytes: [UInt8], _ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var place = range.lowerBound
        for byte in text.utf8 {
            guard bytes[place] == byte else { return false }
            place += 1
        }
        return true
    }
}
