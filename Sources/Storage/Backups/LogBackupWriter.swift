internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Writes items as the lines of a log, with numbers of its own. See `Backup` for the frame.
///
/// The numbers are those of the lineage after the next one of the store. The store may have used
/// higher ones than it knows, in records that are gone. How many records there will be is not known
/// when the first line is written, so it gives the last number of that lineage.
///
/// A revision whose predecessor is missing names the number before the first one as its
/// predecessor. No record ever has that number.
struct LogBackupWriter: BackupWriter {
    /// A file of the log that is being written.
    private struct File {
        let number: Int
        let salt: Salt
        var lines: UInt64 = 1
        var bytes: Int

        init(_ header: SegmentHeader, in target: inout [UInt8]) {
            number = header.file
            let start = target.count
            salt = header.append(to: &target)
            bytes = target.count - start
        }
    }

    /// A session of which revisions have come.
    private struct Session {
        let birth: UInt64
        /// The number of its first revision in the backup.
        let born: SequenceNumber
        /// Its revisions in order, with their numbers.
        var revisions: [(revision: Int, number: SequenceNumber)] = []

        func number(of revision: Int) -> SequenceNumber? {
            revisions.last { $0.revision <= revision }
                .flatMap { $0.revision == revision ? $0.number : nil }
        }
    }

    private let lineage: String
    private let at: Milliseconds
    /// The number before the first one.
    private let start: SequenceNumber
    private var last: SequenceNumber
    private var file: File
    private var sessions: [SessionID: Session] = [:]
    private var bytes: [UInt8]
    /// The number of bytes that were taken.
    private var taken = 0

    /// The size after which another file begins, unless a line is longer.
    private static let fileBytesMax = 64 << 20

    init(lineage: String, after highest: SequenceNumber, at: Milliseconds) {
        (self.lineage, self.at) = (lineage, at)
        start = highest.lastBeforeNextLineage.lastBeforeNextLineage
        last = start
        bytes = Backup.opening(
            lineage: lineage, upTo: start.lastBeforeNextLineage - 1, at: at)
        let header = SegmentHeader(lineage: lineage, file: 1, first: start + 1, at: at)
        file = File(header, in: &bytes)
    }

    var count: Int { bytes.count }

    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        taken += bytes.count
        return bytes
    }

    mutating func append(_ item: BackupItem) {
        switch item {
        case .revision(let record, let birth): append(record, birth: birth)
        case .end(let deletion): append(deletion)
        case .tokens(let tokens): append(tokens)
        case .app(let app): append(app)
        }
    }

    mutating func endSessions() { sessions = [:] }

    mutating func finish(omitted: Int) {
        seal()
        bytes += Backup.closing(bytes: taken + bytes.count, omitted: omitted)
    }

    // MARK: Records

    private mutating func append(_ record: SessionRecord, birth: UInt64) {
        var line = begin("put")
        let known = sessions.removeValue(forKey: record.id)
        var own =
            known.flatMap { $0.birth == birth ? $0 : nil } ?? Session(birth: birth, born: last)
        let previous = own.number(of: record.revision - 1) ?? (record.revision > 1 ? start : 0)
        line.append(record, previous: previous, born: own.born, runs: runs(of: record, in: own))
        line.append(record.state)
        end(line)
        own.revisions.append((record.revision, last))
        sessions[record.id] = own
    }

    /// The runs that the record has to name for undo and redo.
    private func runs(of record: SessionRecord, in session: Session) -> UndoRuns {
        let (undo, redo) = (record.undoing.undo, record.undoing.redo)
        var runs = UndoRuns()
        if !undo.isPlain(below: record.revision) { runs.undo = located(undo, session) }
        if !redo.isEmpty { runs.redo = located(redo, session) }
        return runs
    }

    /// The runs of a stack whose revisions are in the backup.
    private func located(_ stack: RevisionStack, _ session: Session) -> [UndoRun] {
        stack.runs.compactMap { run in
            session.number(of: run.highest).map { UndoRun(revisions: run, sequence: $0) }
        }
    }

    private mutating func append(_ deletion: Deletion) {
        var line = begin("delete")
        let known = sessions.removeValue(forKey: deletion.id)
        line.append(
            deletion, previous: known?.number(of: deletion.revision) ?? start,
            born: known?.born ?? start)
        end(line)
    }

    private mutating func append(_ tokens: BackupTokens) {
        // Tokens of a session of which there is no revision are void.
        guard let session = sessions[tokens.id], session.birth == tokens.birth else { return }
        var line = begin("tokens")
        line.append(tokens.tokens, of: tokens.id, born: session.born, at: tokens.at)
        end(line)
    }

    private mutating func append(_ app: BackupApp) {
        var line = begin(app.document == nil ? "app-delete" : "app")
        line.append(app.id, at: app.at)
        if let document = app.document { line.member("doc", json: document) }
        end(line)
    }

    // MARK: Lines and files

    /// Begins a record with the next number.
    private mutating func begin(_ operation: String) -> ByteWriter {
        if file.bytes >= Self.fileBytesMax {
            seal()
            let header = SegmentHeader(
                lineage: lineage, file: file.number + 1, first: last + 1, at: at)
            file = File(header, in: &bytes)
        }
        last += 1
        var line = ByteWriter()
        line.append(record: operation, last, durable: last - 1)
        return line
    }

    private mutating func end(_ line: borrowing ByteWriter) {
        let start = bytes.count
        Line.append(line, to: &bytes, salt: file.salt)
        file.lines += 1
        file.bytes += bytes.count - start
    }

    private mutating func seal() {
        last += 1
        Line.appendSeal(last, at: at, lines: file.lines + 1, to: &bytes, salt: file.salt)
    }
}
