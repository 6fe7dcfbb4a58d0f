internal import Bytes
internal import NATS
internal import POSIX

/// Reads several streams over one link, each in order and without gaps.
final class Feeds {
    /// What happened, in its order.
    enum Event {
        case message(FedMessage)
        /// Something to log.
        case warning(String)
        /// The stream of a feed is not configured as it must be.
        case misfit(String)
    }

    /// A consumer of a stream.
    struct Consumer: Sendable {
        let feed: Int
        let generation: Int
        /// The first stream sequence that it delivers.
        let start: Int
    }

    /// What a request was sent for.
    enum Purpose: Sendable {
        /// The stream's leader is asked about the stream before this consumer is created.
        case standing(Consumer, at: Int64)
        /// The consumer is to be created.
        case creation(Consumer)
        /// A leader is asked whether it is there, and whether its stream is as it must be.
        case probe(feed: Int, at: Int64)

        /// The feed of the leader that was asked about its stream, and when.
        fileprivate var question: (feed: Int, at: Int64)? {
            switch self {
            case .standing(let consumer, let time): (consumer.feed, time)
            case .probe(let feed, let time): (feed, time)
            case .creation: nil
            }
        }
    }

    private let link: RequestLink<Purpose>
    private let client: SubjectToken
    private let random: () -> UInt64
    private var feeds: [StreamFeed]
    private var owners: [SubscriptionID: Consumer] = [:]
    private var lastSubscription = RequestLink<Purpose>.inbox.number
    /// How many consumers were created after the first of each stream.
    private(set) var restarts = 0
    /// Why streams are not as they must be any more, by the last answers of their leaders.
    private(set) var misfits: [StoreOpenError] = []
    private var contact = StoreContact(at: 0)
    private var probe: LeaderProbe
    /// What the leaders say about the time.
    private(set) var servers: ServersClock

    /// - Parameter client: a token that no other client of the servers has.
    init(
        _ link: RequestLink<Purpose>, client: SubjectToken, streams: [StreamFeed],
        random: @escaping () -> UInt64
    ) {
        self.link = link
        self.client = client
        self.random = random
        feeds = streams
        probe = LeaderProbe(of: streams.count, at: 0)
        servers = ServersClock(streamCount: streams.count)
    }

    /// Whether everything has been read that the streams had when they were first read.
    var hasCaughtUp: Bool { feeds.allSatisfy(\.hasCaughtUp) }

    /// The stream sequence of the last message that was read of each stream.
    var lastNumbers: [Int] { feeds.map(\.reader.lastSequence) }

    /// Whether what was read of a stream is current: at most 1.2 s and the delay of the network
    /// older than what the consumer's server has. If that server is cut off from the others, the
    /// node leaves it within 20 s.
    func isAlive(_ feed: Int) -> Bool { feeds[feed].isAlive }

    /// Whether a stream is not the one that was read at first. What was read of it must not be
    /// shown.
    func isReplaced(_ feed: Int) -> Bool { feeds[feed].standing.fault != nil }

    /// Has the leader of a stream asked next.
    func inspectSoon(_ feed: Int) { probe.hurry(to: feed) }

    /// When to call `expired`.
    var deadline: Int64 {
        let own = min(link.deadline, contact.deadline, link.isReady ? probe.deadline : .max)
        return feeds.reduce(own) { min($0, $1.reader.deadline ?? .max) }
    }

    // MARK: Turns

    /// Reads what came.
    func happened(at now: Int64) -> [Event] { take(link.happened(at: now), at: now) }

    /// Sends what waits.
    func flush(at now: Int64) -> [Event] { take(link.flush(at: now), at: now) }

    /// Acts on what is due.
    func expired(at now: Int64) -> [Event] {
        var events = take(link.expired(at: now), at: now)
        if contact.shouldMove(at: now), link.isReady {
            events += take(link.leave(at: now), at: now)
        }
        for feed in feeds.indices {
            obey(feeds[feed].reader.expired(at: now, random: random()), feed, at: now)
        }
        if link.isReady, let feed = probe.take(at: now) { askLeader(of: feed, at: now) }
        return events
    }

    private func askLeader(of feed: Int, at now: Int64) {
        try? link.request(
            JetStreamAPI.streamInfo(feeds[feed].stream), payload: [],
            context: .probe(feed: feed, at: now), deadline: now + LeaderProbe.answerMilliseconds)
    }

    private func take(_ happened: [RequestEvent<Purpose>], at now: Int64) -> [Event] {
        var events: [Event] = []
        for event in happened {
            switch event {
            case .ready:
                for feed in feeds.indices {
                    obey(feeds[feed].reader.linked(at: now), feed, at: now)
                }
            case .reply(let purpose, let message):
                link.finish(with: message)
                events += answered(purpose, message, at: now)
            case .unanswered: missed(at: now)  // The reader has a deadline of its own.
            case .message(let message):
                if let fed = take(message, at: now) { events.append(.message(fed)) }
            case .warning(let text): events.append(.warning(text))
            case .closed:
                owners = [:]
                for feed in feeds.indices {
                    feeds[feed].reader.unlinked()
                    feeds[feed].subscription = nil
                }
            }
        }
        return events
    }

    // MARK: Consumers

