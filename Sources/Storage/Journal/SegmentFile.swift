internal import Navigation
internal import POSIX

/// A file of the log that is written from its header to its seal by compaction, a restore or
/// `--recover`, and not by the journal.
struct SegmentFile {
    let header: SegmentHeader
    let salt: Salt
    private let disk: Disk
    private let file: LogFile
    /// Bytes that are not written yet.
    private var bytes: [UInt8]
    private var written = 0
    /// The number of lines, including the header.
    private(set) var lines: UInt64 = 1
    private var state: Segment.State

    /// The number of bytes that are written at a time.
    private static let pieceBytes = 1 << 20

    /// - Parameter line: the first line and the salt of the others, if they exist already.
    init(
        _ header: SegmentHeader, line: (bytes: [UInt8], salt: Salt)? = nil, in file: LogFile,
        disk: Disk
    ) {
        (self.header, self.disk, self.file) = (header, disk, file)
        var first: [UInt8] = []
        salt = line?.salt ?? header.append(to: &first)
        bytes = line?.bytes ?? first
        state = Segment.State(file: file)
    }

    var path: String { file.path }

    /// The file as others see it once it is complete.
    var segment: Segment {
        var final = state
        final.end = written
        return Segment(header: header, salt: salt, state: final)
    }

    /// The file as the manifest lists it.
    var listed: Manifest.Sealed {
        Manifest.Sealed(
            number: header.file, identity: Manifest.Identity(last: state.last, salt: salt))
    }

    /// Whether there are enough bytes for a piece.
    var isFlushDue: Bool { bytes.count >= Self.pieceBytes }

    /// Adds a line.
    ///
    /// - Parameter hasOtherSalt: whether the line is of another file, so that it gets a new
    ///   checksum.
    mutating func append(
        _ source: [UInt8], _ line: Range<Int>, number: UInt64, hasOtherSalt: Bool
    ) {
        state.note(number, at: written + bytes.count)
        state.last = number
        lines += 1
        if hasOtherSalt {
            Line.copy(source, line, to: &bytes, salt: salt)
        } else {
            bytes.append(contentsOf: source[line])
        }
    }

    /// Adds the seal.
    ///
    /// - Parameter last: the number of the seal, which is the highest in the file.
    mutating func appendSeal(_ last: UInt64, at: Milliseconds) {
        state.note(last, at: written + bytes.count)
        state.last = last
        lines += 1
        Line.appendSeal(last, at: at, lines: lines, to: &bytes, salt: salt)
    }

    /// Writes what was added.
    mutating func flush() throws(SystemError) {
        try disk.write(bytes, 0..<bytes.count, to: file, at: written)
        written += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }

    /// Syncs what was written.
    func sync() throws(SystemError) { try disk.sync(file) }
}
