internal import Bytes
internal import POSIX

/// What a pass over a file of the log found.
struct Scan: Equatable, Sendable {
    var header: SegmentHeader?
    /// A format that this program does not know.
    var newerFormat: UInt64?
    var salt = Salt.none
    /// Valid lines, header and seal counted.
    var lines: UInt64 = 0
    /// Of the valid records; 0 if there are none.
    var first: UInt64 = 0
    var last: UInt64 = 0
    /// The largest `d` among them.
    var durable: UInt64 = 0
    var holes: [Hole] = []
    /// What the seal says, if there is one, and where it ends.
    var seal: (lines: UInt64, end: Int)?
    /// Where the last line ends, blank ones not counted.
    var size = 0

    /// Bytes that are no valid line, or a number that was left out.
    struct Hole: Equatable, Sendable {
        var offset: Int
        var end: Int
        /// The lowest number that is missing.
        var firstMissing: UInt64
        /// The number of the first valid record after it, if there is one.
        var nextValid: UInt64?
    }

    enum Seal: Equatable, CaseIterable, Sendable {
        case good, absent, wrong
    }

    var sealState: Seal {
        guard let seal else { return .absent }
        return seal.lines == lines && seal.end == size ? .good : .wrong
    }

    static func == (a: Scan, b: Scan) -> Bool {
        a.header == b.header && a.lines == b.lines && a.first == b.first && a.last == b.last
            && a.durable == b.durable && a.holes == b.holes && a.sealState == b.sealState
    }
}

/// Goes through a file line by line, to its end and not only to the first bad byte.
struct SegmentScanner {
    private let file: LogFile
    private let size: Int
    /// The number that the first record must have at least.
    private let expected: UInt64
    private var buffer: [UInt8]
    private var scan = Scan()
    private var openHole: Scan.Hole?
    /// Where the blank lines begin that were seen last, while nothing else came.
    private var blankStart: Int?

    /// Bytes that are read at a time: few enough to stay near the processor until the index has
    /// taken what is in them.
    static let chunk = 256 << 10

    /// - Parameter end: how much of the file counts; all of it if nil.
    init(_ file: LogFile, expected: UInt64, end: Int? = nil) throws(SystemError) {
        self.file = file
        if let end { size = end } else { size = try file.descriptor.status().size }
        self.expected = expected
        buffer = [UInt8](repeating: 0, count: min(Self.chunk, max(1, size)))
        scan.size = size
    }

    /// Calls the closure with each valid record: the bytes, the line, its header, its
    /// offset in the file.
    ///
    /// - Parameter chunkDone: called with the bytes when all of their records were visited, and
    ///   with what of them is left over; it may keep them and give others to go on with, longer
    ///   than the rest and beginning with it.
    mutating func run(
        chunkDone: ([UInt8], Range<Int>) -> [UInt8]? = { _, _ in nil },
        _ visit: ([UInt8], Range<Int>, RecordHeader, Int) -> Void
    ) throws(SystemError) -> Scan {
        var (base, filled, start) = (0, 0, 0)
        while true {
            let window = filled..<min(buffer.count, filled + size - base - filled)
            let count = try file.naming { descriptor throws(SystemError) in
                try descriptor.read(into: &buffer, window, at: base + filled)
            }
            filled += count
            let isEnd = count == 0 || base + filled == size
            if base == 0, start == 0, !readHeader(filled, &start) { return scan }
            while let end = ByteSearch.first(0x0A, in: buffer, start..<filled) {
                readLine(start..<end + 1, base + start, visit)
                start = end + 1
            }
            let next = chunkDone(buffer, start..<filled)
            if isEnd { break }
            if let next {
                buffer = next
                base += start
                filled -= start
                start = 0
            } else {
                makeRoom(&base, &filled, &start)
            }
        }
        if start < filled {
            endBlank(at: base + start)
            openHole(at: base + start, end: base + filled)
        }
        closeHole(next: nil)
        if let blankStart { scan.size = blankStart }
        return scan
    }

    /// Moves what is left of the buffer to its start; grows it for a line that does not fit.
    private mutating func makeRoom(_ base: inout Int, _ filled: inout Int, _ start: inout Int) {
        if start == 0 {
            buffer.append(contentsOf: repeatElement(0, count: buffer.count))
        } else {
            buffer.replaceSubrange(0..<filled - start, with: buffer[start..<filled])
            base += start
            filled -= start
            start = 0
        }
    }

    /// False if the format is a newer one.
    private mutating func readHeader(_ filled: Int, _ start: inout Int) -> Bool {
        let end = ByteSearch.first(0x0A, in: buffer, 0..<filled).map { $0 + 1 } ?? filled
        let line = 0..<end
        var format: UInt64 = 0
        if Line.isValid(buffer, line, salt: .none) {
            scan.header = SegmentHeader(buffer, line, format: &format)
            if scan.header == nil, format > Manifest.formats.upperBound {
                scan.newerFormat = format
                return false
            }
        }
        if scan.header != nil, let digits = Line.digits(of: buffer, line) {
            scan.salt = Salt(digits: digits, of: buffer)
            scan.lines = 1
        } else {
            scan.salt = guessSalt(filled, from: end, header: line)
            openHole(at: 0, end: end)
        }
        start = end
        return true
    }

