internal import Bytes
internal import POSIX

/// The result of reading a file of the log.
struct Scan: Equatable, Sendable {
    var header: SegmentHeader?
    /// The format of the file, if this program does not know it.
    var newerFormat: UInt64?
    var salt = Salt.none
    /// The number of valid lines, including the header and the seal.
    var lines: UInt64 = 0
    /// The number of the first valid record; 0 if there is none.
    var first: UInt64 = 0
    /// The number of the last valid record; 0 if there is none.
    var last: UInt64 = 0
    /// The highest `d` in the valid records.
    var durable: UInt64 = 0
    var holes: [Hole] = []
    /// The number of lines that the seal states, and where the seal ends; nil without a seal.
    var seal: (lines: UInt64, end: Int)?
    /// Where the last line ends that is not blank.
    var size = 0

    /// A place with bytes that are not a valid line, or where numbers are missing.
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

/// Reads a file line by line. It continues after an invalid line, up to the end of the file.
struct SegmentScanner {
    private let file: LogFile
    private let size: Int
    /// The lowest number that the first record may have.
    private let expected: UInt64
    private var buffer: [UInt8]
    private var scan = Scan()
    private var openHole: Scan.Hole?
    /// Where the blank lines begin that were read last. Nil if another line came after them.
    private var blankStart: Int?

    /// The part of the file that the buffer holds.
    private struct Window {
        /// Where the buffer begins in the file.
        var base = 0
        /// How many bytes of the buffer were read.
        var filled = 0
        /// Where the lines that were not visited yet begin in the buffer.
        var start = 0

        var rest: Range<Int> { start..<filled }

        /// Makes the rest the beginning of the buffer.
        mutating func dropLines() { (base, filled, start) = (base + start, filled - start, 0) }
    }

    /// The number of bytes that are read at a time. It is small, so that they are still in the
    /// processor's cache when the index takes their records.
    static let chunk = 256 << 10

    /// - Parameter end: how much of the file to read, or nil for all of it.
    init(_ file: LogFile, expected: UInt64, end: Int? = nil) throws(SystemError) {
        self.file = file
        if let end { size = end } else { size = try file.descriptor.status().size }
        self.expected = expected
        buffer = [UInt8](repeating: 0, count: min(Self.chunk, max(1, size)))
        scan.size = size
    }

    /// Calls the closure for each valid record, with the bytes, the range of its line, its header,
    /// and its offset in the file.
    ///
    /// - Parameter chunkDone: called with the bytes when all of their records were visited, and
    ///   with the range that is left over. It may keep the bytes and return others instead, which
    ///   must begin with the rest and be longer.
    mutating func run(
        chunkDone: ([UInt8], Range<Int>) -> [UInt8]? = { _, _ in nil },
        _ visit: ([UInt8], Range<Int>, RecordHeader, Int) -> Void
    ) throws(SystemError) -> Scan {
        var window = Window()
        while true {
            let free = window.filled..<min(buffer.count, size - window.base)
            let count = try file.naming { descriptor throws(SystemError) in
                try descriptor.read(into: &buffer, free, at: window.base + window.filled)
            }
            window.filled += count
            let isEnd = count == 0 || window.base + window.filled == size
            if window.base == 0, window.start == 0, !readHeader(&window) { return scan }
            while let end = ByteSearch.first(0x0A, in: buffer, window.rest) {
                readLine(window.start..<end + 1, at: window.base + window.start, visit)
                window.start = end + 1
            }
            let next = chunkDone(buffer, window.rest)
            if isEnd { break }
            if let next {
                buffer = next
                window.dropLines()
            } else {
                makeRoom(&window)
            }
        }
        if !window.rest.isEmpty {
            endBlank(at: window.base + window.start)
            openHole(at: window.base + window.start, end: window.base + window.filled)
        }
        closeHole(next: nil)
        if let blankStart { scan.size = blankStart }
        return scan
    }

    /// Moves the rest of the buffer to its start, or grows the buffer for a line that does not fit.
    private mutating func makeRoom(_ window: inout Window) {
        if window.start == 0 {
            buffer.append(contentsOf: repeatElement(0, count: buffer.count))
        } else {
            buffer.replaceSubrange(0..<window.rest.count, with: buffer[window.rest])
            window.dropLines()
        }
    }

    /// Reads the first line; returns false if it states a newer format.
    private mutating func readHeader(_ window: inout Window) -> Bool {
        let filled = window.filled
        let end = ByteSearch.first(0x0A, in: buffer, window.rest).map { $0 + 1 } ?? filled
        let line = 0..<end
        var format: UInt64 = 0
        if Line.isValid(buffer, line, salt: .none) {
            scan.header = SegmentHeader(buffer, line, format: &format)
            if scan.header == nil, format > SegmentHeader.formats.upperBound {
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
        window.start = end
        return true
    }

    /// Finds the salt of a file with a damaged header. It is the one that the header's digits give
    /// if a line confirms it, or one on which two lines agree.
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
        _ line: Range<Int>, at offset: Int,
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
            return readLine(inner, at: offset + skipped, visit)
        }
        var header = RecordHeader()
        guard header.read(buffer, line), header.sequence > scan.last,
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
        if header.kind == .seal { scan.seal = (header.end.lines, offset + line.count) }
        visit(buffer, line, header, offset)
    }

    /// Reads only the first line of a file. Returns nil if it is not a valid header.
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

    /// Finds a valid line at the end of an invalid one. There is one if only the newline between
    /// them was damaged.
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

    /// Blank lines are a hole if anything follows them, because there must have been lines.
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
