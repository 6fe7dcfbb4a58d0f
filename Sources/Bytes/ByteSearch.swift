internal import CBytes

/// Searches, comparisons and loads that are faster than a loop over checked subscripts.
public enum ByteSearch {
    /// The index of the first occurrence of a byte in a range, by memchr(3).
    public static func first(_ byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        return unsafe bytes.withUnsafeBytes { buffer -> Int? in
            guard let base = buffer.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// Compares two ranges of bytes by memcmp(3). A range that is a prefix of the other comes
    /// first.
    ///
    /// - Returns: a negative number if `a` comes first, 0 if they are equal, else a positive one.
    public static func order(
        _ a: [UInt8], in rangeA: Range<Int>, against b: [UInt8], in rangeB: Range<Int>
    ) -> Int {
        precondition(rangeA.lowerBound >= 0 && rangeA.upperBound <= a.count)
        precondition(rangeB.lowerBound >= 0 && rangeB.upperBound <= b.count)
        let result = unsafe a.withUnsafeBytes { first in
            unsafe b.withUnsafeBytes { second -> Int in
                guard let x = first.baseAddress, let y = second.baseAddress else {
                    return 0
                }
                return unsafe Int(
                    memcmp(
                        x + rangeA.lowerBound, y + rangeB.lowerBound,
                        min(rangeA.count, rangeB.count)))
            }
        }
        return result != 0 ? result : rangeA.count - rangeB.count
    }

    /// Eight bytes as a little-endian number.
    @inlinable @inline(__always)
    public static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= bytes.count - 8)
        return unsafe bytes.withUnsafeBytes { buffer in
            unsafe UInt64(
                littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }
}

extension Span<UInt8> {
    /// Whether a byte occurs, by memchr(3).
    public func contains(_ byte: UInt8) -> Bool {
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return unsafe memchr(start, Int32(byte), bytes.count) != nil
        }
    }

    /// Whether both have the same bytes, by memcmp(3).
    public func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { others in
                guard let x = own.baseAddress, let y = others.baseAddress else { return true }
                return unsafe memcmp(x, y, own.count) == 0
            }
        }
    }

    /// Compares the bytes with others by memcmp(3): negative if they come first, 0 if they are the
    /// same. Bytes come before those that begin with them.
    public func order(_ other: Span<UInt8>) -> Int {
        let common = unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { others in
                guard let x = own.baseAddress, let y = others.baseAddress else { return 0 }
                return Int(unsafe memcmp(x, y, min(own.count, others.count)))
            }
        }
        return common != 0 ? common : count - other.count
    }

    /// Whether two ranges have the same bytes. They must be within the span.
    public func isSame(in range: Range<Int>, as other: Range<Int>) -> Bool {
        extracting(range).isSame(as: extracting(other))
    }

    /// Whether a range is a literal, whose bytes become constants of the comparison.
    ///
    /// - Returns: false for a range that is not within the span.
    @inlinable @inline(__always)
    public func isSame(as literal: StaticString, in range: Range<Int>) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard range.count == length, range.lowerBound >= 0, range.upperBound <= count else {
            return false
        }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe (start + range.lowerBound).begins(with: literal)
        }
    }

    /// Eight bytes as a little-endian number.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count &- 8)
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UnsafeRawPointer {
    /// Whether the memory, which is at least as long as a literal, begins with it.
    @inlinable @inline(__always)
    func begins(with literal: StaticString) -> Bool {
        let (length, others) = unsafe (
            literal.utf8CodeUnitCount, UnsafeRawPointer(literal.utf8Start)
        )
        var at = 0
        while at &+ 8 <= length {
            guard unsafe same(as: others, at: at, UInt64.self) else { return false }
            at &+= 8
        }
        // Of a longer literal, some bytes are compared again.
        if length >= 8 {
            return unsafe at == length || same(as: others, at: length &- 8, UInt64.self)
        }
        if length >= 4 {
            return unsafe same(as: others, at: 0, UInt32.self)
                && same(as: others, at: length &- 4, UInt32.self)
        }
        while at < length {
            guard unsafe same(as: others, at: at, UInt8.self) else { return false }
            at &+= 1
        }
        return true
    }

    /// Whether a number of that kind is the same at an offset from both.
    @inlinable @inline(__always)
    func same<Word: FixedWidthInteger & BitwiseCopyable>(
        as other: UnsafeRawPointer, at offset: Int, _: Word.Type
    ) -> Bool {
        unsafe loadUnaligned(fromByteOffset: offset, as: Word.self)
            == other.loadUnaligned(fromByteOffset: offset, as: Word.self)
    }
}
