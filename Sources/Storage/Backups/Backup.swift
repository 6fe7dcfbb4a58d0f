internal import Navigation
internal import POSIX
internal import Sessions

// A backup is the log as one stream of JSON lines:
//
//     {"backup":"navstate","format":2,"lineage":"…","upto":184320,"at":…,"crc":"…"}
//     …the lines of all files, oldest first, each file from its header on…
//     {"end":"navstate","bytes":73400320,"crc":"…"}
//
// It holds every change up to `upto` and none after it, whatever is written meanwhile: files only
// grow at their end, and a file that compaction replaces stays readable until the backup is
// complete. `bytes` counts everything before the last line; without that line a backup is
// incomplete.

/// A consistent copy of the store, to be read chunk by chunk.
struct Backup: Sendable {
    /// The files, and where each of them ended when the backup began.
    private let files: [(segment: Segment, end: Int)]
    /// The number of the last change in the backup.
    let upTo: SequenceNumber
    private let opening: [UInt8]
    private var progress = Progress.opening
    /// The number of bytes returned so far.
    private var count = 0

    private enum Progress: Sendable {
        case opening
        case file(Int, SegmentSlices)
        case closing
        case done
    }

    init(_ segments: [Segment], lineage: String, upTo: SequenceNumber, at: Milliseconds) {
        files = segments.map { ($0, $0.end) }
        self.upTo = upTo
        opening = Self.opening(lineage: lineage, upTo: upTo, at: at)
    }

    /// The first line of a backup.
    static func opening(lineage: String, upTo: SequenceNumber, at: Milliseconds) -> [UInt8] {
        var line = Array("{\"backup\":\"navstate\",\"format\":\(Manifest.format)".utf8)
        line.append(contentsOf: ",\"lineage\":\"\(lineage)\",\"upto\":\(upTo),\"at\":\(at)".utf8)
        Line.close(&line, from: 0, salt: .none)
        return line
    }

    var segments: [Segment] { files.map(\.segment) }

    /// The maximum number of bytes of a chunk, unless a line is longer.
    private static let chunkMax = 256 << 10

    /// Returns the next bytes, or none at the end. Reads the disk.
    ///
    /// - Throws: damage, if a line is not valid, because a restore would refuse it.
    mutating func next() throws(SystemError) -> [UInt8] {
        while true {
            switch progress {
            case .opening:
                open(0)
                count = opening.count
                return opening
            case .file(let index, var slices):
                guard let slice = try slices.next() else {
                    open(index + 1)
                    continue
                }
                progress = .file(index, slices)
                count += slice.bytes.count
                return slice.bytes
            case .closing:
                progress = .done
                return Self.closing(bytes: count)
            case .done: return []
            }
        }
    }

    private mutating func open(_ index: Int) {
        guard index < files.count else { return progress = .closing }
        let (segment, end) = files[index]
        progress = .file(index, SegmentSlices(of: segment, upTo: end, countMax: Self.chunkMax))
    }

    /// The last line of a backup.
    ///
    /// - Parameters:
    ///   - count: the number of bytes before it.
    ///   - omitted: how many damaged messages of the store are not in the backup.
    static func closing(bytes count: Int, omitted: Int = 0) -> [UInt8] {
        var line = Array("{\"end\":\"navstate\",\"bytes\":\(count)".utf8)
        if omitted > 0 { line += ",\"omitted\":\(omitted)".utf8 }
        Line.close(&line, from: 0, salt: .none)
        return line
    }
}
