internal import NATS
internal import POSIX

/// Reads several streams over one link, each in order and without gaps.
final class Feeds {
    /// What happened, in its order.
    enum Event {
        case message(FedMessage)
        /// Something to log.
        case warning(String)
    }

    /// A consumer that is being created.
    struct Creation: Sendable {
        let feed: Int
        let generation: Int
    }

    private let link: RequestLink<Creation>
    private let client: SubjectToken
    private let random: () -> UInt64
    private var feeds: [StreamFeed]
    private var owners: [SubscriptionID: Creation] = [:]
    private var lastSubscription = RequestLink<Creation>.inbox.number
    /// How many consumers were created after the first of each stream.
    private(set) var restarts = 0

    /// - Parameter client: a token that no other client of the servers has.
    init(
        _ link: RequestLink<Creation>, client: SubjectToken, streams: [StreamFeed],
        random: @escaping () -> UInt64
    ) {
        self.link = link
        self.client = client
        self.random = random
        feeds = streams
    }

    /// Whether everything has been read that the streams had when they were first read.
    var hasCaughtUp: Bool { feeds.allSatisfy(\.hasCaughtUp) }

    /// Whether what was read of a stream is current: at most 1.2 s and the delay of the network
    /// older than what the stream has.
    func isAlive(_ feed: Int) -> Bool { feeds[feed].reader.isAlive }

    /// When to call `expired`.
    var deadline: Int64 {
        feeds.reduce(link.deadline) { min($0, $1.reader.deadline ?? .max) }
    }

    // MARK: Turns

    /// Reads what came.
    func happened(at now: Int64) -> [Event] { take(link.happened(at: now), at: now) }

    /// Sends what waits.
    func flush(at now: Int64) -> [Event] { take(link.flush(at: now), at: now) }

    /// Acts on what is due.
    func expired(at now: Int64) -> [Event] {
        let events = take(link.expired(at: now), at: now)
        for feed in feeds.indices {
            obey(feeds[feed].reader.expired(at: now, random: random()), feed, at: now)
        }
        return events
    }

    private func take(_ happened: [RequestEvent<Creation>], at now: Int64) -> [Event] {
        var events: [Event] = []
        for event in happened {
            switch event {
            case .ready:
                for feed in feeds.indices {
                    obey(feeds[feed].reader.linked(at: now), feed, at: now)
                }
            case .reply(let creation, let message):
                link.finish(with: message)
                if let warning = created(creation, message, at: now) {
                    events.append(.warning(warning))
                }
            case .unanswered: break  // The reader has a deadline of its own.
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
            create(Creation(feed: feed, generation: generation), from: sequence, at: now)
        }
    }

    private func create(_ creation: Creation, from sequence: Int, at now: Int64) {
        if let last = feeds[creation.feed].subscription {
            owners[last] = nil
            link.send(.unsubscribe(last, after: nil))
            restarts += 1
        }
        lastSubscription += 1
        let subscription = SubscriptionID(lastSubscription)
        owners[subscription] = creation
        feeds[creation.feed].subscription = subscription
        let consumer = feeds[creation.feed].consumer(
            of: client, number: creation.feed, generation: creation.generation, from: sequence)
        link.send(.subscribe(SubjectFilter(consumer.deliverSubject), subscription))
        // A request that cannot be sent is one without an answer: the reader tries again.
        try? link.request(
            JetStreamAPI.consumerCreate(consumer.stream, consumer.name), payload: consumer.body,
            context: creation, deadline: now + Self.createMilliseconds)
    }

    private static let createMilliseconds: Int64 = 3_000

    /// - Returns: what to log if the server refused.
    private func created(_ creation: Creation, _ message: Message, at now: Int64) -> String? {
        let (feed, generation) = (creation.feed, creation.generation)
        switch try? message.answer(as: ConsumerCreated.self) {
        case .value(let consumer):
            feeds[feed].reader.created(generation: generation, at: now)
            feeds[feed].note(pending: consumer.pending)
            return nil
        case .refused(let error):
            feeds[feed].reader.refused(generation: generation, at: now, random: random())
            return "\(feeds[feed].stream.text): \(error.description)"
        case .noResponders, nil:
            feeds[feed].reader.refused(generation: generation, at: now, random: random())
            return nil
        }
    }

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
        guard case .delivery(let delivery) = item else { return nil }
        if action == .deliver || action == .none { feeds[feed].note(pending: delivery.pending) }
        guard action == .deliver else { return nil }
        return FedMessage(
            feed: feed, number: delivery.streamSequence, subject: message.subjectBytes,
            content: message.content)
    }
}
