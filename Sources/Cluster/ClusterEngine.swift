internal import NATS
package import Navigation
package import POSIX
package import Sessions

// A node's access to the shared store, as the event loop drives it.
//
//     Replica        what the node knows: sessions, tokens and apps
//     StoreLinks     the sockets: requests, and the feeds of all streams
//     ChangeWriter   changes on their way into the streams
//     StoreLoader    what requests wait for
//     EngineNews     what the loop has not asked for yet
//
// A read is answered from the replica if the feed of the session's shard is alive; otherwise the
// stream's leader is asked first. It is also asked before a session or a token is said not to
// exist. A change is written with the number of the session's last message that the node knows, and
// kept only if that is still the last one; otherwise the leader is asked, and the request is
// processed again.

/// A node's access to the shared store.
package final class ClusterEngine {
    let facts: StoreFacts
    /// Calls that read.
    let reader: ReplicaReader
    /// Calls that change something.
    let proposer: ChangeProposer
    private let replica: Replica
    private let links: StoreLinks
    private let requests: StoreRequests
    private let clock: EngineClock
    private let writer: ChangeWriter
    private let loader: StoreLoader
    private let news = EngineNews()
    private var sweeper: Sweeper
    private var conflicts = LateConflicts()

    /// - Parameter opened: the facts of the store, and the links over which they were read.
    init(_ opened: StoreOpening.Opened, _ options: ClusterOptions) {
        (facts, links, clock) = (opened.facts, opened.links, opened.surroundings.clock)
        let layout = StoreLayout(prefix: options.address.prefix, shardCount: facts.shardCount)
        replica = Replica(layout, cacheBytes: options.cacheBytes)
        requests = StoreRequests(
            link: links.requests, layout: layout, random: opened.surroundings.random)
        writer = ChangeWriter(requests, timeout: options.timeoutMilliseconds)
        loader = StoreLoader(requests, timeout: options.timeoutMilliseconds)
        reader = ReplicaReader(replica, links)
        proposer = ChangeProposer(
            replica, writer: writer, news: news, clock: clock, identity: opened.identity)
        sweeper = Sweeper(node: opened.identity.node, at: clock.now)
        var streams = (0..<layout.shardCount).map { shard in
            StreamFeed(layout.stream(shard), layout.subjects(shard))
        }
        streams.append(StreamFeed(layout.controlStream, layout.controlSubjects))
        links.follow(streams)
    }

    /// Reads everything that the store has.
    ///
    /// - Throws: if it takes longer than until `deadline`.
    func catchUp(
        before deadline: Int64, _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) {
        while links.feeds?.hasCaughtUp != true {
            guard clock.now < deadline else { throw .unanswered }
            let pause = surroundings.waiting(Int(max(1, min(links.deadline - clock.now, 100))))
            do throws(SystemError) { try pump(waiting: pause) } catch {
                throw .system(error)
            }
            tick(now: clock.wall)
        }
        news.announces = true
    }

    /// The stream sequence of a session's last message that the node knows; 0 if it knows none.
    func lastNumber(of id: SessionID) -> Int { replica.lastNumber(of: .session(id)) }

    // MARK: Turns

    /// Readable when there is something to collect.
    package var wakeDescriptor: FileDescriptor { links.descriptor }

    /// Reads what came, and tells what was decided.
    package func collect() -> Collected {
        do throws(SystemError) { try pump(waiting: 0) } catch {
            news.report(StoreReport("the store's links cannot be watched", error: "\(error)"))
        }
        var collected = Collected()
        collected.outcomes = news.takeOutcomes()
        return collected
    }

    /// The number of the last change that was announced.
    package var fedUpTo: SequenceNumber { news.fedUpTo }

    /// The changes that have been stored since the last call, by any node.
    package func takeChanges() -> [StoreChange] { news.takeChanges() }

    /// What went wrong since the last call.
    package func takeReports() -> [StoreReport] { news.takeReports() }

    /// Sends the changes and questions of this turn.
    package func submit() {
        let now = clock.now
        writer.expired(at: now)
        loader.expired(at: now)
        handle(links.flush(at: now))
        wakeIfNeeded()
    }

    /// Does what is due.
    package func tick(now wall: Milliseconds) {
        clock.wall = wall
        let now = clock.now
        handle(links.expired(at: now))
        tellConflicts(at: now)
        if news.announces { sweep(at: now) }
        submit()
    }

    /// When to call `tick` next.
    package var nextTick: Milliseconds? {
        let next = min(
            links.deadline, writer.deadline, loader.deadline, sweeper.deadline,
            conflicts.deadline)
        return next == .max ? nil : clock.wallTime(of: next)
    }

    private func pump(waiting milliseconds: Int) throws(SystemError) {
        handle(try links.happened(at: clock.now, waiting: milliseconds))
    }

    /// The loop looks at the descriptor only, so it is made readable for what came meanwhile.
    private func wakeIfNeeded() {
        if !news.isEmpty || loader.hasFinished { links.wake() }
    }

    // MARK: Events

    private func handle(_ events: [StoreLinks.Event]) {
        let now = clock.now
        for event in events {
            switch event {
            case .request(let event): handle(event, at: now)
            case .feed(.message(let message)): take(message)
            case .feed(.warning(let text)):
                news.report(StoreReport("a server refused an operation", error: text))
            }
        }
        for decided in writer.takeDecided() { settle(decided, at: now) }
        tellConflicts(at: now)
    }

    private func handle(_ event: RequestEvent<Purpose>, at now: Int64) {
        switch event {
        case .ready:
            news.linkReady()
            let nodes = SubjectFilter(replica.layout.nodesSubject)
            links.requests.send(.subscribe(nodes, Sweeper.subscription))
        case .message(let message):
            guard message.subscription == Sweeper.subscription else { return }
            sweeper.hear(message.content, at: now)
        case .reply(let purpose, let message):
            if answered(purpose, message, at: now) { links.requests.finish(with: message) }
        case .unanswered(.publication(let ticket)), .unanswered(.successor(let ticket)):
            writer.unanswered(ticket, at: now)
        case .unanswered(.question(let number)): loader.unanswered(number, at: now)
        case .unanswered(.purge(let ending)): sweeper.failed(ending)
        case .warning(let text):
            news.report(StoreReport("a server refused an operation", error: text))
        case .closed(let failure, let server):
            news.linkClosed(failure, server)
        }
    }

    /// - Returns: whether it was the last answer to this request.
    private func answered(_ purpose: Purpose, _ message: Message, at now: Int64) -> Bool {
        switch purpose {
        case .publication(let ticket): writer.published(ticket, message, at: now)
        case .successor(let ticket): writer.found(ticket, message, at: now)
        case .question(let number): return loader.answered(number, message, at: now)
        case .purge(let ending):
            if case .value? = try? message.answer(as: PurgeResult.self) { break }
            sweeper.failed(ending)
        }
        return true
    }

    private func take(_ message: FedMessage) {
        let shard = message.feed < facts.shardCount ? message.feed : nil
        do throws(DamageError) {
            for (change, writer) in try replica.take(message, of: shard) {
                news.announce(change, of: writer)
            }
        } catch {
            news.report(
                StoreReport(
                    "message \(error.number) of the stream "
                        + "\(replica.layout.name(of: shard)) is damaged",
                    error: "\(error.reason)"))
        }
    }

    private func settle(_ decided: ChangeWriter.Decided, at now: Int64) {
        let outcome: TicketOutcome
        switch decided.decision {
        case .kept(let number):
            replica.apply(decided.change.content, number: number)
            outcome = decided.change.hasMore ? .conflict : .kept
        case .conflict: outcome = .conflict
        case .refused(.full): outcome = .refused(.full)
        case .refused(.unavailable): outcome = .refused(.unavailable)
        case .refused(.rejected(let reason)):
            news.report(StoreReport("the store refused a change", error: reason))
            outcome = .refused(.unavailable)
        case .unknown: outcome = .unknown
        }
        switch decided.change.item {
        case .session(let id):
            // Only the stream's leader knows what is there now.
            if decided.decision == .conflict || outcome == .unknown { replica.table.setStale(id) }
            if outcome != .kept { replica.table.checkExpiry(of: id, notBefore: clock.wall + 1_000) }
        case .tokens, .app, .meta:
            guard decided.decision != .conflict else {
                return conflicts.add(decided, at: now)
            }
        }
        tell(decided, outcome)
    }

    private func tell(_ decided: ChangeWriter.Decided, _ outcome: TicketOutcome) {
        if case .session(let id) = decided.change.item { loader.turnCame(of: id) }
        if case .tokens(let id) = decided.change.item { loader.turnCame(of: id) }
        var isKept = false
        if case .kept = decided.decision { isKept = true }
        news.decide(
            DecidedTicket(decided.ticket, outcome), of: decided.change.write.id, isKept: isKept)
    }

    private func tellConflicts(at now: Int64) {
        for decided in conflicts.take(at: now, replica) { tell(decided, .conflict) }
    }

    // MARK: Sweeping

    private func sweep(at now: Int64) {
        if let text = sweeper.announcement(at: now) {
            let subject = replica.layout.nodesSubject
            links.requests.send(
                .publish(Publication(subject, reply: nil, headers: [], payload: text)))
        }
        let (expired, ended) = sweeper.sweep(replica, at: now, wall: clock.wall)
        for handle in expired { proposer.expire(handle) }
        for ending in ended { purge(ending, at: now) }
    }

    private func purge(_ ending: EndedSession, at now: Int64) {
        let (layout, id) = (replica.layout, ending.deletion.id)
        let request = PurgeRequest(layout.subject(of: id), before: ending.number + 1)
        let isSent = requests.send(
            JetStreamAPI.streamPurge(layout.stream(layout.shard(of: id))), payload: request.body,
            for: .purge(ending), at: now)
        if !isSent { sweeper.failed(ending) }
    }

    // MARK: Loading

    /// Has something loaded for a request.
    package func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        let result = LoadedItems(token: token, earlier: earlier as? LoadedItems)
        loader.load(requests, into: result, at: clock.now) { id in
            writer.isBusy(.session(id)) || writer.isBusy(.tokens(id))
        }
    }

    /// What was loaded since the last call.
    package func takeLoaded() -> [any LoadResult] {
        loader.takeFinished().map { result in
            for (question, item) in result.items { replica.apply(item, to: question) }
            return result
        }
    }

    /// Runs with what was loaded visible to reads.
    package func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reader.with(loaded as? LoadedItems, body)
    }
}
