internal import JSON

/// Milliseconds since 1970, on a clock that does not jump while the service runs.
package typealias Milliseconds = Int64

/// The place of a record in the store's one order of changes: +1 a record, below 2^53.
package typealias SequenceNumber = UInt64

// After a restore or a salvage numbers would be given a second time that clients have seen already.
// So each lineage begins at another multiple of 2^32, and a number tells whether it is of this one.
extension SequenceNumber {
    package func isOfSameLineage(as other: SequenceNumber) -> Bool { self >> 32 == other >> 32 }

    /// The number before the first of the next lineage.
    package var lastBeforeNextLineage: SequenceNumber { (self >> 32 + 1) << 32 }
}

/// A live session's place in the index. Good until the session goes; never kept over a turn.
package struct SessionHandle: Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An `Idempotency-Key` and the digest of the request that it came with.
package struct KeptKey: Equatable, Sendable {
    /// 1–255 bytes, as the client sent them.
    package var key: String
    /// Two requests are the same if their digests are.
    package var digest: UInt64

    package init(key: String, digest: UInt64) {
        self.key = key
        self.digest = digest
    }
}

/// One revision of a session as the store keeps it: the state whole, and what led to it.
package struct SessionRecord: Equatable, Sendable {
    package var id: SessionID
    package var revision: Int
    package var at: Milliseconds
    package var expiresAt: Milliseconds?
    package var app: AppID?
    package var labels: [Label]
    /// Where undo and redo lead from here.
    package var undoing: UndoStacks
    /// The number of the next new entry.
    package var nextEntry: Int
    package var key: KeptKey?
    /// The event as JSON text: `{"command":{…},"added":[…],"removed":[…]}`.
    package var event: [UInt8]
    /// The session as JSON text: the body of its GET.
    package var state: [UInt8]

    package init(
        id: SessionID, revision: Int, at: Milliseconds, expiresAt: Milliseconds? = nil,
        app: AppID? = nil, labels: [Label] = [], undoing: UndoStacks, nextEntry: Int,
        key: KeptKey? = nil, event: [UInt8], state: [UInt8]
    ) {
        self.id = id
        self.revision = revision
        self.at = at
        self.expiresAt = expiresAt
        self.app = app
        self.labels = labels
        self.undoing = undoing
        self.nextEntry = nextEntry
        self.key = key
        self.event = event
        self.state = state
    }
}

/// A label of a session, by which sessions are listed.
package struct Label: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Compares bytes, as canonically equivalent labels are different labels.
    package static func == (a: Label, b: Label) -> Bool {
        JSONText.isSame(a.key, b.key) && JSONText.isSame(a.value, b.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(key))
        hasher.combine(ExactString(value))
    }
}

/// A record that was read back, and where it stands in the order of changes.
package struct Stored: Equatable, Sendable {
    package var sequence: SequenceNumber
    package var record: SessionRecord

    package init(sequence: SequenceNumber, record: SessionRecord) {
        self.sequence = sequence
        self.record = record
    }
}

/// What the index knows of a session without its record.
package struct SessionSummary: Equatable, Sendable {
    package var id: SessionID
    package var sequence: SequenceNumber
    package var revision: Int
    package var expiresAt: Milliseconds?
    package var app: AppID?
    /// Of the newest record as it is stored: no less than its event and its state together.
    package var bytes: Int

    package init(
        id: SessionID, sequence: SequenceNumber, revision: Int, expiresAt: Milliseconds?,
        app: AppID?, bytes: Int
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.expiresAt = expiresAt
        self.app = app
        self.bytes = bytes
    }
}

/// Why a session left.
package enum Departure: String, Sendable {
    case deleted
    case expired
}

/// A session that left.
package struct Deletion: Equatable, Sendable {
    package var id: SessionID
    package var sequence: SequenceNumber
    package var revision: Int
    package var at: Milliseconds
    package var why: Departure
    package var key: KeptKey?
    /// What the session had, for those who listen by it; unknown for a deletion that was read back.
    package var app: AppID?
    package var labels: [Label] = []
    /// The session's tokens until then; unknown for a deletion that was read back.
    package var tokens: [SessionToken] = []

    package init(
        id: SessionID, sequence: SequenceNumber, revision: Int, at: Milliseconds, why: Departure,
        key: KeptKey?
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.at = at
        self.why = why
        self.key = key
    }
}

/// Whose keys: a creation's are one set for the whole store, a change's are its session's.
package enum KeyScope: Hashable, Sendable {
    case creations
    case session(SessionID)
}

/// What a kept key leads to.
package enum KeptAnswer: Equatable, Sendable {
    case change(Stored)
    case deletion(Deletion)
}

/// An app's document as it is stored.
package struct StoredApp: Equatable, Sendable {
    package var id: AppID
    package var sequence: SequenceNumber
    package var at: Milliseconds
    /// JSON text.
    package var document: [UInt8]

    package init(id: AppID, sequence: SequenceNumber, at: Milliseconds, document: [UInt8]) {
        self.id = id
        self.sequence = sequence
        self.at = at
        self.document = document
    }
}

/// A page of a walk over the sessions by id.
package struct SessionPage: Equatable, Sendable {
    package var handles: [SessionHandle]
    /// Where to go on, exclusive; nil at the end. A page may be short, even empty, and go on:
    /// one call looks at a bounded number of sessions and compares a bounded number of labels.
    package var next: SessionID?

    package init(handles: [SessionHandle], next: SessionID?) {
        self.handles = handles
        self.next = next
    }
}

/// Which sessions a walk takes.
package struct SessionFilter: Equatable, Sendable {
    /// The id's beginning.
    package var prefix: String
    package var app: AppID?
    /// All of them are asked for.
    package var labels: [Label]

    package init(prefix: String = "", app: AppID? = nil, labels: [Label] = []) {
        self.prefix = prefix
        self.app = app
        self.labels = labels
    }

    /// Whether a session with these labels has all that are asked for.
    package func takes(_ own: [Label]) -> Bool {
        labels.allSatisfy { own.contains($0) }
    }
}

/// Bytes that are on the disk but not in memory: the store loads them aside while the request
/// waits, and the request is then answered anew from the start.
package struct Place: Hashable, Sendable {
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
    case notInMemory([Place])
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
    func newest(_ handle: SessionHandle) throws(StoreError) -> Stored
    /// An older revision; nil if it is not kept. Kept are the last 32 before the newest, and those
    /// that the undo and redo stacks of the newest name.
    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> Stored?
    /// The session's records after a number, newest first; nil if one of them is not kept, or if
    /// they have more than `bytesLeft`, from which the bytes of those that were found are taken.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [Stored]?
    /// What a key of the last 24 hours led to.
    func kept(_ key: String, in scope: KeyScope, now: Milliseconds) throws(StoreError)
        -> KeptAnswer?
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
    func delete(_ handle: SessionHandle, at: Milliseconds, key: KeptKey?)
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
