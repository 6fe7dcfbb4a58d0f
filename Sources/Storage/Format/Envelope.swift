internal import Navigation
internal import Sessions

/// All fields of a record except the contents of its event and its state, which are not parsed.
///
/// Ranges are indices of the bytes that the line was read from.
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

    /// Reads a valid line with its newline; nil if it is no record.
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

    /// Whether the numbers can be those of a record: the records that it names are older, so that
    /// following them comes to an end.
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
