internal import Sessions

/// Prometheus' text format, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    /// Appends a metric: its help, its type and its samples.
    mutating func append(_ metric: StoreMetric) {
        let name = metric.name
        text += "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.value.type)\n"
        switch metric.value {
        case .gauge(let value), .counter(let value): text += "\(name) \(value)\n"
        case .info(let label, let value): text += "\(name){\(label)=\"\(value)\"} 1\n"
        case .counters(let label, let counters):
            for (value, count) in counters {
                text += "\(name){\(label)=\"\(value)\"} \(count)\n"
            }
        case .durations(let histogram): append(histogram, of: name, labels: "")
        case .labeledDurations(let series):
            for (labels, histogram) in series { append(histogram, of: name, labels: labels) }
        }
    }

    /// The buckets, the sum and the count of a histogram.
    private mutating func append(_ histogram: Histogram, of name: String, labels: String) {
        var total: UInt64 = 0
        let comma = labels.isEmpty ? "" : ","
        for (index, bound) in (Histogram.bounds + ["+Inf"]).enumerated() {
            total += histogram.buckets[index]
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(bound)\"} \(total)\n"
        }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(braces) \(Self.seconds(histogram.totalNanoseconds))\n"
        text += "\(name)_count\(braces) \(total)\n"
    }

    /// Seconds as a decimal number with nine places.
    static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - fraction.count)
        return "\(nanoseconds / 1_000_000_000).\(zeros)\(fraction)"
    }
}

extension StoreMetric.Value {
    /// The name of the type in the text format.
    fileprivate var type: String {
        switch self {
        case .gauge, .info: "gauge"
        case .counter, .counters: "counter"
        case .durations, .labeledDurations: "histogram"
        }
    }
}
