internal import Bytes
internal import JSON
public import Navigation
internal import POSIX
internal import Sessions

/// Creates a store from a backup; every line is checked before the store is valid.
///
///     var restore = try Restore(into: path, now: now)
///     while … { try restore.feed(bytes) }
///     let records = try restore.finish()
///
/// A restore that fails removes what it has created. One that is killed leaves the file
/// `RESTORING`, which is created first and removed last; while it exists and there is no manifest,
/// no start accepts the directory. The manifest has a new lineage, so that an ETag or an event id
/// from before the restore matches nothing.
public struct Restore: ~Copyable {
    private let layout: Layout
    private let disk: Disk
    private let now: Milliseconds
    private let lock: DirectoryLock
    private var lines = BackupLines()
    /// The file that is being written, and whether it has its seal.
    private var output: (file: SegmentFile, isSealed: Bool)?
    /// The files that are complete.
    private var sealed: [Manifest.Sealed] = []
    /// Records that had been lost before the backup was made.
    private var lost: [ClosedRange<UInt64>] = []
    private var isFinished = false

    deinit {
        guard !isFinished else { return }
        // Best effort: the next start detects what remains.
        try? Directory.removeTree(layout.log)
        try? disk.remove(layout.lock)
        try? disk.remove(layout.restoring)
    }

    /// - Parameter path: a directory that is empty or does not exist.
    public init(into path: String, now: Milliseconds, disk: Disk = Disk()) throws(StartError) {
        layout = Layout(root: path)
        self.disk = disk
        self.now = now
        try StartError.catching(try Directory.make(path))
        let names = try StartError.catching(try Directory.names(path))
        guard names.isEmpty else { throw .notEmpty(path: path) }
        let lock = try DirectoryLock(layout)
        do {
            try Self.mark(layout, disk)
            try Directory.make(layout.log)
        } catch {
            try? disk.remove(layout.restoring)
            throw .system(error)
        }
        self.lock = lock
    }

    /// Marks the directory as incomplete.
    private static func mark(_ layout: Layout, _ disk: Disk) throws(SystemError) {
        let bytes = Array("A restore into this directory is not finished.\n".utf8)
        let file = try disk.create(layout.restoring)
        try disk.write(bytes, 0..<bytes.count, to: file, at: 0)
        try disk.sync(file)
        try disk.syncDirectory(layout.root)
    }

    /// Adds the next bytes of the backup, which may be split anywhere.
    public mutating func feed(_ bytes: [UInt8]) throws(StartError) {
        lines.append(bytes[...])
        while let (item, line) = try StartError.reading(try lines.next()) {
            switch item {
            case .file(let file): try StartError.catching(try begin(file, line))
            case .record(let header):
                output?.file.append(
                    lines.bytes, line, number: header.sequence, hasOtherSalt: false)
                output?.isSealed = header.kind == .seal
                if output?.file.isFlushDue == true {
                    try StartError.catching(try output?.file.flush())
                }
            }
        }
    }

    /// Completes the store.
    ///
    /// - Returns: the number of its records.
    public mutating func finish() throws(StartError) -> Int {
        try StartError.reading(try lines.finish())
        do {
            try closeFile(last: lines.end)
            var manifest = Manifest(lineage: Manifest.newLineage(now))
            let mark = try beginLineage(manifest.lineage)
            try disk.syncDirectory(layout.log)
            (manifest.sealed, manifest.lost, manifest.after) = (sealed, lost, mark + 1)
            try manifest.write(layout, disk)
            try disk.remove(layout.restoring)
            try disk.syncDirectory(layout.root)
        } catch {
            throw .system(error)
        }
        isFinished = true
        return lines.records
    }

    private mutating func begin(
        _ file: BackupLines.File, _ line: Range<Int>
    ) throws(SystemError) {
        try closeFile(last: file.after)
        let header = file.header
        if header.first > file.after + 1, !header.first.isFirstOfLineage {
            lost.append(file.after + 1...header.first - 1)
        }
        let created = try disk.create(layout.segment(header.file))
        output = (
            SegmentFile(
                header, line: (Array(lines.bytes[line]), file.salt), in: created, disk: disk),
            false
        )
    }

    /// Adds a file with only a mark, with which the numbers of the new lineage begin.
    ///
    /// - Returns: the number of the mark. The next one is that of the file's seal.
    private mutating func beginLineage(_ lineage: String) throws(SystemError) -> UInt64 {
        let first = lines.end.lastBeforeNextLineage + 1
        let number = (sealed.last?.number ?? 0) + 1
        let header = SegmentHeader(lineage: lineage, file: number, first: first, at: now)
        var file = SegmentFile(
            header, in: try disk.create(layout.segment(number)), disk: disk)
        var mark = ByteWriter()
        mark.append(mark: first, durable: first - 1, at: now)
        var line: [UInt8] = []
        Line.append(mark, to: &line, salt: file.salt)
        file.append(line, line.indices, number: first, hasOtherSalt: false)
        output = (file, false)
        try closeFile(last: first + 1)
        return first
    }

    /// Completes the file that is being written, and adds a seal if it has none.
    ///
    /// - Parameter last: the number of its seal.
    private mutating func closeFile(last: UInt64) throws(SystemError) {
        guard let (opened, isSealed) = output else { return }
        var file = opened
        output = nil
        if !isSealed { file.appendSeal(last, at: now) }
        try file.flush()
        try file.sync()
        sealed.append(file.listed)
    }
}
