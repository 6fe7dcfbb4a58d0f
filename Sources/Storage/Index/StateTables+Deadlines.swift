internal import Navigation
internal import Sessions

// Changes that are due in sessions without a request, apart from their own expiry.

extension StateTables {
    /// Takes out a session in which something is due. If the idle time of an app has changed, a
    /// part of the sessions is looked at instead, and nil is returned.
    mutating func takeDue(now: Milliseconds) -> DueSession? {
        guard !deadlines.isRenewing else {
            renewDeadlines()
            return nil
        }
        return deadlines.takeDue(now: now).map { due in
            DueSession(id: index.id(due.handle), mayBeIdle: due.mayBeIdle)
        }
    }

    /// Considers the new idle times of apps for a part of the sessions.
    private mutating func renewDeadlines() {
        let part = deadlines.renewalPlace
        var last: (number: UInt32, app: AppID?) = (0, nil)
        for (handle, entry) in index.sessions(in: part) where entry.app != 0 {
            if entry.app != last.number {
                let app = appNames[entry.app]
                last = (entry.app, app.flatMap { deadlines.isRenewing($0) ? $0 : nil })
            }
            if let app = last.app { deadlines.renew(handle, at: entry.second, app: app) }
        }
        deadlines.renewed(upTo: part + 1 < index.partCount ? part + 1 : nil)
    }
}
