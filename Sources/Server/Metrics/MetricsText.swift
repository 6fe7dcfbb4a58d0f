internal import Sessions

/// Prometheus' text format, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    /// Begins a metric: its help and its type.
    mutating func family(_ name: String, type: String, help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// A metric of one number that may go up and down.
    mutating func gauge(_ name: String, help: String, _ value: String) {
        family(name, type: "gauge", help: help)
        text += "\(name) \(value)\n"
    }

    /// A metric of one number that only grows.
    mutating func counter(_ name: String, help: String, _ value: String) {
        family(name, type: "counter", help: help)
        text += "\(name) \(value)\n"
    }

    /// One value of a metric that has several.
    mutating func sample(_ name: String, labels: String, _ value: String) {
        text += "\(name){\(labels)} \(value)\n"
    }

    /// The buckets, the sum and the count of a histogram.
    mutating func histogram(_ name: String, labels: String = "", _ histogram: Histogram) {
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