    /// A damaged header's salt: what its digits give if a line agrees, else what two lines
    /// agree on.
    private func guessSalt(_ filled: Int, from start: Int, header: Range<Int>) -> Salt {
        let claimed = Line.digits(of: buffer, header).map { Salt(digits: $0, of: buffer) }
        var (at, seen) = (start, [UInt32: Int]())
        while let end = ByteSearch.first(0x0A, in: buffer, at..<filled) {
            if let salt = Line.salt(of: buffer, at..<end + 1) {
                seen[salt.value, default: 0] += salt == claimed ? 2 : 1
                if seen[salt.value, default: 0] >= 2 { return salt }
            }
            at = end + 1
        }
        return claimed ?? .none
    }

    private mutating func readLine(
        _ line: Range<Int>, _ offset: Int,
        _ visit: ([UInt8], Range<Int>, RecordHeader, Int) -> Void
    ) {
        if line.count == 1 {
            if blankStart == nil { blankStart = offset }
            return
        }
        endBlank(at: offset)
        guard Line.isValid(buffer, line, salt: scan.salt) else {
            guard let inner = Self.line(within: line, of: buffer, salt: scan.salt) else {
                return openHole(at: offset, end: offset + line.count)
            }
            let skipped = inner.lowerBound - line.lowerBound
            openHole(at: offset, end: offset + skipped)
            return readLine(inner, offset + skipped, visit)
        }
        guard let header = RecordHeader(buffer, line), header.sequence > scan.last,
            header.sequence >= expected, header.durable < header.sequence
        else { return openHole(at: offset, end: offset + line.count) }
        let next = scan.last == 0 ? scan.header?.first : scan.last + 1
        if scan.header?.cleaned == 0, header.sequence != next {
            openHole(at: offset, end: offset)
        }
        closeHole(next: header.sequence)
        if scan.first == 0 { scan.first = header.sequence }
        scan.last = header.sequence
        scan.durable = max(scan.durable, header.durable)
        scan.lines += 1
        if header.kind == .seal { scan.seal = (header.lines, offset + line.count) }
        visit(buffer, line, header, offset)
    }

    /// A file's first line, if it is a valid header; no more is read.
    static func header(
        _ file: LogFile
    ) throws(SystemError) -> (header: SegmentHeader, salt: Salt)? {
        let bytes = try file.bytes(at: 0, count: SegmentHeader.countMax)
        var format: UInt64 = 0
        guard let end = ByteSearch.first(0x0A, in: bytes, 0..<bytes.count),
            Line.isValid(bytes, 0..<end + 1, salt: .none),
            let digits = Line.digits(of: bytes, 0..<end + 1),
            let header = SegmentHeader(bytes, 0..<end + 1, format: &format)
        else { return nil }
        return (header, Salt(digits: digits, of: bytes))
    }

    /// A whole line at the end of a bad one: what is left if only the newline between was hit.
    ///
    /// A forged line can hold very many beginnings of lines, so the bytes that are checked are
    /// bounded. If they do not suffice, the whole of the bad line counts as damaged.
    ///
    /// - Parameter bytesMax: how many bytes are checked; the default takes some 10 ms.
    static func line(
        within line: Range<Int>, of buffer: [UInt8], salt: Salt, bytesMax: Int = 64 << 20
    ) -> Range<Int>? {
        var start = line.lowerBound + 1
        var bytesLeft = bytesMax
        while let found = ByteSearch.first(0x7B, in: buffer, start..<line.upperBound) {
            let rest = found..<line.upperBound
            if buffer[rest].starts(with: "{\"n\":".utf8) {
                bytesLeft -= rest.count
                guard bytesLeft >= 0 else { return nil }
                if Line.isValid(buffer, rest, salt: salt) { return rest }
            }
            start = found + 1
        }
        return nil
    }

    /// Blank lines that something follows are a hole: there were lines.
    private mutating func endBlank(at offset: Int) {
        guard let start = blankStart else { return }
        openHole(at: start, end: offset)
        blankStart = nil
    }

    private mutating func openHole(at offset: Int, end: Int) {
        if openHole == nil {
            let missing = max(scan.last + 1, expected)
            openHole = Scan.Hole(offset: offset, end: end, firstMissing: missing)
        }
        openHole?.end = end
    }

    private mutating func closeHole(next: UInt64?) {
        guard var hole = openHole else { return }
        hole.nextValid = next
        scan.holes.append(hole)
        openHole = nil
    }
}
