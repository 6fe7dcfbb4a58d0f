internal import API
internal import Cluster
internal import Navigation
internal import POSIX
internal import Server
internal import Sessions
internal import Storage

/// The store that a server uses while it serves: its own directory, or one that it shares with
/// other servers.
enum OpenStore {
    case directory(Store)
    case shared(ClusterEngine)

    /// Opens the store that the options name.
    ///
    /// - Parameter report: called with a sentence that says how far the opening is.
    /// - Throws: an error that says what to do if the store cannot be used.
    init(
        _ configuration: Configuration, _ log: Log, reporting report: (String) -> Void
    ) throws(ExitError) {
        if let address = configuration.sharedStore.address {
            self = .shared(try Self.open(address, by: configuration, log, reporting: report))
        } else {
            self = .directory(try Self.open(configuration.store, log))
        }
    }

    private static func open(_ options: StoreOptions, _ log: Log) throws(ExitError) -> Store {
        do {
            let (store, report) = try Store.open(options, now: Clock.realtimeMilliseconds)
            for note in report.notes { log.say(.warning, note) }
            if let loss = options.fsync.loss { log.say(.warning, loss) }
            log.say(
                .debug, "store opened",
                facts: [
                    ("sessions", "\(report.sessions)"), ("records", "\(report.records)"),
                    ("milliseconds", "\(report.milliseconds)"),
                ])
            return store
        } catch {
            throw ExitError(error)
        }
    }

    private static func open(
        _ address: StoreAddress, by configuration: Configuration, _ log: Log,
        reporting report: (String) -> Void
    ) throws(ExitError) -> ClusterEngine {
        var options = ClusterOptions(address: address, backupFormat: LogBackupFormat())
        options.cacheBytes = configuration.store.cacheBytes
        options.reads = configuration.sharedStore.readsFromQuorum ? .quorum : .feed
        options.replicasMin = configuration.sharedStore.replicas
        options.monitors = configuration.sharedStore.monitors
        options.wholeWithin = wholeMilliseconds
        options.timeoutMilliseconds = configuration.sharedStore.timeoutMilliseconds
        let began = Clock.monotonicMilliseconds
        var (reported, logged) = (began, began)
        do {
            let engine = try ClusterEngine.open(options, within: openMilliseconds) { progress in
                let now = Clock.monotonicMilliseconds
                guard now - reported >= 250 else { return }
                reported = now
                let (read, all) = (progress.read, progress.read + progress.pending)
                report("It has read \(read) of \(all) messages of the shared store.")
                guard now - logged >= logMilliseconds else { return }
                logged = now
                log.now = Clock.realtimeMilliseconds
                log.say(
                    .notice, "reading the shared store",
                    facts: [("read", "\(read)"), ("left", "\(progress.pending)")])
            }
            log.now = Clock.realtimeMilliseconds
            log.say(
                .debug, "store opened",
                facts: [
                    ("lineage", engine.lineage),
                    ("sessions", "\(engine.parts.reading.sessionCount)"),
                    ("milliseconds", "\(Clock.monotonicMilliseconds - began)"),
                ])
            return engine
        } catch {
            throw ExitError(error)
        }
    }

    /// How long the servers of a shared store may take to answer at the start, how long they may be
    /// silent while the store is read, and how long they may take to keep the first changes.
    private static let openMilliseconds: Int64 = 60_000
    /// After how long a node serves the shards that it has read, while it reads the others.
    private static let wholeMilliseconds: Int64 = 1_000
    /// How often the log says how far the reading of a shared store is.
    private static let logMilliseconds: Int64 = 5_000

    /// The store as the event loop drives it.
    var engine: any Engine {
        switch self {
        case .directory(let store): store
        case .shared(let engine): engine
        }
    }

    /// Descriptors that connections must leave to the store and the rest of the program.
    var descriptorsReserved: Int {
        switch self {
        case .directory(let store): store.descriptorsReserved
        case .shared: 128
        }
    }

    /// Stores the apps of `--apps` before the first client.
    func keep(_ apps: [CheckedApp], _ service: Service) throws(ExitError) {
        for _ in 0..<Self.attemptsMax {
            let tickets: Tickets
            let now = self.engine.time ?? Clock.realtimeMilliseconds
            do { tickets = try service.store(apps, at: now) } catch {
                if error.kind == .storageFull {
                    throw ExitError(
                        .cannotCreate,
                        "the apps of --apps cannot be stored, because the disk is full; free some "
                            + "space on it")
                }
                throw ExitError(
                    .internalError, "the apps of --apps cannot be stored: \(error.detail)")
            }
            guard case .shared(let engine) = self, !tickets.singles.isEmpty else { return }
            switch try decide(tickets, engine) {
            case .kept: return
            // Another server that starts at the same time may store the same apps.
            case .conflict: continue
            case .refused, .unknown:
                throw ExitError(.unavailable, "the shared store did not keep the apps of --apps")
            }
        }
        throw ExitError(
            .unavailable,
            "the apps of --apps cannot be stored, because other servers change them all the time")
    }

    private static let attemptsMax = 20

    private func decide(
        _ tickets: Tickets, _ engine: ClusterEngine
    ) throws(ExitError) -> TicketOutcome {
        do throws(StoreOpenError) {
            let outcomes = try engine.decide(tickets, within: Self.openMilliseconds)
            var decision = TicketDecision(keptUpTo: .none)
            for outcome in outcomes { decision.add(outcome) }
            return decision.outcome
        } catch {
            throw ExitError(error)
        }
    }

    /// Closes the store when the server has stopped.
    ///
    /// - Parameter isHealthy: whether the store still worked then.
    func close(isHealthy: Bool) throws(ExitError) {
        switch self {
        case .shared:
            // Every change that was acknowledged is kept by the servers of the store.
            guard isHealthy else { throw ExitError(.internalError, "the shared store failed") }
        case .directory(let store):
            guard isHealthy, store.close(at: Clock.realtimeMilliseconds) else {
                let why = store.failureText ?? "the last changes could not be written"
                throw ExitError(
                    .internalError,
                    "the store failed: \(why); with --fsync always its files had every acknowledged change"
                )
            }
        }
    }

    /// The log message when the server has stopped.
    var shutdownMessage: String {
        switch self {
        case .directory: "stopped; all changes are on disk"
        case .shared: "stopped; all acknowledged changes are in the shared store"
        }
    }
}
