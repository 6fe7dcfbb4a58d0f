/// Connections by the second in which to look at them.
struct DeadlineQueue {
    private var buckets: [Int64: [UInt64]] = [:]
    /// No bucket before this one holds anybody.
    private var earliest: Int64 = .max

    /// - Parameter time: in milliseconds; the connection comes up within the second behind it.
    /// - Returns: the second that it was put in.
    @discardableResult
    mutating func add(_ token: UInt64, at time: Int64) -> Int64 {
        let second = time / 1000 + 1
        buckets[second, default: []].append(token)
        earliest = min(earliest, second)
        return second
    }

    /// When the next bucket comes up, in milliseconds; nil when there is none.
    var next: Int64? { buckets.isEmpty ? nil : earliest * 1000 }

    /// Takes out the buckets that have come up.
    mutating func due(at now: Int64) -> [UInt64] {
        var due: [UInt64] = []
        while earliest <= now / 1000 {
            due += buckets.removeValue(forKey: earliest) ?? []
            earliest = buckets.keys.min() ?? .max
        }
        return due
    }
}
