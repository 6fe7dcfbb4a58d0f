/// Reads text from left to right without a check of bounds for each byte.
///
/// The bounds are checked once, when it is made: at least `marginCount` bytes follow the text, and
/// no read goes further than that. Bytes behind the text count as missing.
@safe
public struct TextCursor: ~Copyable {
    @usableFromInline let bytes: UnsafeRawPointer
    /// Where the text ends.
    public let end: Int
    @usableFromInline var place: Int

    /// The number of bytes that must follow the text.
    public static var marginCount: Int { 16 }

    /// The place that is read next.
    @inlinable @inline(__always)
    public var at: Int { place }

    @inlinable @inline(__always)
    init(_ bytes: UnsafeRawPointer, _ range: Range<Int>) {
        unsafe self.bytes = unsafe bytes
        (place, end) = (range.lowerBound, range.upperBound)
    }

    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inlinable @inline(__always)
    func byte(at offset: Int) -> UInt8 { unsafe bytes.load(fromByteOffset: offset, as: UInt8.self) }

    /// Skips a literal if it comes next.
    @inlinable @inline(__always)
    public mutating func take(_ literal: StaticString) -> Bool {
        let next = at &+ literal.utf8CodeUnitCount
        guard next <= end, unsafe (bytes + at).begins(with: literal) else { return false }
        place = next
        return true
    }

    /// Reads a number of up to 15 digits behind a literal. Returns false, and stays where it is,
    /// for anything else.
    @inlinable @inline(__always)
    public mutating func take(_ literal: StaticString, _ number: inout UInt64) -> Bool {
        let start = at
        guard take(literal) else { return false }
        let (count, value) = digits
        guard count > 0, at &+ count <= end else {
            place = start
            return false
        }
        number = value
        place &+= count
        return true
    }

    /// The digits that come next: their number, or 0 if there are more than 15, and their value.
    @inlinable @inline(__always)
    var digits: (count: Int, value: UInt64) {
        // Many numbers have one digit.
        guard byte(at: at &+ 1) &- 0x30 < 10 else {
            let digit = byte(at: at) &- 0x30
            return digit < 10 ? (1, UInt64(digit)) : (0, 0)
        }
        let first = EightBytes(word(at: at))
        let count = first.digitCount
        if count < 8 { return (count, first.number(ofDigits: count)) }
        let more = EightBytes(word(at: at &+ 8)).digitCount
        guard more < 8 else { return (0, 0) }
        let last = EightBytes(word(at: at &+ more)).number
        return (8 &+ more, first.number(ofDigits: more) &* 100_000_000 &+ last)
    }

    /// Skips text that has no backslash, and the quotation mark after it. Nil, at the same place,
    /// for anything else.
    @inlinable @inline(__always)
    public mutating func text() -> Range<Int>? {
        let start = at
        var next = start
        while next < end {
            let letters = EightBytes(word(at: next))
            let marks = letters.marks(of: ASCII.quote) | letters.marks(of: ASCII.backslash)
            let count = EightBytes.count(before: marks)
            next &+= count
            if count == 8 { continue }
            guard next < end, byte(at: next) == ASCII.quote else { return nil }
            place = next &+ 1
            return start..<next
        }
        return nil
    }

    /// Skips a number of bytes, whatever they are. Nil if there are fewer.
    @inlinable @inline(__always)
    public mutating func skip(_ count: UInt64) -> Range<Int>? {
        guard count <= UInt64(end &- at) else { return nil }
        let start = at
        place &+= Int(count)
        return start..<at
    }
}

extension Array where Element == UInt8 {
    /// Reads a range, after which there must be `TextCursor.marginCount` bytes.
    @inlinable @inline(__always)
    public func read<Result>(
        _ range: Range<Int>, _ body: (inout TextCursor) -> Result
    ) -> Result {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count &- TextCursor.marginCount)
        return unsafe withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure() }
            var cursor = unsafe TextCursor(base, range)
            return body(&cursor)
        }
    }
}
