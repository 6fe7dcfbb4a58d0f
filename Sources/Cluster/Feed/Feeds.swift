internal import Bytes
internal import NATS

/// Reads several streams over one link, each in order and without gaps.
final class Feeds {
    let link: RequestLink<Purpose>
    let client: SubjectToken
    let random: () -> UInt64
    let feeds: [StreamFeed]
    var overview: Overview
    var owners: [SubscriptionID: Consumer] = [:]
    var lastSubscription = RequestLink<Purpose>.inbox.number
    /// How many consumers were created after the first of each stream.
    var restarts = 0
    var contact = StoreContact(at: 0)
    var probe: LeaderProbe
    /// The leaders' statements about the time.
    var servers: ServersClock
    /// The stream sequence of the last known message that a feed has yet to deliver, or 0.
    var lastUnread: (_ feed: Int) -> Int = { _ in 0 }

    /// - Parameter client: a token that no other client of the servers has.
    init(
        _ link: RequestLink<Purpose>, client: SubjectToken, streams: [StreamFeed],
        random: @escaping () -> UInt64
    ) {
        self.link = link
        self.client = client
        self.random = random
        feeds = streams
        overview = Overview(unread: Set(streams.indices))
        probe = LeaderProbe(of: streams.count, at: 0)
        servers = ServersClock(streamCount: streams.count)
    }

    /// Whether everything has been read that the streams had when they were first read.
    var hasCaughtUp: Bool { overview.unread.isEmpty }

    /// Whether that is so for one of them.
    func isRead(_ feed: Int) -> Bool { !overview.unread.contains(feed) }

    /// How far the reading of the streams is.
    var progress: FeedProgress {
        feeds.reduce(into: FeedProgress()) { sum, feed in
            sum.read += feed.progress.read
            sum.pending += feed.progress.pending
        }
    }

    /// The stream sequence of the last message that was read of each stream.
    var lastNumbers: [Int] { feeds.map(\.reader.lastSequence) }

    /// Whether a stream keeps what it acknowledges, by an answer of its leader to a question that
    /// was asked after this time. Nil if there is none.
    func isSound(_ feed: Int, since time: Int64) -> Bool? {
        feeds[feed].inspection.askedAt > time ? feeds[feed].misfit?.endangersChanges != true : nil
    }

    /// The same for one stream.
    func lastNumber(of feed: Int) -> Int { feeds[feed].reader.lastSequence }

    /// Whether what was read of a stream is current: at most 1.2 s and the delay of the network
    /// older than what the consumer's server has. If that server is cut off from the others, the
    /// node leaves it within 20 s.
    func isAlive(_ feed: Int) -> Bool { feeds[feed].isAlive }

    /// Why a stream is not the one that was read at first, as a sentence. Nothing is shown then.
    var fault: String? { overview.fault }

    /// Why streams are not as they must be any more.
    var misfits: [StoreOpenError] { overview.misfits }

    /// The known positions of the shards' streams.
    var shards: [ShardMarks.Stream] {
        feeds.dropLast().map { feed in
            ShardMarks.Stream(
                last: max(feed.standing.lastSequence, feed.reader.lastSequence),
                landmark: feed.landmark, created: feed.standing.created,
                firstAt: feed.standing.firstAt)
        }
    }

    /// Has the leader of a stream asked next.
    func inspectSoon(_ feed: Int) { probe.hurry(to: feed) }

    var deadline: Int64 {
        var first = min(link.deadline, contact.deadline, link.isReady ? probe.deadline : .max)
        for feed in feeds { first = min(first, feed.reader.deadline ?? .max) }
        return first
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
            perform(feeds[feed].reader.expired(at: now, random: random()), feed, at: now)
        }
        if link.isReady, let feed = probe.take(at: now) { askLeader(of: feed, at: now) }
        return events
    }

    private func askLeader(of feed: Int, at now: Int64) {
        link.request(
            JetStreamAPI.streamInfo(feeds[feed].stream), payload: [],
            context: .probe(feed: feed, at: now), deadline: now + LeaderProbe.answerMilliseconds)
    }

    private func take(_ happened: [RequestEvent<Purpose>], at now: Int64) -> [Event] {
        var events: [Event] = []
        for event in happened {
            switch event {
            case .ready:
                for feed in feeds.indices {
                    perform(feeds[feed].reader.linked(at: now), feed, at: now)
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

    // MARK: Messages

    private func take(_ message: Message, at now: Int64) -> FedMessage? {
        guard let owner = owners[message.subscription] else { return nil }
        let (feed, generation) = (owner.feed, owner.generation)
        guard let item = try? FeedItem(message) else {
            let action = feeds[feed].reader.receivedMalformed(
                generation: generation, at: now, random: random())
            perform(action, feed, at: now)
            return nil
        }
        let action = feeds[feed].reader.received(
            item, generation: generation, at: now, random: random())
        perform(action, feed, at: now)
        if case .delivery(let delivery) = item, action == .deliver {
            feeds[feed].noteProgress(read: 1, pending: delivery.pending)
        }
        let isNew = isRead(feed)
        noteEnd(of: feed, at: now)
        // Nothing of a stream that was replaced is taken for what follows.
        guard case .delivery(let delivery) = item, action == .deliver,
            feeds[feed].standing.fault == nil
        else { return nil }
        feeds[feed].note(message, delivery)
        var content = message.content
        if owner.hasHeads { content = MessageHead.content((try? message.headers()) ?? nil) }
        return FedMessage(
            feed: feed, number: delivery.streamSequence, subject: message.subjectBytes,
            content: content, isHead: owner.hasHeads, isNew: isNew,
            storedAt: delivery.time.milliseconds)
    }
}
