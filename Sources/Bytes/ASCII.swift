/// Named ASCII bytes, and the classes that single bytes belong to.
public enum ASCII {
    /// Horizontal tab.
    public static let tab: UInt8 = 0x09
    /// LF, `\n`.
    public static let lineFeed: UInt8 = 0x0A
    /// CR, `\r`.
    public static let carriageReturn: UInt8 = 0x0D
    /// The space character.
    public static let space: UInt8 = 0x20
    /// `"`
    public static let quote: UInt8 = 0x22
    /// `%`
    public static let percent: UInt8 = 0x25
    /// `*`
    public static let asterisk: UInt8 = 0x2A
    /// `+`
    public static let plus: UInt8 = 0x2B
    /// `,`
    public static let comma: UInt8 = 0x2C
    /// `-`
    public static let hyphen: UInt8 = 0x2D
    /// `.`
    public static let dot: UInt8 = 0x2E
    /// `/`
    public static let slash: UInt8 = 0x2F
    /// `0`, the first of the ten digits.
    public static let zero: UInt8 = 0x30
    /// `:`
    public static let colon: UInt8 = 0x3A
    /// `;`
    public static let semicolon: UInt8 = 0x3B
    /// `=`
    public static let equals: UInt8 = 0x3D
    /// `\`
    public static let backslash: UInt8 = 0x5C

    /// Space or tab.
    @inlinable @inline(__always)
    public static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// `0`–`9`.
    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// `unreserved` of RFC 3986 §2.3: the bytes that never need percent-encoding.
    @inlinable @inline(__always)
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        isMember(byte, low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// `A`–`Z` as `a`–`z`; every other byte unchanged.
    @inlinable @inline(__always)
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether the byte belongs to a set of ASCII bytes, given as two bit masks. A mask needs no
    /// table to be loaded and no branch that could be mispredicted.
    ///
    /// - Parameters:
    ///   - low: the members from 0x00 to 0x3F.
    ///   - high: the members from 0x40 to 0x7F.
    @inlinable @inline(__always)
    public static func isMember(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte)) & 1 == 1
    }
}
