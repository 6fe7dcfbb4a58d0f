internal import Bytes
internal import NATS

// The consumers of the feeds, and what the leaders of their streams say.
extension Feeds {
    func perform(_ action: ReaderAction, _ feed: Int, at now: Int64) {
        switch action {
        case .none, .deliver: break
        case .answer(let subject):
            link.send(.publish(Publication(subject, reply: nil, headers: [], payload: [])))
        case .create(let generation, let sequence):
            if unsubscribe(feed) { restarts += 1 }
            let hasHeads = feeds[feed].extent == .heads
            ask(
                Consumer(
                    feed: feed, generation: generation, start: sequence, hasHeads: hasHeads),
                at: now)
        }
    }

    /// - Returns: whether there was a consumer.
    private func unsubscribe(_ feed: Int) -> Bool {
        guard let last = feeds[feed].subscription else { return false }
        owners[last] = nil
        feeds[feed].subscription = nil
        link.send(.unsubscribe(last))
        return true
    }

    /// Asks the stream's leader for the last message that was read, and then about the stream. The
    /// consumer is created right after that, so that it is judged by what the stream has then.
    private func ask(_ consumer: Consumer, at now: Int64) {
        guard let landmark = feeds[consumer.feed].landmark else {
            return askStanding(of: consumer, after: nil, at: now)
        }
        ask(landmark, of: consumer, isGone: false, at: now)
    }

    private func ask(
        _ landmark: StreamLandmark, of consumer: Consumer, isGone: Bool, at now: Int64
    ) {
        let query = isGone ? landmark.nextOfSubject : landmark.byNumber
        // A request that cannot be sent is one without an answer: the reader tries again.
        link.request(
            JetStreamAPI.messageGet(feeds[consumer.feed].stream), payload: query.body,
            context: .landmark(consumer, landmark, isGone: isGone),
            deadline: now + OrderedReader.createMilliseconds)
    }

    private func askStanding(
        of consumer: Consumer, after answer: StreamLandmark.Answer?, at now: Int64
    ) {
        link.request(
            JetStreamAPI.streamInfo(feeds[consumer.feed].stream), payload: [],
            context: .standing(consumer, answer, at: now),
            deadline: now + OrderedReader.createMilliseconds)
    }

    private func create(_ new: Consumer, at now: Int64) {
        lastSubscription += 1
        let subscription = SubscriptionID(lastSubscription)
        owners[subscription] = new
        feeds[new.feed].subscription = subscription
        let consumer = feeds[new.feed].consumer(
            of: client, number: new.feed, generation: new.generation, from: new.start)
        link.send(.subscribe(SubjectFilter(consumer.deliverSubject), subscription))
        link.request(
            JetStreamAPI.consumerCreate(consumer.stream, consumer.name), payload: consumer.body,
            context: .creation(new), deadline: now + OrderedReader.createMilliseconds)
    }

