package import Navigation

/// What the index stores of a live session: 64 bytes without references.
package struct SessionEntry: Equatable {
    /// The number of the newest record.
    package var sequence: UInt64 = 0
    /// The number of the session's first record.
    package var born: UInt64 = 0
    /// The revision of the newest record.
    package var revision: Int64 = 0
    /// `never` if it does not expire.
    package var expiresAt: Milliseconds = SessionEntry.never
    /// The position of the newest record in the cache, which may have been overwritten.
    package var cached: UInt64 = RecordCache.nowhere
    /// Where the id starts in the shard's arena.
    package var idStart: UInt32 = 0
    /// Bytes of the id.
    package var idCount: UInt8 = 0
    /// False for a free slot of the shard.
    package var isLive = false
    /// Bytes of the newest record's line. Its location on the disk follows from its number.
    package var length: UInt32 = 0
    /// The number of the interned app id; 0 for none.
    package var app: UInt32 = 0
    /// The number of the interned set of labels; 0 for none.
    package var labels: UInt32 = 0
    /// The second for which the session is in the expiry queue; 0 if it is not in it.
    package var queuedFor: UInt32 = 0

    /// The expiry of a session that does not expire.
    package static let never = Milliseconds.max

    /// The entry of no session.
    package init() {}
}
