package import API
internal import HTTP

// What the server counts. Counting is an addition to a place that an index finds; no text is made
// and nothing is looked up by name until somebody asks at /metrics.

/// How long things took, in buckets with fixed bounds.
package struct Histogram: Sendable {
    /// Seconds, as OpenTelemetry has them for `http.server.request.duration`.
    static let bounds = [
        "0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "2.5", "5",
        "7.5", "10",
    ]
    private static let nanoseconds: [Int64] = [
        5_000_000, 10_000_000, 25_000_000, 50_000_000, 75_000_000, 100_000_000, 250_000_000,
        500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 7_500_000_000,
        10_000_000_000,
    ]
    /// Not cumulated; the last is for what is beyond every bound.
    private(set) var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
    private(set) var totalNanoseconds: Int64 = 0

    package mutating func add(_ duration: Int64) {
        var index = 0
        while index < Self.nanoseconds.count, duration > Self.nanoseconds[index] { index += 1 }
        buckets[index] += 1
        totalNanoseconds += duration
    }

    /// Takes over what was counted elsewhere, with the same bounds.
    mutating func take(counts: [UInt64], totalNanoseconds: Int64) {
        precondition(counts.count == buckets.count, "the same bounds")
        buckets = counts
        self.totalNanoseconds = totalNanoseconds
    }
}

/// The loop's counts.
package struct Metrics: Sendable {
    /// One for each endpoint, method and status that occurred.
    struct Series: Sendable {
        var endpoint: Int?
        var method: Method?
        var status: Status
        var histogram = Histogram()
    }

    private(set) var series: [Series] = []
    /// By endpoint, method and status: the place in `series` and one more; 0: none yet.
    private var places: [UInt16]
    /// By the place in `ProblemKind.allCases`.
    private(set) var problems: [UInt64]
    var connectionsAccepted: UInt64 = 0
    /// How long turns of the loop took, without the time that they waited for something to do.
    var turns = Histogram()
    /// Connections that were refused because their address had too many.
    var connectionsRefused: UInt64 = 0
    /// Connections that were closed to make room for others.
    var connectionsEvicted: UInt64 = 0

    private static let methods = Method.allCases.count + 1
    private static let statuses: [UInt8] = {
        var places = [UInt8](repeating: 0, count: 600)
        for (index, status) in Status.allCases.enumerated() {
            places[Int(status.rawValue)] = UInt8(index)
        }
        return places
    }()
    private static let endpoints = Endpoint.all.count

    package init() {
        let count = (Self.endpoints + 1) * Self.methods * Status.allCases.count
        places = [UInt16](repeating: 0, count: count)
        problems = [UInt64](repeating: 0, count: ProblemKind.allCases.count)
    }

    /// Counts an answered request.
    package mutating func count(_ facts: RequestFacts) {
        let endpoint = facts.endpoint ?? Self.endpoints
        let method = facts.method.map { Int($0.rawValue) } ?? Self.methods - 1
        let status = Int(Self.statuses[Int(facts.status.rawValue)])
        let key = (endpoint * Self.methods + method) * Status.allCases.count + status
        if places[key] == 0 {
            series.append(
                Series(endpoint: facts.endpoint, method: facts.method, status: facts.status))
            places[key] = UInt16(series.count)
        }
        series[Int(places[key]) - 1].histogram.add(facts.nanoseconds)
    }

    package mutating func count(_ problem: ProblemKind) {
        problems[problem.number] += 1
    }
}

extension ProblemKind {
    /// The place in `allCases`.
    fileprivate var number: Int { Self.numbers[self] ?? 0 }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
