public import Navigation
public import Sessions

extension Service {
    // MARK: - Tokens

    /// Whether every client may do everything, because the server has no tokens.
    public var isOpen: Bool { access.isOpen }

    /// Replaces the tokens of the server.
    public func replaceTokens(_ tokens: Tokens) { access.replace(tokens) }

    /// Whether an open stream is still allowed: its token may have been revoked or have expired,
    /// and the tokens of the server may have been replaced.
    ///
    /// - Parameter event: the event to be sent, if there is one. The end of a session is
    ///   also sent to streams whose token ended with the session.
    public func mayListen(
        _ subscription: Subscription, at now: Milliseconds, to event: StreamEvent? = nil
    ) -> Bool {
        access.allows(subscription, at: now, event: event)
    }

    // MARK: - The store

    /// Whether a filter of a stream of all sessions selects a session that is known here.
    public func selects(
        _ filter: SessionFilter, _ id: SessionID, at now: Milliseconds
    ) -> Bool {
        if filter.app == nil, filter.labels.isEmpty { return true }
        let reading = state.store.reading
        let handle = try? state.store.tokens.usingLocalState { () throws(StoreError) in
            try reading.find(id, now: now)
        }
        guard let handle = handle ?? nil else { return false }
        return filter.matches(
            app: reading.summary(handle).app, labels: reading.labels(of: handle))
    }

    /// Takes a change from the store's feed.
    ///
    /// - Parameter isHeard: whether any client listens to the session, or waits for its change.
    /// - Returns: the event for these clients; nil if there are none.
    public func event(of change: StoreChange, isHeard: Bool) -> StreamEvent? {
        state.take(change, isHeard: isHeard)
    }

    /// Forgets the changes that the store rolled back because it could not write them.
    public func storeWentBack() { state.rollBack() }

    /// Takes the outcomes of changes with single tickets.
    public func settle(_ outcomes: [DecidedTicket]) { state.caches.sessions.settle(outcomes) }

    /// All of the store has been read. Changes before that were not told.
    public func storeIsRead() {
        state.caches.changes = RecentChanges(completeAfter: state.store.status.fedUpTo)
    }

    /// Stored apps that are invalid, by id, each with the reasons. Their sessions can be read, but
    /// cannot be changed until the app is stored again.
    public var invalidApps: [(id: AppID, faults: [InputFault])] { state.caches.apps.invalid }

    /// Stores apps, all of them or none. Apps that are already stored with the same document are
    /// left as they are.
    ///
    /// - Returns: the tickets of the changes.
    public func store(_ checked: [CheckedApp], at now: Milliseconds) throws(Problem) -> Tickets {
        state.refreshApps()
        do throws(StoreError) {
            let stored = try state.caches.apps.put(checked, in: state.store, at: now)
            var tickets = Tickets.none
            for version in stored { tickets.insert(version.ticket) }
            return tickets
        } catch {
            throw Problem(error)
                ?? Problem(.storeUnavailable, "The store is busy with other changes of apps.")
        }
    }
}
