internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions

/// The page of /metrics.
struct MetricsPage {
    private let parts: LoopParts

    init(_ parts: LoopParts) { self.parts = parts }

    /// The page as text in UTF-8.
    var bytes: [UInt8] {
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
            name, type: "histogram",
            help: "Time from the last byte of a request to its response, except for streams.")
        for series in parts.observer.metrics.series {
            let route = series.endpoint.map { ",http_route=\"\(Endpoint.all[$0].template)\"" }
            let labels =
                "http_request_method=\"\(series.method?.name ?? "_OTHER")\"\(route ?? ""),"
                + "http_response_status_code=\"\(series.status.rawValue)\",url_scheme=\"http\""
            page.histogram(name, labels: labels, series.histogram)
        }
        let problems = "navstate_problems_total"
        page.family(
            problems, type: "counter", help: "Refused requests, by problem.")
        for (index, kind) in ProblemKind.allCases.enumerated() {
            page.sample(
                problems, labels: "problem=\"\(kind.rawValue)\"",
                "\(parts.observer.metrics.problems[index])")
        }
    }

    private func appendService(to page: inout MetricsText) {
        page.family(
            "navstate_info", type: "gauge", help: "Version of the server; always 1.")
        page.sample("navstate_info", labels: "version=\"\(parts.options.service.version)\"", "1")
        page.gauge(
            "navstate_sessions", help: "Sessions in the store.",
            "\(parts.store.parts.reading.sessionCount)"
        )
        page.gauge(
            "navstate_apps", help: "Apps in the store.",
            "\(parts.store.parts.apps.storedApps.count)")
        page.gauge(
            "navstate_subscribers", help: "Open streams.", "\(parts.streams.subscriberCount)")
        page.gauge(
            "navstate_connections", help: "Open connections.", "\(parts.connections.count)")
        page.counter(
            "navstate_connections_accepted_total", help: "Connections accepted.",
            "\(parts.observer.metrics.connectionsAccepted)")
        page.counter(
            "navstate_connections_evicted_total",
            help: "Connections closed to make room for others.",
            "\(parts.observer.metrics.connectionsEvicted)")
        page.counter(
            "navstate_connections_refused_total",
            help: "Connections refused because their address had too many.",
            "\(parts.observer.metrics.connectionsRefused)")
        let turns = "navstate_loop_turn_duration_seconds"
        page.family(
            turns, type: "histogram",
            help: "Time of one turn of the event loop, during which all other requests wait.")
        page.histogram(turns, parts.observer.metrics.turns)
        page.gauge(
            "navstate_buffered_bytes",
            help:
                "Memory for requests that are still arriving and responses that are not read yet.",
            "\(parts.budget.bytes)")
        page.counter(
            "navstate_log_dropped_total",
            help: "Log lines dropped because the reader was too slow.",
            "\(parts.log.dropped)")
    }

    private func appendStore(to page: inout MetricsText) {
        page.gauge(
            "navstate_store_ready", help: "1 if changes can be stored, otherwise 0.",
            parts.store.refusal == nil ? "1" : "0")
        page.gauge(
            "navstate_store_damaged_files",
            help: "Files of the log in which damage was found since startup; with --store, records "
                + "that are damaged or lost.",
            "\(parts.store.damage.count)")
        for metric in parts.store.metrics { append(metric, to: &page) }
    }

    private func append(_ metric: StoreMetric, to page: inout MetricsText) {
        switch metric.value {
        case .gauge(let value): page.gauge(metric.name, help: metric.help, value)
        case .counter(let value): page.counter(metric.name, help: metric.help, value)
        case .counters(let label, let counters):
            page.family(metric.name, type: "counter", help: metric.help)
            for (value, count) in counters {
                page.sample(metric.name, labels: "\(label)=\"\(value)\"", "\(count)")
            }
        case .durations(let histogram):
            page.family(metric.name, type: "histogram", help: metric.help)
            page.histogram(metric.name, histogram)
        }
    }

    private func appendProcess(to page: inout MetricsText) {
        let statistics = Process.statistics
        page.counter(
            "process_cpu_seconds_total", help: "User and system CPU time in seconds.",
            MetricsText.seconds(statistics.cpuNanoseconds))
        page.gauge(
            "process_resident_memory_bytes", help: "Resident memory in bytes.",
            "\(statistics.memory.residentBytes)")
        page.gauge(
            "process_virtual_memory_bytes", help: "Virtual memory in bytes.",
            "\(statistics.memory.virtualBytes)")
        page.gauge(
            "process_open_fds", help: "Open file descriptors.", "\(statistics.descriptors)")
        page.gauge(
            "process_max_fds", help: "Maximum number of open file descriptors.",
            "\(statistics.descriptorsMax)")
        page.gauge(
            "process_start_time_seconds", help: "Start time since the Unix epoch in seconds.",
            "\(parts.clock.startedAt / 1000).\(parts.clock.startedAt % 1000 / 100)")
    }
}
