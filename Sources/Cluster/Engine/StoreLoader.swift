internal import NATS
internal import Navigation
internal import Sessions

// Asks the servers for what requests need. Requests that need the same share one question.
//
//     question   is asked of
//     newest     the stream's leader
//     history    the leader for the newest number, then any replica for all messages up to it
//     tokens     the leader
//     app        the leader
//
// A replica may be behind. It is asked again until it has the number that the leader named.

/// What requests wait for, and the questions that are open.
final class StoreLoader {
    private struct Load {
        var result: LoadedItems
        var questions: Set<Question> = []
        /// Sessions whose undecided change must be decided first.
        var turns: Set<SessionID> = []
        /// Barriers that the feeds must deliver first.
        var barriers: Set<StreamBarrier> = []
        /// Changes that the feed must have told of first.
        var feeds: Set<SequenceNumber> = []
        let deadline: Int64

        var isFinished: Bool {
            questions.isEmpty && turns.isEmpty && barriers.isEmpty && feeds.isEmpty
        }
    }

    private struct Inquiry {
        let question: Question
        /// The stream sequence that a replica must have. Nil until the leader has named it.
        var upTo: Int?
        var batch = BatchReader(countMax: SessionCell.recordsMax)
        /// When to ask again. Nil while an answer is awaited.
        var wakesAt: Int64?
    }

    private let requests: StoreRequests
    private let timeout: Int64
    private let reads: ClusterOptions.Reads
    private let barriers: BarrierRequests
    private var loads: [Load] = []
    private var inquiries: [Int: Inquiry] = [:]
    private var numbers: [Question: Int] = [:]
    private var lastNumber = 0
    private var finished: [LoadedItems] = []

    private static let pauseMilliseconds: Int64 = 20

    /// - Parameter timeout: how long a request waits, in milliseconds.
    init(_ requests: StoreRequests, timeout: Int64, reads: ClusterOptions.Reads = .feed) {
        self.requests = requests
        self.timeout = timeout
        self.reads = reads
        barriers = BarrierRequests(requests)
    }

    /// The number of requests that wait.
    var count: Int { loads.count }

    /// Whether `takeFinished` has something.
    var hasFinished: Bool { !finished.isEmpty }

    /// When to call `expired`.
    var deadline: Int64 {
        let asking = inquiries.values.reduce(Int64.max) { min($0, $1.wakesAt ?? .max) }
        return min(asking, barriers.deadline, loads.first?.deadline ?? .max)
    }

    /// Has something loaded for a request.
    ///
    /// - Parameter isBusy: whether a change of the session is undecided.
    func load(
        _ wanted: [LoadRequest], into result: LoadedItems, at now: Int64,
        isBusy: (SessionID) -> Bool
    ) {
        var load = Load(result: result, deadline: now + timeout)
        let control = requests.layout.shardCount
        for request in wanted {
            switch request {
            case .session(let id):
                // A request that has its barriers asks for what the feed did not tell.
                let isNew = join([requests.layout.shard(of: id), control], &load)
                if !isNew { load.questions.insert(.newest(id)) }
            case .apps: join([control], &load)
            case .allSessions: join(0..<control, &load)
            case .history(let id): load.questions.insert(.history(id))
            case .tokens(let id): load.questions.insert(.tokens(id))
            case .app(let id): load.questions.insert(.app(id))
            case .feed(let number): load.feeds.insert(number)
            case .turn(let id): if isBusy(id) { load.turns.insert(id) }
            case .records, .sessionCount, .peers:
                preconditionFailure("the loader is never asked for that")
            }
        }
        guard !load.isFinished else {
            finished.append(load.result)
            return
        }
        loads.append(load)
        for question in load.questions where numbers[question] == nil {
            lastNumber += 1
            numbers[question] = lastNumber
            inquiries[lastNumber] = Inquiry(question: question, wakesAt: now)
        }
    }

    /// Has a request wait for barriers, if reads need a quorum.
    ///
    /// - Returns: whether it has to wait for any that it has not waited for.
    @discardableResult
    private func join(_ feeds: some Sequence<Int>, _ load: inout Load) -> Bool {
        guard reads == .quorum else { return false }
        let missing = feeds.filter { load.result.barriers[$0] == nil }
        for feed in missing { load.barriers.insert(barriers.join(feed)) }
        return !missing.isEmpty
    }

    /// What was loaded for requests since the last call.
    func takeFinished() -> [LoadedItems] { takeFinished(forBackups: false) }

    /// What was loaded for backups since the last call.
    func takeFinishedBackups() -> [LoadedItems] { takeFinished(forBackups: true) }

    private func takeFinished(forBackups: Bool) -> [LoadedItems] {
        let taken = finished.filter { $0.isForBackup == forBackups }
        finished.removeAll { $0.isForBackup == forBackups }
        return taken
    }

    /// The change of a session that was undecided is decided.
    func turnCame(of id: SessionID) {
        for index in loads.indices { loads[index].turns.remove(id) }
        finishLoads()
    }

