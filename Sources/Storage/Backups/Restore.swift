internal import Bytes
internal import JSON
package import Navigation
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
package struct Restore: ~Copyable {
    private let layout: Layout
    private let disk: Disk
    private let now: Milliseconds
    private let lock: DirectoryLock
    private var lines = BackupLines()
    private var output: RestoredFile?
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
    package init(into path: String, now: Milliseconds, disk: Disk = Disk()) throws(StartError) {
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
    package mutating func feed(_ bytes: [UInt8]) throws(StartError) {
        lines.append(bytes[...])
        while let (item, line) = try StartError.reading(try lines.next()) {
            switch item {
            case .file(let file): try StartError.catching(try begin(file, line))
            case .record(let header):
                try StartError.catching(
                    try output?.append(lines.bytes, line, isSeal: header.kind == .seal))
            }
        }
    }

    /// Completes the store.
    ///
    /// - Returns: the number of its records.
    package mutating func finish() throws(StartError) -> Int {
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
        output = RestoredFile(
            header.file, header: Array(lines.bytes[line]), salt: file.salt,
            file: try disk.create(layout.segment(header.file)), disk: disk)
    }

    /// Adds a file with only a mark, with which the numbers of the new lineage begin.
    ///
    /// - Returns: the number of the mark. The next one is that of the file's seal.
    private mutating func beginLineage(_ lineage: String) throws(SystemError) -> UInt64 {
        let first = lines.end.lastBeforeNextLineage + 1
        let number = (sealed.last?.number ?? 0) + 1
        let header = SegmentHeader(lineage: lineage, file: number, first: first, at: now)
        var bytes: [UInt8] = []
        let salt = header.append(to: &bytes)
        let file = try disk.create(layout.segment(number))
        output = RestoredFile(number, header: bytes, salt: salt, file: file, disk: disk)
        var mark = ByteWriter()
        mark.append(mark: first, durable: first - 1, at: now)
        var line: [UInt8] = []
        Line.append(mark, to: &line, salt: salt)
        try output?.append(line, line.indices, isSeal: false)
        try closeFile(last: first + 1)
        return first
    }

    /// Completes the file that is being written, and adds a seal if it has none.
    ///
    /// - Parameter last: the number of its seal.
    private mutating func closeFile(last: UInt64) throws(SystemError) {
        guard var file = output else { return }
        output = nil
        sealed.append(try file.close(last: last, at: now))
    }
}

/// A file of the log while it is being restored.
private struct RestoredFile {
    let salt: Salt
    private(set) var isSealed = false
    private let disk: Disk
    private let file: LogFile
    private let number: Int
    /// Bytes that are not written yet.
    private var bytes: [UInt8]
    private var written = 0
    private var lines: UInt64 = 1

    /// The number of bytes that are written at a time.
    private static let pieceBytes = 1 << 20

    /// - Parameters:
    ///   - header: the first line.
    ///   - salt: the salt of the lines after it.
    init(
        _ number: Int, header: [UInt8], salt: Salt, file: LogFile, disk: Disk
    ) {
        self.number = number
        self.salt = salt
        self.disk = disk
        bytes = header
        self.file = file
    }

    /// Adds a line, which may be its seal.
    mutating func append(
        _ source: [UInt8], _ line: Range<Int>, isSeal: Bool
    ) throws(SystemError) {
        bytes.append(contentsOf: source[line])
        lines += 1
        isSealed = isSeal
        if bytes.count >= Self.pieceBytes { try flush() }
    }

    private mutating func flush() throws(SystemError) {
        try disk.write(bytes, 0..<bytes.count, to: file, at: written)
        written += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }

    /// Completes the file.
    ///
    /// - Parameter last: the number of its seal.
    mutating func close(
        last: UInt64, at now: Milliseconds
    ) throws(SystemError) -> Manifest.Sealed {
        if !isSealed { Line.appendSeal(last, at: now, lines: lines + 1, to: &bytes, salt: salt) }
        try flush()
        try disk.sync(file)
        return Manifest.Sealed(
            number: number, identity: Manifest.Identity(last: last, salt: salt))
    }
}
