internal import Bytes
internal import Navigation
internal import Sessions

/// A record's members, except for the contents of its event and its state, which are not parsed.
///
/// All code that reads records begins here: a start, `check`, compaction, and each look-up of a
/// single record. Members may have any order. A value is a number, a range of the line's bytes, or
/// missing; reading copies no bytes.
struct RecordHeader: Equatable, Sendable {
    enum Kind: Sendable {
        case put, delete, app, appDelete, tokens, mark, seal
    }

    var kind = Kind.mark
    /// `n`: the record's position in the order of changes.
    var sequence: UInt64 = 0
    /// `d`: the highest sequence number that was durable when the line was written.
    var durable: UInt64 = 0
    var at: Milliseconds = 0
    /// The whole line with its newline.
    var line = Piece()
    var id = Piece()
    var links = Links()
    var session = Session()
    var undo = Undo()
    var key = Key()
    var body = Body()
    var end = End()

    /// A range of the bytes that the line was read from. It takes eight bytes, because a start
    /// passes headers from one processor to another.
    struct Piece: Equatable, Sendable {
        private var start: UInt32
        private var end: UInt32

        /// The range must end below 4 GiB, which `read` checks for the whole line.
        init(_ range: Range<Int> = 0..<0) {
            start = UInt32(truncatingIfNeeded: range.lowerBound)
            end = UInt32(truncatingIfNeeded: range.upperBound)
        }

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The records of the same session that the record names.
    struct Links: Equatable, Sendable {
        /// `prev`: the record before this one, or 0 for none.
        var previous: UInt64 = 0
        /// `born`: the first record, or 0 for an app.
        var born: UInt64 = 0
    }

    /// The index's part of a session.
    struct Session: Equatable, Sendable {
        var revision: Int64 = 0
        var expiresAt = SessionEntry.never
        var nextEntry: Int64 = 0
        var app: Piece?
        /// The object with its braces.
        var labels: Piece?
        /// When something is due: an object with its braces.
        var due: Piece?
    }

    /// The numbers of changes that can be undone and redone.
    struct Undo: Equatable, Sendable {
        var steps: Int64 = 0
        /// The runs that the stacks name: arrays with their brackets.
        var undo: Piece?
        var redo: Piece?
        /// Whether version 0.1.0 wrote the record, which said it in another way.
        var isOfOldVersion = false
    }

    /// An idempotency key.
    struct Key: Equatable, Sendable {
        /// Without the quotes, still escaped.
        var text: Piece?
        var digest: UInt64 = 0
    }

    /// The texts of the record.
    struct Body: Equatable, Sendable {
        var event = Piece()
        /// The session, or an app's document.
        var state = Piece()
        /// The array of a session's tokens with its brackets.
        var tokens: Piece?
    }

    /// Members that only records of an end have.
    struct End: Equatable, Sendable {
        /// Why a session was deleted.
        var reason = DeletionReason.deleted
        /// The number of lines of the file that a seal ends, with its header and the seal.
        var lines: UInt64 = 0
    }

    /// The maximum length of an id in the index; ids of sessions and apps are shorter.
    static let idMax = 255

    init() {}

    /// Reads a valid line with its newline. Nil if it is not a record.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        self.init()
        guard read(bytes, line) else { return nil }
    }

