package import Navigation

/// A live session's place in the index. Good until the session goes; never kept over a turn.
package struct SessionHandle: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Bytes that are on the disk but not in memory: the store loads them aside while the request
/// waits, and the request is then answered anew from the start.
package struct RecordLocation: Hashable, Sendable {
    /// Tells the record apart from all others, also over a compaction.
    package var sequence: SequenceNumber
    /// How many of the session's records before it are wanted as well.
    package var behind: Int
    /// Of those only the ones with a higher number.
    package var after: SequenceNumber
    /// And none any more once the load as a whole has read so many bytes.
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

/// Why the store could not do what it was asked.
package enum StoreError: Error, Equatable {
    /// Not a failure: the caller has them loaded and asks again.
    case notInMemory([RecordLocation])
    /// The disk is full; reads go on.
    case full
    /// Too much is waiting for the disk.
    case busy
    /// The disk failed: whether the last changes are kept is unknown, nothing is accepted.
    case unavailable
    /// A stored record is damaged; nothing was changed, and other sessions are not affected.
    case damaged
}

/// Where sessions and apps are kept, in words that fit an engine on another machine as well.
///
/// Calls never wait: what is written counts as kept once `durable` has reached its number, and
/// what is not in memory is `notInMemory`. Reads show what was written last, durable or not;
/// whoever shows it to others waits until `durable` has reached its sequence number.
package protocol SessionStore: AnyObject {
    /// Tells this store from any other and from itself before a restore: letters and digits.
    var lineage: String { get }
    /// The highest sequence number that a power cut cannot take back.
    var durable: SequenceNumber { get }
    /// Why changes are refused now; nil while all is well.
    var refusal: StoreError? { get }
    /// Files in which damage was met since the start.
    var damagedFiles: Int { get }
    /// Live sessions.
    var sessionCount: Int { get }

    /// The session of that name, unless it has expired by `now`.
    func find(_ id: SessionID, now: Milliseconds) -> SessionHandle?
    /// The same for a name that still lies in a request's bytes; makes no copy.
    func find(_ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds) -> SessionHandle?
    func summary(_ handle: SessionHandle) -> SessionSummary
    /// The newest record's.
    func sequence(of handle: SessionHandle) -> SequenceNumber
    /// Newest state's JSON text, appended; returns its sequence number.
    func appendState(_ handle: SessionHandle, to bytes: inout [UInt8])
        throws(StoreError) -> SequenceNumber
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord
    /// An older revision; nil if it is not kept. Kept are the last 32 before the newest, and those
    /// that the undo and redo stacks of the newest name.
    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord?
    /// The session's records after a number, newest first; nil if one of them is not kept, or if
    /// they have more than `bytesLeft`, from which the bytes of those that were found are taken.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]?
    /// What a key of the last 24 hours led to.
    func kept(_ key: String, in scope: IdempotencyScope, now: Milliseconds) throws(StoreError)
        -> IdempotentResult?
    /// Sessions by id in byte order, those behind `after`; at most `limit`.
    func walk(after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds)
        -> SessionPage

    /// Writes a session's next revisions, all of them or none. The caller has checked that the
    /// first follows the newest and that they follow one another.
    ///
    /// - Parameter written: called for each with its number.
    func put(
        _ records: [SessionRecord], _ written: (SessionRecord, SequenceNumber) -> Void
    ) throws(StoreError)
    func delete(_ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?)
        throws(StoreError) -> Deletion

    /// The session's tokens, also those that have expired, and the number of the record they are in.
    func tokens(of handle: SessionHandle) -> (sequence: SequenceNumber, tokens: [SessionToken])
    /// Whose token it is, while it is good.
    func owner(of digest: TokenDigest, now: Milliseconds)
        -> (handle: SessionHandle, token: SessionToken)?
    /// Writes a session's tokens anew. That is no change of the session: its revision stays.
    func putTokens(_ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds)
        throws(StoreError) -> SequenceNumber

    /// All apps by id.
    var apps: [StoredApp] { get }
    /// Writes the apps' documents, all of them or none; their numbers, in the same order.
    func putApps(_ documents: [(id: AppID, text: [UInt8])], at: Milliseconds)
        throws(StoreError) -> [SequenceNumber]
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> SequenceNumber
    /// Live sessions that are bound to the app.
    func sessionCount(of app: AppID) -> Int
}

extension SessionStore {
    /// Writes a session's next revision; its number.
    package func put(_ record: SessionRecord) throws(StoreError) -> SequenceNumber {
        var number: SequenceNumber = 0
        try put([record]) { number = $1 }
        return number
    }
}
