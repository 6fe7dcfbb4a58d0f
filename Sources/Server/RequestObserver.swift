internal import API
internal import HTTP
internal import POSIX
internal import Sessions

/// What is known of a request when its answer is encoded.
struct RequestObservation {
    var facts: RequestFacts
    let id: RequestID
    /// The name of the token that a change came with.
    var author: TokenName?
}

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
    ) throws(SystemError) {
        limiters = RateLimiters(options)
        ids = RequestIDs(seed: try Random.word())
        self.service = service
        self.log = log
        self.clock = clock
    }

    // MARK: - Requests

    /// The id of a request: the one that it brings, or a new one.
    func identify(_ request: Request) -> RequestID { ids.id(of: request) }

    /// An id for a message that is not a request.
    func nextID() -> RequestID { ids.next() }

    /// The refusal of a client that sends requests too often, or nil for any other client.
    func limit(_ request: Request, from connection: Connection) -> Reply? {
        guard !limiters.isEmpty,
            let seconds = limiters.take(request, from: connection.origin.address, at: clock.now)
        else { return nil }
        let problem = Problem(
            .tooManyRequests, "Wait \(seconds) s, and then send requests less often.",
            fields: [ResponseField(.retryAfter, "\(seconds)")])
        return service.refusal(problem, of: request, id: connection.exchange.requestID)
    }

    /// Records what the service has found, counts the problem if it has refused the request, and
    /// adds the request's id to the answer.
    func observe(
        _ request: Request, _ reply: inout Reply, id: RequestID
    ) -> RequestObservation {
        if let problem = reply.problem { metrics.count(problem) }
        var observation = observe(request, &reply.response, endpoint: reply.endpoint, id: id)
        observation.author = reply.author
        return observation
    }

    /// Records what is known of a request, and adds the request's id to the answer.
    func observe(
        _ request: Request, _ response: inout Response, endpoint: Int?, id: RequestID
    ) -> RequestObservation {
        response.requestID = id
        var facts = RequestFacts()
        facts.method = request.method
        facts.endpoint = endpoint
        facts.status = response.status
        facts.bytes = response.body.count
        return RequestObservation(facts: facts, id: id)
    }

    /// Logs a stream that begins. It is not counted, as it has no duration yet.
    ///
    /// - Parameter begun: when the request was parsed, in nanoseconds.
    func logStream(_ observation: RequestObservation, begun: Int64) {
        guard isLogging else { return }
        var observation = observation
        observation.facts.nanoseconds = clock.nanoseconds - begun
        logLine(observation)
    }

    /// Counts and logs a request whose answer is being sent.
    ///
    /// - Parameter begun: when the request was parsed, in nanoseconds.
    func finish(_ observation: RequestObservation, begun: Int64) {
        var observation = observation
        observation.facts.nanoseconds = clock.nanoseconds - begun
        metrics.count(observation.facts)
        if isLogging { logLine(observation) }
    }

    /// Counts and logs a message that was not a request, or arrived too slowly.
    func finishRefused(_ kind: ProblemKind, id: RequestID) {
        metrics.count(kind)
        var facts = RequestFacts()
        facts.status = kind.status
        finish(RequestObservation(facts: facts, id: id), begun: clock.nanoseconds)
    }

    /// Counts the problem of an answer that was replaced because the store failed.
    func countProblem(_ kind: ProblemKind) { metrics.count(kind) }

    /// Whether requests are logged.
    private var isLogging: Bool { log.says(.info) }

    private func logLine(_ observation: RequestObservation) {
        var route = "-"
        if let endpoint = observation.facts.endpoint {
            guard !Self.isHealth[endpoint] else { return }
            route = Endpoint.all[endpoint].template
        }
        log.request(
            observation.facts, route: route, id: observation.id, author: observation.author)
    }

    /// By endpoint: probes are not logged.
    private static let isHealth = Endpoint.all.map(\.operation.isHealth)

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
