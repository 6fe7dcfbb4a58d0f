/// Appends text and numbers to one buffer that grows.
///
/// The buffer is raw memory with a cursor. A piece is checked once against the room that is left,
/// and copied. Nothing is counted or compared for each piece, which an array does: it must find
/// out for each access whether it shares its buffer.
@safe
public struct ByteWriter: ~Copyable {
    @usableFromInline var memory: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var length = 0

    /// The largest buffer that malloc serves from its per-thread cache (tcache), in bytes.
    public static let smallAllocationCapacity = 1024

    /// - Parameter capacity: bytes that can be written before more memory is needed.
    public init(capacity: Int = 256) {
        unsafe memory = .allocate(capacity: max(capacity, 1))
        self.capacity = max(capacity, 1)
    }

    deinit { unsafe memory.deallocate() }

    /// The length of the text in bytes.
    public var count: Int { length }

    /// Bytes of memory.
    public var heldBytes: Int { capacity }

    /// The text as an array.
    public consuming func finish() -> [UInt8] { bytes }

    /// A copy of the text as an array.
    public var bytes: [UInt8] {
        // An array that is made with its elements is made by code for all types, which is slower.
        var copy: [UInt8] = []
        copy.reserveCapacity(length)
        copy.append(self)
        return copy
    }

    /// A copy of the text as a string.
    public var string: String { withText { $0.string } }

    /// Calls a function with the text.
    public func withText<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe UnsafeBufferPointer(start: memory, count: length).span)
    }

    /// A copy of a part of the text.
    public func bytes(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= length)
        return unsafe Array(
            UnsafeBufferPointer(start: memory + range.lowerBound, count: range.count))
    }

    /// Drops the text and keeps the memory, unless it is larger than this.
    public mutating func removeAll(keepingCapacity capacityMax: Int = .max) {
        if capacity > capacityMax { self = ByteWriter() }
        length = 0
    }

    /// Drops the last bytes.
    public mutating func removeLast(_ count: Int) {
        precondition(count >= 0 && count <= length)
        length -= count
    }

    /// Makes room for at least this many more bytes.
    @inlinable @inline(__always)
    public mutating func reserve(_ more: Int) {
        if more > capacity &- length { grow(by: more) }
    }

    @usableFromInline @inline(never)
    mutating func grow(by wanted: Int) {
        let larger = capacity + max(wanted, capacity)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe moved.update(from: memory, count: length)
        unsafe memory.deallocate()
        unsafe memory = moved
        capacity = larger
    }

    // MARK: - Text

    /// Appends a literal, which compiles to a few stores.
    @inlinable @inline(__always)
    public mutating func append(literal text: StaticString) {
        let added = text.utf8CodeUnitCount
        reserve(added)
        unsafe (memory + length).update(from: text.utf8Start, count: added)
        length &+= added
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe memory[length] = byte
        length &+= 1
    }

    /// Appends text as UTF-8.
    @inlinable
    public mutating func append(_ text: String) {
        // Other than `withBytes`, this makes no copy of the string, which is retained for that.
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { source in
            reserve(source.count)
            if let start = source.baseAddress {
                unsafe (memory + length).update(from: start, count: source.count)
            }
            length &+= source.count
        }
        if isWritten == nil { text.withBytes { append($0) } }
    }
    /// Appends bytes.
    @inlinable @inline(__always)
    public mutating func append(_ text: [UInt8]) { append(text.span) }
    /// Appends bytes.
    @inlinable @inline(__always)
    public mutating func append(_ text: ArraySlice<UInt8>) { append(text.span) }

    /// Appends bytes.
    @inlinable
    public mutating func append(_ text: Span<UInt8>) {
        reserve(text.count)
        unsafe text.withUnsafeBufferPointer { source in
            if let start = source.baseAddress {
                unsafe (memory + length).update(from: start, count: source.count)
            }
        }
        length &+= text.count
    }

    /// Appends text between quotes, without escaping.
    @inlinable
    public mutating func append(quoting text: String) {
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { source in
            unsafe append(quoting: source.span)
        }
        if isWritten == nil { text.withBytes { append(quoting: $0) } }
    }

    /// Appends what another writer has written.
    public mutating func append(_ other: borrowing ByteWriter) {
        reserve(other.length)
        unsafe (memory + length).update(from: other.memory, count: other.length)
        length &+= other.length
    }

    /// Appends bytes between quotes, without escaping.
    @inlinable @inline(__always)
    public mutating func append(quoting text: Span<UInt8>) {
        reserve(text.count &+ 2)
        let end = unsafe memory + length
        unsafe end[0] = ASCII.quote
        unsafe text.withUnsafeBufferPointer { source in
            if let start = source.baseAddress {
                unsafe (end + 1).update(from: start, count: source.count)
            }
        }
        unsafe end[text.count &+ 1] = ASCII.quote
        length &+= text.count &+ 2
    }

    // MARK: - Numbers

    /// Appends a number in decimal.
    public mutating func append(_ number: Int) {
        if number < 0 { append(ASCII.hyphen) }
        append(number.magnitude)
    }

    /// Appends a number in decimal.
    public mutating func append(_ number: UInt) {
        if number < 10 { return append(ASCII.zero &+ UInt8(truncatingIfNeeded: number)) }
        guard number >= 100_000_000 else {
            let digits = Decimal.eightDigits(number)
            let leadingZeros = min(digits.trailingZeroBitCount / 8, 7)
            return append(digits: digits >> (leadingZeros * 8), count: 8 - leadingZeros)
        }
        append(number / 100_000_000)
        append(digits: Decimal.eightDigits(number % 100_000_000), count: 8)
    }

    /// Appends the lowest digits of a number in hexadecimal, in lower case.
    ///
    /// - Parameter digits: how many of them are written, from 1 to 16.
    public mutating func append(hexadecimal number: UInt64, digits: Int) {
        let first = number << UInt64(64 - 4 * digits)
        let halves = (UInt32(first >> 32), UInt32(truncatingIfNeeded: first))
        append(word: Hexadecimal.word(of: halves.0), count: min(digits, 8))
        if digits > 8 { append(word: Hexadecimal.word(of: halves.1), count: digits - 8) }
    }

    /// Appends eight bytes, the lowest first.
    public mutating func append(word: UInt64) { append(word: word, count: 8) }

    /// Appends the lowest bytes of a word, the first byte in the lowest bits.
    ///
    /// - Parameter count: how many of them are written, from 1 to 8.
    public mutating func append(word: UInt64, count: Int) {
        reserve(8)
        unsafe UnsafeMutableRawPointer(memory + length).storeBytes(
            of: word.littleEndian, as: UInt64.self)
        length &+= count
    }

    /// Appends decimal digits.
    ///
    /// - Parameters:
    ///   - digits: values from 0 to 9, one per byte, the lowest byte first.
    ///   - count: how many of them are written, from 1 to 8.
    public mutating func append(digits: UInt64, count: Int) {
        append(word: digits | 0x3030_3030_3030_3030, count: count)
    }
}

extension Array where Element == UInt8 {
    /// Appends what a writer has written.
    public mutating func append(_ text: borrowing ByteWriter) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.memory, count: text.length))
    }
}
