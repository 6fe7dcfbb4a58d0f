internal import Bytes
internal import Navigation
internal import POSIX
internal import Sessions

/// What a line says of itself, read by position: nothing behind `event` is parsed.
///
/// Ranges point into the bytes that the line was read from.
struct Envelope: Sendable {
    enum Kind: Sendable {
        case put, delete, app, appDelete, tokens, mark, seal
    }

    var kind = Kind.mark
    /// `n`: the record's place in the order of changes.
    var sequence: UInt64 = 0
    /// `d`: the highest sequence number that was durable when the line was written.
    var durable: UInt64 = 0
    var id = 0..<0
    var revision: Int64 = 0
    var at: Milliseconds = 0
    var expiresAt: Milliseconds?
    /// `prev`: the session's record before this one; 0 for none.
    var previous: UInt64 = 0
    /// `born`: the session's first record; 0 for an app's.
    var born: UInt64 = 0
    var undos: Int64 = 0
    var nextEntry: Int64 = 0
    var app: Range<Int>?
    /// The object with its braces.
    var labels: Range<Int>?
    /// The runs that the undo and the redo stack name: arrays with their brackets.
    var undo: Range<Int>?
    var redo: Range<Int>?
    /// What version 0.1.0 wrote of undo and redo.
    var cursor: Int64 = 0
    var tip: Int64 = 0
    var reach: Range<Int>?
    /// The array of a session's tokens with its brackets.
    var tokens: Range<Int>?
    /// Without the quotes, still escaped.
    var key: Range<Int>?
    var digest: UInt64 = 0
    var why = DeletionReason.deleted
    var event = 0..<0
    /// The session, or an app's document.
    var state = 0..<0
    /// `lines` of a seal: all of the file's, header and seal counted.
    var lines: UInt64 = 0

    /// Reads a valid line (with its newline); nil if it is not of this form.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        var reader = EnvelopeReader(bytes, line)
        guard reader.take(0x7B) else { return nil }
        var eventCount: UInt64 = 0
        while let key = reader.key() {
            guard let key = EnvelopeKey(rawValue: key) else { return nil }
            guard read(key, &reader, &eventCount) else { return nil }
            if !reader.take(0x2C) { break }
        }
        guard reader.isAtEnd, sequence > 0, isInOrder else { return nil }
    }

    /// Bytes of an id that the index can keep; ids of sessions and apps are shorter.
    static let idMax = 255

    /// Whether the numbers can be those of a record: what it names came before it. So whoever goes
    /// from record to record comes to an end.
    private var isInOrder: Bool {
        guard previous < sequence, born <= sequence, id.count <= Self.idMax else { return false }
        switch kind {
        case .put, .delete: return revision >= 1 && !id.isEmpty
        case .app, .appDelete, .tokens: return !id.isEmpty
        case .mark, .seal: return true
        }
    }

    /// Only the line's number; nil if it does not begin with one.
    static func sequence(_ bytes: [UInt8], _ line: Range<Int>) -> UInt64? {
        var reader = EnvelopeReader(bytes, line)
        var number: UInt64 = 0
        guard reader.take(0x7B), reader.key() == EnvelopeKey.sequence.rawValue,
            reader.read(&number)
        else { return nil }
        return number
    }

    @inline(__always)
    private mutating func read(
        _ key: EnvelopeKey, _ reader: inout EnvelopeReader, _ eventCount: inout UInt64
    ) -> Bool {
        switch key {
        case .sequence: return reader.read(&sequence)
        case .durable: return reader.read(&durable)
        case .operation: return readKind(&reader)
        case .id: return reader.text(&id)
        case .revision: return reader.read(&revision)
        case .at: return reader.read(&at)
        case .expiresAt:
            var time: Milliseconds = 0
            defer { expiresAt = time }
            return reader.read(&time)
        case .previous: return reader.read(&previous)
        case .born: return reader.read(&born)
        case .cursor: return reader.read(&cursor)
        case .tip: return reader.read(&tip)
        case .undos: return reader.read(&undos)
        case .nextEntry: return reader.read(&nextEntry)
        case .app: return reader.text(&app)
        case .labels: return reader.nested(&labels)
        case .undo: return reader.nested(&undo)
        case .redo: return reader.nested(&redo)
        case .reach: return reader.nested(&reach)
        case .tokens: return reader.nested(&tokens)
        case .key: return reader.text(&self.key)
        case .digest: return reader.hexadecimal(&digest)
        case .why: return readWhy(&reader)
        case .eventCount: return reader.read(&eventCount)
        case .event: return reader.take(Int(clamping: eventCount), &event)
        case .state, .document: return reader.rest(&state)
        case .lines: return reader.read(&lines)
        }
    }

    private mutating func readKind(_ reader: inout EnvelopeReader) -> Bool {
        switch reader.word() {
        case 0x70_7574: kind = .put
        case 0x64_656C_6574_65: kind = .delete
        case 0x61_7070: kind = .app
        case 0x702D_6465_6C65_7465: kind = .appDelete  // the last eight letters
        case 0x746F_6B65_6E73: kind = .tokens
        case 0x6D61_726B: kind = .mark
        case 0x7365_616C: kind = .seal
        default: return false
        }
        return true
    }

    private mutating func readWhy(_ reader: inout EnvelopeReader) -> Bool {
        switch reader.word() {
        case 0x64_656C_6574_6564: why = .deleted
        case 0x65_7870_6972_6564: why = .expired
        default: return false
        }
        return true
    }
}

/// An envelope's keys: the letters' bytes, one after another, as one number.
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

/// Steps through one line.
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

    /// A quoted word as one number, of which the last eight letters count; 0 if it is none.
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

    /// The same as `word` for at most seven letters, all at one go; nil if it is none such.
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

    /// A string; the range is what stands between its quotes.
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

    /// An object or array with everything in it.
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

    /// So many bytes, whatever they are.
    @inline(__always)
    mutating func take(_ count: Int, _ range: inout Range<Int>) -> Bool {
        guard count <= end - at else { return false }
        range = at..<at + count
        at += count
        return true
    }

    /// All that is left.
    @inline(__always)
    mutating func rest(_ range: inout Range<Int>) -> Bool {
        range = at..<end
        at = end
        return !range.isEmpty
    }
}
