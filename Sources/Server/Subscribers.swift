internal import API
internal import HTTP
internal import Navigation
internal import Sessions

/// A connection that receives a stream.
final class Subscriber {
    let connection: Connection
    let subscription: Subscription
    let framing: StreamFraming
    /// The form in which the stream gets its events.
    let form: StreamEvent.Form
    /// When the stream was opened.
    let since: Int64
    /// The number of events that may still be sent, or nil for no limit.
    var eventsLeft: Int?
    /// When the last event or heartbeat was sent.
    var lastLineAt: Int64
    /// The revisions that the client has reported to show.
    var shown: [SessionID: Int] = [:]
    /// The changes that the client has not received yet, in their order. While there are any, the
    /// stream is in the `DeliveryQueue`, which keeps them.
    var undelivered: [StreamEvent] = []

    /// Whether so many changes wait that the stream ends. Other servers of a shared store do not
    /// wait until this one has told of their changes. The client connects again, perhaps to one of
    /// them, and continues from its last event or from the newest state.
    var isTooFarBehind: Bool { undelivered.count > Self.undeliveredMax }

    static let undeliveredMax = 16_384

    /// Whether the client knew the change when the stream began.
    func knows(_ sequence: SequenceNumber) -> Bool { subscription.after.covers(sequence) }

    init(
        _ connection: Connection, _ subscription: Subscription, framing: StreamFraming,
        since: Int64
    ) {
        self.connection = connection
        self.subscription = subscription
        self.framing = framing
        form = StreamEvent.Form(subscription, framing)
        self.since = since
        lastLineAt = since
        eventsLeft = subscription.eventsMax
    }
}

/// The connections that stream or wait, by session. The subscribers of one session are stored
/// together, since telling them of a change is the most frequent work of a busy server. It is a
/// class, so that the tables are read in place.
final class Subscribers {
    /// All streams, by the token of the connection.
    private(set) var byToken: [UInt64: Subscriber] = [:]
    /// The streams of each session, in the order in which they were opened.
    private var bySession: [SessionID: [Subscriber]] = [:]
    /// The streams of all sessions, in the same order.
    private(set) var ofAll: [Subscriber] = []
    /// The reads that wait for a session; `waiting` has their session, and the number of the wait.
    private var waiters: [SessionID: Set<UInt64>] = [:]
    private var waiting: [UInt64: (id: SessionID, number: UInt64)] = [:]
    private var waits: UInt64 = 0
    /// The number of streams that want steps: of each session, and of all sessions.
    private var stepStreams: [SessionID: Int] = [:]
    private var stepStreamsOfAll = 0

    /// One wait of a connection.
    struct Waiter {
        let token: UInt64
        fileprivate let number: UInt64
    }

    /// The number of streams of one session, without those of all sessions.
    func count(of id: SessionID) -> Int { bySession[id]?.count ?? 0 }

    func wantsSteps(_ id: SessionID) -> Bool {
        stepStreamsOfAll > 0 || (!stepStreams.isEmpty && stepStreams[id] != nil)
    }

    subscript(token: UInt64) -> Subscriber? { byToken[token] }

    func add(_ subscriber: Subscriber) {
        byToken[subscriber.connection.token] = subscriber
        switch subscriber.subscription.scope {
        case .sessions(let ids): for id in ids { bySession[id, default: []].append(subscriber) }
        case .all: ofAll.append(subscriber)
        }
        countSteps(of: subscriber.subscription, 1)
    }

    private func countSteps(of subscription: Subscription, _ number: Int) {
        guard subscription.wantsSteps else { return }
        switch subscription.scope {
        case .sessions(let ids):
            for id in ids {
                let count = stepStreams[id, default: 0] + number
                stepStreams[id] = count > 0 ? count : nil
            }
        case .all: stepStreamsOfAll += number
        }
    }

    func wait(_ token: UInt64, for id: SessionID) {
        waits += 1
        waiting[token] = (id, waits)
        waiters[id, default: []].insert(token)
    }

    func remove(_ token: UInt64) {
        if let (id, _) = waiting.removeValue(forKey: token) {
            waiters[id]?.remove(token)
            if waiters[id]?.isEmpty == true { waiters[id] = nil }
        }
        guard let subscriber = byToken.removeValue(forKey: token) else { return }
        switch subscriber.subscription.scope {
        case .sessions(let ids):
            for id in ids {
                bySession[id]?.removeFirst(subscriber)
                if bySession[id]?.isEmpty == true { bySession[id] = nil }
            }
        case .all: ofAll.removeFirst(subscriber)
        }
        countSteps(of: subscriber.subscription, -1)
    }

    /// The tokens of all reads that wait.
    var allWaiting: [UInt64] { Array(waiting.keys) }

    /// Reads that wait for a change of the session.
    func waiters(_ id: SessionID) -> [Waiter] {
        (waiters[id] ?? []).compactMap { token in
            waiting[token].map { Waiter(token: token, number: $0.number) }
        }
    }

    /// Whether the wait has not ended.
    func has(_ waiter: Waiter) -> Bool { waiting[waiter.token]?.number == waiter.number }

    /// The approximate number of clients to notify of a change of the session.
    func audience(of id: SessionID) -> Int {
        count(of: id) + ofAll.count + (waiters[id]?.count ?? 0)
    }

    /// The streams of one session, without those of all sessions.
    func streams(_ id: SessionID) -> [Subscriber] { bySession[id] ?? [] }

    /// The streams that want signals of the session.
    ///
    /// - Parameter selects: whether a filter of streams of all sessions selects it.
    func listeners(
        toSignalsOf id: SessionID, _ selects: (SessionFilter) -> Bool
    ) -> [Subscriber] {
        let own = streams(id).filter(\.subscription.wantsSignals)
        return own
            + ofAll.filter { subscriber in
                guard subscriber.subscription.wantsSignals,
                    case .all(let filter) = subscriber.subscription.scope
                else { return false }
                return selects(filter)
            }
    }

    /// The streams of one session as clients see them, the oldest first.
    func watchers(of id: SessionID) -> [Watcher] {
        streams(id).map { subscriber in
            Watcher(
                name: subscriber.subscription.name, since: subscriber.since,
                shown: subscriber.shown[id])
        }
    }

    /// The revision that every named stream of the session has shown, or a later one; the greatest
    /// number if there is no such stream.
    func shownByAll(_ id: SessionID) -> Int {
        streams(id).lazy.filter { $0.subscription.name != nil }
            .map { $0.shown[id] ?? 0 }.min() ?? .max
    }
}

extension [Subscriber] {
    /// Removes a subscriber that is in the list once. The others keep their order.
    fileprivate mutating func removeFirst(_ subscriber: Subscriber) {
        if let index = firstIndex(where: { $0 === subscriber }) { remove(at: index) }
    }
}