    /// The feeds have told of the changes up to a position.
    func told(upTo position: FeedPosition) {
        guard loads.contains(where: { !$0.feeds.isEmpty }) else { return }
        for index in loads.indices {
            for number in loads[index].feeds where position.covers(number) {
                loads[index].feeds.remove(number)
                loads[index].result.awaited[number] = true
            }
        }
        finishLoads()
    }

    /// Asks what is due, and gives up what has waited too long.
    func expired(at now: Int64) {
        for (number, inquiry) in inquiries {
            if let time = inquiry.wakesAt, time <= now { ask(number, inquiry, at: now) }
        }
        barriers.send(at: now) { barrier in loads.contains { $0.barriers.contains(barrier) } }
        while let first = loads.first, first.deadline <= now {
            loads.removeFirst()
            var result = first.result
            for question in first.questions { result.items[question] = .unanswered }
            for barrier in first.barriers { result.barriers[barrier.feed] = false }
            for number in first.feeds { result.awaited[number] = false }
            finished.append(result)
            dropUnwanted(first.questions)
        }
    }

    private func dropUnwanted(_ questions: Set<Question>) {
        for question in questions where !loads.contains(where: { $0.questions.contains(question) })
        {
            if let number = numbers.removeValue(forKey: question) { inquiries[number] = nil }
        }
    }

    // MARK: Barriers

    /// The feed has delivered a message, and what it says is known.
    func fed(_ feed: Int, upTo number: Int) { reach(barriers.delivered(feed, upTo: number)) }

    private func reach(_ barrier: StreamBarrier?) {
        guard let barrier else { return }
        for index in loads.indices where loads[index].barriers.remove(barrier) != nil {
            loads[index].result.barriers[barrier.feed] = true
        }
        finishLoads()
    }

    // MARK: Questions

    private func ask(_ number: Int, _ inquiry: Inquiry, at now: Int64) {
        let subject = requests.layout.subject(of: inquiry.question.item)
        let stream = requests.stream(of: inquiry.question.item)
        inquiries[number]?.wakesAt = nil
        inquiries[number]?.batch = BatchReader(countMax: SessionCell.recordsMax)
        let isSent: Bool
        if inquiry.upTo == nil {
            isSent = requests.get(.last(subject), from: stream, for: .question(number), at: now)
        } else {
            let query = MessageQuery.batch(
                SubjectFilter(subject), from: 1, count: SessionCell.recordsMax)
            isSent = requests.send(
                JetStreamAPI.directGet(stream), payload: query.body, for: .question(number),
                at: now)
        }
        if !isSent { pause(number, at: now) }
    }

    private func pause(_ number: Int, at now: Int64) {
        let jitter = Int64(requests.random() % UInt64(Self.pauseMilliseconds))
        inquiries[number]?.wakesAt = now + Self.pauseMilliseconds + jitter
    }

    /// The time of a question is up, or its link broke.
    func unanswered(_ number: Int, at now: Int64) {
        if BarrierRequests.isAbout(number) {
            barriers.unanswered(number, at: now)
        } else {
            pause(number, at: now)
        }
    }

    /// An answer came.
    ///
    /// - Returns: whether it was the last one to this question.
    func answered(_ number: Int, _ message: Message, at now: Int64) -> Bool {
        if BarrierRequests.isAbout(number) {
            reach(barriers.answered(number, message, at: now))
            return true
        }
        guard let inquiry = inquiries[number], inquiry.wakesAt == nil else { return true }
        guard inquiry.upTo != nil, case .history(let id) = inquiry.question else {
            return takeNewest(number, inquiry, from: message, at: now)
        }
        return takePart(number, of: id, from: message, at: now)
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
            inquiries[number]?.wakesAt = now
        } else if case .history = inquiry.question {
            finish(number, .history(SessionHistory()))
        } else {
            finish(number, .answer(inquiry.question, newest, in: requests.layout))
        }
        return true
    }

    private func takePart(
        _ number: Int, of id: SessionID, from message: Message, at now: Int64
    ) -> Bool {
        guard let answer = try? DirectAnswer(message), let upTo = inquiries[number]?.upTo,
            let step = inquiries[number]?.batch.take(answer)
        else {
            pause(number, at: now)
            return true
        }
        switch step {
        case .needsMore: return false
        case .complete(let messages, _):
            if let last = messages.last, last.sequence >= upTo {
                finish(number, .answer(historyOf: id, messages, in: requests.layout))
                return true
            }
        case .empty, .broken, .refused: break
        }
        pause(number, at: now)
        return true
    }

    private func finish(_ number: Int, _ item: LoadedItem) {
        guard let question = inquiries.removeValue(forKey: number)?.question else { return }
        numbers[question] = nil
        for index in loads.indices where loads[index].questions.contains(question) {
            loads[index].questions.remove(question)
            loads[index].result.items[question] = item
        }
        finishLoads()
    }

    private func finishLoads() {
        loads.removeAll { load in
            guard load.isFinished else { return false }
            finished.append(load.result)
            return true
        }
    }
}
