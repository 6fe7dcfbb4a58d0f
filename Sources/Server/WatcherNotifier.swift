internal import API
internal import HTTP
internal import Navigation
internal import Sessions

/// Tells clients who is watching, one after another.
struct WatcherNotifier {
    var news = WatcherChanges()
    /// The list that is being told, and the streams that have not been told yet.
    private var listeners: [Subscriber] = []
    private var event: StreamEvent?
    /// The reads of one session whose wait is over.
    private var answerable: (id: SessionID, tokens: [UInt64])?

    /// Something to do for one client.
    enum Step {
        /// Answer the read that waits on the connection with this token.
        case answer(UInt64)
        /// Send an event.
        case tell(StreamEvent, Subscriber)
        /// Nothing: the client has gone since, or other servers have not answered yet.
        case skip
    }

    /// Records what the displays of that name show.
    ///
    /// - Returns: whether there are such displays.
    mutating func note(
        _ report: DisplayReport, _ subscribers: Subscribers, at now: Int64
    ) -> Bool {
        let displays = subscribers.streams(report.id)
            .filter { $0.subscription.name == report.name }
        for display in displays { display.shown[report.id] = report.revision }
        news.listChanged(of: report.id, at: now)
        return !displays.isEmpty
    }

    /// Takes over what other servers that share the store have answered, and asks them again if it
    /// is time to.
    mutating func askPeers(of store: any Engine, at now: Int64) {
        for round in store.takePeerRounds() { news.take(round, at: now) }
        let ids = news.takeQuestion(to: store.peers, at: now)
        if !ids.isEmpty { store.askPeers(.watchers(ids)) }
    }

    /// Whether there is something to do now.
    func hasWork(at now: Int64) -> Bool {
        !listeners.isEmpty || answerable != nil || news.hasWork(at: now)
    }

    /// The next step, or nil if there is nothing to do now.
    mutating func next(_ subscribers: Subscribers, at now: Int64) -> Step? {
        if let step = nextAnswer() ?? nextListener(subscribers) { return step }
        if let id = news.nextToCheck() {
            guard let others = news.others(of: id) else { return .skip }
            let least = min(subscribers.shownByAll(id), others.shownByAll)
            answerable = (id, news.waits(of: id, upTo: least))
        } else if let id = news.nextToSend(at: now) {
            guard let others = news.others(of: id) else { return .skip }
            let watchers = subscribers.watchers(of: id).joined(with: others)
            listeners = subscribers.streams(id).filter(\.subscription.sendsWatchers)
            event = StreamEvent(watchers: watchers)
            news.sent(id, rows: watchers.count * listeners.count, at: now)
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
            event = nil
            return nil
        }
        guard let event, subscribers[listener.connection.token] === listener else { return .skip }
        return .tell(event, listener)
    }
}

extension [Watcher] {
    /// The revision that every named watcher has shown, or a later one; the greatest number if
    /// there is no such watcher.
    fileprivate var shownByAll: Int {
        lazy.filter { $0.name != nil }.map { $0.shown ?? 0 }.min() ?? .max
    }
}
