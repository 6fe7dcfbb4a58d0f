internal import Bytes
internal import Navigation
internal import POSIX
internal import Sessions
internal import Synchronization

/// The part of the log on the loop: turns changes into lines, numbers them, and hands them to the
/// journal a batch at a time.
///
/// It decides when a file is full. The seal of one file and the header of the next are lines of
/// the batch like any others, so that the journal knows nothing of records.
final class LogWriter {
    /// The file that lines are appended to.
    private struct Active {
        var segment: Segment
        /// Where the file ends, including everything that waits for the disk.
        var end: Int
        /// The number of lines, including the header.
        var lines: UInt64 = 1
        /// Where the last mark for look-ups by number was made.
        var lastMark = 0
    }

    /// The number of the newest line.
    private(set) var last: SequenceNumber
    /// The latest time of a change.
    private(set) var latest: Milliseconds
    /// The number of bytes of records that were written, and of records that they replaced, since
    /// the start.
    private(set) var turnover = (written: 0, superseded: 0)
    private var active: Active
    private var pending = Batch()
    /// The line that is being written, without its end.
    private var line = ByteWriter(capacity: ByteWriter.smallAllocationCapacity)
    private let segments: SegmentList
    private let journal: Journal
    private let lineage: String
    private let segmentBytes: Int

    /// The maximum number of bytes of a line without its texts, names, labels and keys.
    static let lineBase = 640
    /// The largest buffer that is used for more than one line, in bytes.
    private static let lineKept = 64 << 10
    /// The number of bytes that are left for the seal.
    private static let sealMax = 256

    /// Begins the first file of this run.
    init(_ recovered: Recovered, _ journal: Journal, segmentBytes: Int, now: Milliseconds) {
        lineage = recovered.manifest.lineage
        segments = recovered.segments
        self.journal = journal
        self.segmentBytes = segmentBytes
        latest = now
        last = recovered.last
        let header = SegmentHeader(
            lineage: lineage, file: recovered.nextFile, first: last + 1, at: now)
        active = Self.begin(header, in: &pending)
        segments.append(active.segment)
    }

    /// The file that lines are appended to.
    var activeSegment: Segment { active.segment }

    /// Whether the active file has lines besides its header.
    var hasLines: Bool { active.lines > 1 }

    /// Whether a sync has covered every line.
    var isSynced: Bool { journal.synced == last }

    /// The number of bytes that have not reached the disk yet.
    var waitingBytes: Int {
        journal.waitingBytes + pending.bytes.count
    }

    /// The batch that collects what is written in this turn.
    var pendingBytes: [UInt8] { pending.bytes }

    // MARK: Lines

    /// A line that was written: its number and its place in `pendingBytes`.
    struct Written {
        var sequence: SequenceNumber
        var range: Range<Int>
    }

    /// Writes a revision of a session.
    ///
    /// - Parameters:
    ///   - previous: the session's previous record, or 0 for none.
    ///   - born: the session's first record.
    func append(
        _ record: SessionRecord, previous: SequenceNumber, born: SequenceNumber, runs: UndoRuns
    ) -> Written {
        latest = max(latest, record.at)
        beginLine("put")
        line.append(record, previous: previous, born: born, runs: runs)
        return endLine(record.state)
    }

    /// Writes a deletion. `prior` is the session's entry.
    func append(_ deletion: Deletion, of prior: SessionEntry) -> Written {
        beginLine("delete")
        line.append(deletion, previous: prior.sequence, born: prior.born)
        return endLine()
    }

    /// Writes the list of a session's tokens.
    func append(
        _ tokens: [SessionToken], of id: SessionID, born: SequenceNumber, at: Milliseconds
    ) -> Written {
        beginLine("tokens")
        line.append(tokens, of: id, born: born, at: at)
        return endLine()
    }

    /// Writes an app's document.
    func append(_ id: AppID, document: [UInt8], at: Milliseconds) -> Written {
        beginLine("app")
        line.append(id, at: at)
        line.member("doc")
        return endLine(document)
    }

    /// Writes an app's deletion.
    func append(deletionOf id: AppID, at: Milliseconds) -> Written {
        beginLine("app-delete")
        line.append(id, at: at)
        return endLine()
    }

    /// Writes a mark: everything before it is durable.
    func appendMark(at: Milliseconds) {
        line.removeAll()
        line.append(mark: last + 1, durable: journal.synced, at: at)
        _ = endLine()
    }

