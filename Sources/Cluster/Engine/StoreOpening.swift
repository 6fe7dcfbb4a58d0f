internal import NATS
internal import POSIX
package import Sessions

/// Connects to the store while nothing else runs, and waits for what it asks.
struct StoreOpening {
    /// A store whose facts were read.
    struct Opened {
        let facts: StoreFacts
        let links: StoreLinks
        let surroundings: EngineSurroundings
        let identity: NodeIdentity
    }

    /// The links to the servers.
    let links: StoreLinks
    /// Requests to the servers.
    let requests: StoreRequests
    /// What comes from outside.
    let surroundings: EngineSurroundings
    /// Which node this is.
    let identity: NodeIdentity
    private var deadline: Int64

    private var clock: EngineClock { surroundings.clock }

    private static let pauseMilliseconds = 20
    private static let retryMilliseconds: Int64 = 100
    /// How long an answer is asked for again that would be final if its server were up to date.
    private static let patienceMilliseconds: Int64 = 5_000

    /// - Parameter milliseconds: how long everything may take.
    init(
        _ address: StoreAddress, within milliseconds: Int64, _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) {
        self.surroundings = surroundings
        let now = surroundings.clock.now
        deadline = now + milliseconds
        identity = NodeIdentity(random: surroundings.random)
        let jitter = Jitter(seed: surroundings.random())
        do throws(SystemError) {
            links = try StoreLinks(
                address, node: identity.node, random: jitter.next, at: now)
        } catch {
            throw .system(error)
        }
        let layout = StoreLayout(prefix: address.prefix, shardCount: 1)
        requests = StoreRequests(link: links.requests, layout: layout, random: jitter.next)
    }

    /// Reads the facts of the store.
    func facts() throws(StoreOpenError) -> Opened {
        let layout = requests.layout
        let query = MessageQuery.last(layout.metaSubject)
        let facts = try ask(
            JetStreamAPI.messageGet(layout.controlStream), payload: query.body, Self.facts)
        return Opened(
            facts: facts, links: links, surroundings: surroundings, identity: identity)
    }

