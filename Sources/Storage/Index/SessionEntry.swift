internal import Navigation

/// What the index keeps of a live session: 64 bytes, no reference, no heap object.
struct SessionEntry: Equatable {
    /// The newest record, and the session's first.
    var sequence: UInt64 = 0
    var born: UInt64 = 0
    var revision: Int64 = 0
    /// `never` if it does not expire.
    var expiresAt: Milliseconds = SessionEntry.never
    /// Where the newest record lies in the cache, if it is still there.
    var cached: UInt64 = RecordCache.nowhere
    /// The name's place in the shard's arena.
    var idStart: UInt32 = 0
    var idCount: UInt8 = 0
    var isLive = false
    /// Bytes of the newest record's line; where it lies on the disk follows from its number.
    var length: UInt32 = 0
    /// Numbers of interned values; 0 for none.
    var app: UInt32 = 0
    var labels: UInt32 = 0
    /// The time, in seconds, under which the session waits in the expiry queue; 0 if it does not.
    var queuedFor: UInt32 = 0

    static let never = Milliseconds.max
}