    /// Reads a valid line with its newline into an empty header. At startup this is done in place,
    /// because an optional header would be copied.
    ///
    /// - Returns: false if it is not a record.
    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
        guard line.upperBound <= Int(UInt32.max) else { return false }
        self.line = Piece(line)
        let end = line.upperBound - Line.endCount
        guard line.lowerBound < end else { return false }
        let at = bytes.read(line.lowerBound..<end) { readPut(&$0) }
        guard at == end || readMembers(LineReader(bytes, line), from: at) else { return false }
        return sequence > 0 && isInOrder
    }

    /// Reads the members from a place up to the end of the line, in any order.
    ///
    /// - Returns: false if they are not those of a record.
    private mutating func readMembers(_ line: LineReader, from start: Int) -> Bool {
        var (reader, eventCount) = (line, UInt64(0))
        var place = kind == .put ? RecordKey.placeAfterNext : 0
        reader.at = start
        while !reader.isAtEnd {
            let key = Self.key(&reader, isFirst: reader.at == line.at, &place)
            // All numbers are read here, so that the loop contains that code only once.
            var (number, isValid) = (Int64(0), true)
            guard let key, !key.isNumber || reader.read(&number) else { return false }
            switch key {
            case .sequence: isValid = Self.set(&sequence, number)
            case .durable: isValid = Self.set(&durable, number)
            case .operation: isValid = readKind(&reader)
            case .id: isValid = reader.text(&id)
            case .revision: session.revision = number
            case .at: at = number
            case .expiresAt: session.expiresAt = number
            case .previous: isValid = Self.set(&links.previous, number)
            case .born: isValid = Self.set(&links.born, number)
            case .cursor, .tip: undo.isOfOldVersion = true
            case .undos: undo.steps = number
            case .nextEntry: session.nextEntry = number
            case .app: isValid = reader.text(&session.app)
            case .labels: isValid = reader.nested(&session.labels)
            case .reach:
                var piece: Piece?
                isValid = reader.nested(&piece)
            case .due: isValid = reader.nested(&session.due)
            case .undo: isValid = reader.nested(&undo.undo)
            case .redo: isValid = reader.nested(&undo.redo)
            case .why: isValid = readReason(&reader)
            case .key: isValid = reader.text(&self.key.text)
            case .digest: isValid = reader.hexadecimal(&self.key.digest)
            case .eventCount: isValid = Self.set(&eventCount, number)
            case .event: isValid = reader.take(eventCount, &body.event)
            case .state, .document: isValid = reader.rest(&body.state)
            case .tokens: isValid = reader.nested(&body.tokens)
            case .lines: isValid = Self.set(&end.lines, number)
            }
            if !isValid { return false }
        }
        return true
    }

    /// Reads the members that most puts have, as far as they come in the usual order. That takes a
    /// quarter of the instructions.
    ///
    /// - Returns: where the members begin that were not read.
    @inline(__always)
    private mutating func readPut(_ line: inout TextCursor) -> Int {
        var (rest, number) = (line.at, UInt64(0))
        guard line.take(#"{"n":"#, &sequence), line.take(#","d":"#, &durable) else { return rest }
        rest = line.at
        guard line.take(#","op":"put","id":""#), let name = line.text() else { return rest }
        (kind, id) = (.put, Piece(name))
        if line.take(#","rev":"#, &number) { session.revision = Int64(bitPattern: number) }
        if line.take(#","at":"#, &number) { at = Int64(bitPattern: number) }
        if line.take(#","exp":"#, &number) { session.expiresAt = Int64(bitPattern: number) }
        _ = line.take(#","prev":"#, &links.previous)
        _ = line.take(#","born":"#, &links.born)
        if line.take(#","undos":"#, &number) { undo.steps = Int64(bitPattern: number) }
        if line.take(#","next":"#, &number) { session.nextEntry = Int64(bitPattern: number) }
        rest = line.at
        guard line.take(#","elen":"#, &number), line.take(#","event":"#),
            let event = line.skip(number), line.take(#","s":"#), line.at < line.end
        else { return rest }
        (body.event, body.state) = (Piece(event), Piece(line.at..<line.end))
        return line.end
    }

    /// Reads the name of the next member, including the separator before it.
    ///
    /// The names that can follow the previous member in the usual order are tried first, with one
    /// comparison each. Any other name is read as text and looked up. The comparisons save 1,000
    /// instructions for each record at startup.
    ///
    /// - Parameter place: where in `RecordKey.names` the next member is expected.
    @inline(__always)
    private static func key(
        _ reader: inout LineReader, isFirst: Bool, _ place: inout Int
    ) -> RecordKey? {
        if let key = reader.take(RecordKey.names.span, from: &place) { return key }
        guard reader.take(isFirst ? 0x7B : 0x2C), let name = reader.key() else { return nil }
        return RecordKey(rawValue: name)
    }

    /// Whether the numbers can be those of a record. The records that it names are older, so that
    /// following them ends.
    @inline(__always)
    private var isInOrder: Bool {
        guard links.previous < sequence, links.born <= sequence, id.range.count <= Self.idMax
        else { return false }
        switch kind {
        case .put, .delete:
            return (1...SessionEntry.revisionMax).contains(session.revision) && !id.range.isEmpty
        case .app, .appDelete, .tokens: return !id.range.isEmpty
        case .mark, .seal: return true
        }
    }

    /// Reads only the number of the line. Returns nil if the line does not begin with one.
    static func sequence(_ bytes: [UInt8], _ line: Range<Int>) -> UInt64? {
        var reader = LineReader(bytes, line)
        var number: UInt64 = 0
        guard reader.take(0x7B), reader.key() == RecordKey.sequence.rawValue,
            reader.read(&number)
        else { return nil }
        return number
    }

    /// Sets a value that cannot be negative.
    @inline(__always)
    private static func set(_ value: inout UInt64, _ number: Int64) -> Bool {
        guard number >= 0 else { return false }
        value = UInt64(number)
        return true
    }

    @inline(__always)
    private mutating func readKind(_ reader: inout LineReader) -> Bool {
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

    @inline(__always)
    private mutating func readReason(_ reader: inout LineReader) -> Bool {
        switch reader.word() {
        case 0x64_656C_6574_6564: end.reason = .deleted
        case 0x65_7870_6972_6564: end.reason = .expired
        default: return false
        }
        return true
    }
}

/// The keys of records, in the order in which they are written. The raw value is the key's letters
/// as big-endian bytes.
enum RecordKey: UInt64, CaseIterable {
    case sequence = 0x6E  // n
    case durable = 0x64  // d
    case operation = 0x6F70  // op
    case id = 0x6964  // id
    case revision = 0x72_6576  // rev
    case at = 0x6174  // at
    case expiresAt = 0x65_7870  // exp
    case previous = 0x7072_6576  // prev
    case born = 0x626F_726E  // born
    case undos = 0x75_6E64_6F73  // undos
    case nextEntry = 0x6E65_7874  // next
    case app = 0x61_7070  // app
    case labels = 0x6C61_6265_6C73  // labels
    case due = 0x64_7565  // due
    case undo = 0x756E_646F  // undo
    case redo = 0x7265_646F  // redo
    case why = 0x77_6879  // why
    case key = 0x6B_6579  // key
    case digest = 0x64_6967  // dig
    case eventCount = 0x656C_656E  // elen
    case event = 0x65_7665_6E74  // event
    case state = 0x73  // s
    case document = 0x64_6F63  // doc
    case tokens = 0x746F_6B65_6E73  // tokens
    case lines = 0x6C_696E_6573  // lines
    // Only version 0.1.0 wrote these.
    case cursor = 0x63_7572  // cur
    case tip = 0x74_6970  // tip
    case reach = 0x72_6561_6368  // reach

    /// The names as they appear in a line, in the same order. In every record, `n` comes first.
    static let names = allCases.map { MemberName($0, after: $0 == .sequence ? 0x7B : 0x2C) }

    /// The place in `names` after `next`.
    static let placeAfterNext = 11

    /// Whether the value is a number.
    @inline(__always)
    var isNumber: Bool {
        switch self {
        case .sequence, .durable, .revision, .at, .expiresAt, .previous, .born, .cursor, .tip,
            .undos, .nextEntry, .eventCount, .lines:
            true
        case .operation, .id, .app, .labels, .due, .reach, .undo, .redo, .why, .key, .digest,
            .event,
            .state, .document, .tokens:
            false
        }
    }

    /// The letters of the key.
    var letters: [UInt8] {
        let count = (64 - rawValue.leadingZeroBitCount + 7) / 8
        return (0..<count).reversed().map { UInt8(truncatingIfNeeded: rawValue >> UInt64(8 * $0)) }
    }
}
