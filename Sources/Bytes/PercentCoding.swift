/// Percent-encoding (RFC 3986 §2.1).
public enum PercentCoding {
    /// Decodes percent-escapes once and strictly.
    ///
    /// - Parameters:
    ///   - plusIsSpace: `+` means a space, as in a query.
    ///   - allowsControls: control bytes (below 0x20, and 0x7F) may occur, plain or escaped.
    /// - Returns: nil for an escape that is not `%` and two hexadecimal digits, for a control byte
    ///   that is not allowed, and for bytes that are not UTF-8 once decoded.
    public static func decode(
        _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool, allowsControls: Bool
    ) -> String? {
        guard bytes.contains(where: { isSpecial($0, plusIsSpace) }) else {
            return String(utf8: bytes)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isEscape = bytes[index] == ASCII.percent
            guard let byte = isEscape ? escape(bytes, index) : bytes[index],
                allowsControls || !isControl(byte)
            else { return nil }
            let isSpace = plusIsSpace && !isEscape && byte == ASCII.plus
            decoded.append(isSpace ? ASCII.space : byte)
            index += isEscape ? 3 : 1
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The text as part of a path segment or a query: all but the unreserved bytes are escaped.
    public static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        append(text, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends the text, encoded as by `encode`.
    public static func append(_ text: String, to out: inout [UInt8]) {
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                out.append(byte)
            } else {
                out.append(ASCII.percent)
                out.append(Hexadecimal.uppercaseDigit(byte >> 4))
                out.append(Hexadecimal.uppercaseDigit(byte & 15))
            }
        }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    private static func isSpecial(_ byte: UInt8, _ plusIsSpace: Bool) -> Bool {
        byte == ASCII.percent || isControl(byte) || (plusIsSpace && byte == ASCII.plus)
    }

    private static func escape(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt8? {
        guard bytes.endIndex - index > 2, let high = Hexadecimal.value(bytes[index + 1]),
            let low = Hexadecimal.value(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }
}
