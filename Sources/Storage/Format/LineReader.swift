internal import Bytes

/// Reads the JSON of one line from left to right.
///
/// It reads eight bytes at once where possible, because a start reads every line of the log.
struct LineReader {
    let bytes: [UInt8]
    /// Where `,"crc"` begins.
    let end: Int
    var at: Int

    init(_ bytes: [UInt8], _ line: Range<Int>) {
        self.bytes = bytes
        end = max(line.lowerBound, line.upperBound - Line.endCount)
        at = line.lowerBound
    }

    var isAtEnd: Bool { at == end }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard at < end, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    /// A quoted word as a number of its last eight letters, or 0 if there is none.
    mutating func word() -> UInt64 {
        guard take(0x22) else { return 0 }
        var value: UInt64 = 0
        while at < end {
            let byte = bytes[at]
            at += 1
            if byte == 0x22 { return value }
            value = value << 8 | UInt64(byte)
        }
        return 0
    }

    /// `"name":`, the name as one number.
    @inline(__always)
    mutating func key() -> UInt64? {
        let name = shortWord() ?? word()
        return name != 0 && take(0x3A) ? name : nil
    }

    /// The same as `word` for one to seven letters, read at once. Nil for any other word.
    @inline(__always)
    private mutating func shortWord() -> UInt64? {
        guard at + 9 <= end, bytes[at] == 0x22 else { return nil }
        let letters = ByteSearch.word(bytes, at: at + 1)
        let count = EightBytes(letters).count(before: ASCII.quote)
        guard (1...7).contains(count) else { return nil }
        at += count + 2
        return letters.byteSwapped >> UInt64(64 - 8 * count)
    }

    /// A number below 2^53 of at most 17 digits.
    @inline(__always)
    mutating func read(_ number: inout UInt64) -> Bool {
        let start = at
        var value: UInt64 = 0
        while at + 8 <= end, at - start < 16 {
            let digits = EightBytes(ByteSearch.word(bytes, at: at)).digits
            value = value &* digits.scale &+ digits.value
            at += digits.count
            guard digits.count == 8 else { break }
        }
        while at < end, at - start < 17 {
            let digit = bytes[at] &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            at += 1
        }
        number = value
        return at > start && value < 1 << 53
    }

    @inline(__always)
    mutating func read(_ number: inout Int64) -> Bool {
        let isNegative = take(0x2D)
        var value: UInt64 = 0
        guard read(&value) else { return false }
        number = isNegative ? -Int64(value) : Int64(value)
        return true
    }

    /// A string; the range is without its quotes.
    @inline(__always)
    mutating func text(_ piece: inout RecordHeader.Piece) -> Bool {
        var range = 0..<0
        guard text(&range) else { return false }
        piece = RecordHeader.Piece(range)
        return true
    }

    @inline(__always)
    mutating func text(_ piece: inout RecordHeader.Piece?) -> Bool {
        var range = 0..<0
        guard text(&range) else { return false }
        piece = RecordHeader.Piece(range)
        return true
    }

    /// The same, as a range.
    @inline(__always)
    mutating func text(_ range: inout Range<Int>) -> Bool {
        guard take(0x22) else { return false }
        let start = at
        while at < end {
            if at + 8 <= end {
                let letters = EightBytes(ByteSearch.word(bytes, at: at))
                let marks = letters.marks(of: ASCII.quote) | letters.marks(of: ASCII.backslash)
                let count = EightBytes.count(before: marks)
                at += count
                if count == 8 { continue }
            }
            let byte = bytes[at]
            if byte == ASCII.quote {
                range = start..<at
                at += 1
                return true
            }
            at += byte == ASCII.backslash ? 2 : 1
        }
        return false
    }

    /// An object or array with its brackets.
    mutating func nested(_ piece: inout RecordHeader.Piece?) -> Bool {
        let start = at
        var (depth, inner) = (0, 0..<0)
        while at < end {
            switch bytes[at] {
            case 0x22:
                guard text(&inner) else { return false }
                continue
            case 0x5B, 0x7B: depth += 1
            case 0x5D, 0x7D: depth -= 1
            default: break
            }
            at += 1
            if depth == 0 {
                piece = RecordHeader.Piece(start..<at)
                return true
            }
        }
        return false
    }

    /// Sixteen hexadecimal digits in quotes.
    mutating func hexadecimal(_ number: inout UInt64) -> Bool {
        var range = 0..<0
        guard text(&range), range.count == 16, let value = Hexadecimal.number(bytes[range])
        else { return false }
        number = value
        return true
    }

    /// Any number of bytes, whatever they are.
    @inline(__always)
    mutating func take(_ count: UInt64, _ piece: inout RecordHeader.Piece) -> Bool {
        guard at <= end, count <= UInt64(end - at) else { return false }
        piece = RecordHeader.Piece(at..<at + Int(count))
        at += Int(count)
        return true
    }

    /// Everything up to the checksum.
    @inline(__always)
    mutating func rest(_ piece: inout RecordHeader.Piece) -> Bool {
        guard at < end else { return false }
        piece = RecordHeader.Piece(at..<end)
        at = end
        return true
    }
}

extension EightBytes {
    /// The digits at the beginning of the bytes: how many there are, their value, and the power of
    /// ten by which a number before them is multiplied.
    @inline(__always)
    fileprivate var digits: (count: Int, value: UInt64, scale: UInt64) {
        let values = word ^ 0x3030_3030_3030_3030
        // The first byte above nine is the lowest one with its highest bit set.
        let others = (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
        let count = others.trailingZeroBitCount / 8
        guard count > 0 else { return (0, 0, 1) }
        // Neighbours are combined to pairs, fours and eight digits; the last digit is the highest
        // byte.
        let aligned = values &<< UInt64(64 - 8 * count)
        let pairs = aligned &* 10 &+ aligned &>> 8
        let high = (pairs & 0x0000_00FF_0000_00FF) &* (100 + 1_000_000 << 32)
        let low = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* (1 + 10_000 << 32)
        return (count, (high &+ low) &>> 32, Self.powers[count])
    }

    private static let powers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]
}
