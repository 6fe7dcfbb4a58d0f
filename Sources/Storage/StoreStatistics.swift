internal import Navigation
internal import POSIX
package import Sessions
internal import Synchronization

/// What the journal counts.
struct JournalStatistics: Sendable {
    var batches: UInt64 = 0
    var bytes: UInt64 = 0
    var syncs = Histogram()
}

/// The store in numbers.
package struct StoreStatistics: Sendable {
    /// Batches written since the start.
    package var batches: UInt64
    /// Bytes written since the start.
    package var bytes: UInt64
    /// The syncs, by duration.
    package var syncs: Histogram
    /// Records that are not durable yet.
    package var lag: UInt64
    /// Bytes that wait for the disk.
    package var pendingBytes: Int
    /// Bytes of all files of the log.
    package var logBytes: Int
    /// Compactions completed since the start.
    package var compactions: UInt64
    /// Whether a compaction is under way.
    package var isCompacting: Bool
}
