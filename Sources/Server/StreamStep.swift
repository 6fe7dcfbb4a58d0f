internal import API

/// Something to do for one client of the hub.
enum StreamStep {
    /// Answer the read that waits on the connection with this token.
    case answer(UInt64, hasWaited: Bool)
    /// Send a part of the stream.
    case send([UInt8], to: Subscriber)
    /// Send the last part of the stream, which may be empty, and end it.
    case end(Subscriber, after: [UInt8])
    /// Nothing: the client has gone since.
    case skip
}

extension Subscriber {
    /// The step that sends an event, and ends the stream if it is the last one.
    func step(_ frame: [UInt8]) -> StreamStep {
        countEvent() ? .end(self, after: frame) : .send(frame, to: self)
    }

    /// Counts the event of a change.
    ///
    /// - Returns: whether the stream ends with it.
    func countEvent(of announcement: Announcement) -> Bool {
        let isEnd = announcement.event.name.isEnd
        // The next session of this name has other revisions.
        if isEnd { shown[announcement.id] = nil }
        return countEvent() || isEnd && subscription.endsWithSession
    }

    private func countEvent() -> Bool {
        if let left = eventsLeft { eventsLeft = left - 1 }
        return eventsLeft == 0
    }
}
