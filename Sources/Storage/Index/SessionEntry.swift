package import Navigation

/// The index's part of a live session: 64 bytes without references.
package struct SessionEntry: Equatable {
    /// The number of the newest record.
    package var sequence: UInt64 = 0
    /// The number of the session's first record.
    package var born: UInt64 = 0
    /// `never` if it does not expire.
    package var expiresAt: Milliseconds = SessionEntry.never
    /// The position of the newest record in the cache, which may have been overwritten.
    package var cached: UInt64 = RecordCache.nowhere
    private var packedRevision = PackedRevision(0)
    /// Bytes of the id; 0 for a free slot of the shard.
    package var idCount: UInt8 = 0
    /// Where the id starts in the shard's arena.
    package var idStart: UInt32 = 0
    /// The second in which the newest record was made, rounded up.
    package var second: UInt32 = 0
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
    /// The highest revision, more than a session can have in thousands of years.
    package static let revisionMax = Int64(1) << 48 - 1

    /// The entry of no session.
    package init() {}

    /// The revision of the newest record.
    package var revision: Int64 {
        get { packedRevision.value }
        set { packedRevision = PackedRevision(newValue) }
    }

    /// False for a free slot of the shard.
    package var isLive: Bool { idCount > 0 }
}

/// A revision in six bytes.
private struct PackedRevision: Equatable {
    private var low: UInt32
    private var high: UInt16

    init(_ revision: Int64) {
        low = UInt32(truncatingIfNeeded: revision)
        high = UInt16(truncatingIfNeeded: revision >> 32)
    }

    var value: Int64 { Int64(high) << 32 | Int64(low) }
}
