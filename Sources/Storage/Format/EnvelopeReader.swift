internal import Bytes

/// The keys of records. The raw value has the key's letters as bytes, the last one lowest.
enum EnvelopeKey: UInt64, CaseIterable {
    case sequence = 0x6E  // n
    case durable = 0x64  // d
    case operation = 0x6F70  // op
    case id = 0x6964  // id
    case revision = 0x72_6576  // rev
    case at = 0x6174  // at
    case expiresAt = 0x65_7870  // exp
    case previous = 0x7072_6576  // prev
    case born = 0x626F_726E  // born
    case cursor = 0x63_7572  // cur
    case tip = 0x74_6970  // tip
    case undos = 0x75_6E64_6F73  // undos
    case nextEntry = 0x6E65_7874  // next
    case app = 0x61_7070  // app
    case labels = 0x6C61_6265_6C73  // labels
    case undo = 0x756E_646F  // undo
    case redo = 0x7265_646F  // redo
    case reach = 0x72_6561_6368  // reach
    case tokens = 0x746F_6B65_6E73  // tokens
    case key = 0x6B_6579  // key
    case digest = 0x64_6967  // dig
    case why = 0x77_6879  // why
    case eventCount = 0x656C_656E  // elen
    case event = 0x65_7665_6E74  // event
    case state = 0x73  // s
    case document = 0x64_6F63  // doc
    case lines = 0x6C_696E_6573  // lines
}

/// Reads the JSON of one line from the left to the right.
struct EnvelopeReader {
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

    /// A quoted word as a number of its last eight letters; 0 if there is none.
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

    /// The same as `word` for one to seven letters, read at once; nil for any other word.
    @inline(__always)
    private mutating func shortWord() -> UInt64? {
        guard at + 9 <= end, bytes[at] == 0x22 else { return nil }
        let letters = ByteSearch.word(bytes, at: at + 1)
        let count = EightBytes(letters).count(before: ASCII.quote)
        guard (1...7).contains(count) else { return nil }
        at += count + 2
        return letters.byteSwapped >> UInt64(64 - 8 * count)
    }

    @inline(__always)
    mutating func read(_ number: inout UInt64) -> Bool {
        let start = at
        var value: UInt64 = 0
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
    mutating func text(_ range: inout Range<Int>) -> Bool {
        guard take(0x22) else { return false }
        let start = at
        while at < end {
            let byte = bytes[at]
            if byte == 0x22 {
                range = start..<at
                at += 1
                return true
            }
            at += byte == 0x5C ? 2 : 1
        }
        return false
    }

    @inline(__always)
    mutating func text(_ range: inout Range<Int>?) -> Bool {
        var found = 0..<0
        defer { range = found }
        return text(&found)
    }

    /// An object or array with its brackets.
    mutating func nested(_ range: inout Range<Int>?) -> Bool {
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
                range = start..<at
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

    /// A number of bytes, whatever they are.
    @inline(__always)
    mutating func take(_ count: Int, _ range: inout Range<Int>) -> Bool {
        guard count <= end - at else { return false }
        range = at..<at + count
        at += count
        return true
    }

    /// Everything up to the checksum.
    @inline(__always)
    mutating func rest(_ range: inout Range<Int>) -> Bool {
        range = at..<end
        at = end
        return !range.isEmpty
    }
}
