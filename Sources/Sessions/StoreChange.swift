public import Navigation

/// A change that is kept, as it appears in the store's feed.
public enum StoreChange: Sendable {
    /// A session has a new revision.
    case put(SessionChange)
    /// A session was deleted or has expired.
    indirect case deleted(Deletion)

    /// The id of the session.
    public var id: SessionID {
        switch self {
        case .put(let change): change.id
        case .deleted(let deletion): deletion.id
        }
    }
}

/// A new revision of a session.
public struct SessionChange: Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The revision that the change made.
    public var revision: Int
    /// The number of the change's record.
    public var sequence: SequenceNumber
    /// The details for streams. It may be nil if there was no subscriber when
    /// the change was made.
    public var details: Details?
    /// Whether changes of the session before this one are missing from the feed. They were made
    /// while the feed was interrupted, and were no longer stored when it continued.
    public var followsGap = false

    public init(
        id: SessionID, revision: Int, sequence: SequenceNumber, details: Details? = nil
    ) {
        self.id = id
        self.revision = revision
        self.sequence = sequence
        self.details = details
    }

    /// The record of a change and its steps. This is a class because most changes come without
    /// details.
    public final class Details: Sendable {
        /// The record.
        public let stored: StoredRecord
        /// The steps from the previous revision as JSON, if anybody wanted them.
        public let steps: [UInt8]?

        public init(_ stored: StoredRecord, steps: [UInt8]? = nil) {
            self.stored = stored
            self.steps = steps
        }
    }
}

/// The content of the feed about changes that are put.
public enum FeedDetails: Sendable {
    /// Only their numbers, because there is no subscriber.
    case none
    /// The records, and the steps that are wanted, as JSON by revision.
    case records(steps: [Int: [UInt8]])
}
