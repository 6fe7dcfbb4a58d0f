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
    package var batches: UInt64
    package var bytes: UInt64
    package var syncNanoseconds: Int64
    /// With the bounds of a request's duration: 5 ms to 10 s, and beyond.
    package var syncBuckets: [UInt64]
    /// Records that are not durable yet.
    package var lag: UInt64
    package var pendingBytes: Int
    package var logBytes: Int
    package var compactions: UInt64
    package var isCompacting: Bool
}
