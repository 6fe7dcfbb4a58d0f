extension Array where Element == UInt8 {
    /// Appends bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends text, which is faster than appending its UTF-8 view as a sequence.
    public mutating func append(_ text: String) { text.withBytes { append($0) } }

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
