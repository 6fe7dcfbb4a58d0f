internal import NATS
internal import POSIX
internal import Sessions

/// The node's conversation with the servers: changes on their way into the streams, questions, and
/// the feeds. It tells the engine what came of them.
final class StoreClient {
    /// What came from the servers, in its order.
    enum Event {
        /// A message of a stream.
        case message(FedMessage)
        /// What another node told all of them.
        case peer(ArraySlice<UInt8>)
        /// What another node told this one.
        case reply(ArraySlice<UInt8>)
        /// Messages were removed.
        case removed(Removal)
        /// Messages could not be removed.
        case notRemoved(Removal)
        /// A server was reached.
        case linked
        /// A link ended, or an attempt to reach a server failed.
        case unlinked(LinkFailure, ServerAddress?)
        /// A server refused an operation.
        case refused(String)
        /// A stream is not configured as it must be any more.
        case misfit(String)
    }

    /// Changes on their way.
    let writer: ChangeWriter
    /// Questions, and the requests that wait for their answers.
    let loader: StoreLoader
    /// Streams that are read for backups.
    let streams: StreamReader
    private let links: StoreLinks
    private let requests: StoreRequests
    private let clock: EngineClock
    private let node: UInt64
    /// What was counted.
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

    /// Whether requests can be sent to a server.
    var isLinked: Bool { links.requests.isReady }

    /// Why the server that was reached last should not be used. It is nil if it can.
    var serverFault: StoreOpenError? {
        links.requests.info.flatMap { StoreRequirements.fault(of: $0) }
    }

    /// Whether anything came from the store within the last 15 s.
    var wasHeardRecently: Bool {
        writing.isRecent(at: clock.now) || asking.isRecent(at: clock.now)
    }

    /// When to call `expired`.
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
        let request = PurgeRequest(
            requests.layout.subject(of: removal.item), before: removal.upTo + 1)
        return requests.send(
            JetStreamAPI.streamPurge(requests.stream(of: removal.item)), payload: request.body,
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
        case .publication(let ticket): writer.published(ticket, message, at: now)
        case .successor(let ticket): writer.found(ticket, message, at: now)
        case .question(let number):
            meters.countAnswer()
            isLast = loader.answered(number, message, at: now)
        case .portion(let number): isLast = streams.answered(number, message, at: now)
        case .removal(let removal):
            let result = try? message.answer(as: PurgeResult.self)
            var isRemoved = false
            if case .value? = result { isRemoved = true }
            event = isRemoved ? .removed(removal) : .notRemoved(removal)
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
        case (.question, true), (.portion, true), (.successor, true), (.removal, true):
            asking.heard(at: now)
        case (.question, false), (.portion, false), (.successor, false), (.removal, false):
            asking.missed(at: now)
        }
    }

    private func unanswered(_ purpose: Purpose, at now: Int64) -> Event? {
        switch purpose {
        case .publication(let ticket), .successor(let ticket): writer.unanswered(ticket, at: now)
        case .question(let number): loader.unanswered(number, at: now)
        case .portion(let number): streams.unanswered(number, at: now)
        case .removal(let removal): return .notRemoved(removal)
        }
        return nil
    }
}
