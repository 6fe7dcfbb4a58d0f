package import Navigation

/// A change that is kept, from the feed of the store.
package enum StoreChange: Sendable {
    /// A session has a new revision.
    case put(SessionChange)
    /// A session has ended.
    indirect case deleted(Deletion)
}

/// A new revision of a session.
package struct SessionChange: Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The revision that the change made.
    package var revision: Int
    /// The number of the change's record.
    package var sequence: SequenceNumber
    /// What streams tell of it. It may be nil if nobody wanted to be told when the change was made.
    package var details: Details?

    package init(
        id: SessionID, revision: Int, sequence: SequenceNumber, details: Details? = nil
    ) {
        self.id = id
        self.revision = revision
        self.sequence = sequence
        self.details = details
    }

    /// The record of a change, and its steps. It is an object, since most changes have none.
    package final class Details: Sendable {
        /// The record.
        package let stored: StoredRecord
        /// The steps from the revision before as JSON, or nil if they were not wanted.
        package let steps: [UInt8]?

        package init(_ stored: StoredRecord, steps: [UInt8]? = nil) {
            self.stored = stored
            self.steps = steps
        }
    }
}

/// What the feed is to carry of changes that are put.
package enum FeedDetails: Sendable {
    /// Only their numbers, since nobody wants to be told.
    case none
    /// The records, with the steps as JSON by revision as far as they are wanted.
    case records(steps: [Int: [UInt8]])
}
