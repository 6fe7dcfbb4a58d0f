internal import Bytes
internal import Navigation

/// A segment's first line.
///
///     {"log":"navstate","format":2,"lineage":"…","file":7,"first":184320,"at":…,"crc":"8c87705d"}
///
/// A compacted file also has `"covers":9`, the highest number of the files whose records it took
/// over, and `"cleaned":190000`: it contains no record that was dead when that number was written.
struct SegmentHeader: Equatable, Sendable {
    var lineage: String
    var file: Int
    /// The first record's `n`, or a lower one.
    var first: UInt64
    var at: Milliseconds
    var covers: Int
    var cleaned: UInt64 = 0

    init(
        lineage: String, file: Int, first: UInt64, at: Milliseconds, covers: Int? = nil,
        cleaned: UInt64 = 0
    ) {
        self.lineage = lineage
        self.file = file
        self.first = first
        self.at = at
        self.covers = covers ?? file
        self.cleaned = cleaned
    }

    /// Appends the line and returns the salt of the lines after it.
    func append(to bytes: inout [UInt8]) -> Salt {
        let start = bytes.count
        bytes.append(contentsOf: "{\"log\":\"navstate\",\"format\":\(Manifest.format)".utf8)
        bytes.append(contentsOf: ",\"lineage\":\"\(lineage)\"".utf8)
        bytes.append(contentsOf: ",\"file\":\(file),\"first\":\(first),\"at\":\(at)".utf8)
        if cleaned > 0 {
            bytes.append(contentsOf: ",\"covers\":\(covers),\"cleaned\":\(cleaned)".utf8)
        }
        Line.close(&bytes, from: start, salt: .none)
        return Salt(digits: bytes.count - 11..<bytes.count - 3, of: bytes)
    }

    /// The formats that can be read. Version 0.2.0 leaves the files of a store of version 0.1.0 as
    /// they are, which have format 1. Their records differ only in what they say about undo.
    static let formats: ClosedRange<UInt64> = 1...2

    /// The maximum length of a header in bytes.
    static let countMax = 512

    /// Reads a header. Nil if the line is not a valid one.
    ///
    /// - Parameter format: receives the format that the line states.
    init?(_ bytes: [UInt8], _ line: Range<Int>, format: inout UInt64) {
        var reader = LineReader(bytes, line)
        var text = 0..<0
        var (file, first, covers, cleaned) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        var at: Int64 = 0
        guard reader.take(0x7B), reader.key() == 0x6C_6F67, reader.text(&text), reader.take(0x2C),
            reader.key() != nil, reader.read(&format), Self.formats.contains(format),
            reader.take(0x2C), reader.key() != nil, reader.text(&text), reader.take(0x2C),
            reader.key() != nil, reader.read(&file), reader.take(0x2C),
            reader.key() != nil, reader.read(&first), reader.take(0x2C),
            reader.key() != nil, reader.read(&at)
        else { return nil }
        if reader.take(0x2C) {
            guard reader.key() != nil, reader.read(&covers), reader.take(0x2C),
                reader.key() != nil, reader.read(&cleaned)
            else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            lineage: String(decoding: bytes[text], as: UTF8.self), file: Int(file), first: first,
            at: at, covers: Int(max(covers, file)), cleaned: cleaned)
    }
}
