public import Navigation

/// Something that a store has to load before it can answer a call. The request waits until it is
/// loaded and is then processed again from the beginning.
public enum LoadRequest: Hashable, Sendable {
    /// Records by their numbers.
    case records(RecordLocation)
    /// The newest state of a session, or the fact that the session does not exist.
    case session(SessionID)
    /// The records of a session before the newest one, with their idempotency keys.
    case history(SessionID)
    /// The tokens of a session.
    case tokens(SessionID)
    /// Nothing, but the apps must be those of now.
    case apps
    /// Nothing, but the list of all sessions must be that of now.
    case allSessions
    /// Nothing, but everything must be known of the session that was acknowledged before the
    /// request arrived.
    case acknowledged(SessionID)

    /// Nothing, but the feed must have delivered the change with this number, or of a later one in
    /// the same log.
    case feed(SequenceNumber)
    /// The outcome of an earlier change of the session. The next change cannot be decided before it
    /// is known.
    case turn(SessionID)
    /// The answers of the other servers that share the store.
    case peers(PeerQuestion)

    /// How many records `history` loads at most.
    public static let historyCountMax = 128
}

/// Records that are on disk but not in memory.
public struct RecordLocation: Hashable, Sendable {
    /// The number of the record, which a compaction does not change.
    public var sequence: SequenceNumber
    /// The number of the session's preceding records to load as well.
    public var behind: Int
    /// Preceding records are loaded only if their number is higher than this one.
    public var after: SequenceNumber
    /// Once this many bytes have been read, no further records are loaded.
    public var bytesMax: Int

    public init(
        sequence: SequenceNumber, behind: Int = 0, after: SequenceNumber = 0, bytesMax: Int = .max
    ) {
        self.sequence = sequence
        self.behind = behind
        self.after = after
        self.bytesMax = bytesMax
    }
}

/// The items that were loaded for a request. They are used when the request is processed again.
public protocol LoadResult: Sendable {
    /// The token that was passed to `Engine.load`.
    var token: UInt64 { get }
}
