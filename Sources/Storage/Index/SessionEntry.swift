package import Navigation

/// What the index keeps of a live session: 64 bytes, no reference, no heap object.
package struct SessionEntry: Equatable {
    /// The newest record, and the session's first.
    package var sequence: UInt64 = 0
    package var born: UInt64 = 0
    package var revision: Int64 = 0
    /// `never` if it does not expire.
    package var expiresAt: Milliseconds = SessionEntry.never
    /// Where the newest record lies in the cache, if it is still there.
    package var cached: UInt64 = RecordCache.nowhere
    /// The name's place in the shard's arena.
    package var idStart: UInt32 = 0
    package var idCount: UInt8 = 0
    package var isLive = false
    /// Bytes of the newest record's line; where it lies on the disk follows from its number.
    package var length: UInt32 = 0
    /// Numbers of interned values; 0 for none.
    package var app: UInt32 = 0
    package var labels: UInt32 = 0
    /// The time, in seconds, under which the session waits in the expiry queue; 0 if it does not.
    package var queuedFor: UInt32 = 0

    package static let never = Milliseconds.max

    /// The entry of no session.
    package init() {}
}
