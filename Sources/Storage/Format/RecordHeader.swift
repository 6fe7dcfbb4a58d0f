internal import Bytes
internal import Navigation
internal import POSIX

/// The fields of a record that the index keeps.
///
/// A start reads every line of the log. Most of them are puts whose keys have the order in which
/// they are written. Those are read here by words of eight bytes, without asking which key comes
/// next. Any other line, and anything unusual in a put (a number of sixteen digits, a minus, a
/// backslash in a name), is left to `Envelope`: a line has a header if and only if it has an
/// envelope, and both have the same values.
///
/// It is small, since it is passed from one processor to another. Pieces are ranges of the bytes
/// that the line was read from.
struct RecordHeader: Equatable, Sendable {
    var sequence: UInt64 = 0
    /// `d`: the highest sequence number that was durable when the line was written.
    var durable: UInt64 = 0
    var born: UInt64 = 0
    var revision: Int64 = 0
    var at: Milliseconds = 0
    var expiresAt = SessionEntry.never
    /// `lines` of a seal.
    var lines: UInt64 = 0
    /// The whole line with its newline.
    var line: Piece
    var id = Piece(0..<0)
    var app: Piece?
    var labels: Piece?
    /// Without the quotes, still escaped.
    var key: Piece?
    /// Records are named for undo or redo; the envelope tells which.
    var hasUndoRuns = false
    var kind = Envelope.Kind.put

    /// A range of at most 4 GiB.
    struct Piece: Equatable, Sendable {
        private var start: UInt32
        private var end: UInt32

        init(_ range: Range<Int>) {
            (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
        }

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// Reads a valid line (with its newline); nil if it is not of this form.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        self.init(put: bytes.span, line)
        if sequence > 0 { return }
        guard let envelope = Envelope(bytes, line) else { return nil }
        self.init(envelope, line)
    }

    init(_ envelope: Envelope, _ line: Range<Int>) {
        self.line = Piece(line)
        kind = envelope.kind
        (sequence, durable, born) = (envelope.sequence, envelope.durable, envelope.born)
        (revision, at, lines) = (envelope.revision, envelope.at, envelope.lines)
        expiresAt = envelope.expiresAt ?? SessionEntry.never
        id = Piece(envelope.id)
        (app, labels) = (envelope.app.map(Piece.init), envelope.labels.map(Piece.init))
        key = envelope.key.map(Piece.init)
        hasUndoRuns = envelope.namesUndoRuns
    }

    /// The usual put; with the number 0 for any other line.
    private init(put bytes: Span<UInt8>, _ line: Range<Int>) {
        self.line = Piece(line)
        var reader = RecordHeaderReader(at: line.lowerBound, end: line.upperBound - Line.endCount)
        guard reader.first(.sequence, bytes), let sequence = reader.number(bytes),
            reader.next(.durable, bytes), let durable = reader.number(bytes),
            reader.next(.operation, bytes), reader.put(bytes),
            reader.next(.id, bytes), let id = reader.text(bytes),
            reader.next(.revision, bytes), let revision = reader.number(bytes),
            reader.next(.at, bytes), let at = reader.number(bytes)
        else { return }
        if reader.next(.expiresAt, bytes) {
            guard let time = reader.number(bytes) else { return }
            expiresAt = Milliseconds(time)
        }
        if reader.next(.previous, bytes) {
            guard let previous = reader.number(bytes), previous < sequence else { return }
        }
        guard reader.next(.born, bytes), let born = reader.number(bytes),
            skipCursor(&reader, bytes), reader.next(.undos, bytes), reader.skipNumber(bytes),
            reader.next(.nextEntry, bytes), reader.skipNumber(bytes),
            readShared(&reader, bytes), reader.next(.eventCount, bytes),
            let eventCount = reader.number(bytes), reader.next(.event, bytes),
            reader.skip(eventCount), reader.next(.state, bytes), reader.at < reader.end,
            born <= sequence, revision >= 1, (1...Envelope.idMax).contains(id.count)
        else { return }
        (self.durable, self.id, self.at) = (durable, Piece(id), Milliseconds(at))
        (self.born, self.revision) = (born, Int64(revision))
        self.sequence = sequence
    }

    /// What only version 0.1.0 wrote.
    @inline(__always)
    private func skipCursor(_ reader: inout RecordHeaderReader, _ bytes: Span<UInt8>) -> Bool {
        guard reader.next(.cursor, bytes) else { return true }
        return reader.skipNumber(bytes) && reader.next(.tip, bytes) && reader.skipNumber(bytes)
    }

    /// What not every put has.
    @inline(__always)
    private mutating func readShared(_ reader: inout RecordHeaderReader, _ bytes: Span<UInt8>)
        -> Bool
    {
        if reader.next(.app, bytes) {
            guard let range = reader.text(bytes) else { return false }
            app = Piece(range)
        }
        if reader.next(.labels, bytes) {
            guard let range = reader.labels(bytes) else { return false }
            labels = Piece(range)
        }
        if reader.next(.key, bytes) {
            guard let range = reader.text(bytes), reader.next(.digest, bytes),
                reader.digest(bytes)
            else { return false }
            key = Piece(range)
        }
        return true
    }
}

/// Steps through a put; whatever is unusual is refused.
private struct RecordHeaderReader {
    var at: Int
    /// Where `,"crc"` begins.
    let end: Int

