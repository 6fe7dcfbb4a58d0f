internal import HTTP

/// Which connections to look at in which second.
///
/// A connection lies in one bucket at most that counts: the one that it names itself. A deadline that
/// moves away leaves it there, and it is moved on when the bucket comes up.
struct DeadlineQueue {
    private var buckets: [Int64: [UInt64]] = [:]
    /// No bucket before this one holds anybody.
    private var earliest: Int64 = .max

    /// Sees to it that the connection is looked at when its deadline has passed.
    mutating func schedule(_ connection: Connection) {
        guard let deadline = connection.state.deadline else { return }
        let second = deadline / 1000 + 1
        guard second < connection.bucket else { return }
        connection.bucket = second
        buckets[second, default: []].append(connection.token)
        earliest = min(earliest, second)
    }

    /// When the next bucket comes up, in milliseconds; nil when there is none.
    var next: Int64? { buckets.isEmpty ? nil : earliest * 1000 }

    /// Takes out the buckets that have come up.
    mutating func due(at now: Int64) -> [UInt64] {
        var due: [UInt64] = []
        let second = now / 1000
        while earliest <= second, let first = buckets.keys.min(), first <= second {
            due += buckets.removeValue(forKey: first) ?? []
            earliest = buckets.keys.min() ?? .max
        }
        return due
    }
}
