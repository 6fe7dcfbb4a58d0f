internal import Bytes

/// Reads the JSON of one line from left to right.
///
/// It reads eight bytes at a time where possible, because every line of the log is read at startup.
/// Functions that move the position are inlined, and others return the new position, so that the
/// position stays in a register.
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

    /// Skips the name of a member, with the separators before and after it, if it is one of the
    /// names in the list from `place` on.
    ///
    /// - Parameter place: set to the place after the name found, or to the end of the list.
    @inline(__always)
    mutating func take(_ names: Span<MemberName>, from place: inout Int) -> RecordKey? {
        guard at &+ MemberName.countMax <= end else { return nil }
        let next = ByteSearch.word(bytes, at: at)
        while place < names.count {
            let name = names[place]
            place &+= 1
            guard name.isBeginning(of: next) else { continue }
            let ending = at &+ name.count &- 8
            guard name.count <= 8 || ByteSearch.word(bytes, at: ending) == name.ending
            else { continue }
            at &+= name.count
            return name.key
        }
        return nil
    }

    /// A quoted word as a number of its last eight letters, or 0 if there is none.
    @inline(__always)
    mutating func word() -> UInt64 {
        if let short = shortWord() { return short }
        let long = longWord()
        at = long.end
        return long.value
    }

    /// `"name":`, the name as one number.
    @inline(__always)
    mutating func key() -> UInt64? {
        let name = word()
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

    private func longWord() -> (value: UInt64, end: Int) {
        var reader = self
        guard reader.take(0x22) else { return (0, at) }
        var value: UInt64 = 0
        while reader.at < end {
            let byte = bytes[reader.at]
            reader.at += 1
            if byte == 0x22 { return (value, reader.at) }
            value = value << 8 | UInt64(byte)
        }
        return (0, reader.at)
    }

    /// A number below 2^53 of at most 17 digits.
    @inline(__always)
    mutating func read(_ number: inout UInt64) -> Bool {
        if at &+ 16 <= end {
            let first = EightBytes(ByteSearch.word(bytes, at: at))
            let count = first.digitCount
            if count < 8 {
                at &+= count
                number = first.number(ofDigits: count)
                return count > 0
            }
            let more = EightBytes(ByteSearch.word(bytes, at: at &+ 8)).digitCount
            if more < 8 {
                let last = EightBytes(ByteSearch.word(bytes, at: at &+ more))
                number = first.number(ofDigits: more) &* 100_000_000 &+ last.number
                at &+= 8 &+ more
                return true
            }
        }
        guard let long = longNumber() else { return false }
        (number, at) = long
        return true
    }

    private func longNumber() -> (value: UInt64, end: Int)? {
        var (value, next): (UInt64, Int) = (0, at)
        while next < end, next - at < 17 {
            let digit = bytes[next] &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            next += 1
        }
        return next > at && value < 1 << 53 ? (value, next) : nil
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
    @inline(__always)
    mutating func nested(_ piece: inout RecordHeader.Piece?) -> Bool {
        guard let next = nestedEnd() else { return false }
        piece = RecordHeader.Piece(at..<next)
        at = next
        return true
    }

    /// The end of the object or array that comes next.
    private func nestedEnd() -> Int? {
        var reader = self
        var (depth, inner) = (0, 0..<0)
        while reader.at < end {
            switch bytes[reader.at] {
            case 0x22:
                guard reader.text(&inner) else { return nil }
                continue
            case 0x5B, 0x7B: depth += 1
            case 0x5D, 0x7D: depth -= 1
            default: break
            }
            reader.at += 1
            if depth == 0 { return reader.at }
        }
        return nil
    }

    /// Sixteen hexadecimal digits in quotes.
    @inline(__always)
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

/// The name of a record's member as it appears in a line, `,"name":`, for comparing eight bytes at
/// a time.
struct MemberName: Sendable {
    let key: RecordKey
    /// The length in bytes, which can be more than eight.
    let count: Int
    private let beginning: UInt64
    private let mask: UInt64
    /// The last eight bytes of a longer name; 0 for a shorter one.
    let ending: UInt64

    /// The length of the longest name.
    static let countMax = 10

    /// - Parameter separator: the byte before the name, a comma or a brace.
    init(_ key: RecordKey, after separator: UInt8) {
        self.key = key
        let bytes = [separator, ASCII.quote] + key.letters + [ASCII.quote, 0x3A]
        precondition(bytes.count <= Self.countMax)
        count = bytes.count
        (beginning, mask) = (Self.word(bytes.prefix(8)), .max >> UInt64(max(0, 8 - count) * 8))
        ending = count > 8 ? Self.word(bytes.suffix(8)) : 0
    }

    /// The bytes as a little-endian number.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether the name begins with these eight bytes, or these eight bytes begin with the name.
    @inline(__always)
    func isBeginning(of bytes: UInt64) -> Bool { (bytes ^ beginning) & mask == 0 }
}
