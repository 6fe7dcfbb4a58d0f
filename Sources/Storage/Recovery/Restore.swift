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
    private var input = Input()
    private var output: RestoredFile?
    /// The files that are complete.
    private var sealed: [Manifest.Sealed] = []
    /// Records that had been lost before the backup was made.
    private var lost: [ClosedRange<UInt64>] = []
    private var records = 0
    private var last: UInt64 = 0
    private var isFinished = false

    /// The backup as far as it has been read.
    private struct Input {
        /// Bytes that are not a whole line yet.
        var rest: [UInt8] = []
        /// Bytes of whole lines.
        var count = 0
        var lines = 0
        /// Whether the last line has been read.
        var isEnded = false
    }

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
        input.rest.append(contentsOf: bytes)
        var start = 0
        while let end = ByteSearch.first(0x0A, in: input.rest, start..<input.rest.count) {
            let line = start..<end + 1
            input.lines += 1
            if input.isEnded { throw bad("there is data after the end") }
            try take(line)
            input.count += line.count
            start = end + 1
        }
        input.rest.removeFirst(start)
    }

    /// Completes the store.
    ///
    /// - Returns: the number of its records.
    package mutating func finish() throws(StartError) -> Int {
        guard input.isEnded, input.rest.isEmpty else {
            throw bad("the backup is incomplete: its end is missing")
        }
        do {
            try closeFile()
            var manifest = Manifest(lineage: try Manifest.newLineage(now))
            try beginLineage(manifest.lineage)
            try disk.syncDirectory(layout.log)
            (manifest.sealed, manifest.lost, manifest.after) = (sealed, lost, last)
            try manifest.write(layout, disk)
            try disk.remove(layout.restoring)
            try disk.syncDirectory(layout.root)
        } catch {
            throw .system(error)
        }
        isFinished = true
        return records
    }

    private func bad(_ reason: String) -> StartError {
        .badBackup(line: input.lines, reason: reason)
    }

    private func begins(_ line: Range<Int>, _ text: String) -> Bool {
        input.rest[line].starts(with: text.utf8)
    }

    private mutating func take(_ line: Range<Int>) throws(StartError) {
        if input.lines == 1 { return try checkOpening(line) }
        if begins(line, "{\"end\":") { return try checkEnd(line) }
        if begins(line, "{\"log\":") { return try beginFile(line) }
        guard let salt = output?.salt, output?.isSealed == false,
            Line.isValid(input.rest, line, salt: salt),
            let header = RecordHeader(input.rest, line), header.sequence > last
        else { throw bad("the line is damaged") }
        last = header.sequence
        records += 1
        try StartError.catching(
            try output?.append(input.rest, line, isSeal: header.kind == .seal))
    }

    private func checkOpening(_ line: Range<Int>) throws(StartError) {
        guard begins(line, "{\"backup\":\"navstate\",\"format\":") else {
            throw bad("this is not a backup of a navstate store")
        }
        let isKnown = Manifest.formats.contains { format in
            begins(line, "{\"backup\":\"navstate\",\"format\":\(format),")
        }
        guard isKnown else {
            throw bad("the backup has a newer format; use a newer navstate")
        }
        guard Line.isValid(input.rest, line, salt: .none) else {
            throw bad("the line is damaged")
        }
    }

    private mutating func checkEnd(_ line: Range<Int>) throws(StartError) {
        guard Line.isValid(input.rest, line, salt: .none),
            begins(line, "{\"end\":\"navstate\",\"bytes\":\(input.count),")
        else { throw bad("the backup is incomplete") }
        input.isEnded = true
    }

    private mutating func beginFile(_ line: Range<Int>) throws(StartError) {
        try StartError.catching(try closeFile())
        var format: UInt64 = 0
        guard Line.isValid(input.rest, line, salt: .none),
            let header = SegmentHeader(input.rest, line, format: &format),
            header.file > (sealed.last?.number ?? 0),
            let digits = Line.digits(of: input.rest, line)
        else { throw bad("the line is damaged") }
        if header.first > last + 1 {
            if !header.first.isFirstOfLineage { lost.append(last + 1...header.first - 1) }
            last = header.first - 1
        }
        let path = layout.segment(header.file)
        output = RestoredFile(
            header.file, header: Array(input.rest[line]),
            salt: Salt(digits: digits, of: input.rest),
            file: try StartError.catching(try disk.create(path)), disk: disk)
    }

    /// Adds a file with only a mark, with which the numbers of the new lineage begin.
    private mutating func beginLineage(_ lineage: String) throws(SystemError) {
        last = last.lastBeforeNextLineage + 1
        let number = (sealed.last?.number ?? 0) + 1
        let header = SegmentHeader(lineage: lineage, file: number, first: last, at: now)
        var bytes: [UInt8] = []
        let salt = header.append(to: &bytes)
        let file = try disk.create(layout.segment(number))
        output = RestoredFile(number, header: bytes, salt: salt, file: file, disk: disk)
        var mark = ByteWriter()
        mark.append(mark: last, durable: last - 1, at: now)
        var line: [UInt8] = []
        Line.append(mark, to: &line, salt: salt)
        try output?.append(line, line.indices, isSeal: false)
        try closeFile()
    }

    /// Completes the file that is being written, and adds a seal if it has none.
    private mutating func closeFile() throws(SystemError) {
        guard var file = output else { return }
        output = nil
        if !file.isSealed { last += 1 }
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