    func answered(_ purpose: Purpose, _ message: Message, at now: Int64) -> [Event] {
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
            case .landmark(let consumer, let landmark, let isGone):
                (
                    consumer.feed,
                    found(landmark, message, for: consumer, isGone: isGone, at: now)
                )
            case .standing(let consumer, let answer, _):
                (consumer.feed, found(consumer, after: answer, message, at: now))
            case .creation(let consumer): (consumer.feed, created(consumer, message, at: now))
            case .probe(let feed, _):
                (feed, info.flatMap { info in judge(feed) { $0.checkFirst(info) } })
            }
        var events: [Event] = warning.map { [.warning($0)] } ?? []
        if case .probe = purpose, feed < feeds.count - 1,
            let subjects = info.flatMap(feeds[feed].subjectCount)
        {
            events.append(.counted(shard: feed, subjects: subjects))
        }
        if let info, feeds[feed].inspect(info, askedAt: purpose.question?.at ?? 0) {
            overview.misfits = feeds.compactMap(\.misfit)
            if let misfit = feeds[feed].misfit { events.append(.misfit(misfit.message)) }
        }
        return events
    }

    func missed(at now: Int64) {
        contact.missed(at: now)
        probe.missed(at: now)
    }

    private func found(
        _ landmark: StreamLandmark, _ message: Message, for consumer: Consumer, isGone: Bool,
        at now: Int64
    ) -> String? {
        guard feeds[consumer.feed].reader.isCreating(consumer.generation) else { return nil }
        var found: StoredMessage?
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let stored): found = stored
        case .refused(let error) where error.kind == .messageNotFound:
            guard isGone else {
                ask(landmark, of: consumer, isGone: true, at: now)
                return nil
            }
        case .refused, .noResponders, nil: return refused(consumer, message, at: now)
        }
        askStanding(
            of: consumer, after: StreamLandmark.Answer(landmark: landmark, found: found),
            at: now)
        return nil
    }

    private func found(
        _ consumer: Consumer, after answer: StreamLandmark.Answer?, _ message: Message,
        at now: Int64
    ) -> String? {
        let feed = consumer.feed
        guard feeds[feed].reader.isCreating(consumer.generation) else { return nil }
        guard case .value(let info)? = try? message.answer(as: StreamInfo.self), info.hasLeader
        else { return refused(consumer, message, at: now) }
        let lastKnown = max(feeds[feed].reader.lastSequence, lastUnread(feed))
        var verdict = StreamStanding.Verdict.behind
        let warning = judge(feed) { standing in
            verdict = standing.judge(info, lastKnown: lastKnown, at: now)
            guard case .same = verdict, let answer else { return }
            let finding = answer.landmark.judge(answer.found, at: info.time)
            verdict = standing.judge(finding, of: answer.landmark.number, at: now)
        }
        if case .same(let last) = verdict {
            feeds[feed].reader.expect(upTo: last, generation: consumer.generation)
            create(consumer, at: now)
        } else {
            feeds[feed].reader.refused(
                generation: consumer.generation, at: now, random: random())
        }
        return warning
    }

    /// Changes what is known about a stream.
    ///
    /// - Returns: what to log, if that shows that the stream is not the same.
    private func judge(_ feed: Int, _ body: (inout StreamStanding) -> Void) -> String? {
        let before = feeds[feed].standing.fault
        body(&feeds[feed].standing)
        guard before != feeds[feed].standing.fault else { return nil }
        let faulty = feeds.first { $0.standing.fault != nil }
        overview.fault = faulty.map { "\($0.stream.text): \($0.standing.fault ?? "")" }
        guard before == nil, let fault = feeds[feed].standing.fault else { return nil }
        return "\(feeds[feed].stream.text): \(fault); nothing is served until this node is started "
            + "again"
    }

    private func created(_ consumer: Consumer, _ message: Message, at now: Int64) -> String? {
        guard case .value(let made)? = try? message.answer(as: ConsumerCreated.self)
        else { return refused(consumer, message, at: now) }
        if feeds[consumer.feed].reader.isCreating(consumer.generation) {
            feeds[consumer.feed].noteProgress(read: 0, pending: made.pending)
        }
        feeds[consumer.feed].reader.created(generation: consumer.generation, at: now)
        noteEnd(of: consumer.feed, at: now)
        return nil
    }

    func noteEnd(of feed: Int, at now: Int64) {
        readOn(feeds[feed].noteEnd(at: now), feed, at: now)
        if feeds[feed].hasCaughtUp, !hasCaughtUp { overview.unread.remove(feed) }
    }

    /// Reads whole messages of a stream, because one of them has no usable head.
    func readWhole(_ feed: Int, at now: Int64) {
        readOn(feeds[feed].readWhole(at: now), feed, at: now)
    }

    /// The consumer has done its part, and another one may go on.
    private func readOn(_ action: ReaderAction, _ feed: Int, at now: Int64) {
        guard action != .none else { return }
        _ = unsubscribe(feed)
        perform(action, feed, at: now)
    }

    /// The reader tries again later.
    private func refused(_ consumer: Consumer, _ message: Message, at now: Int64) -> String? {
        feeds[consumer.feed].reader.refused(
            generation: consumer.generation, at: now, random: random())
        guard case .refused(let error)? = try? message.answer(as: StreamInfo.self)
        else { return nil }
        if error.kind == .streamNotFound,
            let fault = judge(consumer.feed, { $0.judgeAbsence(at: now) })
        {
            return fault
        }
        return "\(feeds[consumer.feed].stream.text): \(error.description)"
    }
}

extension Feeds {
    /// An event of the feeds. They are returned in order.
    enum Event {
        case message(FedMessage)
        case warning(String)
        /// The stream of a feed is not configured as it must be.
        case misfit(String)
        /// A shard's stream has messages of at most so many subjects, except barriers.
        case counted(shard: Int, subjects: Int)
    }

    /// The state of all streams together.
    struct Overview {
        /// The feeds that have not been read once.
        var unread: Set<Int>
        /// Why streams are not as they must be any more, by the last answers of their leaders.
        var misfits: [StoreOpenError] = []
        /// Why a stream is not the one that was read at first, as a sentence.
        var fault: String?
    }

    /// A consumer of a stream.
    struct Consumer: Sendable {
        let feed: Int
        let generation: Int
        /// The first stream sequence that it delivers.
        let start: Int
        /// Whether it delivers headers only.
        let hasHeads: Bool
    }

    /// The purpose of a request.
    enum Purpose: Sendable {
        /// The stream's leader is asked for the last message that was read before this consumer is
        /// created: by its number, and if it is gone, for the next one of its subject.
        case landmark(Consumer, StreamLandmark, isGone: Bool)
        /// Then it is asked about the stream.
        case standing(Consumer, StreamLandmark.Answer?, at: Int64)
        case creation(Consumer)
        /// A leader is asked whether it is there, and whether its stream is as it must be.
        case probe(feed: Int, at: Int64)

        /// The feed of the leader that was asked about its stream, and when.
        var question: (feed: Int, at: Int64)? {
            switch self {
            case .standing(let consumer, _, let time): (consumer.feed, time)
            case .probe(let feed, let time): (feed, time)
            case .landmark, .creation: nil
            }
        }
    }
}
