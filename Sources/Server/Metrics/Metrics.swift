package import API
internal import HTTP

// What the server counts. Counting adds to a number that an index finds; no text is made and
// nothing is looked up by name until a client asks for /metrics.

/// Durations, counted in buckets with fixed bounds.
package struct Histogram: Sendable {
    /// The buckets' upper bounds in seconds, those of OpenTelemetry's
    /// `http.server.request.duration`.
    static let bounds = [
        "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "2.5", "5",
        "7.5", "10",
    ]
    private static let nanoseconds: [Int64] = [
        5_000_000, 10_000_000, 25_000_000, 50_000_000, 75_000_000, 100_000_000, 250_000_000,
        500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 7_500_000_000,
        10_000_000_000,
    ]
    /// The counts of the buckets, not cumulative; the last one has no upper bound.
    private(set) var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    private(set) var totalNanoseconds: Int64 = 0

    /// Counts a duration in nanoseconds.
    package mutating func add(_ duration: Int64) {
        var index = 0
        while index < Self.nanoseconds.count, duration > Self.nanoseconds[index] { index += 1 }
        buckets[index] += 1
        totalNanoseconds += duration
    }

    /// Replaces the counts by those of another histogram with the same bounds.
    mutating func take(counts: [UInt64], totalNanoseconds: Int64) {
        precondition(counts.count == buckets.count, "the same bounds")
        buckets = counts
        self.totalNanoseconds = totalNanoseconds
    }
}

/// What the event loop counts.
package struct Metrics: Sendable {
    /// The requests with the same endpoint, method and status.
    struct Series: Sendable {
        var endpoint: Int?
        var method: Method?
        var status: Status
        var histogram = Histogram()
    }

    private(set) var series: [Series] = []
    /// By endpoint, method and status: the index in `series` plus one; 0 if there is none yet.
    private var seriesNumbers: [UInt16]
    /// By the index in `ProblemKind.allCases`.
    private(set) var problems: [UInt64]
    /// Connections that were accepted.
    var connectionsAccepted: UInt64 = 0
    /// The durations of the loop's turns, without the time that they waited for events.
    var turns = Histogram()
    /// Connections that were refused because their address had too many.
    var connectionsRefused: UInt64 = 0
    /// Connections that were closed to make room for others.
    var connectionsEvicted: UInt64 = 0

    private static let methods = Method.allCases.count + 1
    private static let statuses: [UInt8] = {
        var indices = [UInt8](repeating: 0, count: 600)
        for (index, status) in Status.allCases.enumerated() {
            indices[Int(status.rawValue)] = UInt8(index)
        }
        return indices
    }()
    private static let endpoints = Endpoint.all.count

    package init() {
        let count = (Self.endpoints + 1) * Self.methods * Status.allCases.count
        seriesNumbers = [UInt16](repeating: 0, count: count)
        problems = [UInt64](repeating: 0, count: ProblemKind.allCases.count)
    }

    /// Counts an answered request.
    package mutating func count(_ facts: RequestFacts) {
        let endpoint = facts.endpoint ?? Self.endpoints
        let method = facts.method.map { Int($0.rawValue) } ?? Self.methods - 1
        let status = Int(Self.statuses[Int(facts.status.rawValue)])
        let key = (endpoint * Self.methods + method) * Status.allCases.count + status
        if seriesNumbers[key] == 0 {
            series.append(
                Series(endpoint: facts.endpoint, method: facts.method, status: facts.status))
            seriesNumbers[key] = UInt16(series.count)
        }
        series[Int(seriesNumbers[key]) - 1].histogram.add(facts.nanoseconds)
    }

    /// Counts a refused request.
    package mutating func count(_ problem: ProblemKind) {
        problems[problem.number] += 1
    }
}

extension ProblemKind {
    /// The index in `allCases`.
    fileprivate var number: Int { Self.numbers[self] ?? 0 }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
