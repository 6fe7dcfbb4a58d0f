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
            "Time from the last byte of a request to its response, without streams.")
        for series in metrics.series {
            let route = series.endpoint.map { ",http_route=\"\(Endpoint.all[$0].template)\"" }
            let labels =
                "http_request_method=\"\(series.method?.name ?? "_OTHER")\"\(route ?? ""),"
                + "http_response_status_code=\"\(series.status.rawValue)\",url_scheme=\"http\""
            page.histogram(name, labels, series.histogram)
        }
        let problems = "navstate_problems_total"
        page.family(problems, "counter", "Refused requests, by problem.")
        for (index, kind) in ProblemKind.allCases.enumerated() {
            page.sample(problems, "problem=\"\(kind.rawValue)\"", "\(metrics.problems[index])")
        }
    }

    private func appendService(to page: inout MetricsText) {
        page.family("navstate_info", "gauge", "Version of the server; always 1.")
        page.sample("navstate_info", "version=\"\(options.version)\"", "1")
        page.single("navstate_sessions", "gauge", "Sessions in the store.", "\(store.sessionCount)")
        page.single("navstate_apps", "gauge", "Apps in the store.", "\(store.apps.count)")
        page.single("navstate_subscribers", "gauge", "Open streams.", "\(subscriberCount)")
        page.single("navstate_connections", "gauge", "Open connections.", "\(connections.count)")
        page.single(
            "navstate_connections_accepted_total", "counter", "Connections accepted.",
            "\(metrics.connectionsAccepted)")
        page.single(
            "navstate_connections_evicted_total", "counter",
            "Connections closed to make room for others.",
            "\(metrics.connectionsEvicted)")
        page.single(
            "navstate_connections_refused_total", "counter",
            "Connections refused because their address had too many.",
            "\(metrics.connectionsRefused)")
        let turns = "navstate_loop_turn_duration_seconds"
        page.family(
            turns, "histogram", "Time of one turn of the event loop, in which all others wait.")
        page.histogram(turns, "", metrics.turns)
        page.single(
            "navstate_buffered_bytes", "gauge",
            "Memory for requests that are still arriving and responses that are not read yet.",
            "\(budget.bytes)")
        page.single(
            "navstate_log_dropped_total", "counter",
            "Log lines dropped because the reader was too slow.",
            "\(log.dropped)")
    }

    private func appendStore(to page: inout MetricsText) {
        let statistics = store.statistics
        page.single(
            "navstate_store_ready", "gauge", "1 if changes can be stored, else 0.",
            store.refusal == nil ? "1" : "0")
        page.single(
            "navstate_store_damaged_files", "gauge",
            "Files of the log in which damage was found since startup.", "\(store.damagedFiles)")
        let errors = "navstate_store_errors_total"
        page.family(errors, "counter", "Errors of the disk besides those that refuse changes.")
        for (kind, count) in store.troubleCounts {
            page.sample(errors, "kind=\"\(kind.rawValue)\"", "\(count)")
        }
        page.single(
            "navstate_journal_batches_total", "counter", "Batches written to the log.",
            "\(statistics.batches)")
        page.single(
            "navstate_journal_bytes_total", "counter", "Bytes written to the log.",
            "\(statistics.bytes)")
        let name = "navstate_journal_sync_duration_seconds"
        page.family(name, "histogram", "Time to sync a batch to the disk.")
        var syncs = Histogram()
        syncs.take(counts: statistics.syncBuckets, totalNanoseconds: statistics.syncNanoseconds)
        page.histogram(name, "", syncs)
        page.single(
            "navstate_durable_lag_records", "gauge", "Records that are not durable yet.",
            "\(statistics.lag)")
        page.single(
            "navstate_pending_bytes", "gauge", "Bytes of changes waiting for the disk.",
            "\(statistics.pendingBytes)")
        page.single(
            "navstate_log_bytes", "gauge", "Size of the log.", "\(statistics.logBytes)")
        page.single(
            "navstate_compactions_total", "counter", "Compactions completed.",
            "\(statistics.compactions)")
        page.single(
            "navstate_compaction_busy", "gauge", "1 while a compaction is running.",
            statistics.isCompacting ? "1" : "0")
    }

    private func appendProcess(to page: inout MetricsText) {
        let statistics = Process.statistics
        page.single(
            "process_cpu_seconds_total", "counter", "User and system CPU time in seconds.",
            MetricsText.seconds(statistics.cpuNanoseconds))
        page.single(
            "process_resident_memory_bytes", "gauge", "Resident memory in bytes.",
            "\(Process.residentBytes)")
        page.single(
            "process_virtual_memory_bytes", "gauge", "Virtual memory in bytes.",
            "\(statistics.virtualBytes)")
        page.single(
            "process_open_fds", "gauge", "Open file descriptors.", "\(statistics.descriptors)")
        page.single(
            "process_max_fds", "gauge", "Maximum number of open file descriptors.",
            "\(statistics.descriptorsMax)")
        page.single(
            "process_start_time_seconds", "gauge", "Start time since the Unix epoch in seconds.",
            "\(startedAt / 1000).\(startedAt % 1000 / 100)")
    }
}
