public import Navigation

/// The index's part of a live session: 64 bytes without references.
public struct SessionEntry: Equatable {
    /// The number of the newest record.
    public var sequence: UInt64 = 0
    /// The number of the session's first record.
    public var born: UInt64 = 0
    /// `never` if it does not expire.
    public var expiresAt: Milliseconds = SessionEntry.never
    /// The position of the newest record in the cache, which may have been overwritten.
    public var cached: UInt64 = RecordCache.nowhere
    private var packedRevision = PackedRevision(0)
    /// Bytes of the id; 0 for a free slot of the shard.
    public var idCount: UInt8 = 0
    /// Where the id starts in the shard's arena.
    public var idStart: UInt32 = 0
    /// The second in which the newest record was made, rounded up.
    public var second: UInt32 = 0
    /// Bytes of the newest record's line. Its location on the disk follows from its number.
    public var length: UInt32 = 0
    /// The number of the interned app id; 0 for none.
    public var app: UInt32 = 0
    /// The number of the interned set of labels; 0 for none.
    public var labels: UInt32 = 0
    /// The second for which the session is in the expiry queue; 0 if it is not in it.
    public var queuedFor: UInt32 = 0

    /// The expiry of a session that does not expire.
    public static let never = Milliseconds.max
    /// The highest revision, more than a session can have in thousands of years.
    public static let revisionMax = Int64(1) << 48 - 1

    /// The entry of no session.
    public init() {}

    /// The revision of the newest record.
    public var revision: Int64 {
        get { packedRevision.value }
        set { packedRevision = PackedRevision(newValue) }
    }

    /// False for a free slot of the shard.
    public var isLive: Bool { idCount > 0 }
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
