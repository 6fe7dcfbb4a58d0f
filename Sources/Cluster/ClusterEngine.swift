internal import NATS
public import Navigation
public import POSIX
public import Sessions

// A node's access to the shared store, as the event loop drives it.
//
//     Replica        what the node knows: sessions, tokens and apps
//     ReplicaReader  calls that read;  ChangeProposer: calls that change something
//     StoreClient    the conversation with the servers: changes, questions, feeds
//     PeerQuestions  what nodes ask each other: who is watching
//     Sweeper        expired sessions, and messages that nobody needs any more
//     EngineNews     news that the loop has not taken yet
//
// A read is answered from the replica if the feed of the session's shard is alive; otherwise the
// stream's leader is asked first, as it is for a session or a token that is not known. Before a
// request is refused because of that, a barrier must come back from the stream. A change is written
// with the number of the session's last message that the node knows, and kept only if that is still
// the last one; otherwise the leader is asked, and the request is processed again.

/// A node's access to the shared store.
public final class ClusterEngine {
    /// Calls that read.
    let reader: ReplicaReader
    /// Calls that change something.
    let proposer: ChangeProposer
    let clusterBackups: ClusterBackups
    let replica: Replica
    let links: StoreLinks
    /// The conversation with the servers.
    let client: StoreClient
    let clock: EngineClock
    /// News that the loop has not taken yet.
    let news: EngineNews
    /// The open questions to other nodes.
    var questions: PeerQuestions
    var sweeper: Sweeper
    private var deferred = DeferredChanges()
    /// Asks the servers' monitoring pages, if some are known.
    var syncWatch: SyncWatch?

    /// - Parameter opening: has the links over which the facts of the store were read.
    init(_ opening: StoreOpening, _ options: ClusterOptions, with facts: StoreFacts) {
        (links, clock) = (opening.links, opening.environment.clock)
        let layout = StoreLayout(prefix: options.address.prefix, shardCount: facts.shardCount)
        replica = Replica(layout, cacheBytes: options.cacheBytes, facts: facts)
        news = EngineNews(
            from: FeedPosition(logCount: facts.shardCount, lineage: facts.lineage))
        let requests = StoreRequests(
            link: links.requests, layout: layout,
            random: Jitter(seed: opening.environment.random()).next)
        let node = opening.identity.node
        client = StoreClient(links, requests, node: node, clock: clock, by: options)
        questions = PeerQuestions(node: node)
        reader = ReplicaReader(
            replica, links: links, news: news, facts: facts, reads: options.reads)
        clusterBackups = ClusterBackups(
            replica: replica, links: links, reader: client.streams, clock: clock, news: news,
            lineage: facts.lineage, format: options.backupFormat)
        proposer = ChangeProposer(
            reader, writer: client.writer, news: news, clock: clock, identity: opening.identity)
        sweeper = Sweeper(node: node, at: clock.now)
        links.follow(StreamFeed.all(layout, replicas: options.replicasMin, reading: .heads))
        links.feeds?.lastUnread = { [replica] in replica.identity.lastUnread(of: $0) }
        replica.reportsLoss = { [news] in news.report(.loss(of: $0)) }
    }

    /// The facts with which the store was opened.
    var facts: StoreFacts { reader.facts }

    /// The stream sequence of a session's last message that the node knows; 0 if it knows none.
    func lastNumber(of id: SessionID) -> Int { replica.lastNumber(of: .session(id)) }

    // MARK: Turns

    /// Readable when there is something to collect.
    public var wakeDescriptor: FileDescriptor { links.descriptor }

    /// Reads what came, and tells what was decided.
    public func collect() -> Collected {
        do throws(SystemError) { try pump(waiting: 0) } catch {
            news.report(StoreReport("the store's links cannot be watched", error: "\(error)"))
        }
        var collected = Collected()
        collected.outcomes = news.takeOutcomes()
        return collected
    }

    /// The position after the changes that were taken.
    public var fedUpTo: FeedPosition { news.fedUpTo }

    /// The changes that have been stored since the last call, by any node.
    public func takeChanges() -> [StoreChange] { news.takeChanges() }

    /// The errors since the last call.
    public func takeReports() -> [StoreReport] { news.takeReports() }

    /// Sends the changes and questions of this turn.
    public func submit() {
        handle(client.flush())
        if !news.isEmpty || client.loader.hasFinished || client.streams.hasFinished
            || questions.hasFinished
        {
            // The loop looks at the descriptor only.
            links.wake()
        }
    }

    /// Does what is due.
    public func tick(now wall: Milliseconds) {
        advance(to: wall)
        compareClocks()
        submit()
    }

    func advance(to wall: Milliseconds) {
        clock.wall = wall
        questions.expired(at: clock.now)
        for fault in syncWatch?.takeNews() ?? [] {
            news.report(StoreReport("a server of the store needs attention", error: fault))
        }
        handle(client.expired())
        if isWhole { sweep(at: clock.now) }
    }

    /// When to call `tick` next.
    public var nextTick: Milliseconds? {
        let next = min(
            client.deadline, questions.deadline, sweeper.deadline, deferred.deadline)
        return next == .max ? nil : clock.wallTime(of: next)
    }

    func pump(waiting milliseconds: Int) throws(SystemError) {
        handle(try client.happened(waiting: milliseconds))
    }

    // MARK: Health

