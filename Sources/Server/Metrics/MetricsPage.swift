internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions

/// The page of /metrics: a row for each metric of the server, and those of the store.
struct MetricsPage {
    private let parts: LoopParts

    init(_ parts: LoopParts) { self.parts = parts }

    /// The page as text in UTF-8.
    var bytes: [UInt8] {
        var page = MetricsText()
        for metric in requests + service + store + parts.store.metrics + process {
            page.append(metric)
        }
        return Array(page.text.utf8)
    }

    private var requests: [StoreMetric] {
        let metrics = parts.observer.metrics
        let problems = zip(ProblemKind.allCases, metrics.problems).map { kind, count in
            (value: kind.rawValue, count: Int(count))
        }
        return [
            StoreMetric(
                "http_server_request_duration_seconds",
                help:
                    "Time from the last byte of a request to its response, except for streams.",
                .labeledDurations(metrics.series.map { ($0.labels, $0.histogram) })),
            StoreMetric(
                "navstate_problems_total", help: "Refused requests, by problem.",
                .counters(label: "problem", problems)),
        ]
    }

    private var service: [StoreMetric] {
        let metrics = parts.observer.metrics
        return [
            StoreMetric(
                "navstate_info", help: "Version of the server; always 1.",
                .info(label: "version", value: parts.options.service.version)),
            StoreMetric(
                "navstate_sessions", help: "Sessions in the store.",
                .gauge("\(parts.store.parts.reading.sessionCount)")),
            StoreMetric(
                "navstate_apps", help: "Apps in the store.", .gauge("\(parts.store.parts.apps.storedApps.count)")),
            StoreMetric(
                "navstate_subscribers", help: "Open streams.",
                .gauge("\(parts.streams.subscriberCount)")),
            StoreMetric(
                "navstate_connections", help: "Open connections.",
                .gauge("\(parts.connections.count)")),
            StoreMetric(
                "navstate_connections_accepted_total", help: "Connections accepted.",
                .counter("\(metrics.connectionsAccepted)")),
            StoreMetric(
                "navstate_connections_evicted_total",
                help: "Connections closed to make room for others.",
                .counter("\(metrics.connectionsEvicted)")),
            StoreMetric(
                "navstate_connections_refused_total",
                help: "Connections refused because their address had too many.",
                .counter("\(metrics.connectionsRefused)")),
            StoreMetric(
                "navstate_loop_turn_duration_seconds",
                help: "Time of one turn of the event loop, during which all other requests wait.",
                .durations(metrics.turns)),
            StoreMetric(
                "navstate_buffered_bytes",
                help: "Memory for requests that are still arriving and responses that are not "
                    + "read yet.",
                .gauge("\(parts.budget.bytes)")),
            StoreMetric(
                "navstate_log_dropped_total",
                help: "Log lines dropped because the reader was too slow.",
                .counter("\(parts.log.dropped)")),
        ]
    }

    private var store: [StoreMetric] {
        [
            StoreMetric(
                "navstate_store_ready", help: "1 if changes can be stored, otherwise 0.",
                .gauge(parts.store.refusal == nil ? "1" : "0")),
            StoreMetric(
                "navstate_store_damaged_files",
                help: "Files of the log in which damage was found since startup; with --store, "
                    + "records that are damaged or lost.",
                .gauge("\(parts.store.damage.count)")),
        ]
    }

    private var process: [StoreMetric] {
        let statistics = Process.statistics
        let start = parts.clock.startedAt
        return [
            StoreMetric(
                "process_cpu_seconds_total", help: "User and system CPU time in seconds.",
                .counter(MetricsText.seconds(statistics.cpuNanoseconds))),
            StoreMetric(
                "process_resident_memory_bytes", help: "Resident memory in bytes.",
                .gauge("\(statistics.memory.residentBytes)")),
            StoreMetric(
                "process_virtual_memory_bytes", help: "Virtual memory in bytes.",
                .gauge("\(statistics.memory.virtualBytes)")),
            StoreMetric(
                "process_open_fds", help: "Open file descriptors.",
                .gauge("\(statistics.descriptors)")),
            StoreMetric(
                "process_max_fds", help: "Maximum number of open file descriptors.",
                .gauge("\(statistics.descriptorsMax)")),
            StoreMetric(
                "process_start_time_seconds", help: "Start time since the Unix epoch in seconds.",
                .gauge("\(start / 1000).\(start % 1000 / 100)")),
        ]
    }
}

extension Metrics.Series {
    /// The labels by the semantic conventions of OpenTelemetry.
    fileprivate var labels: String {
        let route = endpoint.map { ",http_route=\"\(Endpoint.all[$0].template)\"" } ?? ""
        return "http_request_method=\"\(method?.name ?? "_OTHER")\"\(route),"
            + "http_response_status_code=\"\(status.rawValue)\",url_scheme=\"http\""
    }
}
