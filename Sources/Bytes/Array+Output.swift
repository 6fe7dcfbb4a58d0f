extension Array where Element == UInt8 {
    /// Makes room for at least this many more bytes, at least doubling the capacity if it is too
    /// small.
    public mutating func reserveRoom(for more: Int) {
        let needed = count + more
        if needed > capacity { reserveCapacity(Swift.max(needed, 2 * capacity)) }
    }

    /// Appends zeros, as room for a later read. In a debug build this is many times faster than
    /// appending a repeated element.
    public mutating func append(zeros count: Int) {
        reserveRoom(for: count)
        var left = count
        while left > 0 {
            let piece = Swift.min(left, zeros.count)
            append(zeros, 0..<piece)
            left -= piece
        }
    }

    /// Appends bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends text, which is faster than appending its UTF-8 view as a sequence.
    public mutating func append(_ text: String) { text.withBytes { append($0) } }

    /// Appends a number in hexadecimal, in lower case.
    public mutating func append(hexadecimal number: UInt) {
        var shift = (UInt.bitWidth - 1 - (number | 1).leadingZeroBitCount) & ~3
        while shift >= 0 {
            append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> UInt(shift)) & 0xF))
            shift -= 4
        }
    }

    /// Appends a range of another array. This is faster than appending a slice, which retains the
    /// other array.
    public mutating func append(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: UnsafeBufferPointer(rebasing: buffer[range]))
        }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends eight bytes, the lowest first.
    public mutating func append(word: UInt64) {
        for index: UInt64 in 0..<8 { append(UInt8(truncatingIfNeeded: word >> (index * 8))) }
    }
}

private let zeros = [UInt8](repeating: 0, count: 16 << 10)
