package import Navigation

/// The index entry of a session. It is valid until the session is deleted, and must not be kept for
/// longer than a turn of the event loop.
package struct SessionHandle: Hashable, Sendable {
    /// The number of the index entry.
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Records that are on disk but not in memory. The store loads them on another thread while the
/// request waits, and the request is then processed again from the start.
package struct RecordLocation: Hashable, Sendable {
    /// The number of the record, which a compaction does not change.
    package var sequence: SequenceNumber
    /// The number of the session's preceding records to load as well.
    package var behind: Int
    /// Preceding records are loaded only if their number is higher than this one.
    package var after: SequenceNumber
    /// No further records are loaded once this many bytes have been read.
    package var bytesMax: Int

    package init(
        sequence: SequenceNumber, behind: Int = 0, after: SequenceNumber = 0, bytesMax: Int = .max
    ) {
        self.sequence = sequence
        self.behind = behind
        self.after = after
        self.bytesMax = bytesMax
    }
}

/// The reason why the store could not carry out an operation.
package enum StoreError: Error, Equatable {
    /// Records have to be loaded first; the caller loads them and tries again.
    case notInMemory([RecordLocation])
    /// The disk is full. Reads still work.
    case full
    /// Too many changes are waiting for the disk.
    case busy
    /// The disk failed. It is unknown whether the last changes are stored, and no more are
    /// accepted.
    case unavailable
    /// A stored record is damaged. Nothing was changed, and other sessions are not affected.
    case damaged
}

/// The interface of a store for sessions and apps. It does not assume that the store is on this
/// machine.
///
/// Calls never block. A change is durable once `durable` has reached its number, and records that
/// are not in memory are reported as `notInMemory`. Reads return the newest state, durable or not;
/// the caller must not show it to clients before `durable` has reached its number.
package protocol SessionStore: AnyObject {
    /// Letters and digits that identify this store. They change when it is restored from a backup.
    var lineage: String { get }
    /// The highest number whose record survives a power failure.
    var durable: SequenceNumber { get }
    /// The reason why changes are refused at present, or nil if they are accepted.
    var refusal: StoreError? { get }
    /// The number of files in which damage was found since the start.
    var damagedFiles: Int { get }
    /// The number of live sessions.
    var sessionCount: Int { get }

    /// The session with that id, or nil if it does not exist or has expired.
    func find(_ id: SessionID, now: Milliseconds) -> SessionHandle?
    /// The same for an id within the bytes of a request, without copying it.
    func find(_ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds) -> SessionHandle?
    /// The facts about a session that are in memory.
    func summary(_ handle: SessionHandle) -> SessionSummary
    /// The number of the newest record of a session.
    func sequence(of handle: SessionHandle) -> SequenceNumber
    /// Appends the newest state as JSON text.
    ///
    /// - Returns: the number of its record.
    func appendState(_ handle: SessionHandle, to bytes: inout [UInt8])
        throws(StoreError) -> SequenceNumber
    /// The newest record of a session.
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord
    /// An older revision, or nil if it is no longer stored. The store keeps the 32 revisions before
    /// the newest, and those on the newest record's undo and redo stacks.
    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord?
    /// The records of a session after a number, newest first, or nil if one of them is no longer
    /// stored or if their size exceeds `bytesLeft`, which is reduced by the size of the records
    /// found.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]?
    /// The result of the request with an idempotency key, for 24 hours.
    func kept(_ key: String, in scope: IdempotencyScope, now: Milliseconds) throws(StoreError)
        -> IdempotentResult?
    /// At most `limit` sessions after an id, ordered by id byte by byte.
    func walk(after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds)
        -> SessionPage

    /// Writes the next revisions of a session, either all or none. The caller ensures that they are
    /// consecutive and that the first one follows the newest.
    ///
    /// - Parameters:
    ///   - handle: the session, if the caller has found it already.
    ///   - written: called for each record with its number.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?,
        _ written: (SessionRecord, SequenceNumber) -> Void
    ) throws(StoreError)
    /// Deletes a session.
    func delete(_ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?)
        throws(StoreError) -> Deletion

    /// The tokens of a session, including expired ones, and the number of their record.
    func tokens(of handle: SessionHandle) -> (sequence: SequenceNumber, tokens: [SessionToken])
    /// The session that a token belongs to, or nil if there is no such token or it has expired.
    func owner(of digest: TokenDigest, now: Milliseconds)
        -> (handle: SessionHandle, token: SessionToken)?
    /// Replaces the tokens of a session. Its revision stays the same.
    ///
    /// - Returns: the number of the record.
    func putTokens(_ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds)
        throws(StoreError) -> SequenceNumber

    /// All apps, ordered by id.
    var apps: [StoredApp] { get }
    /// Stores the documents of apps, either all or none.
    ///
    /// - Returns: the numbers of their records in the same order.
    func putApps(_ documents: [(id: AppID, text: [UInt8])], at: Milliseconds)
        throws(StoreError) -> [SequenceNumber]
    /// Deletes an app.
    ///
    /// - Returns: the number of the record.
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> SequenceNumber
    /// The number of live sessions that are bound to an app.
    func sessionCount(of app: AppID) -> Int
}

extension SessionStore {
    /// Writes the next revision of a session.
    ///
    /// - Returns: the number of its record.
    package func put(_ record: SessionRecord) throws(StoreError) -> SequenceNumber {
        var number: SequenceNumber = 0
        try put([record], of: nil) { number = $1 }
        return number
    }
}