    /// Whether all of the store has been read.
    var isWhole: Bool { sweeper.isEnabled && links.feeds?.hasCaughtUp == true }

    /// How the engine is now.
    var figures: Figures {
        Figures(
            meters: client.meters, feedRestarts: links.feeds?.restarts ?? 0, feedGaps: news.gaps,
            shardsAlive: shardsAlive, nodes: peersSeen.count + 1,
            cells: replica.cellCount, inFlight: client.writer.count)
    }

    /// The other nodes, and when each of them was heard last.
    var peersSeen: [UInt64: Int64] { sweeper.peers(at: clock.now) }

    private var shardsAlive: Int {
        (0..<facts.shardCount).count { links.feeds?.isAlive($0) == true }
    }

    var isLinked: Bool { client.isLinked }

    /// Whether a feed is current, or a leader has answered within the last 15 s.
    var isInContact: Bool { shardsAlive > 0 || client.wasHeardRecently }

    // MARK: Events

    func handle(_ events: [StoreClient.Event]) {
        let now = clock.now
        for event in events {
            switch event {
            case .message(let message): take(message)
            case .peer(let text):
                sweeper.receivedHeartbeat(text, at: now)
                if let answer = questions.asked(text) { client.tell(answer.text, to: answer.node) }
            case .reply(let text): questions.answered(text)
            case .removed(let removal): sweeper.removed(removal)
            case .notRemoved(let removal): sweeper.failed(removal)
            case .linked:
                news.linkReady()
                if let fault = client.serverFault {
                    news.report(
                        StoreReport(
                            "a server of the store does not meet the requirements",
                            error: fault.message))
                }
            case .unlinked(let failure, let server): news.linkClosed(failure, server)
            case .refused(let text):
                news.report(StoreReport("a server refused an operation", error: text))
            case .misfit(let text):
                news.report(StoreReport("a stream was changed under this node", error: text))
            case .counted(let shard, let subjects):
                compare(subjects, of: shard, at: now)
            }
        }
        for decided in client.takeDecided()
        where links.feeds == nil || !deferred.firsts.add(decided, at: now, in: replica.layout) {
            settle(decided, at: now)
        }
        if let feeds = links.feeds {
            for decided in deferred.firsts.take(at: now, replica, feeds) {
                settle(decided, at: now)
            }
        }
        reportConflicts(at: now)
    }

    private func take(_ message: FedMessage) {
        // Changes that were stored before the start of this node are not late.
        if message.isNew { client.countDelivery(of: message) }
        let shard = message.feed < facts.shardCount ? message.feed : nil
        do throws(DamageError) {
            for (change, writer) in try replica.take(message, of: shard) {
                news.announce(change, of: writer, isNew: message.isNew)
            }
            if message.isHead, let shard {
                news.pass(StreamPlace(shard: shard, number: message.number).sequence)
            }
            client.loader.fed(message.feed, upTo: message.number)
            client.loader.told(upTo: news.toldUpTo)
        } catch {
            if error.lacksHead {
                links.feeds?.readWhole(message.feed, at: clock.now)
                return
            }
            // A stream that stores changes under other subjects may be the reason.
            if error.item == nil { links.feeds?.inspectSoon(message.feed) }
            news.report(error.report(in: replica.layout.name(of: shard)))
        }
    }

    private func settle(_ decided: ChangeWriter.Decided, at now: Int64) {
        let outcome: TicketOutcome
        switch decided.decision {
        case .kept(let number):
            if decided.change.removesDamage {
                removeDamage(of: decided.change, endedAt: number)
            }
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
        if case .kept = decided.decision {} else { replica.forget(text: decided.change.text) }
        switch decided.change.item {
        case .session(let id):
            // Only the stream's leader knows what is there now.
            if decided.decision == .conflict || outcome == .unknown { replica.table.setStale(id) }
            if outcome != .kept { replica.table.checkExpiry(of: id, notBefore: clock.wall + 1_000) }
        case .tokens(let id):
            if decided.decision == .conflict || outcome == .unknown { replica.setTokensStale(id) }
        case .app, .meta:
            guard decided.decision != .conflict else {
                return deferred.conflicts.add(decided, at: now)
            }
        }
        if decided.change.isExpiry { sweeper.ended() }
        tell(decided, outcome)
    }

    private func tell(_ decided: ChangeWriter.Decided, _ outcome: TicketOutcome) {
        if case .session(let id) = decided.change.item { client.loader.changeDecided(of: id) }
        if case .tokens(let id) = decided.change.item { client.loader.changeDecided(of: id) }
        var isKept = false
        if case .kept = decided.decision { isKept = true }
        news.decide(
            DecidedTicket(decided.ticket, outcome), of: decided.change.write.id, isKept: isKept)
    }

    private func reportConflicts(at now: Int64) {
        for decided in deferred.conflicts.take(at: now, replica) { tell(decided, .conflict) }
    }

    // MARK: Sweeping

    private func sweep(at now: Int64) {
        keepMarks(at: now)
        if let text = sweeper.announcement(at: now) { client.tell(text) }
        let (expired, removals) = sweeper.sweep(replica, at: now, wall: clock.wall)
        for handle in expired where !proposer.expire(handle) { sweeper.ended() }
        for removal in removals where !client.remove(removal) { sweeper.failed(removal) }
    }
}
