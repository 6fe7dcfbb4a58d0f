internal import Bytes
internal import Sessions

/// Reads a backup line by line, and checks each line before it returns it: its checksum, its place
/// in the order of numbers, and in the end that nothing is missing.
struct BackupLines {
    /// The meaning of a line.
    enum Item {
        /// The header of a file.
        case file(File)
        /// A record of the file whose header came last.
        case record(RecordHeader)
    }

    /// A file of the log that begins.
    struct File {
        var header: SegmentHeader
        /// The salt of its lines.
        var salt: Salt
        /// The number of the last record before it. If the file before it has no seal, the number
        /// that the seal gets.
        var after: UInt64
    }

    /// Bytes of the backup. Ranges of lines refer to them until the next call of `next`.
    private(set) var bytes: [UInt8] = []
    /// The number of lines that have been read.
    private(set) var lines = 0
    /// The number of records that have been read.
    private(set) var records = 0
    /// The number that the first line gives as the highest one. It is nil before that line is read.
    private(set) var upTo: UInt64?

    /// Where the first line begins that has not been read.
    private var start = 0
    /// Up to where no newline was found after `start`.
    private var searched = 0
    /// The number of bytes of the lines that have been read.
    private var count = 0
    private var last: UInt64 = 0
    private var file: (number: Int, salt: Salt, isSealed: Bool)?
    private var isEnded = false

    /// The maximum length of a line: twice that of the largest request.
    private static let lineMax = 2 << 30

    /// The number of the last record, or that of the seal which the last file gets.
    var end: UInt64 { file?.isSealed == false ? last + 1 : last }

    /// Adds the next bytes, which may be split anywhere.
    mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// The next file or record, and its line with the newline. Nil if more bytes are needed.
    mutating func next() throws(BackupError) -> (item: Item, line: Range<Int>)? {
        while let line = try nextLine() {
            let item = try read(line)
            count += line.count
            if let item { return (item, line) }
        }
        return nil
    }

    /// Checks that the last line has been read.
    func finish() throws(BackupError) {
        guard isEnded, start == bytes.count else {
            throw bad("the backup is incomplete: its end is missing")
        }
    }

    /// An error in the line that was read last.
    func bad(_ reason: String) -> BackupError { BackupError(line: lines, reason: reason) }

    private mutating func nextLine() throws(BackupError) -> Range<Int>? {
        guard let newline = ByteSearch.first(0x0A, in: bytes, searched..<bytes.count) else {
            bytes.removeFirst(start)
            (start, searched) = (0, bytes.count)
            guard bytes.count <= Self.lineMax else { throw bad("the next line is too long") }
            return nil
        }
        let line = start..<newline + 1
        (start, searched) = (newline + 1, newline + 1)
        lines += 1
        return line
    }

    private func begins(_ line: Range<Int>, _ text: String) -> Bool {
        bytes[line].starts(with: text.utf8)
    }

    private mutating func read(_ line: Range<Int>) throws(BackupError) -> Item? {
        if isEnded { throw bad("there is data after the end") }
        if lines == 1 {
            try checkOpening(line)
            return nil
        }
        if begins(line, "{\"end\":") {
            try checkEnd(line)
            return nil
        }
        if begins(line, "{\"log\":") { return .file(try beginFile(line)) }
        guard let file, !file.isSealed, Line.isValid(bytes, line, salt: file.salt),
            let header = RecordHeader(bytes, line), header.sequence > last
        else { throw bad("the line is damaged") }
        last = header.sequence
        records += 1
        self.file?.isSealed = header.kind == .seal
        return .record(header)
    }

    private mutating func checkOpening(_ line: Range<Int>) throws(BackupError) {
        let beginning = "{\"backup\":\"navstate\",\"format\":"
        guard begins(line, beginning) else {
            throw bad("this is not a backup of a navstate store")
        }
        if begins(line, "\(beginning)1,") {
            throw bad("it is of version 0.1.0; restore it with version 0.2.0 and back that up")
        }
        guard begins(line, "\(beginning)\(Manifest.format),") else {
            throw bad("the backup has a newer format; use a newer navstate")
        }
        var reader = LineReader(bytes, line)
        guard Line.isValid(bytes, line, salt: .none), let number = reader.numberOfOpening() else {
            throw bad("the line is damaged")
        }
        upTo = number
    }

    private mutating func checkEnd(_ line: Range<Int>) throws(BackupError) {
        guard Line.isValid(bytes, line, salt: .none),
            begins(line, "{\"end\":\"navstate\",\"bytes\":\(count),")
        else { throw bad("the backup is incomplete") }
        isEnded = true
    }

    private mutating func beginFile(_ line: Range<Int>) throws(BackupError) -> File {
        var format: UInt64 = 0
        guard Line.isValid(bytes, line, salt: .none),
            let header = SegmentHeader(bytes, line, format: &format),
            header.file > (file?.number ?? 0), header.first > 0,
            let digits = Line.digits(of: bytes, line)
        else { throw bad("the line is damaged") }
        let opened = File(header: header, salt: Salt(digits: digits, of: bytes), after: end)
        last = max(end, header.first - 1)
        file = (header.file, opened.salt, false)
        return opened
    }
}

extension LineReader {
    /// Reads the first line of a backup up to `upto`, and returns the number that it gives.
    fileprivate mutating func numberOfOpening() -> UInt64? {
        var (text, number) = (0..<0, UInt64(0))
        guard take(0x7B), key() != nil, self.text(&text), take(0x2C), key() != nil, read(&number),
            take(0x2C), key() != nil, self.text(&text), take(0x2C),
            key() == 0x7570_746F, read(&number)
        else { return nil }
        return number
    }
}