    /// - Returns: nil if nobody answered.
    static func facts(_ message: Message) throws(StoreOpenError) -> StoreFacts? {
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let stored):
            do throws(SharedRecordError) { return try StoreFacts(stored.payload) } catch {
                if case .newerFormat(let format) = error { throw .tooNew(format: format) }
                throw .damaged
            }
        case .refused(let error) where error.saysThatNothingIsThere:
            throw .missing(error.description)
        case .refused(let error): throw StoreOpenError(passing: error)
        case .noResponders: throw .notReady("nobody answers requests to JetStream")
        case nil: return nil
        }
    }

    /// Waits until a server was reached.
    ///
    /// - Returns: what the server says about itself.
    func contact() throws(StoreOpenError) -> ServerInfo {
        while clock.now < deadline {
            if links.requests.isReady, let info = links.requests.info { return info }
            try turn { _ throws(StoreOpenError) in }
        }
        throw .unanswered
    }

    /// Asks for the state of a stream.
    func info(_ stream: SubjectToken) throws(StoreOpenError) -> StreamInfo {
        try ask(JetStreamAPI.streamInfo(stream), payload: []) { message throws(StoreOpenError) in
            switch try? message.answer(as: StreamInfo.self) {
            case .value(let info): return info
            case .refused(let error) where error.kind == .streamNotFound:
                throw .streamMissing(stream.text)
            case .refused(let error): throw StoreOpenError(passing: error)
            case .noResponders, nil: return nil
            }
        }
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

    /// Gives everything that is asked from now on more time.
    mutating func prolong(by milliseconds: Int64) { deadline = clock.now + milliseconds }

    /// Sends a request until an answer is taken, or the time is up.
    ///
    /// - Parameter take: returns nil, or throws, to have the request sent again.
    @discardableResult
    func ask<Value>(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8],
        _ take: (Message) throws(StoreOpenError) -> Value?
    ) throws(StoreOpenError) -> Value {
        var (last, next) = (StoreOpenError.unanswered, clock.now)
        var finalSince: Int64?
        while clock.now < deadline {
            let now = clock.now
            if links.requests.waitingCount == 0, next <= now {
                next = now + Self.retryMilliseconds
                _ = requests.send(
                    subject, headers: headers, payload: payload, for: .question(0), at: now)
            }
            var value: Value?
            try turn { message throws(StoreOpenError) in
                do throws(StoreOpenError) {
                    if value == nil { value = try take(message) }
                    (last, finalSince) = (.unanswered, nil)
                } catch {
                    // A leader that was just elected may be behind, so it is asked again.
                    last = error
                    finalSince = error.mayPass ? nil : finalSince ?? clock.now
                    if case .jetStreamMissing = error { _ = links.leave(at: clock.now) }
                }
            }
            if let finalSince, clock.now - finalSince >= Self.patienceMilliseconds { break }
            if let value { return value }
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
        let now = clock.now
        var events = links.flush(at: now) + links.expired(at: now)
        let pause = surroundings.waiting(Self.pauseMilliseconds)
        do throws(SystemError) {
            events += try links.happened(at: clock.now, waiting: pause)
        } catch {
            throw .system(error)
        }
        for event in events {
            guard case .request(let event) = event else { continue }
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
        case .temporarilyUnavailable, .storeFailed, .notEnabled: self.init(passing: error)
        case .wrongLastSequence, .writeInFlight, .accountLimits, .insufficientResources,
            .insufficientStorage, .messageNotFound, .streamNotFound, .consumerNotFound,
            .streamExists, .consumerNotCreated, .other:
            self = .refused(error.description)
        }
    }

    /// Whether it may pass by itself, for instance when all servers have just been started.
    fileprivate var mayPass: Bool {
        switch self {
        case .unanswered, .notReady, .tooFewServers: true
        case .missing, .occupied, .exists, .refused, .damaged, .tooNew, .system, .unauthorized,
            .credentialsMissing, .tlsRequired, .forbidden, .serverTooOld, .payloadTooSmall,
            .jetStreamMissing, .notSynced, .streamMissing, .incomplete, .streamDiffers,
            .tooFewReplicas:
            false
        }
    }
}

extension ClusterEngine {
    /// Opens the store, and waits until everything that it has is known here.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the servers may take to answer, and be silent after that.
    ///   - report: called again and again while the store is read.
    package static func open(
        _ options: ClusterOptions, within milliseconds: Int64,
        reporting report: (FeedProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> ClusterEngine {
        let unknown = try ServerMonitor.requireSyncs(at: options.monitors)
        let engine = try open(options, within: milliseconds, .process, reporting: report)
        guard !options.monitors.isEmpty else { return engine }
        do throws(SystemError) {
            engine.syncWatch = try SyncWatch(options.monitors, knowing: unknown)
        } catch {
            throw .system(error)
        }
        return engine
    }

    /// The same with surroundings that may not be those of the process.
    static func open(
        _ options: ClusterOptions, within milliseconds: Int64,
        _ surroundings: EngineSurroundings,
        reporting report: (FeedProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> ClusterEngine {
        let opening = try StoreOpening(options.address, within: milliseconds, surroundings)
        let opened = try opening.facts()
        try opening.checkStreams(opened.facts, replicasMin: options.replicasMin)
        try opening.checkPermissions(opened.facts)
        let engine = ClusterEngine(opened, options)
        try engine.catchUp(silence: milliseconds, surroundings, reporting: report)
        return engine
    }

    /// Waits until changes are decided, before the loop runs.
    ///
    /// - Parameter milliseconds: how long that may take.
    package func decide(
        _ tickets: Tickets, within milliseconds: Int64
    ) throws(StoreOpenError) -> [DecidedTicket] {
        try decide(tickets, within: milliseconds, .process)
    }
}
