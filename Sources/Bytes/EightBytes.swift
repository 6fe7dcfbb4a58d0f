/// Eight bytes in one machine word, the first one lowest, which are searched at once.
///
/// It finds what a loop over the bytes would find. Callers run such a loop where fewer than eight
/// bytes are left.
public struct EightBytes {
    @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The bytes, the first one in the lowest bits.
    public var word: UInt64

    /// - Precondition: eight bytes from `position` on are in the span.
    @inlinable @inline(__always)
    public init(_ bytes: Span<UInt8>, at position: Int) { word = bytes.word(at: position) }

    @inlinable @inline(__always)
    public init(_ word: UInt64) { self.word = word }

    /// Turns `A`–`Z` into `a`–`z`. All bytes must be below 0x80.
    @inlinable @inline(__always)
    public mutating func lowercase() {
        let fromA = word &+ Self.ones &* (0x80 - 0x41)
        let afterZ = word &+ Self.ones &* (0x80 - 0x5B)
        word |= (fromA & ~afterZ & Self.highs) &>> 2
    }

    /// Clears all but the first `count` bytes.
    ///
    /// - Parameter count: from 1 to 8.
    @inlinable @inline(__always)
    public mutating func keep(_ count: Int) {
        word &= .max &>> UInt64(64 &- 8 &* count)
    }

    /// The number of bytes before the first one that is `byte`; 8 if there is none.
    @inlinable @inline(__always)
    public func count(before byte: UInt8) -> Int { Self.count(before: marks(of: byte)) }

    // A mark is the highest bit of a byte. There may be false marks after the first one, because a
    // subtraction borrows from the next byte, but none before it.

    /// Marks the bytes below a bound of at most 0x80.
    @inlinable @inline(__always)
    public func marks(below bound: UInt64) -> UInt64 { (word &- Self.ones &* bound) & ~word }

    /// Marks the bytes that are `byte`.
    @inlinable @inline(__always)
    public func marks(of byte: UInt8) -> UInt64 {
        let flipped = word ^ (Self.ones &* UInt64(byte))
        return (flipped &- Self.ones) & ~flipped
    }

    /// The number of bytes before the first mark; 8 if there is none.
    @inlinable @inline(__always)
    public static func count(before marks: UInt64) -> Int {
        (marks & highs).trailingZeroBitCount &>> 3
    }

    /// The number of digits at the beginning of the bytes.
    @inlinable @inline(__always)
    public var digitCount: Int {
        // The first byte above nine is the lowest one with its highest bit set.
        let values = word ^ 0x3030_3030_3030_3030
        let others = (values &+ 0x7676_7676_7676_7676 | values) & Self.highs
        return others.trailingZeroBitCount &>> 3
    }

    /// The value of the bytes if all are digits.
    @inlinable @inline(__always)
    public var number: UInt64 { Self.number(word ^ 0x3030_3030_3030_3030) }

    /// The value of the first bytes if they are digits.
    ///
    /// - Parameter count: from 0 to 7.
    @inlinable @inline(__always)
    public func number(ofDigits count: Int) -> UInt64 {
        let values = (word ^ 0x3030_3030_3030_3030) &<< 8
        return Self.number(values &<< UInt64(truncatingIfNeeded: 56 &- 8 &* count))
    }

    /// Combines neighbours to pairs, fours and eight digits; the last digit is the highest byte.
    @inlinable @inline(__always)
    static func number(_ digits: UInt64) -> UInt64 {
        let pairs = digits &* 10 &+ digits &>> 8
        let high = (pairs & 0x0000_00FF_0000_00FF) &* (100 + 1_000_000 << 32)
        let low = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* (1 + 10_000 << 32)
        return (high &+ low) &>> 32
    }
}

extension Span where Element == UInt8 {
    /// The index of the first occurrence of a byte in a range, or the end of the range.
    @inlinable @inline(__always)
    public func index(of byte: UInt8, in range: Range<Int>) -> Int {
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
