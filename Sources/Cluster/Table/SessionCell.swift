internal import Navigation
internal import Sessions

/// The last records of a session: consecutive revisions, the newest one last.
struct SessionCell: Sendable {
    /// The records, the oldest first. There is at least one.
    private(set) var records: [StoredRecord]
    /// Whether the first of them is the oldest that the stream has.
    private(set) var isComplete: Bool
    /// The size of their events and states, and of what they take besides.
    private(set) var bytes: Int

    /// How many messages a stream keeps of each session.
    static let recordsMax = 128
    /// The memory that a record takes besides its texts.
    private static let recordBytes = 512

    /// A cell with the newest record alone.
    init(_ newest: StoredRecord) {
        records = [newest]
        isComplete = newest.record.revision == 1
        bytes = Self.bytes(of: newest)
    }

    /// A cell with everything that the stream has.
    ///
    /// - Parameter records: consecutive revisions, at least one.
    init(all records: [StoredRecord]) {
        precondition(!records.isEmpty, "a session has a record")
        self.records = records
        isComplete = true
        bytes = records.reduce(0) { $0 + Self.bytes(of: $1) }
    }

    /// The newest record.
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

    /// Drops all records but the newest.
    mutating func trim() { self = SessionCell(newest) }

    private mutating func dropFirst() {
        bytes -= Self.bytes(of: records.removeFirst())
    }

    private static func bytes(of record: StoredRecord) -> Int {
        record.record.event.count + record.record.state.count + recordBytes
    }

    // MARK: Reading

    /// What a cell tells about a record.
    enum Reading<Value> {
        case found(Value)
        /// It is not stored any more.
        case gone
        /// The cell does not reach back so far.
        case notHere
    }

    /// A revision that is not newer than the newest one.
    func revision(_ revision: Int) -> Reading<StoredRecord> {
        let first = records[0].record.revision
        if revision >= first { return .found(records[revision - first]) }
        return isComplete ? .gone : .notHere
    }

    /// The records after a number, the newest first.
    func changes(after sequence: SequenceNumber) -> Reading<[StoredRecord]> {
        let later = records.reversed().prefix { $0.sequence > sequence }
        if later.count < records.count || records[0].record.revision == 1 {
            return .found(Array(later))
        }
        return isComplete ? .gone : .notHere
    }

    /// The record of the request with an idempotency key; `gone` if no record has it.
    func record(ofKey key: String) -> Reading<StoredRecord> {
        if let found = records.last(where: { $0.record.key?.key == key }) { return .found(found) }
        return isComplete ? .gone : .notHere
    }
}
