internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

// Asks the servers for what requests need. Requests that need the same share one question.
//
//     question   is asked of
//     newest     the stream's leader
//     history    the leader for the newest number, then any replica for all messages up to it, a
//                portion at a time
//     tokens     the leader
//
// A replica may be behind. It is asked again until it has the number that the leader named. A
// leader that was cut off is behind, too: see `ReadBarriers`.

/// Loads what parked requests need.
final class StoreLoader {
    private struct Inquiry {
        let question: Question
        /// The stream sequence that a replica must have. Nil until the leader has named it.
        var upTo: Int?
        /// The answers of replicas so far.
        var messages: [StoredMessage] = []
        /// The first message of what was read before it was read again from the beginning.
        var firstBefore: Int?
        /// How many times in a row it was read again and began with the same message.
        var rereads = 0
        var batch = BatchReader(countMax: SessionCell.recordsMax)
        /// When to ask again. Nil while an answer is awaited.
        var wakesAt: Int64?
    }

    private let requests: StoreRequests
    private let timeout: Int64
    private let reads: ClusterOptions.Reads
    private var barriers: ReadBarriers
    private var loads = WaitingLoads()
    private var inquiries: [Int: Inquiry] = [:]
    private var numbers: [Question: Int] = [:]
    /// The inquiries by the time at which to ask again.
    private var asking = WakeQueue<Int>()
    private var lastNumber = 0

    private static let pauseMilliseconds: Int64 = 20
    /// A portion has one message that is larger, or less than this and one more message.
    private static let portionBytes = 1 << 20
    private static let rereadsMax = 3

    /// - Parameter timeout: how long a request waits, in milliseconds.
    init(_ requests: StoreRequests, timeout: Int64, reads: ClusterOptions.Reads = .feed) {
        self.requests = requests
        self.timeout = timeout
        self.reads = reads
        barriers = ReadBarriers(feedCount: requests.layout.shardCount + 1)
    }

    var hasFinished: Bool { loads.hasFinished }

    var deadline: Int64 { min(asking.first, barriers.deadline, loads.deadline) }

    /// Has something loaded for a request.
    ///
    /// - Parameter isBusy: whether a change of the session is undecided.
    func load(
        _ wanted: [LoadRequest], into result: LoadedItems, at now: Int64,
        isBusy: (SessionID) -> Bool
    ) {
        var needs: Set<WaitingLoads.Need> = []
        let control = requests.layout.shardCount
        for request in wanted {
            switch request {
            case .session(let id):
                // A request that has its barriers asks for what the feed did not tell.
                let feeds = [requests.layout.shard(of: id), control]
                let isNew = reads == .quorum && join(feeds, for: result, &needs)
                if !isNew { needs.insert(.answer(.newest(id))) }
            case .acknowledged(let id): join([requests.layout.shard(of: id)], for: result, &needs)
            case .apps: join([control], for: result, &needs)
            case .allSessions: join(0..<control, for: result, &needs)
            case .history(let id): needs.insert(.answer(.history(id)))
            case .tokens(let id): needs.insert(.answer(.tokens(id)))
            case .feed(let number): needs.insert(.feed(number))
            case .turn(let id): if isBusy(id) { needs.insert(.turn(id)) }
            case .records, .peers:
                preconditionFailure("the loader is never asked for that")
            }
        }
        loads.add(result, needs: needs, deadline: now + timeout)
        for case .answer(let question) in needs where numbers[question] == nil {
            lastNumber += 1
            numbers[question] = lastNumber
            inquiries[lastNumber] = Inquiry(question: question)
            wake(lastNumber, at: now)
        }
    }

    /// Has a request wait for barriers.
    ///
    /// - Returns: whether it has to wait for any that it has not waited for.
    @discardableResult
    private func join(
        _ feeds: some Sequence<Int>, for result: LoadedItems,
        _ needs: inout Set<WaitingLoads.Need>
    ) -> Bool {
        let missing = feeds.filter { result.barriers[$0] == nil }
        for feed in missing { needs.insert(.barrier(barriers.join(feed))) }
        return !missing.isEmpty
    }

    /// The items loaded since the last call.
    func takeFinished() -> [LoadedItems] { loads.takeFinished() }

    /// A pending change of the session was decided.
    func changeDecided(of id: SessionID) { loads.meet(.turn(id)) }

    /// The feeds have told of the changes up to a position.
    func told(upTo position: FeedPosition) {
        for number in loads.feeds where position.covers(number) {
            loads.meet(.feed(number)) { $0.awaited[number] = true }
        }
    }

    /// Asks what is due, and gives up what has waited too long.
    func expired(at now: Int64) {
        for number in asking.takeDue(at: now) {
            guard let inquiry = inquiries[number], let time = inquiry.wakesAt, time <= now
            else { continue }
            ask(number, inquiry, at: now)
        }
        sendBarriers(at: now)
        for case .answer(let question) in loads.expired(at: now) {
            if let number = numbers.removeValue(forKey: question) { inquiries[number] = nil }
        }
    }

    // MARK: Barriers

    private func sendBarriers(at now: Int64) {
        for feed in barriers.due(at: now, isNeeded: { loads.isWanted(.barrier($0)) }) {
            let isSent = requests.send(
                requests.layout.barrierSubject(shard(of: feed)), payload: [],
                for: .barrier(feed), at: now)
            if !isSent { barriers.failed(feed, at: now) }
        }
    }

    private func shard(of feed: Int) -> Int? { feed < requests.layout.shardCount ? feed : nil }

