internal import NATS
internal import POSIX
public import Sessions

/// Connects to the store while nothing else runs, and waits for what it asks.
struct StoreOpening {
    let links: StoreLinks
    let requests: StoreRequests
    let environment: EngineEnvironment
    let identity: NodeIdentity
    /// How long each answer may take, in milliseconds.
    var patience: Int64

    private var clock: EngineClock { environment.clock }

    private static let pauseMilliseconds = 20
    private static let retryMilliseconds: Int64 = 100
    /// How long an answer is asked for again that would be final if its server were up to date.
    private static let certainMilliseconds: Int64 = 5_000

    /// - Parameter patience: how long each answer may take, in milliseconds.
    init(
        _ address: StoreAddress, within patience: Int64, _ environment: EngineEnvironment
    ) throws(StoreOpenError) {
        self.environment = environment
        self.patience = patience
        identity = NodeIdentity(random: environment.random)
        let jitter = Jitter(seed: environment.random())
        do throws(SystemError) {
            links = try StoreLinks(
                address, node: identity.node, random: jitter.next, at: environment.clock.now)
        } catch {
            throw .system(error)
        }
        let layout = StoreLayout(prefix: address.prefix, shardCount: 1)
        requests = StoreRequests(link: links.requests, layout: layout, random: jitter.next)
    }

    // MARK: Questions

    /// Reads the facts of the store.
    func facts() throws(StoreOpenError) -> StoreFacts {
        let layout = requests.layout
        let query = MessageQuery.last(layout.metaSubject)
        var message: StoredMessage?
        do throws(StoreOpenError) {
            message = try answer(
                JetStreamAPI.messageGet(layout.controlStream), query.body, as: StoredMessage.self
            ) { error throws(StoreOpenError) in
                throw error.saysThatNothingIsThere
                    ? .missing(error.description) : StoreOpenError(passing: error)
            }
        } catch {
            // There may be streams that have lost their facts.
            if case .missing = error { try checkUnused(shardCount: 1) }
            throw error
        }
        guard let message else { throw .unanswered }
        return try Self.facts(message)
    }

    /// The facts of the store. Nil if there is no store, as far as the server knows that answers
    /// first.
    func knownFacts() throws(StoreOpenError) -> StoreFacts? {
        let query = MessageQuery.last(requests.layout.metaSubject)
        guard let message = try find(query, in: requests.layout.controlStream) else { return nil }
        return try Self.facts(message)
    }

    private static func facts(_ message: StoredMessage) throws(StoreOpenError) -> StoreFacts {
        do throws(SharedRecordError) { return try StoreFacts(message.payload) } catch {
            if case .newerFormat(let format) = error { throw .tooNew(format: format) }
            if (try? RestorePlan(message.payload)) != nil { throw .restoring }
            throw .damaged
        }
    }

    /// Asks a stream's leader for a message. Nil if there is none, as far as the server knows that
    /// answers first.
    func find(
        _ query: MessageQuery, in stream: SubjectToken
    ) throws(StoreOpenError) -> StoredMessage? {
        try answer(JetStreamAPI.messageGet(stream), query.body, as: StoredMessage.self) {
            error throws(StoreOpenError) in
            guard error.saysThatNothingIsThere else { throw StoreOpenError(passing: error) }
            return .nothing
        }
    }

    /// The state of a stream. Nil if there is none, as far as the server knows that answers first.
    func existing(_ stream: SubjectToken) throws(StoreOpenError) -> StreamInfo? {
        try answer(JetStreamAPI.streamInfo(stream), as: StreamInfo.self) {
            error throws(StoreOpenError) in
            guard error.kind == .streamNotFound else { throw StoreOpenError(passing: error) }
            return .nothing
        }
    }

