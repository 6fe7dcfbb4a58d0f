internal import Bytes
internal import Navigation
internal import Sessions

/// The last records of a session, the newest one last. Their revisions are consecutive, except in a
/// session that was restored from a backup: there, records may be missing that neither history nor
/// undo needed.
struct SessionCell: Sendable {
    /// The records, the oldest first. There is at least one.
    private(set) var records: [StoredRecord]
    /// Whether the first of them is the oldest of the session that the stream has.
    private(set) var isComplete: Bool
    /// The idempotency keys of the deletions of sessions that had the id before. Nil if they are
    /// not known.
    private let earlierKeys: Set<ExactString>?
    /// The size of their events and states, and of what they take besides.
    private(set) var bytes: Int

    /// How many messages a stream keeps of each session.
    static let recordsMax = LoadRequest.historyCountMax
    /// The memory that a record takes besides its texts.
    private static let recordBytes = 512

    /// A cell with the newest record alone.
    ///
    /// - Parameter isFirst: whether it is the first of all messages of the session's id.
    init(_ newest: StoredRecord, isFirst: Bool) {
        records = [newest]
        isComplete = newest.record.revision == 1
        earlierKeys = isFirst ? [] : nil
        bytes = Self.bytes(of: newest)
    }

    /// A cell with everything that the stream has.
    ///
    /// - Parameters:
    ///   - records: at least one, the oldest first.
    ///   - earlierKeys: the idempotency keys of the deletions of sessions that had the id before.
    init(all records: [StoredRecord], earlierKeys: Set<ExactString> = []) {
        precondition(!records.isEmpty, "a session has a record")
        self.records = records
        self.earlierKeys = earlierKeys
        isComplete = true
        bytes = records.reduce(0) { $0 + Self.bytes(of: $1) }
    }

    var newest: StoredRecord { records[records.count - 1] }

    /// Adds the next revision.
    ///
    /// - Returns: false if the record does not follow the newest one. The cell is then useless.
    mutating func append(_ record: StoredRecord) -> Bool {
        guard record.record.revision == newest.record.revision + 1,
            record.version.entity.first == newest.version.entity.first
        else { return false }
        records.append(record)
        bytes += Self.bytes(of: record)
        if records.count > Self.recordsMax { dropFirst() }
        return true
    }

    /// This cell with the newer records of another one. Nil if they do not continue it.
    func continued(by newer: SessionCell) -> SessionCell? {
        var cell = self
        for record in newer.records
        where record.record.revision > newest.record.revision {
            guard cell.append(record) else { return nil }
        }
        return cell
    }

    /// Drops all records but the newest.
    mutating func trim() { self = SessionCell(newest, isFirst: false) }

    private mutating func dropFirst() {
        bytes -= Self.bytes(of: records.removeFirst())
    }

    private static func bytes(of record: StoredRecord) -> Int {
        record.record.event.count + record.record.state.count + recordBytes
    }

    // MARK: Reading

    /// The reading of a record in a cell.
    enum Reading<Value> {
        case found(Value)
        /// It is not stored any more.
        case gone
        /// The cell does not reach back so far.
        case notHere
    }

    /// A revision that is not newer than the newest one.
    func revision(_ revision: Int) -> Reading<StoredRecord> {
        guard let index = records.lastIndex(where: { $0.record.revision <= revision }) else {
            return isComplete ? .gone : .notHere
        }
        return records[index].record.revision == revision ? .found(records[index]) : .gone
    }

    /// The records after a number, the newest first. They are gone if one of them is.
    func changes(after sequence: SequenceNumber) -> Reading<[StoredRecord]> {
        var later: [StoredRecord] = []
        for record in records.reversed() {
            if let next = later.last, record.record.revision != next.record.revision - 1 {
                return .gone
            }
            if record.sequence <= sequence { return .found(later) }
            later.append(record)
        }
        if records[0].record.revision == 1 { return .found(later) }
        return isComplete ? .gone : .notHere
    }

    /// The record of the request with an idempotency key; `gone` if no message of
    /// the id has it.
    func record(ofKey key: String) -> Reading<StoredRecord> {
        if let found = records.last(where: { $0.record.key?.key == key }) { return .found(found) }
        guard isComplete, let earlierKeys, !earlierKeys.contains(ExactString(key)) else {
            return .notHere
        }
        return .gone
    }
}

extension SessionCell {
    /// A cell with all that was loaded. Nil if the session has ended.
    init?(_ history: SessionHistory, in shard: Int) {
        let stored = history.records.compactMap { $0.stored(in: shard) }
        guard !stored.isEmpty, stored.count == history.records.count else { return nil }
        let keys = history.earlierEnds.compactMap { $0.record.key?.key }
        self.init(all: stored, earlierKeys: Set(keys.map { ExactString($0) }))
    }
}
