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
    ///
    /// - Parameter isEnd: whether the stream ends with the event in any case.
    func step(_ frame: [UInt8], isEnd: Bool = false) -> StreamStep {
        if let left = eventsLeft { eventsLeft = left - 1 }
        return isEnd || eventsLeft == 0 ? .end(self, after: frame) : .send(frame, to: self)
    }
}