    /// The state of a stream, which must exist.
    func info(_ stream: SubjectToken) throws(StoreOpenError) -> StreamInfo {
        let info = try answer(JetStreamAPI.streamInfo(stream), as: StreamInfo.self) {
            error throws(StoreOpenError) in
            throw error.kind == .streamNotFound
                ? .streamMissing(stream.text) : StoreOpenError(passing: error)
        }
        guard let info else { throw .unanswered }
        return info
    }

    /// Checks that all streams are configured as the store needs them.
    ///
    /// - Parameter replicasMin: how many replicas they must have.
    /// - Returns: how many they have at least.
    @discardableResult
    func checkStreams(_ facts: StoreFacts, replicasMin: Int) throws(StoreOpenError) -> Int {
        var replicas = Int.max
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: facts.shardCount)
        for wanted in layout.streams(replicas: replicasMin) {
            let info = try info(wanted.name)
            if let fault = StoreRequirements.fault(of: info, as: wanted, replicasMin: replicasMin) {
                throw fault
            }
            replicas = min(replicas, info.replicas)
        }
        return replicas
    }

    /// Publishes a message, if the last one of its subject is the expected one.
    ///
    /// - Returns: false if it is another one.
    func publish(
        _ text: [UInt8], to subject: Subject, headers: [Header]
    ) throws(StoreOpenError) -> Bool {
        try answer(subject, headers: headers, text, as: PublishAck.self) {
            error throws(StoreOpenError) in
            if case .wrongLastSequence = error.kind { return .nothing }
            guard error.kind == .writeInFlight else { throw StoreOpenError(of: error) }
            return .again
        } != nil
    }

    // MARK: Turns

    /// Waits until a server was reached.
    ///
    /// - Returns: what the server says about itself.
    func contact() throws(StoreOpenError) -> ServerInfo {
        let deadline = clock.now + patience
        while clock.now < deadline {
            if links.requests.isReady, let info = links.requests.info { return info }
            try turn { _ throws(StoreOpenError) in }
        }
        throw .unanswered
    }

    /// The meaning of a refusal.
    enum Refusal {
        case nothing
        case again
    }

    /// Sends a request until there is an answer that counts, or the time is up.
    ///
    /// - Parameter refusal: what a refusal means. If it throws, the request is sent again, unless
    ///   the error is final.
    func answer<Body: AnswerBody>(
        _ subject: Subject, headers: [Header] = [], _ payload: [UInt8] = [], as: Body.Type,
        refusal: (JetStreamError) throws(StoreOpenError) -> Refusal
    ) throws(StoreOpenError) -> Body? {
        let deadline = clock.now + patience
        var (last, next) = (StoreOpenError.unanswered, clock.now)
        var (answer, finalSince): (Body??, Int64?)
        while clock.now < deadline {
            let now = clock.now
            if links.requests.waitingCount == 0, next <= now {
                next = now + Self.retryMilliseconds
                _ = requests.send(
                    subject, headers: headers, payload: payload, for: .question(0), at: now)
            }
            try turn { message throws(StoreOpenError) in
                guard answer == nil else { return }
                do throws(StoreOpenError) {
                    switch try? message.answer(as: Body.self) {
                    case .value(let value): answer = .some(value)
                    case .refused(let error):
                        if try refusal(error) == .nothing { answer = .some(nil) }
                    case .noResponders: throw .notReady("nobody answers requests to JetStream")
                    case nil: break
                    }
                    (last, finalSince) = (.unanswered, nil)
                } catch {
                    if case .refused = error { throw error }
                    // A leader that was just elected may be behind, so it is asked again.
                    last = error
                    finalSince = error.mayPass ? nil : finalSince ?? clock.now
                    if case .jetStreamMissing = error { _ = links.leave(at: clock.now) }
                }
            }
            if let finalSince, clock.now - finalSince >= Self.certainMilliseconds { break }
            if let answer { return answer }
        }
        throw last
    }

    /// Waits.
    func wait(_ milliseconds: Int64) throws(StoreOpenError) {
        let end = clock.now + milliseconds
        while clock.now < end { try turn { _ throws(StoreOpenError) in } }
    }

    /// Waits a moment for what comes.
    ///
    /// - Parameter take: called with each reply.
    private func turn(
        _ take: (Message) throws(StoreOpenError) -> Void
    ) throws(StoreOpenError) {
        for event in try links.turnOfRequests(environment, waiting: Self.pauseMilliseconds) {
            if let fault = fault(of: event) { throw fault }
            guard case .reply(_, let message) = event else { continue }
            links.requests.finish(with: message)
            try take(message)
        }
    }

    /// Why it is useless to go on, if an event says so.
    private func fault(of event: RequestEvent<Purpose>) -> StoreOpenError? {
        switch event {
        case .ready: links.requests.info.flatMap { StoreRequirements.fault(of: $0) }
        case .warning(let text): StoreRequirements.isForbidden(text) ? .forbidden(text) : nil
        case .closed(let failure, _): StoreRequirements.fault(of: failure)
        case .unanswered, .message, .reply: nil
        }
    }
}

