/// The well-formed byte sequences of UTF-8 (The Unicode Standard, table 3-7).
public enum UTF8Sequence {
    /// The number of bytes of the scalar that begins at an index, or nil if no scalar begins there
    /// or it does not end before `end`.
    public static func length(in bytes: [UInt8], at index: Int, end: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[index] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: return nil
        }
        guard length <= end - index, second.contains(bytes[index + 1]) else { return nil }
        for next in index + 2..<index + max(length, 2) where bytes[next] & 0xC0 != 0x80 {
            return nil
        }
        return length
    }
}
