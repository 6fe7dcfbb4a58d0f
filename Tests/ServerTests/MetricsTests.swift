import API
import HTTP
import Navigation
import Sessions
import Testing

@testable import Server

@Suite struct HistogramTests {
    @Test func `a duration belongs to the first bucket whose bound it does not exceed`() throws {
        for (index, bound) in Histogram.bounds.enumerated() {
            let nanoseconds = Int64((try #require(Double(bound)) * 1_000_000_000).rounded())
            var histogram = Histogram()
            histogram.add(nanoseconds)
            histogram.add(nanoseconds + 1)
            var expected = [UInt64](repeating: 0, count: Histogram.bounds.count + 1)
            expected[index] = 1
            expected[index + 1] = 1
            #expect(histogram.buckets == expected)
            #expect(histogram.totalNanoseconds == 2 * nanoseconds + 1)
        }
    }

    @Test(arguments: [
        (0, "0.000000000"), (1, "0.000000001"), (999_999_999, "0.999999999"),
        (1_000_000_000, "1.000000000"), (12_345_678_901, "12.345678901"),
    ])
    func `seconds have nine places`(nanoseconds: Int64, text: String) {
        #expect(MetricsText.seconds(nanoseconds) == text)
    }

    @Test func `the sum stays at the largest number`() {
        var histogram = Histogram()
        for _ in 0..<3 { histogram.add(.max / 2) }
        #expect(histogram.totalNanoseconds == .max)
        #expect(histogram.buckets.last == 3)
    }

    @Test func `buckets are cumulative in the text`() {
        var histogram = Histogram()
        for milliseconds: Int64 in [1, 1, 30, 20_000] { histogram.add(milliseconds * 1_000_000) }
        var page = MetricsText()
        page.append(
            StoreMetric("t", help: "Times.", .labeledDurations([(#"a="b""#, histogram)])))
        let lines = page.text.split(separator: "\n").dropFirst(2).map(String.init)
        #expect(lines.count == Histogram.bounds.count + 3)
        #expect(lines.first == #"t_bucket{a="b",le="0.005"} 2"#)
        #expect(lines[3] == #"t_bucket{a="b",le="0.05"} 3"#)
        #expect(
            lines.suffix(3) == [
                #"t_bucket{a="b",le="+Inf"} 4"#, #"t_sum{a="b"} 20.032000000"#,
                #"t_count{a="b"} 4"#,
            ])
    }

    @Test func `a histogram without labels has no empty braces`() {
        var page = MetricsText()
        page.append(StoreMetric("t", help: "Times.", .durations(Histogram())))
        let help = "# HELP t Times.\n# TYPE t histogram\n"
        #expect(page.text.hasPrefix(help + "t_bucket{le=\"0.005\"} 0\n"))
        #expect(page.text.hasSuffix("t_sum 0.000000000\nt_count 0\n"))
    }
}

@Suite struct MetricsTests {
    private static func facts(_ method: Method?, _ endpoint: Int?, _ status: Status) -> RequestFacts
    {
        var facts = RequestFacts()
        (facts.method, facts.endpoint, facts.status) = (method, endpoint, status)
        facts.nanoseconds = 7
        return facts
    }

    @Test func `every endpoint, method and status is counted by itself`() {
        var metrics = Metrics()
        let endpoints = Endpoint.all.indices.map { Int?.some($0) } + [nil]
        let methods = Method.allCases.map { Method?.some($0) } + [nil]
        var expected: [[UInt64]] = []
        for endpoint in endpoints {
            for method in methods {
                for status in Status.allCases {
                    let times = expected.count % 3 + 1
                    for _ in 0..<times { metrics.count(Self.facts(method, endpoint, status)) }
                    expected.append([UInt64(times)])
                }
            }
        }
        #expect(metrics.series.map { [$0.histogram.buckets[0]] } == expected)
        #expect(metrics.series.last?.endpoint == nil && metrics.series.last?.method == nil)
        #expect(metrics.series.allSatisfy { $0.histogram.totalNanoseconds % 7 == 0 })
    }

    @Test func `every problem is counted by itself`() {
        var metrics = Metrics()
        for (index, kind) in ProblemKind.allCases.enumerated() {
            for _ in 0...index { metrics.count(kind) }
        }
        #expect(metrics.problems == ProblemKind.allCases.indices.map { UInt64($0 + 1) })
    }
}

/// The page of /metrics, read as Prometheus reads it.
@Suite struct MetricsPageTests {
    /// A page after requests of several kinds.
    private func page() throws -> [Substring] {
        let server = try TestServer()
        try server.makeSession("a")
        let client = try server.pair()
        try client.send(.get("/livez") + .get("/nothing") + .get("/v1/sessions/a"))
        try client.send(.get("/v1/sessions/none"))
        try server.turn(until: { client.answers == 4 }, clients: client)
        let answer = try server.ask(.get("/metrics"))
        try server.turn(until: { answer.text.hasSuffix("\n") }, clients: answer)
        let text = answer.text
        let body = try #require(text.firstRange(of: "\r\n\r\n")).upperBound
        return text[body...].split(separator: "\n")
    }

    @Test func `each family is declared once, before its samples`() throws {
        var types: [Substring: Substring] = [:]
        var seen: Set<Substring> = []
        var family: Substring = ""
        for line in try page() {
            let words = line.split(separator: " ", maxSplits: 3)
            switch words[1] {
            case _ where line.hasPrefix("# HELP "):
                family = words[2]
                #expect(types.updateValue("", forKey: family) == nil, "\(line)")
            case _ where line.hasPrefix("# TYPE "):
                #expect(words[2] == family && types[family] == "", "\(line)")
                types[family] = words[3]
            default:
                #expect(seen.insert(words.dropLast().joined(separator: " ")[...]).inserted)
                #expect(Double(words[words.count - 1]) != nil, "\(line)")
                let name = line.prefix { $0 != "{" && $0 != " " }
                let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                #expect(suffixes.contains { name == family + $0 }, "\(line)")
                if types[family] == "counter" { #expect(name.hasSuffix("_total"), "\(line)") }
            }
        }
        #expect(types.count > 25 && types.values.allSatisfy { !$0.isEmpty })
    }

    @Test func `the help of a metric is a sentence or a noun phrase with a full stop`() throws {
        for line in try page() where line.hasPrefix("# HELP ") {
            let help = line.split(separator: " ", maxSplits: 3)[3]
            #expect(help.last == "." && !help.dropLast().contains("."), "\(line)")
            #expect(help.first?.isUppercase == true || help.first == "1", "\(line)")
        }
    }

    @Test func `requests are counted under the template of their URL`() throws {
        let lines = try page()
        func count(_ labels: String) -> Substring? {
            lines.first { $0.hasPrefix("http_server_request_duration_seconds_count{\(labels),") }?
                .split(separator: " ").last
        }
        let read = #"http_request_method="GET",http_route="/v1/sessions/{id}","#
        #expect(count(read + #"http_response_status_code="200""#) == "1")
        #expect(count(read + #"http_response_status_code="404""#) == "1")
        #expect(count(#"http_request_method="GET",http_response_status_code="404""#) == "1")
        #expect(lines.contains(#"navstate_problems_total{problem="not-found"} 1"#))
        #expect(lines.contains("navstate_sessions 1"))
        #expect(!lines.contains { $0.contains("none") || $0.contains("/nothing") })
    }
}
