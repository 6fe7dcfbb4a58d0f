/// Eight bytes at once, in one machine word, the first in its lowest bits.
///
/// Only a shortcut: what it finds is what a loop over the bytes would find, and where fewer than
/// eight bytes are left, that loop runs.
struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    private(set) var word: UInt64

    /// `position + 8` is not behind the end, and `position` is not negative: callers see to that.
    /// Checked once instead of for each byte, it is one load.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at position: Int) {
        precondition(position >= 0 && position < bytes.count &- 7, "eight bytes that are there")
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

    /// How many bytes stand before the first that is below 0x20 or 0x7F, 8 if there is none. A tab
    /// is taken for a control byte here.
    @inline(__always)
    var textCount: Int { Self.count(before: marks(below: 0x20) | marks(of: 0x7F)) }

    /// How many bytes stand before the first that does not belong in a target (`ASCII.isTarget`).
    @inline(__always)
    var targetCount: Int {
        Self.count(before: marks(below: 0x21) | marks(of: 0x23) | marks(of: 0x7F) | word)
    }

    /// How many bytes stand before the first that is `byte`, 8 if there is none.
    @inline(__always)
    func count(before byte: UInt8) -> Int { Self.count(before: marks(of: byte)) }

    // A mark is the highest bit of a byte. Behind the first mark there may be false ones, since a
    // subtraction borrows from the next byte; before it there are none.

    /// - Parameter bound: at most 0x80.
    @inline(__always)
    private func marks(below bound: UInt64) -> UInt64 { (word &- Self.ones &* bound) & ~word }

    @inline(__always)
    private func marks(of byte: UInt8) -> UInt64 {
        let flipped = word ^ (Self.ones &* UInt64(byte))
        return (flipped &- Self.ones) & ~flipped
    }

    @inline(__always)
    private static func count(before marks: UInt64) -> Int {
        (marks & highs).trailingZeroBitCount &>> 3
    }
}

extension Span where Element == UInt8 {
    /// The first place of a byte in a range; the range's end if it is not there.
    @inline(__always)
    func place(of byte: UInt8, in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, index &+ 8 <= count {
            let passed = EightBytes(self, at: index).count(before: byte)
            index &+= passed
            if passed < 8 { return Swift.min(index, range.upperBound) }
        }
        while index < range.upperBound, self[index] != byte { index &+= 1 }
        return Swift.min(index, range.upperBound)
    }
}
