internal import Navigation
internal import POSIX
internal import Synchronization

/// What the journal counts.
struct JournalStatistics: Sendable {
    var batches: UInt64 = 0
    var bytes: UInt64 = 0
    var syncNanoseconds: Int64 = 0
    var syncBuckets = [UInt64](repeating: 0, count: boundsMilliseconds.count + 1)

    static let boundsMilliseconds: [Int64] = [
        5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000,
    ]

    mutating func addSync(_ nanoseconds: Int64) {
        let index = Self.boundsMilliseconds.firstIndex { nanoseconds <= $0 * 1_000_000 }
        syncBuckets[index ?? Self.boundsMilliseconds.count] += 1
        syncNanoseconds += nanoseconds
    }
}

/// The store in numbers.
package struct StoreStatistics: Sendable {
    /// Batches written since the start.
    package var batches: UInt64
    /// Bytes written since the start.
    package var bytes: UInt64
    /// The time that all syncs took.
    package var syncNanoseconds: Int64
    /// Syncs by duration, with the bounds of a request's duration: 5 ms to 10 s, and longer.
    package var syncBuckets: [UInt64]
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
