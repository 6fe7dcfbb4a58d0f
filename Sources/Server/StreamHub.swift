internal import API
internal import Bytes
internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions

// Which client gets which event, and when: live streams, and reads that wait for a change.
//
// Changes come from the store's feed, so they are kept. Clients are served one after another, each
// with one write of all changes that it has not received yet. The bytes of a change are made once
// for each form that clients want. Before each event the hub checks that the token with which the
// stream began is still valid; a stream whose token was revoked or has expired ends.
//
// The hub encodes what a client gets next into the writer's output. It sends nothing itself, and
// gives out steps, which `DeferredAnswers` carries out.

/// The wait of a connection in an open answer.
struct WaitState {
    /// When a waiting read is answered without a change, or when the stream's next heartbeat is
    /// due. `.max` for any other connection.
    fileprivate(set) var wakesAt: Int64 = .max
    /// Whether the answer is a stream, or a backup, that has not ended.
    fileprivate(set) var isStreaming = false
}

/// The clients that listen or wait, and the changes that they have not received yet.
final class StreamHub {
    private let subscribers = Subscribers()
    private var queue = DeliveryQueue()
    private var watching = WatcherNotifier()
    /// The approximate number of events for changes that have been made but are not in the feed
    /// yet.
    private var eventsExpected = 0
    /// The event that is being encoded.
    private var text = ByteWriter()
    private let service: Service
    private let writer: ResponseWriter
    private let clock: TurnClock

    /// A comment line at this interval keeps proxies and clients from giving up. In a stream of
    /// JSON lines it is an object, and it comes only after a pause of that length.
    private static let heartbeatSeconds: Int64 = 15
    /// Changes wait while streams have not received more events than this.
    private static let undeliveredMax = 4_096

    init(service: Service, writer: ResponseWriter, clock: TurnClock) {
        self.service = service
        self.writer = writer
        self.clock = clock
    }

    /// The number of open streams.
    var subscriberCount: Int { subscribers.byToken.count }

    /// The number of reads that wait.
    var waiterCount: Int { allWaiting.count }

    private var allWaiting: [UInt64] { subscribers.allWaiting + watching.news.allWaiting }

    /// The number of streams of one session, without those of all sessions.
    func count(of id: SessionID) -> Int { subscribers.count(of: id) }

    /// These streams, the oldest first.
    func watchers(of id: SessionID) -> [Watcher] { subscribers.watchers(of: id) }

    /// The approximate number of streams and waiting reads to notify of changes of the session.
    func audience(of id: SessionID) -> Int { subscribers.audience(of: id) }

    /// Whether any stream wants the steps of the session's changes.
    func wantsSteps(_ id: SessionID) -> Bool { subscribers.wantsSteps(id) }

    // MARK: - Beginning and ending

    /// Notes that a read waits, for the seconds that it has asked for.
    func wait(_ connection: Connection, for poll: LongPoll) {
        connection.waiting.wakesAt = connection.exchange.waitEnd(poll.seconds, at: clock.now)
        switch poll.goal {
        case .change: subscribers.wait(connection.token, for: poll.id)
        case .shown(let revision):
            watching.news.wait(connection.token, for: poll.id, toShow: revision)
        }
    }

    /// Records what the displays of that name show.
    ///
    /// - Returns: whether there are such displays.
    @discardableResult
    func note(_ report: DisplayReport) -> Bool {
        watching.note(report, subscribers, at: clock.now)
    }

    /// Answers another server that shares the store.
    func answer(_ question: PeerQuestion) -> PeerAnswer {
        var answer = PeerAnswer()
        switch question {
        case .watchers(let ids): answer.watchers = ids.map { watchers(of: $0) }
        case .watcherCounts(let ids): answer.counts = ids.map { count(of: $0) }
        case .shown(let report): answer.hasDisplay = note(report)
        case .signal(let signal): answer.counts = tell(signal)
        }
        return answer
    }

    /// Tells a signal to the streams that want it, after the changes that they have not received.
    ///
    /// - Returns: how many streams these are, for each session of the signal.
    func tell(_ signal: Signal) -> [Int] {
        signal.sessions.map { id in
            let listeners = subscribers.listeners(toSignalsOf: id) { filter in
                service.selects(filter, id, at: clock.now)
            }
            guard !listeners.isEmpty else { return 0 }
            let event = StreamEvent(signal, for: id)
            for subscriber in listeners { queue.append(event, for: subscriber) }
            return listeners.count
        }
    }

    /// Asks the other servers that share the store who is watching, and takes over what they have
    /// answered.
    func askPeers(of store: any Engine) { watching.askPeers(of: store, at: clock.now) }

