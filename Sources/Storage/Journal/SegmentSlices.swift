internal import Bytes
internal import POSIX

/// Reads a file of the log a slice at a time: whole lines, each of which is checked.
struct SegmentSlices: Sendable {
    /// Some lines of the file.
    struct Slice {
        /// Whole lines.
        var bytes: [UInt8]
        /// Where the bytes start in the file.
        var offset: Int
        /// Each line with its newline, as a range of `bytes`; the file's header is one of them.
        var lines: [Range<Int>]
    }

    private let segment: Segment
    private let end: Int
    private let countMax: Int
    private var offset = 0

    /// - Parameters:
    ///   - end: where the last line ends.
    ///   - countMax: the maximum number of bytes of a slice, unless a line is longer.
    init(of segment: Segment, upTo end: Int, countMax: Int) {
        self.segment = segment
        self.end = end
        self.countMax = countMax
    }

    /// Returns the next lines, or nil at the end.
    ///
    /// - Throws: damage, if a line is not valid.
    mutating func next() throws(SystemError) -> Slice? {
        guard offset < end else { return nil }
        guard let file = segment.file else {
            throw SystemError("pread", number: SystemError.notFound)
        }
        var size = countMax
        while true {
            var bytes = try file.bytes(at: offset, count: min(size, end - offset))
            let lines = try lines(in: bytes, of: file)
            if let last = lines.last {
                bytes.removeSubrange(last.upperBound...)
                defer { offset += last.upperBound }
                return Slice(bytes: bytes, offset: offset, lines: lines)
            }
            guard bytes.count == size, offset + size < end else { throw .damage(file.path) }
            size *= 2
        }
    }

    private func lines(
        in bytes: [UInt8], of file: LogFile
    ) throws(SystemError) -> [Range<Int>] {
        var (lines, start) = ([Range<Int>](), 0)
        while let stop = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
            let (line, isHeader) = (start..<stop + 1, offset + start == 0)
            guard Line.isValid(bytes, line, salt: isHeader ? .none : segment.salt) else {
                throw .damage(file.path)
            }
            lines.append(line)
            start = stop + 1
        }
        return lines
    }
}
