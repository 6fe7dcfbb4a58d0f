internal import NATS
internal import POSIX
internal import Sessions

/// The node's conversation with the servers: changes on their way into the streams, questions, and
/// the feeds. It tells the engine what came of them.
final class StoreClient {
    /// Messages from the servers, in their order.
    enum Event {
        case message(FedMessage)
        /// A message of another node to all of them.
        case peer(ArraySlice<UInt8>)
        /// A message of another node to this one.
        case reply(ArraySlice<UInt8>)
        case removed(Removal)
        case notRemoved(Removal)
        case linked
        /// A link ended, or an attempt to reach a server failed.
        case unlinked(LinkFailure, ServerAddress?)
        case refused(String)
        /// A stream is not configured as it must be any more.
        case misfit(String)
        /// A shard's stream has messages of at most so many subjects, except barriers.
        case counted(shard: Int, subjects: Int)
    }

    let writer: ChangeWriter
    /// Questions, and the requests that wait for their answers.
    let loader: StoreLoader
    /// Streams that are read for backups.
    let streams: StreamReader
    private let links: StoreLinks
    private let requests: StoreRequests
    private let clock: EngineClock
    private let node: UInt64
    private(set) var meters = EngineMeters()
    // A leader that is cut off answers questions for some seconds more, but stores nothing.
    private var writing: StoreContact
    private var asking: StoreContact

    init(
        _ links: StoreLinks, _ requests: StoreRequests, node: UInt64, clock: EngineClock,
        by options: ClusterOptions
    ) {
        (self.links, self.requests, self.node, self.clock) = (links, requests, node, clock)
        let timeout = options.timeoutMilliseconds
        writer = ChangeWriter(requests, timeout: timeout)
        loader = StoreLoader(requests, timeout: timeout, reads: options.reads)
        streams = StreamReader(requests, timeout: timeout)
        writing = StoreContact(at: clock.now)
        asking = writing
        // The facts of the store were read over this link.
        if links.requests.isReady { linked() }
    }

    var isLinked: Bool { links.requests.isReady }

    /// Why the server that was reached last should not be used. It is nil if it can.
    var serverFault: StoreOpenError? {
        links.requests.info.flatMap { StoreRequirements.fault(of: $0) }
    }

    /// Whether anything came from the store within the last 15 s.
    var wasHeardRecently: Bool {
        writing.isRecent(at: clock.now) || asking.isRecent(at: clock.now)
    }

    var deadline: Int64 {
        let moving = min(writing.deadline, asking.deadline)
        return min(
            links.deadline, writer.deadline, loader.deadline, streams.deadline, moving)
    }

    // MARK: Turns

    /// Reads what came.
    func happened(waiting milliseconds: Int) throws(SystemError) -> [Event] {
        take(try links.happened(at: clock.now, waiting: milliseconds))
    }

    /// Sends what waits.
    func flush() -> [Event] {
        let now = clock.now
        writer.expired(at: now)
        loader.expired(at: now)
        streams.expired(at: now)
        return take(links.flush(at: now))
    }

    /// Acts on what is due.
    func expired() -> [Event] {
        let now = clock.now
        var events = take(links.expired(at: now))
        let (first, second) = (writing.shouldMove(at: now), asking.shouldMove(at: now))
        if first || second { events += take(links.leave(at: now)) }
        return events
    }

    /// Publishes a message without waiting for what becomes of it.
    func publish(_ publication: Publication) { links.requests.send(.publish(publication)) }

    /// Tells another node something, or all nodes.
    func tell(_ text: [UInt8], to node: UInt64? = nil) {
        // It is said again, or the others do without it.
        guard links.requests.hasRoom else { return }
        let layout = requests.layout
        let subject = node.map { layout.nodeSubject($0) } ?? layout.nodesSubject
        publish(Publication(subject, payload: text))
    }

    /// Removes messages.
    ///
    /// - Returns: whether the request was sent.
    func remove(_ removal: Removal) -> Bool {
        let layout = requests.layout
        return requests.send(
            JetStreamAPI.streamPurge(layout.stream(of: removal.item)),
            payload: JetStreamAPI.purge(
                layout.subject(of: removal.item), before: removal.upTo + 1),
            for: .removal(removal), at: clock.now)
    }

    /// The changes that were decided since the last call.
    func takeDecided() -> [ChangeWriter.Decided] {
        let decided = writer.takeDecided()
        for one in decided {
            let write = one.change.write
            meters.count(
                one.decision, wasInDoubt: write.isInDoubt, after: clock.now - write.began)
        }
        return decided
    }

    /// Counts how late a message of a stream came.
    func countDelivery(of message: FedMessage) {
        meters.countDelivery(lagMilliseconds: clock.wall - message.storedAt)
    }

    // MARK: Events