    /// Ends the active file.
    func appendSeal(at: Milliseconds) {
        line.removeAll()
        line.append(seal: last + 1, durable: journal.synced, at: at, lines: active.lines + 1)
        _ = endLine()
    }

    private func beginLine(_ operation: String) {
        line.removeAll(keepingCapacity: Self.lineKept)
        line.append(record: operation, last + 1, durable: journal.synced)
    }

    /// Appends the line, the JSON at its end, checksum and newline to the batch.
    private func endLine(_ rest: [UInt8] = []) -> Written {
        let start = pending.bytes.count
        let sequence = last + 1
        line.append(rest)
        Line.close(&line, salt: active.segment.salt)
        let count = line.count
        pending.bytes.append(line)
        if pending.parts.last?.segment === active.segment {
            pending.parts[pending.parts.count - 1].last = sequence
        } else {
            pending.parts.append(Batch.Part(segment: active.segment, start: start, last: sequence))
        }
        if active.end - active.lastMark >= Segment.markDistance || active.lines == 1 {
            let offset = active.end
            active.segment.withState { $0.note(sequence, at: offset) }
            active.lastMark = offset
        }
        active.end += count
        active.lines += 1
        last = sequence
        turnover.written += count
        return Written(sequence: sequence, range: start..<pending.bytes.count)
    }

    /// Notes that a record is no longer needed as its session's newest.
    func supersede(_ sequence: SequenceNumber, length: Int) {
        if sequence >= active.segment.header.first {
            active.segment.superseded.wrappingAdd(length, ordering: .relaxed)
        } else {
            segments.supersede(sequence, length)
        }
        turnover.superseded += length
    }

    /// Notes the same for the line that was just written, such as that of a deletion.
    func supersedeOwn(_ written: Written) {
        active.segment.superseded.wrappingAdd(written.range.count, ordering: .relaxed)
    }

    // MARK: Files

    /// Changes to the next file if a line does not fit into the active one.
    ///
    /// - Parameters:
    ///   - count: the maximum number of bytes of the line.
    ///   - refusal: what to throw if there is no next file. Nil if there is one, or will be.
    func makeRoom(_ count: Int, refusing refusal: StoreError?) throws(StoreError) {
        guard active.lines > 1, active.end + count + Self.sealMax > segmentBytes else { return }
        if let refusal { throw refusal }
        appendSeal(at: latest)
        noteEnd()
        begin(file: active.segment.number + 1)
    }

    /// Hands over everything that was written since the last call.
    func submit() {
        guard !pending.bytes.isEmpty else { return }
        noteEnd()
        journal.submit(&pending)
    }

    /// Makes the active file's end known to other threads.
    private func noteEnd() {
        let (end, last) = (active.end, last)
        active.segment.withState { state in
            state.end = end
            state.last = last
        }
    }

    private func begin(file: Int) {
        let header = SegmentHeader(lineage: lineage, file: file, first: last + 1, at: latest)
        active = Self.begin(header, in: &pending)
        segments.append(active.segment)
    }

    /// Starts a file: its header goes into the batch.
    private static func begin(_ header: SegmentHeader, in pending: inout Batch) -> Active {
        let start = pending.bytes.count
        let salt = header.append(to: &pending.bytes)
        let segment = Segment(header: header, salt: salt)
        pending.parts.append(Batch.Part(segment: segment, start: start, last: 0))
        return Active(segment: segment, end: pending.bytes.count - start)
    }

    // MARK: Rollback

    /// Goes back to where the journal has cut the log. The changes have been undone before.
    func rollBack(_ rollback: Rollback) {
        pending.removeAll()
        segments.removeLast(where: { $0.number >= rollback.next })
        last = rollback.sequence
        guard let segment = rollback.segment else { return begin(file: rollback.next) }
        // Lines are numbered consecutively, beginning with the number of the header.
        let first = segment.header.first
        active = Active(
            segment: segment, end: rollback.end, lines: last + 1 >= first ? last + 2 - first : 1)
        noteEnd()
        let end = rollback.end
        segment.withState { state in state.marks.removeAll { $0.offset >= end } }
        guard end == 0 else { return }
        _ = segment.header.append(to: &pending.bytes)
        pending.parts.append(Batch.Part(segment: segment, start: 0, last: 0))
        active.end = pending.bytes.count
    }
}