    /// The answer to the publication of a barrier came, or did not come in time.
    func barrierAnswered(_ feed: Int, _ message: Message?, at now: Int64) {
        guard case .value(let ack)? = try? message?.publishAck(),
            ack.stream == requests.layout.name(of: shard(of: feed))
        else { return barriers.failed(feed, at: now) }
        reach(barriers.acknowledged(feed, number: ack.sequence))
    }

    /// The feed has delivered a message, and what it says is known.
    func fed(_ feed: Int, upTo number: Int) { reach(barriers.delivered(feed, upTo: number)) }

    private func reach(_ barrier: StreamBarrier?) {
        guard let barrier else { return }
        loads.meet(.barrier(barrier)) { $0.barriers[barrier.feed] = true }
    }

    // MARK: Questions

    private func ask(_ number: Int, _ inquiry: Inquiry, at now: Int64) {
        let subject = requests.layout.subject(of: inquiry.question.item)
        let stream = requests.layout.stream(of: inquiry.question.item)
        inquiries[number]?.wakesAt = nil
        inquiries[number]?.batch = BatchReader(countMax: SessionCell.recordsMax)
        let isSent: Bool
        if inquiry.upTo == nil {
            isSent = requests.get(.last(subject), from: stream, for: .question(number), at: now)
        } else {
            let query = MessageQuery.batch(
                SubjectFilter(subject), from: (inquiry.messages.last?.sequence ?? 0) + 1,
                count: SessionCell.recordsMax, bytes: Self.portionBytes)
            isSent = requests.send(
                JetStreamAPI.directGet(stream), payload: query.body, for: .question(number),
                at: now)
        }
        if !isSent { pause(number, at: now) }
    }

    private func pause(_ number: Int, at now: Int64) {
        let jitter = Int64(requests.random() % UInt64(Self.pauseMilliseconds))
        wake(number, at: now + Self.pauseMilliseconds + jitter)
    }

    /// Has a question asked at that time.
    private func wake(_ number: Int, at time: Int64) {
        inquiries[number]?.wakesAt = time
        asking.add(number, at: time)
    }

    /// The time of a question is up, or its link broke.
    func unanswered(_ number: Int, at now: Int64) { pause(number, at: now) }

    /// An answer came.
    ///
    /// - Returns: whether it was the last one to this question.
    func answered(_ number: Int, _ message: Message, at now: Int64) -> Bool {
        guard let inquiry = inquiries[number], inquiry.wakesAt == nil else { return true }
        guard inquiry.upTo != nil, case .history(let id) = inquiry.question else {
            return takeNewest(number, inquiry, from: message, at: now)
        }
        return takePart(number, inquiry, of: id, from: message, at: now)
    }

    private func takeNewest(
        _ number: Int, _ inquiry: Inquiry, from message: Message, at now: Int64
    ) -> Bool {
        let newest: StoredMessage?
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let stored): newest = stored
        case .refused(let error) where error.kind == .messageNotFound: newest = nil
        case .refused, .noResponders, nil:
            pause(number, at: now)
            return true
        }
        if case .history = inquiry.question, let newest {
            inquiries[number]?.upTo = newest.sequence
            wake(number, at: now)
        } else if case .history = inquiry.question {
            finish(number, .history(SessionHistory()))
        } else {
            finish(number, .answer(inquiry.question, newest, in: requests.layout))
        }
        return true
    }

    private func takePart(
        _ number: Int, _ inquiry: Inquiry, of id: SessionID, from message: Message, at now: Int64
    ) -> Bool {
        guard let answer = try? DirectAnswer(message), let upTo = inquiry.upTo,
            let step = inquiries[number]?.batch.take(answer)
        else {
            pause(number, at: now)
            return true
        }
        switch step {
        case .needsMore: return false
        case .complete(let portion, let pending):
            if hasLostMessages(inquiry, before: portion), readAgain(number, inquiry, at: now) {
                return true
            }
            let messages = inquiry.messages + portion
            if let last = messages.last, last.sequence >= upTo {
                finish(number, .answer(historyOf: id, messages, in: requests.layout))
                return true
            }
            // A replica that is behind has the beginning of the others' messages.
            inquiries[number]?.messages = messages
            if pending > 0, !portion.isEmpty {
                wake(number, at: now)
                return true
            }
        case .empty:
            // This replica is behind, or the messages were removed since the leader was asked.
            inquiries[number]?.upTo = nil
        case .broken: break
        }
        pause(number, at: now)
        return true
    }

    /// Whether messages are missing between the portions before and this one. Newer messages may
    /// have pushed them out of the stream since then.
    private func hasLostMessages(_ inquiry: Inquiry, before portion: [StoredMessage]) -> Bool {
        guard let last = inquiry.messages.last, let next = portion.first,
            let record = try? SharedRecord(next.payload)
        else { return false }
        return record.previous != last.sequence
    }

    /// Reads a history again from the beginning.
    ///
    /// - Returns: false if it begins with the same message again and again. A replica that is
    ///   behind can show that a few times, and later only a damaged history does.
    private func readAgain(_ number: Int, _ inquiry: Inquiry, at now: Int64) -> Bool {
        let first = inquiry.messages.first?.sequence
        let rereads = first == inquiry.firstBefore ? inquiry.rereads + 1 : 0
        guard rereads < Self.rereadsMax else { return false }
        inquiries[number]?.firstBefore = first
        inquiries[number]?.rereads = rereads
        inquiries[number]?.messages = []
        pause(number, at: now)
        return true
    }

    private func finish(_ number: Int, _ item: LoadedItem) {
        guard let question = inquiries.removeValue(forKey: number)?.question else { return }
        numbers[question] = nil
        loads.meet(.answer(question)) { $0.take(item, to: question) }
    }
}
