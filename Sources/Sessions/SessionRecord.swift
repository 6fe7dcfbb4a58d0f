package import Navigation

/// The place of a record in the store's one order of changes: +1 a record, below 2^53.
package typealias SequenceNumber = UInt64

// After a restore or a salvage numbers would be given a second time that clients have seen already.
// So each lineage begins at another multiple of 2^32, and a number tells whether it is of this one.
extension SequenceNumber {
    package func isOfSameLineage(as other: SequenceNumber) -> Bool { self >> 32 == other >> 32 }

    /// The number before the first of the next lineage.
    package var lastBeforeNextLineage: SequenceNumber { (self >> 32 + 1) << 32 }
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
    package var key: IdempotencyKey?
    /// The event as JSON text: `{"command":{…},"added":[…],"removed":[…]}`.
    package var event: [UInt8]
    /// The session as JSON text: the body of its GET.
    package var state: [UInt8]

    package init(
        id: SessionID, revision: Int, at: Milliseconds, expiresAt: Milliseconds? = nil,
        app: AppID? = nil, labels: [Label] = [], undoing: UndoStacks, nextEntry: Int,
        key: IdempotencyKey? = nil, event: [UInt8], state: [UInt8]
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

/// A record that was read back, and where it stands in the order of changes.
package struct StoredRecord: Equatable, Sendable {
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
package enum DeletionReason: String, Sendable {
    case deleted
    case expired
}

/// A session that left.
package struct Deletion: Equatable, Sendable {
    package var id: SessionID
    package var sequence: SequenceNumber
    package var revision: Int
    package var at: Milliseconds
    package var why: DeletionReason
    package var key: IdempotencyKey?
    /// What the session had, for those who listen by it; unknown for a deletion that was read back.
    package var app: AppID?
    package var labels: [Label] = []
    /// The session's tokens until then; unknown for a deletion that was read back.
    package var tokens: [SessionToken] = []

    package init(
        id: SessionID, sequence: SequenceNumber, revision: Int, at: Milliseconds,
        why: DeletionReason,
        key: IdempotencyKey?
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.at = at
        self.why = why
        self.key = key
    }
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