extension JetStreamError {
    /// Whether the servers are sure that a message or a stream does not exist.
    var saysThatNothingIsThere: Bool { kind == .streamNotFound || kind == .messageNotFound }
}

extension StoreOpenError {
    /// The error of servers that refuse what they would do if all were well.
    init(passing error: JetStreamError) {
        let text = error.description
        self = error.kind == .notEnabled ? .jetStreamMissing(text) : .notReady(text)
    }

    /// The error of servers that refuse to make or change a stream. Only some of them may pass.
    init(of error: JetStreamError) {
        switch error.kind {
        case .tooFewPeers: self = .tooFewServers(error.description)
        case .notClustered:
            self = .refused("\(error.description); a single server needs --replicas 1")
        case .temporarilyUnavailable, .storeFailed, .notEnabled: self.init(passing: error)
        case .wrongLastSequence, .writeInFlight, .noSpace, .messageNotFound, .streamNotFound,
            .streamExists, .other:
            self = .refused(error.description)
        }
    }

    /// Whether it may pass by itself, for instance when all servers have just been started.
    fileprivate var mayPass: Bool {
        if case .jetStreamMissing = self { return false }
        return kind == .unavailable
    }
}

extension ClusterEngine {
    /// Opens the store, and waits until everything that it has is known here, or for as long as the
    /// options say.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the servers may take to answer, and be silent after that.
    ///   - report: called again and again while the store is read.
    public static func open(
        _ options: ClusterOptions, within milliseconds: Int64,
        _ environment: EngineEnvironment = .process,
        reporting report: (FeedProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> ClusterEngine {
        let unknown = try ServerMonitor.requireSyncs(at: options.monitors)
        let opening = try StoreOpening(options.address, within: milliseconds, environment)
        let facts = try opening.facts()
        try opening.checkStreams(facts, replicasMin: options.replicasMin)
        try opening.checkPermissions(facts)
        try opening.checkLandmarks(facts)
        let marks = try opening.marks(facts)
        // The engine reads the streams from now on, so the servers are asked nothing else here.
        let engine = ClusterEngine(opening, options, with: facts)
        for (shard, number) in marks { engine.replica.note(shard, markedBy: number) }
        try engine.catchUp(
            silence: milliseconds, wholeWithin: options.wholeWithin, environment,
            reporting: report)
        guard !options.monitors.isEmpty else { return engine }
        do throws(SystemError) {
            engine.syncWatch = try SyncWatch(options.monitors, knowing: unknown)
        } catch {
            throw .system(error)
        }
        return engine
    }

    /// Waits until changes are decided, before the loop runs.
    ///
    /// - Parameter milliseconds: how long that may take.
    public func decide(
        _ tickets: Tickets, within milliseconds: Int64
    ) throws(StoreOpenError) -> [DecidedTicket] {
        try decide(tickets, within: milliseconds, .process)
    }
}
