/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    /// Decodes strictly: only the standard alphabet, padding only where it belongs, no whitespace,
    /// and unused bits zero. Returns nil for anything else.
    public static func decode(_ text: String) -> [UInt8]? { text.withBytes { decode($0) } }

    private static func decode(_ digits: Span<UInt8>) -> [UInt8]? {
        guard digits.count % 4 == 0 else { return nil }
        var padding = 0
        while padding < min(digits.count, 2), digits[digits.count - 1 - padding] == ASCII.equals {
            padding += 1
        }
        let count = digits.count - padding
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var (word, bits): (UInt32, UInt32) = (0, 0)
        for index in 0..<count {
            guard let value = value(digits[index]) else { return nil }
            word = word << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            word &= 1 << bits - 1
        }
        return word == 0 && Int(bits) == padding * 2 ? bytes : nil
    }

    /// Encodes bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = ByteWriter()
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word =
                group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(group.count)))
            for place in 0..<4 {
                let digit =
                    place > group.count
                    ? ASCII.equals : Self.digit(word >> (18 - 6 * UInt32(place)) & 63)
                text.append(digit)
            }
        }
        return text.string
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        switch value {
        case 0..<26: 0x41 + UInt8(value)
        case 26..<52: 0x61 + UInt8(value - 26)
        case 52..<62: 0x30 + UInt8(value - 52)
        case 62: ASCII.plus
        default: ASCII.slash
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x41...0x5A: digit - 0x41
        case 0x61...0x7A: digit - 0x61 + 26
        case 0x30...0x39: digit - 0x30 + 52
        case ASCII.plus: 62
        case ASCII.slash: 63
        default: nil
        }
    }
}
