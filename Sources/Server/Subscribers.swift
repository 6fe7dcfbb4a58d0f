internal import API
internal import HTTP
internal import Navigation

/// A connection that streams.
struct Subscriber {
    let token: UInt64
    var subscription: Subscription
    var framing: StreamFraming
    /// Events that it may still be told; nil: without end.
    var eventsLeft: Int?
    /// The head and the first events may leave when this is durable.
    var visibleAfter: SequenceNumber
}

/// Everybody who listens or waits, by what they listen to.
struct Subscribers {
    private(set) var byToken: [UInt64: Subscriber] = [:]
    /// Tokens of streams and of reads that wait, by session.
    private var bySession: [SessionID: Set<UInt64>] = [:]
    private var ofAll: Set<UInt64> = []
    private var waiting: [UInt64: SessionID] = [:]

    /// Streams of one session, without those of all.
    func count(of id: SessionID) -> Int {
        bySession[id, default: []].count { waiting[$0] == nil }
    }

    func isWatched(_ id: SessionID) -> Bool { !ofAll.isEmpty || bySession[id] != nil }

    subscript(token: UInt64) -> Subscriber? {
        get { byToken[token] }
        set { if let newValue { byToken[token] = newValue } else { remove(token) } }
    }

    mutating func add(_ subscriber: Subscriber) {
        byToken[subscriber.token] = subscriber
        switch subscriber.subscription.scope {
        case .sessions(let ids):
            for id in ids { bySession[id, default: []].insert(subscriber.token) }
        case .all: ofAll.insert(subscriber.token)
        }
    }

    mutating func wait(_ token: UInt64, for id: SessionID) {
        waiting[token] = id
        bySession[id, default: []].insert(token)
    }

    mutating func remove(_ token: UInt64) {
        if let id = waiting.removeValue(forKey: token) { leave(id, token) }
        guard let subscriber = byToken.removeValue(forKey: token) else { return }
        switch subscriber.subscription.scope {
        case .sessions(let ids): for id in ids { leave(id, token) }
        case .all: ofAll.remove(token)
        }
    }

    private mutating func leave(_ id: SessionID, _ token: UInt64) {
        bySession[id]?.remove(token)
        if bySession[id]?.isEmpty == true { bySession[id] = nil }
    }

    /// All reads that wait.
    var allWaiting: [UInt64] { Array(waiting.keys) }

    /// Reads that wait for a change of the session.
    func waiters(_ id: SessionID) -> [UInt64] {
        bySession[id, default: []].filter { waiting[$0] != nil }
    }

    /// Streams that may want to be told of the session.
    func streams(_ id: SessionID) -> [UInt64] {
        bySession[id, default: []].filter { waiting[$0] == nil } + ofAll
    }
}
