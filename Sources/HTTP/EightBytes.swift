/// Eight bytes at once, in one machine word, the first in its lowest bits.
///
/// Only a shortcut: what it finds is what a loop over the bytes would find, and where fewer than
/// eight bytes are left, that loop runs.
struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    private(set) var word: UInt64

    /// `position + 8` is not behind the end. The compiler makes one load of it.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at position: Int) {
        let low =
            UInt64(bytes[position]) | UInt64(bytes[position &+ 1]) &<< 8
            | UInt64(bytes[position &+ 2]) &<< 16 | UInt64(bytes[position &+ 3]) &<< 24
        let high =
            UInt64(bytes[position &+ 4]) &<< 32 | UInt64(bytes[position &+ 5]) &<< 40
            | UInt64(bytes[position &+ 6]) &<< 48 | UInt64(bytes[position &+ 7]) &<< 56
        word = low | high
    }

    /// `A`–`Z` to `a`–`z`. All bytes are below 0x80.
    @inline(__always)
    mutating func lowercase() {
        let fromA = word &+ Self.ones &* (0x80 - 0x41)
        let behindZ = word &+ Self.ones &* (0x80 - 0x5B)
        word |= (fromA & ~behindZ & Self.highs) &>> 2
    }

    /// Zeros in all but the first `count` bytes, of which there are 1 to 8.
    @inline(__always)
    mutating func keep(_ count: Int) {
        word &= .max &>> UInt64(64 &- 8 &* count)
    }

    /// Whether no byte is below 0x20 or 0x7F. A tab is taken for a control byte here.
    @inline(__always)
    var areText: Bool {
        let belowSpace = (word &- Self.ones &* 0x20) & ~word
        let flipped = word ^ (Self.ones &* 0x7F)
        let isDelete = (flipped &- Self.ones) & ~flipped
        return (belowSpace | isDelete) & Self.highs == 0
    }
}
