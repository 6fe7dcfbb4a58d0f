internal import API
internal import HTTP
internal import Navigation

/// Tells clients who is watching, one after another.
struct WatcherTeller {
    var news = WatcherNews()
    /// The list that is being told, and the streams that have not been told yet.
    private var listeners: [Subscriber] = []
    private var frames: StreamFrames?
    /// The reads of one session whose wait is over.
    private var answerable: (id: SessionID, tokens: [UInt64])?

    /// Something to do for one client.
    enum Step {
        /// Answer the read that waits on the connection with this token.
        case answer(UInt64)
        /// Send an event.
        case tell([UInt8], Subscriber)
        /// Nothing: the client has gone since.
        case skip
    }

    /// Whether there is something to do now.
    func hasWork(at now: Int64) -> Bool {
        !listeners.isEmpty || answerable != nil || news.hasWork(at: now)
    }

    /// The next step, or nil if there is nothing to do now.
    mutating func next(_ subscribers: Subscribers, at now: Int64) -> Step? {
        if let step = nextAnswer() ?? nextListener(subscribers) { return step }
        if let id = news.nextToCheck() {
            let least = subscribers.shownByAll(id)
            answerable = (id, news.waits(of: id, upTo: least))
        } else if let id = news.nextToTell(at: now) {
            let watchers = subscribers.watchers(of: id)
            listeners = subscribers.streams(id).values.filter(\.subscription.tellsWatchers)
            frames = StreamFrames(.watchers(watchers))
            news.told(id, rows: watchers.count * listeners.count, at: now)
        } else {
            return nil
        }
        return .skip
    }

    private mutating func nextAnswer() -> Step? {
        guard let id = answerable?.id, let token = answerable?.tokens.popLast() else {
            answerable = nil
            return nil
        }
        return news.isWaiting(token, for: id) ? .answer(token) : .skip
    }

    private mutating func nextListener(_ subscribers: Subscribers) -> Step? {
        guard let listener = listeners.popLast() else {
            frames = nil
            return nil
        }
        guard subscribers[listener.connection.token] === listener,
            let frame = frames?.frame(for: listener.subscription, listener.framing)
        else { return .skip }
        return .tell(frame, listener)
    }
}
