internal import Bytes
package import Navigation

/// The number of a record in the order of all changes of the store. It rises by one with each
/// record and stays below 2^53.
package typealias SequenceNumber = UInt64

// After a restore or a repair, numbers that clients have already seen would be assigned again. So
// each lineage of the store begins at another multiple of 2^32, and a number shows its lineage.
extension SequenceNumber {
    /// Whether both numbers belong to the same lineage.
    package func isOfSameLineage(as other: SequenceNumber) -> Bool { self >> 32 == other >> 32 }

    /// The last number before the next lineage.
    package var lastBeforeNextLineage: SequenceNumber { (self >> 32 + 1) << 32 }
}

/// One revision of a session as the store keeps it: the complete state and the event that led to
/// it.
package struct SessionRecord: Equatable, Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The revision that the record shows.
    package var revision: Int
    /// The time of the change.
    package var at: Milliseconds
    /// When something happens to the session by itself.
    private var times: Times
    /// The app that the session is bound to.
    package var app: AppID?
    /// The labels of the session.
    package var labels: [Label]
    /// The revisions that undo and redo lead to.
    package var undoing: UndoStacks
    /// The number of the session's next new entry.
    package var nextEntry: Int
    /// The number of the app's document that the session was last reconciled with. A store that
    /// numbers apps and sessions in a single sequence does not store it.
    package var appSequence: SequenceNumber = 0
    /// The idempotency key of the request.
    package var key: IdempotencyKey?
    /// The session as JSON text: the body of its GET.
    package var state: [UInt8]
    /// The event as JSON text: `{"command":{…},"added":[…],"removed":[…]}`.
    package var event: [UInt8]

    private struct Times: Equatable {
        var expiresAt: Milliseconds?
        var due = DueTimes.none
    }

    /// The time at which the session expires, or nil for never.
    package var expiresAt: Milliseconds? {
        get { times.expiresAt }
        set { times.expiresAt = newValue }
    }

    /// When something else is due in the session.
    package var due: DueTimes {
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
    package init(
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

    package init(
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
package struct StoredRecord: Equatable, Sendable {
    /// The number of the record.
    package var sequence: SequenceNumber
    /// The version of the state, and when it may be shown.
    package var version: StoredVersion
    /// The record takes documents of the app up to this number into account.
    package var appSequence: SequenceNumber
    /// The record.
    package var record: SessionRecord

    package init(
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
    package init(sequence: SequenceNumber, record: SessionRecord) {
        self.init(
            sequence: sequence, version: StoredVersion(sequence), appSequence: sequence,
            record: record)
    }
}

/// The facts about a session that the index has in memory.
package struct SessionSummary: Equatable, Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The number of the newest record.
    package var sequence: SequenceNumber
    /// The newest revision.
    package var revision: Int
    /// The time at which the session expires, or nil for never.
    package var expiresAt: Milliseconds?
    /// The app that the session is bound to.
    package var app: AppID?
    /// The size of the newest record in the log; at least the size of its event and its state.
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

/// The reason why a session ended.
package enum DeletionReason: String, CaseIterable, Sendable {
    case deleted
    case expired
}

/// The end of a session.
package struct Deletion: Equatable, Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The number of the deletion's record.
    package var sequence: SequenceNumber
    /// The deletion may be shown once this ticket is kept.
    package var ticket: Ticket
    /// The last revision.
    package var revision: Int
    /// The time of the deletion.
    package var at: Milliseconds
    /// The reason.
    package var why: DeletionReason
    /// The idempotency key of the request.
    package var key: IdempotencyKey?
    /// The app of the session, by which streams are filtered, or nil for a deletion that was read
    /// from the log.
    package var app: AppID?
    /// The labels of the session; empty for a deletion that was read from the log.
    package var labels: [Label] = []
    /// The tokens of the session; empty for a deletion that was read from the log.
    package var tokens: [SessionToken] = []
    /// The name of the token that the deletion came with, or nil for a deletion that was read from
    /// the log.
    package var author: TokenName?

    /// Creates a deletion of a store that knows the record's number at once.
    package init(
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
package struct StoredApp: Equatable, Sendable {
    /// The id of the app.
    package var id: AppID
    /// The number of the record, in the same sequence as `StoredRecord.appSequence`.
    package var sequence: SequenceNumber
    /// The version of the document, and when it may be shown.
    package var version: StoredVersion
    /// The time at which the app was stored.
    package var at: Milliseconds
    /// The document as JSON text.
    package var document: [UInt8]

    /// Creates an app of a store that knows the number when the document is put.
    package init(id: AppID, sequence: SequenceNumber, at: Milliseconds, document: [UInt8]) {
        self.id = id
        self.sequence = sequence
        version = StoredVersion(sequence)
        self.at = at
        self.document = document
    }
}
