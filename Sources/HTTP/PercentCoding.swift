/// Percent-encoding (RFC 3986 §2.1), decoded once and strictly.
package enum PercentCoding {
    /// One path segment as text.
    ///
    /// Nil for an escape that is not `%` and two hexadecimal digits, for control bytes, plain or
    /// escaped, and for what is not UTF-8 when decoded. `%2F` is a slash of the text, not of the
    /// path.
    package static func decodeSegment(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes, range, plusIsSpace: false)
    }

    /// One name or value of a query, in which `+` also stands for a space.
    package static func decodeQuery(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes, range, plusIsSpace: true)
    }

    /// Text as it may stand in a segment or a query: all but unreserved bytes are escaped.
    package static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        append(text, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// The same, appended.
    package static func append(_ text: String, to out: inout [UInt8]) {
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                out.append(byte)
            } else {
                out.append(ASCII.percent)
                out.append(hexDigit(byte >> 4))
                out.append(hexDigit(byte & 15))
            }
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ range: Range<Int>, plusIsSpace: Bool
    ) -> String? {
        guard range.contains(where: { isSpecial(bytes[$0], plusIsSpace) }) else {
            return String(validating: bytes[range], as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let isEscape = bytes[index] == ASCII.percent
            guard let byte = isEscape ? escape(bytes, index, range.upperBound) : bytes[index],
                byte >= 0x20, byte != 0x7F
            else { return nil }
            let isSpace = plusIsSpace && !isEscape && byte == ASCII.plus
            decoded.append(isSpace ? ASCII.space : byte)
            index += isEscape ? 3 : 1
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8, _ plusIsSpace: Bool) -> Bool {
        byte == ASCII.percent || byte < 0x20 || byte == 0x7F || (plusIsSpace && byte == ASCII.plus)
    }

    private static func escape(_ bytes: [UInt8], _ index: Int, _ end: Int) -> UInt8? {
        guard end - index > 2, let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero + value : 0x41 + value - 10
    }
}
