internal import Bytes
internal import NATS

/// Reads everything that a store has and examines it, for `navstate store check`. A store may be
/// checked while nodes use it.
public struct StoreCheck {
    /// A summary of the examination.
    public struct Summary: Equatable, Sendable {
        public var messages = 0
        public var sessions = 0
        /// The number of monitored servers that sync each change.
        public var servers = 0
        /// The number of things that were reported.
        public var faults = 0
        /// Whether the messages were read, which takes all streams.
        public var isRead = true
    }

    private let layout: StoreLayout
    private let opening: StoreOpening
    private let report: (String) -> Void
    private let patience: Int64
    private var audit: StoreAudit
    private var summary = Summary()

    /// Checks a store.
    ///
    /// - Parameters:
    ///   - monitors: the monitoring addresses of servers, such as `http://10.0.0.1:8222`.
    ///   - replicasMin: how many replicas the streams must have.
    ///   - milliseconds: how long the servers may be silent.
    ///   - report: called with a sentence about each fault.
    public static func run(
        _ address: StoreAddress, monitors: [String], replicasMin: Int,
        within milliseconds: Int64, report: @escaping (String) -> Void
    ) throws(StoreOpenError) -> Summary {
        var (faults, servers) = (0, 0)
        for monitor in monitors {
            let found = ServerMonitor.faults(at: monitor)
            faults += found.count
            servers += found.isEmpty ? 1 : 0
            found.forEach(report)
        }
        let status = try StoreStatus.read(
            address, replicasMin: replicasMin, within: milliseconds)
        for fault in status.faults {
            faults += 1
            report(fault)
        }
        if let fault = status.fault { throw fault }
        guard status.streams.allSatisfy(\.isFound) else {
            return Summary(servers: servers, faults: faults, isRead: false)
        }
        var summary = try check(address, within: milliseconds, .process, report: report)
        summary.servers = servers
        summary.faults += faults
        return summary
    }

    /// Checks the messages of a store.
    static func check(
        _ address: StoreAddress, within milliseconds: Int64, _ environment: EngineEnvironment,
        report: @escaping (String) -> Void
    ) throws(StoreOpenError) -> Summary {
        let opening = try StoreOpening(address, within: milliseconds, environment)
        let facts = try opening.facts()
        var check = StoreCheck(
            opening, StoreLayout(prefix: address.prefix, shardCount: facts.shardCount),
            patience: milliseconds, report: report)
        try check.readAll()
        do throws(StoreOpenError) { try opening.checkLandmarks(facts) } catch {
            guard case .incomplete(let name, let fault) = error else { throw error }
            check.tell("\(name): the stream \(fault)")
        }
        return check.summary
    }

    private init(
        _ opening: StoreOpening, _ layout: StoreLayout, patience: Int64,
        report: @escaping (String) -> Void
    ) {
        (self.opening, self.layout) = (opening, layout)
        (self.patience, self.report) = (patience, report)
        audit = StoreAudit(layout)
    }

    private mutating func readAll() throws(StoreOpenError) {
        var gaps: [StoreAudit.Finding] = []
        try opening.read(layout, reading: .all, patience: patience) { gaps += take($0) }
        // A node may just have written a number that this reads later.
        let end = opening.environment.clock.now + ClusterEngine.marksPatience
        while fault != nil, opening.environment.clock.now < end {
            for message in try opening.nextMessages() { gaps += take(message) }
        }
        for gap in gaps + audit.gapsAtStart { try examine(gap) }
        if let fault { tell("\(layout.name(of: fault.shard)): the stream \(fault.text)") }
        summary.messages = audit.messageCount
        summary.sessions = audit.sessionCount
    }

    /// A shard that has lost its beginning or its end.
    private var fault: (shard: Int, text: String)? {
        audit.marks.firstFault(opening.links.feeds?.shards ?? [])
    }

    /// - Returns: gaps, which need a closer look.
    private mutating func take(_ message: FedMessage) -> [StoreAudit.Finding] {
        let shard = message.feed < layout.shardCount ? message.feed : nil
        return audit.take(message, of: shard).filter { finding in
            guard case .damage(let text) = finding else { return true }
            tell("\(layout.name(of: shard)): \(text)")
            return false
        }
    }

    mutating func tell(_ fault: String) {
        summary.faults += 1
        report(fault)
    }

    /// Messages may have been removed while the stream was read, because it keeps only the last
    /// ones of a subject. Then all before them were removed, too.
    private mutating func examine(_ gap: StoreAudit.Finding) throws(StoreOpenError) {
        guard case .gap(let item, let last, let next) = gap else { return }
        let (stream, subject) = (layout.stream(of: item), layout.subject(of: item))
        let first = try opening.find(.next(SubjectFilter(subject), from: 1), in: stream)
        guard let first, first.sequence <= last ?? next else { return }
        let place = last.map { "between \($0) and \(next)" } ?? "before \(next)"
        tell("\(stream.text): messages of \(subject.text) \(place) are missing")
    }
}
