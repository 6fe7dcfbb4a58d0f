internal import API
internal import HTTP
internal import Navigation

/// A connection that receives a stream.
final class Subscriber {
    let connection: Connection
    let subscription: Subscription
    let framing: StreamFraming
    /// The number of events that may still be sent; nil for no limit.
    var eventsLeft: Int?

    init(_ connection: Connection, _ subscription: Subscription, framing: StreamFraming) {
        self.connection = connection
        self.subscription = subscription
        self.framing = framing
        eventsLeft = subscription.eventsMax
    }
}

/// The connections that stream or wait, by session. The subscribers of one session are stored
/// together, since telling them of a change is what a busy server does most.
struct Subscribers {
    /// By the connection's token.
    typealias Group = [UInt64: Subscriber]

    private(set) var byToken = Group()
    private var bySession: [SessionID: Group] = [:]
    /// Streams of all sessions.
    private(set) var ofAll = Group()
    /// The reads that wait for a session; `waiting` has their session, and the number of the wait.
    private var waiters: [SessionID: Set<UInt64>] = [:]
    private var waiting: [UInt64: (id: SessionID, number: UInt64)] = [:]
    private var waits: UInt64 = 0

    /// One wait of a connection.
    struct Waiter {
        let token: UInt64
        fileprivate let number: UInt64
    }

    /// The number of streams of one session, without those of all sessions.
    func count(of id: SessionID) -> Int { bySession[id]?.count ?? 0 }

    func isWatched(_ id: SessionID) -> Bool {
        !ofAll.isEmpty || bySession[id] != nil || waiters[id] != nil
    }

    subscript(token: UInt64) -> Subscriber? { byToken[token] }

    mutating func add(_ subscriber: Subscriber) {
        let token = subscriber.connection.token
        byToken[token] = subscriber
        switch subscriber.subscription.scope {
        case .sessions(let ids): for id in ids { bySession[id, default: [:]][token] = subscriber }
        case .all: ofAll[token] = subscriber
        }
    }

    mutating func wait(_ token: UInt64, for id: SessionID) {
        waits += 1
        waiting[token] = (id, waits)
        waiters[id, default: []].insert(token)
    }

    mutating func remove(_ token: UInt64) {
        if let (id, _) = waiting.removeValue(forKey: token) {
            waiters[id]?.remove(token)
            if waiters[id]?.isEmpty == true { waiters[id] = nil }
        }
        guard let subscriber = byToken.removeValue(forKey: token) else { return }
        switch subscriber.subscription.scope {
        case .sessions(let ids):
            for id in ids {
                bySession[id]?[token] = nil
                if bySession[id]?.isEmpty == true { bySession[id] = nil }
            }
        case .all: ofAll[token] = nil
        }
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

    /// Roughly the number of clients to tell of a change of the session.
    func audience(of id: SessionID) -> Int {
        count(of: id) + ofAll.count + (waiters[id]?.count ?? 0)
    }

    /// The streams of one session, without those of all sessions.
    func streams(_ id: SessionID) -> Group { bySession[id] ?? [:] }
}
