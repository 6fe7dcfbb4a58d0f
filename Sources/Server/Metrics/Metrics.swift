internal import API
internal import HTTP
public import Navigation
internal import Sessions

// The server's counters. Counting adds to a number that an index finds; no text is made and
// nothing is looked up by name until a client asks for /metrics.

/// The counters of the event loop.
public struct Metrics: Sendable {
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

    public init() {
        let count = (Self.endpoints + 1) * Self.methods * Status.allCases.count
        seriesNumbers = [UInt16](repeating: 0, count: count)
        problems = [UInt64](repeating: 0, count: ProblemKind.allCases.count)
    }

    /// Counts an answered request.
    public mutating func count(_ facts: RequestFacts) {
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
    public mutating func count(_ problem: ProblemKind) {
        problems[problem.number] += 1
    }
}

extension ProblemKind {
    /// The index in `allCases`.
    fileprivate var number: Int { Self.numbers[self] ?? 0 }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
