internal import Navigation
public import Sessions

extension ClusterEngine {
    /// The engine's figures on the metrics page, in addition to `meters`.
    struct Figures {
        let meters: EngineMeters
        let feedRestarts: Int
        let feedGaps: Int
        let shardsAlive: Int
        let nodes: Int
        let cells: Int
        let inFlight: Int
    }

    /// The metrics of the shared store.
    public var metrics: [StoreMetric] {
        let figures = figures
        return changeMetrics(figures) + [
            StoreMetric(
                "navstate_feed_lag_seconds",
                help: "Time from storing a change to its delivery to this node, by the clocks of "
                    + "both.",
                .durations(figures.meters.feedLag)),
            StoreMetric(
                "navstate_feed_restarts_total",
                help: "How often the feed of a shard was started again.",
                .counter("\(figures.feedRestarts)")),
            StoreMetric(
                "navstate_feed_gaps_total",
                help:
                    "Changes that reached this node without the one before them; its streams were "
                    + "told of a gap.",
                .counter("\(figures.feedGaps)")),
            StoreMetric(
                "navstate_shards", help: "Shards of the store.", .gauge("\(facts.shardCount)")),
            StoreMetric(
                "navstate_shards_available", help: "Shards whose feed is current.",
                .gauge("\(figures.shardsAlive)")),
            StoreMetric(
                "navstate_nodes", help: "Nodes that use the store, including this one.",
                .gauge("\(figures.nodes)")),
            StoreMetric(
                "navstate_clock_offset_seconds",
                help: "How far the clock of this machine is ahead of the time of the store's "
                    + "servers, which is used; negative if it is behind.",
                .gauge(Self.seconds(clockOffset ?? 0))),
            StoreMetric(
                "navstate_store_connects_total",
                help: "How often a server of the store was connected to.",
                .counter("\(figures.meters.links)")),
            StoreMetric(
                "navstate_cells", help: "Sessions whose records are in memory.",
                .gauge("\(figures.cells)")),
            StoreMetric(
                "navstate_store_answers_total",
                help: "Answers of the servers to questions for what was not in memory or not "
                    + "current.",
                .counter("\(figures.meters.answers)")),
        ]
    }

    /// Milliseconds as seconds with three decimal places.
    private static func seconds(_ milliseconds: Milliseconds) -> String {
        let digits = String(abs(milliseconds) % 1_000 + 1_000).dropFirst()
        return "\(milliseconds < 0 ? "-" : "")\(abs(milliseconds) / 1_000).\(digits)"
    }

    private func changeMetrics(_ figures: Figures) -> [StoreMetric] {
        let meters = figures.meters
        return [
            StoreMetric(
                "navstate_store_roundtrip_seconds",
                help: "Time from when a change is ready to be written to its outcome.",
                .durations(meters.roundTrips)),
            StoreMetric(
                "navstate_store_inflight", help: "Changes whose outcome is not known yet.",
                .gauge("\(figures.inFlight)")),
            StoreMetric(
                "navstate_store_conflicts_total",
                help: "Changes that were decided again because another change came first.",
                .counter("\(meters.conflicts)")),
            StoreMetric(
                "navstate_store_unknown_total",
                help: "Changes whose outcome was still unknown at --store-timeout.",
                .counter("\(meters.unknown)")),
            StoreMetric(
                "navstate_store_resolved_total",
                help: "Changes whose answer was lost, by what was found out about them.",
                .counters(
                    label: "as",
                    [
                        (value: "kept", count: meters.resolvedKept),
                        (value: "not-kept", count: meters.resolvedNotKept),
                    ])),
        ]
    }
}
