internal import Bytes
internal import Navigation
internal import POSIX
package import Sessions

// A backup is the log as one stream of JSON lines:
//
//     {"backup":"navstate","format":2,"lineage":"…","upto":184320,"at":…,"crc":"…"}
//     …the lines of all files, oldest first, each file from its header on…
//     {"end":"navstate","bytes":73400320,"crc":"…"}
//
// It holds every change up to `upto` and none after it, whatever is written meanwhile: files only
// grow at their end, and a file that compaction replaces stays readable until the backup is
// through. `bytes` counts all before the last line; without that line a backup is not whole.

/// A consistent copy of the store, to be read piece by piece.
package struct Backup: Sendable {
    private var pieces: [(segment: Segment, end: Int)]
    /// The last change in it.
    package let upTo: SequenceNumber
    private let opening: [UInt8]
    private var index = -1
    private var offset = 0
    private var count = 0

    init(_ segments: [Segment], lineage: String, upTo: SequenceNumber, at: Milliseconds) {
        pieces = segments.map { ($0, $0.end) }
        self.upTo = upTo
        var line = Array("{\"backup\":\"navstate\",\"format\":\(Manifest.format)".utf8)
        line.append(contentsOf: ",\"lineage\":\"\(lineage)\",\"upto\":\(upTo),\"at\":\(at)".utf8)
        Line.close(&line, from: 0, salt: .none)
        opening = line
    }

    var segments: [Segment] { pieces.map(\.segment) }

    /// Bytes of one piece, at most, unless a line is longer.
    private static let pieceMax = 256 << 10

    /// Whole lines, each of which is checked: what a restore would refuse is not given as a backup.
    private func lines(
        of file: LogFile, _ end: Int, _ salt: Salt
    ) throws(SystemError) -> [UInt8] {
        var size = Self.pieceMax
        while true {
            var bytes = try file.bytes(at: offset, count: min(size, end - offset))
            var start = 0
            while let stop = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
                let isHeader = offset + start == 0
                guard Line.isValid(bytes, start..<stop + 1, salt: isHeader ? .none : salt) else {
                    throw .damage(file.path)
                }
                start = stop + 1
            }
            if start > 0 {
                bytes.removeSubrange(start...)
                return bytes
            }
            guard bytes.count == size, offset + size < end else { throw .damage(file.path) }
            size *= 2
        }
    }

    /// The next bytes; empty once all were given. Reads the disk.
    mutating func next() throws(SystemError) -> [UInt8] {
        if index < 0 {
            index = 0
            count = opening.count
            return opening
        }
        while index < pieces.count {
            let (segment, end) = pieces[index]
            guard offset < end else {
                (index, offset) = (index + 1, 0)
                continue
            }
            guard let file = segment.file else {
                throw SystemError("pread", number: SystemError.notFound)
            }
            let bytes = try lines(of: file, end, segment.salt)
            offset += bytes.count
            count += bytes.count
            return bytes
        }
        guard index == pieces.count else { return [] }
        index += 1
        var line = Array("{\"end\":\"navstate\",\"bytes\":\(count)".utf8)
        Line.close(&line, from: 0, salt: .none)
        return line
    }
}

/// A piece of a backup that the reader thread has read.
package struct BackupChunk: Sendable {
    package let ticket: UInt64
    /// The backup as it goes on behind the piece.
    package var backup: Backup
    /// Empty at the end.
    package var bytes: [UInt8] = []
    /// The disk failed: the stream has to be broken off.
    package var hasFailed = false

    func reading(_ journal: Journal, _ troubles: Troubles) -> BackupChunk {
        var chunk = self
        guard journal.waitUntilWritten(backup.upTo) else {
            chunk.hasFailed = true
            return chunk
        }
        do {
            chunk.bytes = try chunk.backup.next()
        } catch {
            troubles.report(.damage, error)
            chunk.hasFailed = true
        }
        return chunk
    }
}
