internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions

/// Counts and logs requests, and refuses clients that send them too often.
final class RequestObserver {
    private(set) var metrics = Metrics()
    let log: Log
    private var limiters: RateLimiters
    private var ids: RequestIDs
    private let service: Service
    private let clock: TurnClock

    init(
        options: ServerOptions, service: Service, log: Log, clock: TurnClock
    ) {
        limiters = RateLimiters(options)
        ids = RequestIDs(seed: Random.word())
        self.service = service
        self.log = log
        self.clock = clock
    }

    // MARK: - Requests

    /// The id of a request: the one that it brings, or a new one.
    func identify(_ request: Request) -> RequestID { ids.id(of: request) }

    /// An id for a message that is not a request.
    func nextID() -> RequestID { ids.next() }

    /// The seconds that a client has to wait that sends requests too often; nil for any other.
    func limit(_ request: Request, from connection: Connection) -> Int? {
        guard !limiters.isEmpty else { return nil }
        return limiters.take(request, from: connection.origin.address, at: clock.now)
    }

    /// The refusal of a client that has to wait.
    func refusal(of request: Request, waiting seconds: Int, _ connection: Connection) -> Reply {
        let problem = Problem(
            .tooManyRequests, "Wait \(seconds) s, and then send requests less often.",
            fields: [ResponseField(.retryAfter, "\(seconds)")])
        return service.refusal(problem, of: request, id: connection.exchange.requestID)
    }

    /// Records what the service has found, and counts the problem if it has refused the request.
    func observe(
        _ request: Request, _ reply: borrowing Reply, on connection: Connection
    ) -> RequestFacts {
        if let problem = reply.problem { metrics.count(problem) }
        if reply.author != nil || connection.exchange.author != nil {
            connection.exchange.author = reply.author
        }
        var facts = facts(of: request, reply.response, endpoint: reply.endpoint)
        facts.problem = reply.problem
        return facts
    }

    /// The known facts of a request when its answer is encoded.
    private func facts(
        of request: Request, _ response: borrowing Response, endpoint: Int?
    ) -> RequestFacts {
        var facts = RequestFacts()
        facts.method = request.method
        facts.endpoint = endpoint
        facts.status = response.status
        facts.bytes = response.body.count
        return facts
    }

    /// Logs the beginning of a stream or a backup. It is not counted, because it has no duration
    /// yet.
    func logBeginning(
        of response: Response, endpoint: Int?, to request: Request, on connection: Connection
    ) {
        guard isLogging else { return }
        var facts = facts(of: request, response, endpoint: endpoint)
        facts.nanoseconds = clock.nanoseconds - connection.exchange.begun
        facts.client = connection.origin.address
        logLine(facts, id: connection.exchange.requestID)
    }

    /// Counts and logs the request in work of a connection, whose answer is being sent.
    func finish(_ facts: RequestFacts, on connection: Connection) {
        var facts = facts
        facts.nanoseconds = clock.nanoseconds - connection.exchange.begun
        metrics.count(facts)
        guard isLogging else { return }
        facts.client = connection.origin.address
        logLine(facts, id: connection.exchange.requestID, author: connection.exchange.author)
    }

    /// Counts and logs a message that was not a request, or arrived too slowly.
    func finishRefused(_ kind: ProblemKind, id: RequestID) {
        metrics.count(kind)
        var facts = RequestFacts()
        facts.status = kind.status
        facts.problem = kind
        metrics.count(facts)
        if isLogging { logLine(facts, id: id) }
    }

    /// Counts the problem of an answer that was replaced because the store failed.
    func countProblem(_ kind: ProblemKind) { metrics.count(kind) }

    /// Whether requests are logged.
    private var isLogging: Bool { log.says(.info) }

    private func logLine(_ facts: RequestFacts, id: RequestID, author: TokenName? = nil) {
        var route = "-"
        if let endpoint = facts.endpoint {
            guard !Self.isHealth[endpoint] else { return }
            route = Endpoint.all[endpoint].template
        }
        log.request(facts, route: route, id: id, author: author)
    }

    /// By endpoint: probes are not logged.
    private static let isHealth = Endpoint.all.map(\.isHealth)

    // MARK: - Connections and turns

    /// Counts a connection that was accepted.
    ///
    /// - Returns: its number.
    func connectionAccepted() -> UInt64 {
        metrics.connectionsAccepted += 1
        return metrics.connectionsAccepted
    }

    /// Counts a connection that was refused because its address has too many.
    func connectionRefused() { metrics.connectionsRefused += 1 }

    /// Counts a connection that was closed to make room for others.
    func connectionEvicted() { metrics.connectionsEvicted += 1 }

    /// Begins a turn: the log's lines carry its time.
    func beginTurn() { log.now = clock.now }

    /// Ends a turn: writes the log, as far as its reader takes it.
    ///
    /// - Parameter began: when the turn began, in nanoseconds.
    func endTurn(began: Int64) {
        if log.isWaiting { log.flush() }
        metrics.turns.add(clock.nanoseconds - began)
    }
}