    private func take(_ events: [StoreLinks.Event]) -> [Event] {
        events.compactMap { event in
            switch event {
            case .request(let event): return take(event)
            case .feed(.message(let message)): return .message(message)
            case .feed(.warning(let text)): return .refused(text)
            case .feed(.misfit(let text)): return .misfit(text)
            case .feed(.counted(let shard, let subjects)):
                return .counted(shard: shard, subjects: subjects)
            }
        }
    }

    private func take(_ event: RequestEvent<Purpose>) -> Event? {
        let now = clock.now
        switch event {
        case .ready:
            linked()
            return .linked
        case .message(let message):
            switch message.subscription {
            case Sweeper.subscription: return .peer(message.content)
            case PeerQuestions.subscription: return .reply(message.content)
            default: return nil
            }
        case .reply(let purpose, let message):
            return answered(purpose, message, at: now)
        case .unanswered(let purpose):
            note(purpose, wasAnswered: false, at: now)
            return unanswered(purpose, at: now)
        case .warning(let text): return .refused(text)
        case .closed(let failure, let server): return .unlinked(failure, server)
        }
    }

    private func linked() {
        meters.countLink()
        let (all, own) = (requests.layout.nodesSubject, requests.layout.nodeSubject(node))
        links.requests.send(.subscribe(SubjectFilter(all), Sweeper.subscription))
        links.requests.send(.subscribe(SubjectFilter(own), PeerQuestions.subscription))
    }

    private func answered(_ purpose: Purpose, _ message: Message, at now: Int64) -> Event? {
        var (isLast, event) = (true, Event?.none)
        note(purpose, wasAnswered: isFromLeader(message, for: purpose), at: now)
        switch purpose {
        case .publication(let change): writer.published(change, message, at: now)
        case .successor(let change): writer.found(change, message, at: now)
        case .question(let number):
            meters.countAnswer()
            isLast = loader.answered(number, message, at: now)
        case .barrier(let feed):
            meters.countAnswer()
            loader.barrierAnswered(feed, message, at: now)
        case .portion(let token): isLast = streams.answered(token, message, at: now)
        case .removal(let removal):
            event = .notRemoved(removal)
            if case .value(let done)? = try? message.answer(as: Done.self), done.isDone {
                event = .removed(removal)
            }
        }
        if isLast { links.requests.finish(with: message) }
        return event
    }

    private func isFromLeader(_ message: Message, for purpose: Purpose) -> Bool {
        // Nobody but the leader says anything about a publication, and it is parsed once.
        if case .publication = purpose { return (try? message.status())?.code != 503 }
        return message.isFromLeader
    }

    private func note(_ purpose: Purpose, wasAnswered: Bool, at now: Int64) {
        switch (purpose, wasAnswered) {
        case (.publication, true): writing.heard(at: now)
        case (.publication, false): writing.missed(at: now)
        case (_, true): asking.heard(at: now)
        case (_, false): asking.missed(at: now)
        }
    }

    private func unanswered(_ purpose: Purpose, at now: Int64) -> Event? {
        switch purpose {
        case .publication(let change), .successor(let change): writer.unanswered(change, at: now)
        case .question(let number): loader.unanswered(number, at: now)
        case .barrier(let feed): loader.barrierAnswered(feed, nil, at: now)
        case .portion(let token): streams.unanswered(token, at: now)
        case .removal(let removal): return .notRemoved(removal)
        }
        return nil
    }
}

/// The counters of an engine.
struct EngineMeters {
    /// The time from when a change was ready to be written to its outcome.
    private(set) var roundTrips = Histogram()
    /// The time from when the servers stored a message until the feed delivered it.
    private(set) var feedLag = Histogram()
    /// Changes that were decided as conflicts, because another change came first.
    private(set) var conflicts = 0
    /// Changes whose outcome stayed unknown.
    private(set) var unknown = 0
    /// Changes that were in doubt and are kept.
    private(set) var resolvedKept = 0
    /// Changes that were in doubt and are not kept.
    private(set) var resolvedNotKept = 0
    /// How often a server was reached.
    private(set) var links = 0
    /// Answers to questions that requests had for the servers.
    private(set) var answers = 0

    /// A change was decided.
    ///
    /// - Parameter milliseconds: how long it took.
    mutating func count(
        _ decision: ConditionalWrite.Decision, wasInDoubt: Bool, after milliseconds: Int64
    ) {
        roundTrips.add(milliseconds * 1_000_000)
        switch decision {
        case .kept: if wasInDoubt { resolvedKept += 1 }
        case .conflict:
            conflicts += 1
            if wasInDoubt { resolvedNotKept += 1 }
        case .refused: break
        case .unknown: unknown += 1
        }
    }

    /// The feed delivered a message. The clocks of the servers may differ from that of this node: a
    /// lag counts as an hour at most.
    mutating func countDelivery(lagMilliseconds: Int64) {
        feedLag.add(min(max(0, lagMilliseconds), 3_600_000) * 1_000_000)
    }

    /// A question was answered.
    mutating func countAnswer() { answers += 1 }

    /// A server was reached.
    mutating func countLink() { links += 1 }
}