    private func obey(_ action: ReaderAction, _ feed: Int, at now: Int64) {
        switch action {
        case .none, .deliver: break
        case .answer(let subject):
            link.send(.publish(Publication(subject, reply: nil, headers: [], payload: [])))
        case .create(let generation, let sequence):
            if let last = feeds[feed].subscription {
                owners[last] = nil
                feeds[feed].subscription = nil
                link.send(.unsubscribe(last, after: nil))
                restarts += 1
            }
            ask(Consumer(feed: feed, generation: generation, start: sequence), at: now)
        }
    }

    /// Asks the stream's leader about the stream. The consumer is created after its answer.
    private func ask(_ consumer: Consumer, at now: Int64) {
        // A request that cannot be sent is one without an answer: the reader tries again.
        try? link.request(
            JetStreamAPI.streamInfo(feeds[consumer.feed].stream), payload: [],
            context: .standing(consumer, at: now), deadline: now + Self.createMilliseconds)
    }

    private func create(_ new: Consumer, at now: Int64) {
        lastSubscription += 1
        let subscription = SubscriptionID(lastSubscription)
        owners[subscription] = new
        feeds[new.feed].subscription = subscription
        let consumer = feeds[new.feed].consumer(
            of: client, number: new.feed, generation: new.generation, from: new.start)
        link.send(.subscribe(SubjectFilter(consumer.deliverSubject), subscription))
        try? link.request(
            JetStreamAPI.consumerCreate(consumer.stream, consumer.name), payload: consumer.body,
            context: .creation(new), deadline: now + Self.createMilliseconds)
    }

    private static let createMilliseconds: Int64 = 3_000

    private func answered(_ purpose: Purpose, _ message: Message, at now: Int64) -> [Event] {
        var isFromLeader = message.isFromLeader
        var info: StreamInfo?
        if isFromLeader, case .value(let answer)? = try? message.answer(as: StreamInfo.self) {
            isFromLeader = answer.hasLeader
            info = isFromLeader ? answer : nil
        }
        if let time = info?.time, let question = purpose.question {
            servers.note(time, of: question.feed, asked: question.at, at: now)
        }
        if isFromLeader { contact.heard(at: now) } else { missed(at: now) }
        let (feed, warning): (Int, String?) =
            switch purpose {
            case .standing(let consumer, _): (consumer.feed, found(consumer, message, at: now))
            case .creation(let consumer): (consumer.feed, created(consumer, message, at: now))
            case .probe(let feed, _): (feed, nil)
            }
        var events: [Event] = warning.map { [.warning($0)] } ?? []
        if let info, feeds[feed].inspect(info) {
            misfits = feeds.compactMap(\.misfit)
            if let misfit = feeds[feed].misfit { events.append(.misfit(misfit.message)) }
        }
        return events
    }

    private func missed(at now: Int64) {
        contact.missed(at: now)
        probe.missed(at: now)
    }

    private func found(_ consumer: Consumer, _ message: Message, at now: Int64) -> String? {
        let (feed, generation) = (consumer.feed, consumer.generation)
        guard feeds[feed].reader.isCreating(generation) else { return nil }
        guard case .value(let info)? = try? message.answer(as: StreamInfo.self), info.hasLeader
        else { return refused(consumer, message, at: now) }
        let wasReplaced = isReplaced(feed)
        let verdict = feeds[feed].standing.judge(
            info, lastRead: feeds[feed].reader.lastSequence, at: now)
        switch verdict {
        case .same(let last):
            feeds[feed].reader.expect(upTo: last, generation: generation)
            create(consumer, at: now)
        case .behind, .replaced:
            feeds[feed].reader.refused(generation: generation, at: now, random: random())
        }
        guard !wasReplaced, let fault = feeds[feed].standing.fault else { return nil }
        return "\(feeds[feed].stream.text): \(fault); nothing of it is served until this node is "
            + "started again"
    }

    private func created(_ consumer: Consumer, _ message: Message, at now: Int64) -> String? {
        guard case .value? = try? message.answer(as: ConsumerCreated.self) else {
            return refused(consumer, message, at: now)
        }
        feeds[consumer.feed].reader.created(generation: consumer.generation, at: now)
        feeds[consumer.feed].noteProgress()
        return nil
    }

    /// The reader tries again later.
    private func refused(_ consumer: Consumer, _ message: Message, at now: Int64) -> String? {
        feeds[consumer.feed].reader.refused(
            generation: consumer.generation, at: now, random: random())
        guard case .refused(let error)? = try? message.answer(as: StreamInfo.self) else {
            return nil
        }
        return "\(feeds[consumer.feed].stream.text): \(error.description)"
    }

    // MARK: Messages

    private func take(_ message: Message, at now: Int64) -> FedMessage? {
        guard let owner = owners[message.subscription] else { return nil }
        let (feed, generation) = (owner.feed, owner.generation)
        guard let item = try? FeedItem(message) else {
            let action = feeds[feed].reader.receivedNonsense(
                generation: generation, at: now, random: random())
            obey(action, feed, at: now)
            return nil
        }
        let action = feeds[feed].reader.received(
            item, generation: generation, at: now, random: random())
        obey(action, feed, at: now)
        feeds[feed].noteProgress()
        // Nothing of a stream that was replaced is taken for what follows.
        guard case .delivery(let delivery) = item, action == .deliver, !isReplaced(feed)
        else { return nil }
        return FedMessage(
            feed: feed, number: delivery.streamSequence, subject: message.subjectBytes,
            content: message.content, storedAt: Int64(delivery.time.nanoseconds / 1_000_000))
    }
}