    /// Encodes what a stream begins with, after its head, and adds the stream unless it is over
    /// already.
    ///
    /// - Returns: whether the stream continues.
    func open(
        _ connection: Connection, _ opening: StreamOpening, framing: StreamFraming,
        into bytes: inout [UInt8]
    ) -> Bool {
        let subscriber = Subscriber(
            connection, opening.subscription, framing: framing, since: clock.now)
        if framing != .nothing {
            for event in opening.events where subscriber.eventsLeft != 0 {
                bytes += event.firstFrame(subscriber.form, using: &text)
                subscriber.eventsLeft = subscriber.eventsLeft.map { $0 - 1 }
            }
        }
        guard framing != .nothing, subscriber.eventsLeft != 0 else {
            framing.appendEnd(to: &bytes)
            return false
        }
        subscribers.add(subscriber)
        noteStreams(of: subscriber, by: 1)
        connection.waiting.wakesAt = heartbeatTime(connection.token)
        return true
    }

    /// Notes that the connection's answer is a stream or a backup.
    func beginStreaming(_ connection: Connection) { connection.waiting.isStreaming = true }

    /// Forgets that the connection streams or waits.
    func remove(_ connection: Connection) {
        let subscriber = subscribers[connection.token]
        subscribers.remove(connection.token)
        watching.news.endWait(connection.token)
        if let subscriber {
            queue.remove(subscriber)
            noteStreams(of: subscriber, by: -1)
        }
        connection.waiting = WaitState()
    }

    private func noteStreams(of subscriber: Subscriber, by change: Int) {
        guard case .sessions(let ids) = subscriber.subscription.scope else { return }
        let listens = subscriber.subscription.sendsWatchers
        for id in ids {
            watching.news.streamsChanged(of: id, listens: listens, by: change, at: clock.now)
        }
    }

    /// Gives out, one after another, the steps that end all streams and waits when the server
    /// stops.
    func stop(_ perform: (StreamStep) -> Void) {
        for subscriber in subscribers.byToken.values { perform(farewell(subscriber)) }
        for token in allWaiting { perform(.answer(token, hasWaited: true)) }
    }

    /// The step that ends a stream so that its client connects again, if the connection has one.
    func farewell(to connection: Connection) -> StreamStep? {
        subscribers[connection.token].map(farewell)
    }

    /// Clients reconnect at different times.
    private func farewell(_ subscriber: Subscriber) -> StreamStep {
        if subscriber.subscription.format == .eventStream {
            var part = ByteWriter()
            let milliseconds = 500 + Int(Random.word() % 4_501)
            EventStreamEncoder.append(retryMilliseconds: milliseconds, to: &part)
            writer.append(part: subscriber.framing.frame(part))
        }
        return .end(subscriber)
    }

    // MARK: - Time

    /// The step for a connection whose `wakesAt` has come. Nil if it has not.
    func wake(_ connection: Connection) -> StreamStep? {
        guard connection.waiting.wakesAt <= clock.now else { return nil }
        connection.waiting.wakesAt = .max
        guard let subscriber = subscribers[connection.token] else {
            return .answer(connection.token, hasWaited: true)
        }
        guard service.mayListen(subscriber.subscription, at: clock.now) else {
            return .end(subscriber)
        }
        connection.waiting.wakesAt = heartbeatTime(connection.token)
        guard connection.outbox.isEmpty, connection.held == nil else { return .skip }
        var part = ByteWriter()
        if subscriber.subscription.format == .ndjson {
            let next = subscriber.lastLineAt + Self.heartbeatSeconds * 1000
            guard next <= clock.now else {
                connection.waiting.wakesAt = next
                return .skip
            }
            subscriber.lastLineAt = clock.now
            connection.waiting.wakesAt = clock.now + Self.heartbeatSeconds * 1000
            StreamEvent.append(heartbeatAt: clock.now, to: &part)
        } else {
            EventStreamEncoder.appendComment(to: &part)
        }
        writer.append(part: subscriber.framing.frame(part))
        return .send(to: subscriber)
    }

    /// Spreads the heartbeats of streams that began together.
    private func heartbeatTime(_ token: UInt64) -> Int64 {
        let spread = Int64(token % UInt64(Self.heartbeatSeconds))
        let latest = clock.now / 1000 + Self.heartbeatSeconds
        return (latest - (latest - spread) % Self.heartbeatSeconds) * 1000
    }

    // MARK: - Changes

