/// Writes JSON text piece by piece, for code that writes an object of known shape by hand.
///
/// The text goes into bytes that are there already and is copied many bytes at a time. Appending
/// to an array, byte by byte or as a sequence, takes four to seven times as long for pieces as short
/// as JSON's, and that was a fifth of a change. So this file, alone outside POSIX, has `unsafe` in it:
/// copies into a range that was checked.
///
/// What is public is so since only then it is inlined into other rooms.
public struct JSONWriter: Sendable {
    /// The text is the first `count` of them; the others are room.
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var length = 0

    /// Bytes of text that fill a KiB of memory together with the array's head: the most that the
    /// allocator still gives and takes back by its short way.
    package static let kilobyte = 992

    /// - Parameter capacity: bytes that can be written before more memory is needed.
    package init(capacity: Int = 256) {
        grow(by: capacity)
    }

    package var count: Int { length }
    package var text: ArraySlice<UInt8> { storage[..<length] }
    /// The text is the first `count` of them.
    package var bytes: [UInt8] { storage }

    /// The text, as an array of its own.
    package consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - length)
        return storage
    }

    /// Begins anew; the memory is kept.
    package mutating func removeAll() { length = 0 }

    // MARK: - Text as it stands

    /// Appends what stands in the program: the copy becomes a store or two.
    @inlinable @inline(__always)
    public mutating func append(literal text: StaticString) {
        unsafe append(
            copying: UnsafeRawBufferPointer(
                start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(_ byte: UInt8) {
        if length == storage.count { grow(by: 1) }
        storage[length] = byte
        length &+= 1
    }

    package mutating func append(_ text: String) { append(text.utf8.span) }
    package mutating func append(_ text: [UInt8]) { append(text.span) }
    package mutating func append(_ text: ArraySlice<UInt8>) { append(text.span) }

    package mutating func append(_ text: Span<UInt8>) {
        unsafe text.withUnsafeBytes { unsafe append(copying: $0) }
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

    // MARK: - Values

    /// Appends a number in decimal.
    package mutating func append(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(number.magnitude)
    }

    package mutating func append(_ number: UInt) {
        guard number >= 100_000_000 else {
            let digits = Self.digits(number)
            let leading = min(digits.trailingZeroBitCount / 8, 7)
            return append(digits >> (leading * 8), count: 8 - leading)
        }
        append(number / 100_000_000)
        append(Self.digits(number % 100_000_000), count: 8)
    }

    private mutating func append(_ digits: UInt64, count: Int) {
        let word = (digits | 0x3030_3030_3030_3030).littleEndian
        unsafe withUnsafeBytes(of: word) { unsafe append(copying: $0) }
        length -= 8 - count
    }

    /// The eight digits of a number below 10^8, each a byte from 0 to 9, the first the lowest.
    private static func digits(_ number: UInt) -> UInt64 {
        // Fours of digits apart, then twos, then each. A product and a shift divide by 100 and 10.
        var word = UInt64(number % 10_000) << 32 | UInt64(number / 10_000)
        let hundreds = (word &* 5243) >> 19 & 0x0000_007F_0000_007F
        word = (word &- hundreds &* 100) << 16 | hundreds
        let tens = (word &* 103) >> 10 & 0x000F_000F_000F_000F
        return (word &- tens &* 10) << 8 | tens
    }

    /// Appends a finite number in the shortest form that reads back as the same double. It always
    /// has a point or an exponent: `1.0`, `0.1`, `1e+21`.
    package mutating func append(_ number: Double) {
        precondition(number.isFinite, "JSON has no number that is not finite")
        append(number.description)
    }

    /// Appends a string in quotes, escaped where it must be.
    package mutating func append(string: String) {
        append(UInt8(ascii: "\""))
        let text = string.utf8.span
        if Self.mustEscape(text) {
            for index in text.indices { append(escaped: text[index]) }
        } else {
            append(string)
        }
        append(UInt8(ascii: "\""))
    }

    private static func mustEscape(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where mustBeEscaped(text[index]) { return true }
        return false
    }

    @inline(__always)
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(literal: #"\""#)
        case UInt8(ascii: "\\"): append(literal: #"\\"#)
        case 0x08: append(literal: #"\b"#)
        case 0x09: append(literal: #"\t"#)
        case 0x0A: append(literal: #"\n"#)
        case 0x0C: append(literal: #"\f"#)
        case 0x0D: append(literal: #"\r"#)
        case 0x00..<0x20:
            append(literal: byte < 0x10 ? #"\u000"# : #"\u001"#)
            append(hexadecimal: byte & 0x0F)
        default: append(byte)
        }
    }

    private mutating func append(hexadecimal digit: UInt8) {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
