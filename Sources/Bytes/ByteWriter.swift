/// Appends text and numbers to one buffer that grows.
///
/// The buffer is always full of initialized bytes, of which `count` are in use, so that a piece is
/// copied many bytes at a time into a range that was checked once. Appending the short pieces of
/// JSON to an array takes four to seven times as long, which was a fifth of the CPU time of a
/// change.
public struct ByteWriter: Sendable {
    /// The first `length` bytes are the text; the others are free.
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var length = 0

    /// The text bytes that fill 1 KiB together with the array's header: the largest allocation
    /// that malloc serves from its per-thread cache (tcache).
    public static let smallAllocationCapacity = 992

    /// - Parameter capacity: bytes that can be written before more memory is needed.
    public init(capacity: Int = 256) { grow(by: capacity) }

    /// The length of the text in bytes.
    public var count: Int { length }
    /// The text, sharing the buffer.
    public var text: ArraySlice<UInt8> { storage[..<length] }
    /// The whole buffer; its first `count` bytes are the text.
    public var bytes: [UInt8] { storage }

    /// The text as an array that has exactly its length.
    public consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - length)
        return storage
    }

    /// Drops the text and keeps the memory.
    public mutating func removeAll() { length = 0 }

    // MARK: - Text

    /// Appends a literal, which compiles to a few stores.
    @inlinable @inline(__always)
    public mutating func append(literal text: StaticString) {
        unsafe append(
            copying: UnsafeRawBufferPointer(
                start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) {
        if length == storage.count { grow(by: 1) }
        storage[length] = byte
        length &+= 1
    }

    /// Appends text as UTF-8.
    public mutating func append(_ text: String) { append(text.utf8.span) }
    /// Appends bytes.
    public mutating func append(_ text: [UInt8]) { append(text.span) }
    /// Appends bytes.
    public mutating func append(_ text: ArraySlice<UInt8>) { append(text.span) }

    /// Appends bytes.
    public mutating func append(_ text: Span<UInt8>) {
        unsafe text.withUnsafeBytes { unsafe append(copying: $0) }
    }

    /// Appends bytes between quotes.
    public mutating func append(quoting text: Span<UInt8>) {
        let (start, added) = (length, text.count + 2)
        if start &+ added > storage.count { grow(by: added) }
        storage[start] = ASCII.quote
        length = start &+ 1
        unsafe text.withUnsafeBytes { unsafe append(copying: $0) }
        storage[length] = ASCII.quote
        length = start &+ added
    }

    @inlinable @inline(__always)
    mutating func append(copying text: UnsafeRawBufferPointer) {
        let start = length
        let end = start &+ text.count
        if end > storage.count { grow(by: text.count) }
        unsafe storage.withUnsafeMutableBytes { bytes in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end])
            unsafe target.copyMemory(from: text)
        }
        length = end
    }

    @usableFromInline @inline(never)
    mutating func grow(by wanted: Int) {
        let added = max(wanted, storage.count)
        storage.append(addingCapacity: added) { (out: inout OutputSpan<UInt8>) in
            out.append(repeating: 0, count: added)
        }
    }

    // MARK: - Numbers

    /// Appends a number in decimal.
    public mutating func append(_ number: Int) {
        if number < 0 { append(ASCII.hyphen) }
        append(number.magnitude)
    }

    /// Appends a number in decimal.
    public mutating func append(_ number: UInt) {
        guard number >= 100_000_000 else {
            let digits = Decimal.eightDigits(number)
            let leadingZeros = min(digits.trailingZeroBitCount / 8, 7)
            return append(digits >> (leadingZeros * 8), count: 8 - leadingZeros)
        }
        append(number / 100_000_000)
        append(Decimal.eightDigits(number % 100_000_000), count: 8)
    }

    /// Appends the lowest `digits` hexadecimal digits of a number, in lower case.
    public mutating func append(hexadecimal number: UInt64, digits: Int) {
        for index in (0..<digits).reversed() {
            append(Hexadecimal.digit(UInt8(number >> (UInt64(index) * 4) & 0xF)))
        }
    }

    /// - Parameter digits: values from 0 to 9, one per byte, the lowest byte first.
    private mutating func append(_ digits: UInt64, count: Int) {
        let word = (digits | 0x3030_3030_3030_3030).littleEndian
        unsafe withUnsafeBytes(of: word) { unsafe append(copying: $0) }
        length -= 8 - count
    }
}