    /// Queues a change from the store's feed for the clients that it concerns.
    func announce(_ change: StoreChange) {
        let (streams, waiters) = (subscribers.streams(change.id), subscribers.waiters(change.id))
        let isHeard = !(streams.isEmpty && waiters.isEmpty && subscribers.ofAll.isEmpty)
        guard let event = service.event(of: change, isHeard: isHeard) else { return }
        for waiter in waiters { queue.append(waiter) }
        for subscriber in streams where !subscriber.knows(event.sequence) {
            queue.append(event, for: subscriber)
        }
        for subscriber in subscribers.ofAll where subscriber.subscription.takes(event) {
            queue.append(event, for: subscriber)
        }
    }

    /// The events of changes that clients have not received yet.
    var eventsUndelivered: Int { queue.eventsUndelivered }

    /// Counts the expected events of changes until these are decided.
    ///
    /// - Parameter count: negative once the changes are decided.
    func expect(_ count: Int) { eventsExpected += count }

    /// Whether further changes have to wait until streams have received earlier ones.
    var isFarBehind: Bool { eventsUndelivered + eventsExpected > Self.undeliveredMax }

    /// Whether clients have not received all changes.
    var isDelivering: Bool { !queue.isEmpty }

    /// Whether changes, or lists of watchers, can be sent now.
    var hasEventsToDeliver: Bool { isDelivering || watching.hasWork(at: clock.now) }

    /// When the next list of watchers is to be sent, if any is.
    var nextTime: Int64? { watching.news.nextTime }

    /// The step that sends one client the changes that it has not received, or a list of watchers.
    /// Nil if there is nothing to send.
    func next() -> StreamStep? { nextOfChanges() ?? nextOfWatchers() }

    private func nextOfWatchers() -> StreamStep? {
        switch watching.next(subscribers, at: clock.now) {
        case nil: return nil
        case .skip: return .skip
        case .answer(let token): return .answer(token, hasWaited: true)
        case .tell(let event, let subscriber):
            guard service.mayListen(subscriber.subscription, at: clock.now) else {
                return .end(subscriber)
            }
            subscriber.lastLineAt = clock.now
            writer.append(
                part: event.frame(for: subscriber.subscription, subscriber.form, using: &text))
            return subscriber.countEvent() ? .end(subscriber) : .send(to: subscriber)
        }
    }

    private func nextOfChanges() -> StreamStep? {
        switch queue.next() {
        case nil: nil
        case .waiter(let waiter):
            subscribers.has(waiter) ? .answer(waiter.token, hasWaited: false) : .skip
        case .stream(let subscriber) where subscriber.isTooFarBehind: farewell(subscriber)
        // The stream may have ended since.
        case .stream(let subscriber): subscriber.undelivered.isEmpty ? .skip : tell(subscriber)
        }
    }

    /// Encodes the events of as many changes as are written together. A long event is sent by
    /// itself, since connections that cannot take it yet then share its bytes.
    private func tell(_ subscriber: Subscriber) -> StreamStep {
        let isOpen = service.isOpen
        var count = 0
        // By index: an array that a loop holds would be copied when the events are removed from it.
        while count < subscriber.undelivered.count, !writer.hasBody {
            let change = subscriber.undelivered[count]
            guard
                isOpen || service.mayListen(subscriber.subscription, at: clock.now, to: change)
            else { return .end(subscriber) }
            let frame = change.frame(
                for: subscriber.subscription, subscriber.form, using: &text)
            guard count == 0 || writer.hasRoom(forPart: frame) else { break }
            writer.append(part: frame)
            count += 1
            if subscriber.countEvent(of: change) { return .end(subscriber) }
        }
        queue.delivered(subscriber, count)
        subscriber.lastLineAt = clock.now
        return .send(to: subscriber)
    }
}

/// Something to do for one client of the hub.
enum StreamStep {
    /// Answer the read that waits on the connection with this token.
    case answer(UInt64, hasWaited: Bool)
    /// Send the parts of the stream that are in the writer's output.
    case send(to: Subscriber)
    /// Send the last parts of the stream, which are in the writer's output, and end it.
    case end(Subscriber)
    /// Nothing: the client has gone since.
    case skip
}

extension Subscriber {
    /// Counts the event of a change.
    ///
    /// - Returns: whether the stream ends with it.
    fileprivate func countEvent(of event: StreamEvent) -> Bool {
        let isEnd = event.name.isEnd
        // The next session of this name has other revisions.
        if isEnd, let id = event.subject?.id { shown[id] = nil }
        return countEvent() || isEnd && subscription.endsWithSession
    }

    fileprivate func countEvent() -> Bool {
        if let left = eventsLeft { eventsLeft = left - 1 }
        return eventsLeft == 0
    }
}
