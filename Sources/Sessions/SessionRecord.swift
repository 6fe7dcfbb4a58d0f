internal import Bytes
public import Navigation

/// The number of a record in the order of all changes of the store. It rises by one with each
/// record and stays below 2^53.
public typealias SequenceNumber = UInt64

// After a restore or a repair, numbers that clients have already seen would be assigned again. So
// each lineage of the store begins at another multiple of 2^32, and a number shows its lineage.
extension SequenceNumber {
    /// Whether both numbers belong to the same lineage.
    public func isOfSameLineage(as other: SequenceNumber) -> Bool { self >> 32 == other >> 32 }

    /// The last number before the next lineage.
    public var lastBeforeNextLineage: SequenceNumber { (self >> 32 + 1) << 32 }
}

/// One revision of a session as the store keeps it: the complete state and the event that led to
/// it.
public struct SessionRecord: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The revision that the record shows.
    public var revision: Int
    /// The time of the change.
    public var at: Milliseconds
    /// When something happens to the session by itself.
    private var times: Times
    /// The app that the session is bound to.
    public var app: AppID?
    /// The labels of the session.
    public var labels: [Label]
    /// The revisions that undo and redo lead to.
    public var undoing: UndoStacks
    /// The number of the session's next new entry.
    public var nextEntry: Int
    /// The number of the app's document that the session was last reconciled with. A store that
    /// numbers apps and sessions in a single sequence does not store it.
    public var appSequence: SequenceNumber = 0
    /// The idempotency key of the request.
    public var key: IdempotencyKey?
    /// The session as JSON text: the body of its GET.
    public var state: [UInt8]
    /// The event as JSON text: `{"command":{…},"added":[…],"removed":[…]}`.
    public var event: [UInt8]

    private struct Times: Equatable {
        var expiresAt: Milliseconds?
        var due = DueTimes.none
    }

    /// The time at which the session expires, or nil for never.
    public var expiresAt: Milliseconds? {
        get { times.expiresAt }
        set { times.expiresAt = newValue }
    }

    /// When something else is due in the session.
    public var due: DueTimes {
        get { times.due }
        set { times.due = newValue }
    }
}

extension SessionRecord {
    /// Creates the record of a session's newest revision.
    ///
    /// - Parameters:
    ///   - isIdle: whether its idle command has made the revision.
    ///   - appSequence: the number of the app's document that the session was reconciled with.
    public init(
        _ session: borrowing Session, isIdle: Bool = false, key: IdempotencyKey?,
        fits appSequence: SequenceNumber, event: [UInt8], state: [UInt8]
    ) {
        self.init(
            id: session.id, revision: session.revision, at: session.updatedAt,
            times: Times(expiresAt: session.expiresAt, due: session.dueTimes(isIdle: isIdle)),
            app: session.app, labels: session.settings.labels, undoing: session.undoing,
            nextEntry: session.nextEntry, appSequence: appSequence, key: key, state: state,
            event: event)
    }

    public init(
        id: SessionID, revision: Int, at: Milliseconds, expiresAt: Milliseconds? = nil,
        app: AppID? = nil, labels: [Label] = [], undoing: UndoStacks, nextEntry: Int,
        key: IdempotencyKey? = nil, event: [UInt8], state: [UInt8]
    ) {
        self.init(
            id: id, revision: revision, at: at, times: Times(expiresAt: expiresAt), app: app,
            labels: labels, undoing: undoing, nextEntry: nextEntry, appSequence: 0, key: key,
            state: state, event: event)
    }
}

/// A record that was read from the store, with its number.
public struct StoredRecord: Equatable, Sendable {
    /// The number of the record.
    public var sequence: SequenceNumber
    /// The version of the state, and when it may be shown.
    public var version: StoredVersion
    /// The record takes documents of the app up to this number into account.
    public var appSequence: SequenceNumber
    /// The record.
    public var record: SessionRecord

    public init(
        sequence: SequenceNumber, version: StoredVersion, appSequence: SequenceNumber,
        record: SessionRecord
    ) {
        self.sequence = sequence
        self.version = version
        self.appSequence = appSequence
        self.record = record
    }

    /// Creates a record of a store that numbers apps and sessions in a single sequence and knows a
    /// record's number when it is put.
    public init(sequence: SequenceNumber, record: SessionRecord) {
        self.init(
            sequence: sequence, version: StoredVersion(sequence), appSequence: sequence,
            record: record)
    }
}

/// The facts about a session that the index has in memory.
public struct SessionSummary: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The number of the newest record.
    public var sequence: SequenceNumber
    /// The newest revision.
    public var revision: Int
    /// The time at which the session expires, or nil for never.
    public var expiresAt: Milliseconds?
    /// The app that the session is bound to.
    public var app: AppID?
    /// The size of the newest record in the log; at least the size of its event and its state.
    public var bytes: Int

    public init(
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

/// The reason why a session ended.
public enum DeletionReason: String, CaseIterable, Sendable {
    case deleted
    case expired
}

/// The end of a session.
public struct Deletion: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The number of the deletion's record.
    public var sequence: SequenceNumber
    /// The deletion may be shown once this ticket is kept.
    public var ticket: Ticket
    /// The last revision.
    public var revision: Int
    /// The time of the deletion.
    public var at: Milliseconds
    /// The reason.
    public var why: DeletionReason
    /// The idempotency key of the request.
    public var key: IdempotencyKey?
    /// The app of the session, by which streams are filtered, or nil for a deletion that was read
    /// from the log.
    public var app: AppID?
    /// The labels of the session; empty for a deletion that was read from the log.
    public var labels: [Label] = []
    /// The tokens of the session; empty for a deletion that was read from the log.
    public var tokens: [SessionToken] = []
    /// The name of the token that the deletion came with, or nil for a deletion that was read from
    /// the log.
    public var author: TokenName?

    /// Creates a deletion of a store that knows the record's number at once.
    public init(
        id: SessionID, sequence: SequenceNumber, revision: Int, at: Milliseconds,
        why: DeletionReason,
        key: IdempotencyKey?
    ) {
        self.id = id
        self.sequence = sequence
        ticket = Ticket(ordered: sequence)
        self.revision = revision
        self.at = at
        self.why = why
        self.key = key
    }
}

/// The stored document of an app.
public struct StoredApp: Equatable, Sendable {
    /// The id of the app.
    public var id: AppID
    /// The number of the record, in the same sequence as `StoredRecord.appSequence`.
    public var sequence: SequenceNumber
    /// The version of the document, and when it may be shown.
    public var version: StoredVersion
    /// The time at which the app was stored.
    public var at: Milliseconds
    /// The document as JSON text.
    public var document: [UInt8]

    /// Creates an app of a store that knows the number when the document is put.
    public init(id: AppID, sequence: SequenceNumber, at: Milliseconds, document: [UInt8]) {
        self.id = id
        self.sequence = sequence
        version = StoredVersion(sequence)
        self.at = at
        self.document = document
    }
}
