internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Storage

/// Prometheus' text format, version 0.0.4.
struct MetricsText {
    private(set) var text = ""

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// A family of one number.
    mutating func single(_ name: String, _ type: String, _ help: String, _ value: String) {
        family(name, type, help)
        text += "\(name) \(value)\n"
    }

    mutating func sample(_ name: String, _ labels: String, _ value: String) {
        text += "\(name){\(labels)} \(value)\n"
    }

    mutating func histogram(_ name: String, _ labels: String, _ histogram: Histogram) {
        var total: UInt64 = 0
        let comma = labels.isEmpty ? "" : ","
        for (index, bound) in (Histogram.bounds + ["+Inf"]).enumerated() {
            total += histogram.buckets[index]
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(bound)\"} \(total)\n"
        }
        let place = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(place) \(Self.seconds(histogram.totalNanoseconds))\n"
        text += "\(name)_count\(place) \(total)\n"
    }

    static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - fraction.count)
        return "\(nanoseconds / 1_000_000_000).\(zeros)\(fraction)"
    }
}

extension EventLoop {
    /// The page of /metrics.
    func metricsPage() -> [UInt8] {
        var page = MetricsText()
        appendRequests(to: &page)
        appendService(to: &page)
        appendStore(to: &page)
        appendProcess(to: &page)
        return Array(page.text.utf8)
    }

    private func appendRequests(to page: inout MetricsText) {
        let name = "http_server_request_duration_seconds"
        page.family(
            name, "histogram",
            "From a request's last byte to its answer, which waits for the disk; no streams.")
        for series in metrics.series {
            let route = series.endpoint.map { ",http_route=\"\(Endpoint.all[$0].template)\"" }
            let labels =
                "http_request_method=\"\(series.method?.name ?? "_OTHER")\"\(route ?? ""),"
                + "http_response_status_code=\"\(series.status.rawValue)\",url_scheme=\"http\""
            page.histogram(name, labels, series.histogram)
        }
        let problems = "navstate_problems_total"
        page.family(problems, "counter", "Refused requests, by the problem.")
        for (index, kind) in ProblemKind.allCases.enumerated() {
            page.sample(problems, "problem=\"\(kind.rawValue)\"", "\(metrics.problems[index])")
        }
    }

    private func appendService(to page: inout MetricsText) {
        page.family("navstate_info", "gauge", "What runs; always 1.")
        page.sample("navstate_info", "version=\"\(options.version)\"", "1")
        page.single("navstate_sessions", "gauge", "Sessions.", "\(store.sessionCount)")
        page.single("navstate_apps", "gauge", "Apps.", "\(store.apps.count)")
        page.single("navstate_subscribers", "gauge", "Open live streams.", "\(subscriberCount)")
        page.single("navstate_connections", "gauge", "Connections.", "\(connections.count)")
        page.single(
            "navstate_connections_accepted_total", "counter", "Connections that came.",
            "\(metrics.connectionsAccepted)")
        page.single(
            "navstate_log_dropped_total", "counter", "Lines of the log that nobody took.",
            "\(log.dropped)")
    }

    private func appendStore(to page: inout MetricsText) {
        let figures = store.figures
        page.single(
            "navstate_store_ready", "gauge", "1 while changes can be stored.",
            store.refusal == nil ? "1" : "0")
        page.single(
            "navstate_journal_batches_total", "counter", "Batches given to the disk.",
            "\(figures.batches)")
        page.single(
            "navstate_journal_bytes_total", "counter", "Bytes given to the disk.",
            "\(figures.bytes)")
        let name = "navstate_journal_sync_duration_seconds"
        page.family(name, "histogram", "How long the disk took to sync a batch.")
        var syncs = Histogram()
        syncs.take(counts: figures.syncBuckets, totalNanoseconds: figures.syncNanoseconds)
        page.histogram(name, "", syncs)
        page.single(
            "navstate_durable_lag_records", "gauge", "Records that are not durable yet.",
            "\(figures.lag)")
        page.single(
            "navstate_pending_bytes", "gauge", "Bytes that wait for the disk.",
            "\(figures.pendingBytes)")
        page.single(
            "navstate_log_bytes", "gauge", "Bytes of the log's files.", "\(figures.logBytes)")
        page.single(
            "navstate_compactions_total", "counter", "Files that were written anew.",
            "\(figures.compactions)")
        page.single(
            "navstate_compaction_busy", "gauge", "1 while files are looked through.",
            figures.isCompacting ? "1" : "0")
    }

    private func appendProcess(to page: inout MetricsText) {
        let figures = Process.figures
        page.single(
            "process_cpu_seconds_total", "counter", "CPU time, user and system.",
            MetricsText.seconds(figures.cpuNanoseconds))
        page.single(
            "process_resident_memory_bytes", "gauge", "Resident memory.",
            "\(Process.residentBytes)")
        page.single(
            "process_virtual_memory_bytes", "gauge", "Virtual memory.",
            "\(figures.virtualBytes)")
        page.single(
            "process_open_fds", "gauge", "Open file descriptors.", "\(figures.descriptors)")
        page.single(
            "process_max_fds", "gauge", "Most file descriptors.", "\(figures.descriptorsMax)")
        page.single(
            "process_start_time_seconds", "gauge", "When it started, since 1970.",
            "\(startedAt / 1000).\(startedAt % 1000 / 100)")
    }
}
