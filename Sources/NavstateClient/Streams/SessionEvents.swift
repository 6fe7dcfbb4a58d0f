/// Options for the stream of one session.
public struct StreamOptions: Sendable, Hashable {
    /// The name under which this stream appears in the list of watchers.
    public var name: String?
    /// Whether each change comes with its `steps`.
    public var includesSteps: Bool
    /// Whether an event is sent whenever the list of watchers changes.
    public var includesWatchers: Bool
    /// Whether signals are delivered.
    public var includesSignals: Bool

    /// Creates options. By default, the stream delivers only states.
    public init(
        name: String? = nil, includesSteps: Bool = false, includesWatchers: Bool = false,
        includesSignals: Bool = false
    ) {
        self.name = name
        self.includesSteps = includesSteps
        self.includesWatchers = includesWatchers
        self.includesSignals = includesSignals
    }

    var query: [(String, String?)] {
        [
            ("as", name), ("steps", includesSteps ? "true" : nil),
            ("watchers", includesWatchers ? "true" : nil),
            ("signals", includesSignals ? "true" : nil),
        ]
    }
}

/// The events of one or more sessions, as they happen. If the connection is lost, it is reopened
/// and the stream continues after the last event.
public struct SessionEvents: AsyncSequence, Sendable {
    /// A value of the sequence.
    public typealias Element = SessionEvent
    var items: StreamItems

    public func makeAsyncIterator() -> Iterator { Iterator(items: items.makeAsyncIterator()) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        var items: Follower

        /// Waits for the next event. Returns nil once all the sessions have ended. Throws if the
        /// server refuses the stream, for example because the token was revoked.
        public mutating func next() async throws(NavstateError) -> SessionEvent? {
            while let item = try await items.next() {
                if case .event(let event) = item { return event }
            }
            return nil
        }
    }
}

/// The states of one session: first the current one, then each new revision once and in order. If
/// revisions were missed, the next change has a gap. The sequence ends when the session does.
public struct Changes: AsyncSequence, Sendable {
    /// A value of the sequence.
    public typealias Element = Nav.Change
    var events: SessionEvents

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// Iterates over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        var events: SessionEvents.Iterator

        /// Waits for the next change. Returns nil once the session has ended.
        public mutating func next() async throws(NavstateError) -> Nav.Change? {
            while let event = try await events.next() {
                switch event {
                case .snapshot(let change), .change(let change): return change
                case .hello, .watchers, .signal, .ended: continue
                }
            }
            return nil
        }
    }
}

extension RemoteSession {
    /// Follows the session.
    ///
    /// ```swift
    /// for try await change in session.changes() {
    ///     if change.hasGap { print("Some revisions were missed.") }
    ///     print(change.revision, change.session.visible.route)
    /// }
    /// ```
    public func changes(options: StreamOptions = StreamOptions()) -> Changes {
        Changes(events: events(options: options))
    }

    /// Follows the session. Unlike `changes(options:)`, this also reports the watchers and why the
    /// session ended.
    public func events(options: StreamOptions = StreamOptions()) -> SessionEvents {
        SessionEvents(items: items(options: options, waitsForSession: false))
    }

    /// The stream, including the state of its connection. With `waitsForSession`, it waits for the
    /// session if it does not exist yet.
    func items(
        options: StreamOptions = StreamOptions(), waitsForSession: Bool = true
    ) -> StreamItems {
        var target = StreamTarget(path: path("events"), query: options.query, sessions: [id])
        target.waitsForSession = waitsForSession
        return StreamItems(requester: requester, target: target)
    }
}

extension Navstate {
    /// Follows the sessions with these ids on one connection until all of them have ended. If there
    /// are no ids, the sequence is empty.
    public func events(of sessions: [String]) -> SessionEvents {
        let target = StreamTarget(
            path: "/v1/events", sessions: Set(sessions), namesSessions: true)
        return SessionEvents(items: StreamItems(requester: requester, target: target))
    }

    /// Follows all sessions that match the filter on one connection. The sequence begins with a
    /// `hello` event and never ends by itself. If the server requires tokens, this needs one with
    /// the scope `admin`.
    public func events(matching filter: SessionFilter = SessionFilter()) -> SessionEvents {
        let target = StreamTarget(path: "/v1/events", query: filter.query)
        return SessionEvents(items: StreamItems(requester: requester, target: target))
    }
}