    /// The next eight bytes, the first the lowest; 0 where there are no more.
    @inline(__always)
    private func word(_ bytes: Span<UInt8>) -> UInt64 {
        at >= 0 && at <= bytes.count - 8 ? bytes.word(at: at) : 0
    }

    /// Steps over `{"name":` if it is here.
    @inline(__always)
    mutating func first(_ key: EnvelopeKey, _ bytes: Span<UInt8>) -> Bool {
        take(key, behind: 0x7B, bytes)
    }

    /// Steps over `,"name":` if it is here.
    @inline(__always)
    mutating func next(_ key: EnvelopeKey, _ bytes: Span<UInt8>) -> Bool {
        take(key, behind: 0x2C, bytes)
    }

    /// - Parameter key: of at most six letters.
    @inline(__always)
    private mutating func take(
        _ key: EnvelopeKey, behind byte: UInt64, _ bytes: Span<UInt8>
    ) -> Bool {
        let count = (71 - key.rawValue.leadingZeroBitCount) / 8
        let letters = (key.rawValue &<< UInt64(64 - 8 * count)).byteSwapped
        let start = byte | 0x22 << 8 | letters &<< 16
        if count <= 4 {
            let unlike = word(bytes) ^ (start | 0x3A22 &<< UInt64(8 * count + 16))
            guard unlike &<< UInt64(32 - 8 * count) == 0 else { return false }
            at += count + 4
            return true
        }
        guard (word(bytes) ^ start) &<< UInt64(48 - 8 * count) == 0 else { return false }
        at += count + 2
        guard word(bytes) & 0xFFFF == 0x3A22 else { return false }
        at += 2
        return true
    }

    /// Steps over `"put"` if it is here.
    @inline(__always)
    mutating func put(_ bytes: Span<UInt8>) -> Bool {
        guard word(bytes) & 0xFF_FFFF_FFFF == 0x22_7475_7022 else { return false }
        at += 5
        return true
    }

    /// A word's bytes as digits, and how many of them are some, from the lowest on.
    @inline(__always)
    private static func digits(_ word: UInt64) -> (values: UInt64, count: Int) {
        let values = word ^ 0x3030_3030_3030_3030
        // The lowest byte above nine is the lowest with its high bit set.
        let others = (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
        return (values, others.trailingZeroBitCount / 8)
    }

    /// The number that the lowest of up to eight digits are: pairs, then fours, then all are put
    /// together, the last digit on top.
    @inline(__always)
    private static func number(_ values: UInt64, _ count: Int) -> UInt64 {
        let digits = values &<< UInt64(64 - 8 * count)
        let pairs = digits &* 10 &+ digits &>> 8
        let high = (pairs & 0x0000_00FF_0000_00FF) &* (100 + 1_000_000 << 32)
        let low = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* (1 + 10_000 << 32)
        return (high &+ low) &>> 32
    }

    /// A number of one to fifteen digits.
    @inline(__always)
    mutating func number(_ bytes: Span<UInt8>) -> UInt64? {
        let (values, count) = Self.digits(word(bytes))
        guard count > 0 else { return nil }
        let upper = Self.number(values, count)
        at += count
        guard count == 8 else { return upper }
        let (lowerValues, lowerCount) = Self.digits(word(bytes))
        guard lowerCount > 0 else { return upper }
        guard lowerCount < 8 else { return nil }
        at += lowerCount
        var factor: UInt64 = 1
        for _ in 0..<lowerCount { factor &*= 10 }
        return upper &* factor &+ Self.number(lowerValues, lowerCount)
    }

    /// Steps over such a number.
    @inline(__always)
    mutating func skipNumber(_ bytes: Span<UInt8>) -> Bool {
        let count = Self.digits(word(bytes)).count
        at += count
        guard count == 8 else { return count > 0 }
        let lowerCount = Self.digits(word(bytes)).count
        at += lowerCount
        return lowerCount < 8
    }

    /// A string without a backslash; the range is without its quotes.
    @inline(__always)
    mutating func text(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard take(0x22, bytes) else { return nil }
        let start = at
        while at < end {
            let letters = EightBytes(word(bytes))
            let marks = letters.marks(of: ASCII.quote) | letters.marks(of: ASCII.backslash)
            let count = EightBytes.count(before: marks)
            at += count
            guard count == 8 else { break }
        }
        guard take(0x22, bytes) else { return nil }
        return start..<at - 1
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard at >= 0, at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    /// An object of strings that is not empty.
    mutating func labels(_ bytes: Span<UInt8>) -> Range<Int>? {
        let start = at
        guard take(0x7B, bytes) else { return nil }
        repeat {
            guard text(bytes) != nil, take(0x3A, bytes), text(bytes) != nil else { return nil }
        } while take(0x2C, bytes)
        return take(0x7D, bytes) ? start..<at : nil
    }

    /// Sixteen lower-case hexadecimal digits in quotes.
    mutating func digest(_ bytes: Span<UInt8>) -> Bool {
        guard let range = text(bytes), range.count == 16 else { return false }
        for index in range where Hexadecimal.lowercaseValue(bytes[index]) == nil { return false }
        return true
    }

    /// Steps over so many bytes, whatever they are.
    @inline(__always)
    mutating func skip(_ count: UInt64) -> Bool {
        guard end >= at, count <= UInt64(end - at) else { return false }
        at += Int(count)
        return true
    }
}
