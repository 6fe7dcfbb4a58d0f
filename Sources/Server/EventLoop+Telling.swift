internal import API
internal import HTTP
internal import Navigation
internal import Storage

// How streams and waiting reads are told of changes.
//
// A change is told when it is durable, to one client after another, and the next change when all
// clients have been told of this one. Its bytes are made once for each form in which a client wants
// them. Before each event the loop checks that the token with which the stream began is still valid;
// a stream whose token was revoked or has expired ends.

/// A change that is to be told.
struct PendingAnnouncement {
    var announcement: Announcement
    /// The clients that were to be told of it when it was made.
    var audience: Int
}

/// A change that is being told, and the clients that have not been told yet.
struct Telling {
    let announcement: Announcement
    var waiters: [Subscribers.Waiter]
    var listeners: [Subscriber]
    var frames: StreamFrames

    var left: Int { waiters.count + listeners.count }
}

extension EventLoop {
    /// Keeps changes until they are durable; then clients are told of them.
    func announce(_ made: [Announcement]) {
        for announcement in made {
            let audience = subscribers.audience(of: announcement.id)
            eventsOwed += audience
            announcements.append(
                PendingAnnouncement(announcement: announcement, audience: audience))
        }
    }

    /// Forgets changes that the store has taken back.
    func forgetAnnouncements() {
        announcements.removeAll { pending in
            guard pending.announcement.sequence > store.durable else { return false }
            eventsOwed -= pending.audience
            return true
        }
    }

    /// Whether a change can be told now.
    var hasEventsToTell: Bool { telling != nil || nextToTell != nil }

    private var nextToTell: PendingAnnouncement? {
        announcements.first.flatMap { $0.announcement.sequence <= store.durable ? $0 : nil }
    }

    /// Tells one client of one change.
    ///
    /// - Returns: false if there is nothing to tell.
    func tellNext() -> Bool {
        if telling == nil {
            guard let pending = nextToTell else { return false }
            _ = announcements.popFirst()
            beginTelling(pending)
        }
        if let waiter = telling?.waiters.popLast() {
            eventsOwed -= 1
            if subscribers.has(waiter) { resume(waiter.token, hasWaited: false) }
        } else if let listener = telling?.listeners.popLast() {
            eventsOwed -= 1
            // The stream may have ended since the list was made.
            if subscribers[listener.connection.token] === listener { tell(listener) }
        }
        if telling?.left == 0 { telling = nil }
        return true
    }

    private func beginTelling(_ pending: PendingAnnouncement) {
        let announcement = pending.announcement
        let listeners =
            subscribers.streams(announcement.id).values.filter {
                announcement.sequence > $0.subscription.after
            } + subscribers.ofAll.values.filter { $0.subscription.takes(announcement) }
        let begun = Telling(
            announcement: announcement, waiters: subscribers.waiters(announcement.id),
            listeners: listeners, frames: StreamFrames(announcement.event))
        eventsOwed += begun.left - pending.audience
        telling = begun
    }

    private func tell(_ subscriber: Subscriber) {
        let (connection, subscription) = (subscriber.connection, subscriber.subscription)
        guard let announcement = telling?.announcement else { return }
        guard
            service.isOpen || service.mayListen(subscription, at: now, to: announcement)
        else { return refuseFurther(subscriber) }
        guard let frame = telling?.frames.frame(subscription.format, subscriber.framing) else {
            return
        }
        if let left = subscriber.eventsLeft { subscriber.eventsLeft = left - 1 }
        let isLast =
            subscriber.eventsLeft == 0
            || (announcement.event.name.isEnd && subscription.endsWithSession)
        push(frame, to: connection, flushes: !isLast)
        if isLast {
            end(connection, subscriber.framing)
            finishStream(connection, subscriber.framing)
        }
    }
}

/// The bytes of one event in each form that was asked for, made once.
struct StreamFrames {
    private let event: StreamEvent
    private var made: [(ContentType, StreamFraming, [UInt8])] = []

    init(_ event: StreamEvent) { self.event = event }

    mutating func frame(_ format: ContentType, _ framing: StreamFraming) -> [UInt8] {
        for known in made where known.0 == format && known.1 == framing { return known.2 }
        var frame: [UInt8] = []
        framing.append(event.encoded(as: format), to: &frame)
        made.append((format, framing, frame))
        return frame
    }
}
