/// How a stream of one session is opened.
public struct StreamOptions: Sendable, Hashable {
    /// The name of this stream in the list of watchers.
    public var name: String?
    /// Whether each change has its `steps`.
    public var includesSteps: Bool
    /// Whether there is an event whenever the list of watchers changes.
    public var includesWatchers: Bool

    /// Options of a stream; by default, it has only states.
    public init(
        name: String? = nil, includesSteps: Bool = false, includesWatchers: Bool = false
    ) {
        self.name = name
        self.includesSteps = includesSteps
        self.includesWatchers = includesWatchers
    }

    var query: [(String, String?)] {
        [
            ("as", name), ("steps", includesSteps ? "true" : nil),
            ("watchers", includesWatchers ? "true" : nil),
        ]
    }
}

/// The events of one or many sessions, as they happen. If the connection is lost, it is made again
/// and the stream goes on after the last event.
public struct SessionEvents: AsyncSequence, Sendable {
    /// What the sequence yields.
    public typealias Element = SessionEvent
    var items: StreamItems

    public func makeAsyncIterator() -> Iterator { Iterator(items: items.makeAsyncIterator()) }

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var items: Follower

        /// Waits for the next event. Nil when the session has ended, or the last of the sessions.
        /// Throws if the server refuses the stream, for example because the token was revoked.
        public mutating func next() async throws(NavstateError) -> SessionEvent? {
            while let item = try await items.next() {
                if case .event(let event) = item { return event }
            }
            return nil
        }
    }
}

/// The states of one session: first the present one, then every revision, in order, none of them
/// twice. If revisions were missed, the next one has a gap. The sequence ends when the session
/// does.
public struct Changes: AsyncSequence, Sendable {
    /// What the sequence yields.
    public typealias Element = Change
    var events: SessionEvents

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// Reads one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var events: SessionEvents.Iterator

        /// Waits for the next change. Nil when the session has ended.
        public mutating func next() async throws(NavstateError) -> Change? {
            while let event = try await events.next() {
                switch event {
                case .snapshot(let change), .change(let change): return change
                case .hello, .watchers, .ended: continue
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

    /// Follows the session, and tells why it has ended and who else is watching.
    public func events(options: StreamOptions = StreamOptions()) -> SessionEvents {
        SessionEvents(items: items(options: options, waitsForSession: false))
    }

    /// The stream with the state of its connection. With `waitsForSession`, a session that does not
    /// exist yet is waited for.
    func items(
        options: StreamOptions = StreamOptions(), waitsForSession: Bool = true
    ) -> StreamItems {
        var target = StreamTarget(path: path("events"), query: options.query, sessions: [id])
        target.waitsForSession = waitsForSession
        return StreamItems(requester: requester, target: target)
    }
}

extension Navstate {
    /// Follows sessions by their ids, on one connection, until all of them have ended. Without
    /// ids, the sequence is empty.
    public func events(of sessions: [String]) -> SessionEvents {
        let target = StreamTarget(
            path: "/v1/events", sessions: Set(sessions), namesSessions: true)
        return SessionEvents(items: StreamItems(requester: requester, target: target))
    }

    /// Follows all sessions that match, on one connection, without end. The first event is `hello`.
    /// It needs a token with the scope `admin`, if the server asks for tokens.
    public func events(matching filter: SessionFilter = SessionFilter()) -> SessionEvents {
        let target = StreamTarget(path: "/v1/events", query: filter.query)
        return SessionEvents(items: StreamItems(requester: requester, target: target))
    }
}
