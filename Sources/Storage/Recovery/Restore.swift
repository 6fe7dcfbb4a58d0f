internal import Bytes
internal import JSON
package import Navigation
internal import POSIX
internal import Sessions

/// Makes a store out of a backup; every line is checked before the store counts.
///
///     var restore = try Restore(into: path, now: now)
///     while … { try restore.feed(bytes) }
///     let records = try restore.finish()
///
/// A restore that fails removes what it made. One that is killed leaves the file `RESTORING`, which
/// comes first and goes last, and without a manifest beside it no start accepts the directory. The
/// manifest has a new lineage: an ETag or an event's id of before the restore matches nothing.
package struct Restore: ~Copyable {
    private let layout: Layout
    private let disk: Disk
    private let now: Milliseconds
    private let lock: DirectoryLock
    private var rest: [UInt8] = []
    private var fed = 0
    private var lines = 0
    private var isEnded = false
    private var sealed: [Manifest.Sealed] = []
    /// What the store had lost already.
    private var lost: [ClosedRange<UInt64>] = []
    private var records = 0
    private var last: UInt64 = 0
    // The file that is being written.
    private var file: LogFile?
    private var number = 0
    private var salt = Salt.none
    private var out: [UInt8] = []
    private var written = 0
    private var fileLines: UInt64 = 0
    private var isSealed = true
    private var isFinished = false

    deinit {
        guard !isFinished else { return }
        // What cannot be removed either is met by the next who looks.
        try? Directory.removeTree(layout.log)
        try? disk.remove(layout.lock)
        try? disk.remove(layout.restoring)
    }

    /// - Parameter path: a directory that is empty or not there.
    package init(into path: String, now: Milliseconds, disk: Disk = Disk()) throws(StartError) {
        layout = Layout(root: path)
        self.disk = disk
        self.now = now
        do {
            try Directory.make(path)
            guard try Directory.names(path).isEmpty else { throw StartError.notEmpty(path: path) }
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw .notEmpty(path: path)
        }
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

    /// Says that what is here is not whole yet.
    private static func mark(_ layout: Layout, _ disk: Disk) throws(SystemError) {
        let bytes = Array("A restore into this directory is not finished.\n".utf8)
        let file = try disk.create(layout.restoring)
        try disk.write(file, bytes, 0..<bytes.count, at: 0)
        try disk.sync(file)
        try disk.syncDirectory(layout.root)
    }

    /// Takes the next bytes of the backup, cut anywhere.
    package mutating func feed(_ bytes: [UInt8]) throws(StartError) {
        rest.append(contentsOf: bytes)
        var start = 0
        while let end = ByteSearch.first(0x0A, in: rest, start..<rest.count) {
            let line = start..<end + 1
            lines += 1
            if isEnded { throw bad("there is data after the end") }
            try take(line)
            fed += line.count
            start = end + 1
        }
        rest.removeFirst(start)
    }

    /// Makes the store; the number of its records.
    package mutating func finish() throws(StartError) -> Int {
        guard isEnded, rest.isEmpty else {
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

    private func bad(_ reason: String) -> StartError { .badBackup(line: lines, reason: reason) }

    private func begins(_ line: Range<Int>, _ text: String) -> Bool {
        rest[line].starts(with: text.utf8)
    }

    private mutating func take(_ line: Range<Int>) throws(StartError) {
        do {
            if lines == 1 { return try checkOpening(line) }
            if begins(line, "{\"end\":") { return try checkEnd(line) }
            if begins(line, "{\"log\":") { return try beginFile(line) }
            guard file != nil, Line.isValid(rest, line, salt: salt),
                let envelope = Envelope(rest, line), envelope.sequence > last, !isSealed
            else { throw bad("the line is damaged") }
            last = envelope.sequence
            isSealed = envelope.kind == .seal
            out.append(contentsOf: rest[line])
            fileLines += 1
            records += 1
            if out.count >= 1 << 20 { try flush() }
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw bad("the line cannot be read")
        }
    }

    private func checkOpening(_ line: Range<Int>) throws {
        guard begins(line, "{\"backup\":\"navstate\",\"format\":") else {
            throw bad("this is not a backup of a navstate store")
        }
        let isKnown = Manifest.formats.contains { format in
            begins(line, "{\"backup\":\"navstate\",\"format\":\(format),")
        }
        guard isKnown else {
            throw bad("the backup has a newer format; use a newer navstate")
        }
        guard Line.isValid(rest, line, salt: .none) else { throw bad("the line is damaged") }
    }

    private mutating func checkEnd(_ line: Range<Int>) throws {
        guard Line.isValid(rest, line, salt: .none),
            begins(line, "{\"end\":\"navstate\",\"bytes\":\(fed),")
        else { throw bad("the backup is incomplete") }
        isEnded = true
    }

    private mutating func beginFile(_ line: Range<Int>) throws {
        try closeFile()
        var format: UInt64 = 0
        guard Line.isValid(rest, line, salt: .none),
            let header = SegmentHeader(rest, line, format: &format),
            header.file > number, let digits = Line.digits(of: rest, line)
        else { throw bad("the line is damaged") }
        if header.first > last + 1 {
            if !header.first.isFirstOfLineage { lost.append(last + 1...header.first - 1) }
            last = header.first - 1
        }
        salt = Salt(digits: digits, of: rest)
        number = header.file
        file = try disk.create(layout.segment(number))
        out = Array(rest[line])
        (written, fileLines, isSealed) = (0, 1, false)
    }

    /// A file with a mark alone, from which on numbers are of the new lineage.
    private mutating func beginLineage(_ lineage: String) throws(SystemError) {
        number += 1
        last = last.lastBeforeNextLineage + 1
        let header = SegmentHeader(lineage: lineage, file: number, first: last, at: now)
        out = []
        salt = header.append(to: &out)
        var mark = ByteWriter()
        mark.append(mark: last, durable: last - 1, at: now)
        Line.append(mark, to: &out, salt: salt)
        file = try disk.create(layout.segment(number))
        (written, fileLines, isSealed) = (0, 2, false)
        try closeFile()
    }

    private mutating func flush() throws(SystemError) {
        guard let file else { return }
        try disk.write(file, out, 0..<out.count, at: written)
        written += out.count
        out.removeAll(keepingCapacity: true)
    }

    /// Ends a file: with a seal of our own if it has none.
    private mutating func closeFile() throws(SystemError) {
        guard let file else { return }
        if !isSealed {
            last += 1
            Line.appendSeal(last, at: now, lines: fileLines + 1, to: &out, salt: salt)
        }
        try flush()
        try disk.sync(file)
        sealed.append(
            Manifest.Sealed(
                number: number, identity: Manifest.Identity(last: last, salt: salt)))
        self.file = nil
    }
}
