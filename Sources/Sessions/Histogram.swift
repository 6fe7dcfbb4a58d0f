/// Durations, counted in buckets with fixed bounds.
public struct Histogram: Equatable, Sendable {
    /// The buckets' upper bounds in seconds, those of OpenTelemetry's
    /// `http.server.request.duration`.
    public static let bounds = [
        "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "2.5", "5",
        "7.5", "10",
    ]
    private static let nanoseconds: [Int64] = [
        5_000_000, 10_000_000, 25_000_000, 50_000_000, 75_000_000, 100_000_000, 250_000_000,
        500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 7_500_000_000,
        10_000_000_000,
    ]
    /// The counts of the buckets, not cumulative; the last one has no upper bound.
    public private(set) var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of the durations.
    public private(set) var totalNanoseconds: Int64 = 0

    /// A histogram without durations.
    public init() {}

    /// Counts a duration in nanoseconds.
    public mutating func add(_ duration: Int64) {
        var index = 0
        while index < Self.nanoseconds.count, duration > Self.nanoseconds[index] { index += 1 }
        buckets[index] += 1
        // The sum stays at the largest number.
        let (sum, isTooLarge) = totalNanoseconds.addingReportingOverflow(duration)
        totalNanoseconds = isTooLarge ? .max : sum
    }
}
