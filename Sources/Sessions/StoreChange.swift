package import Navigation

/// A change that is kept, as it appears in the store's feed.
package enum StoreChange: Sendable {
    /// A session has a new revision.
    case put(SessionChange)
    /// A session was deleted or has expired.
    indirect case deleted(Deletion)

    /// The id of the session.
    package var id: SessionID {
        switch self {
        case .put(let change): change.id
        case .deleted(let deletion): deletion.id
        }
    }
}

/// A new revision of a session.
package struct SessionChange: Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The revision that the change made.
    package var revision: Int
    /// The number of the change's record.
    package var sequence: SequenceNumber
    /// The details for streams. It may be nil if there was no subscriber when
    /// the change was made.
    package var details: Details?
    /// Whether changes of the session before this one are missing from the feed. They were made
    /// while the feed was interrupted, and were no longer stored when it continued.
    package var followsGap = false

    package init(
        id: SessionID, revision: Int, sequence: SequenceNumber, details: Details? = nil
    ) {
        self.id = id
        self.revision = revision
        self.sequence = sequence
        self.details = details
    }

    /// The record of a change and its steps. This is a class because most changes come without
    /// details.
    package final class Details: Sendable {
        /// The record.
        package let stored: StoredRecord
        /// The steps from the previous revision as JSON, if anybody wanted them.
        package let steps: [UInt8]?

        package init(_ stored: StoredRecord, steps: [UInt8]? = nil) {
            self.stored = stored
            self.steps = steps
        }
    }
}

/// The content of the feed about changes that are put.
package enum FeedDetails: Sendable {
    /// Only their numbers, because there is no subscriber.
    case none
    /// The records, and the steps that are wanted, as JSON by revision.
    case records(steps: [Int: [UInt8]])
}
