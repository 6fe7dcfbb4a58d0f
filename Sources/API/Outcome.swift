package import HTTP
package import Sessions

/// The result of a request.
package enum Outcome: Sendable {
    case reply(Reply)
    /// Load these records, then ask again with the same request.
    case load([RecordLocation])
    /// Ask again at the next change of the session, or when the time is up.
    case wait(LongPoll)
    indirect case stream(StreamOpening)
    /// A copy of the store follows this head.
    case backup(Reply)
}

/// A response, when it may be sent, and what is counted and announced with it.
package struct Reply: Sendable {
    /// What the client gets.
    package var response: Response
    /// The response may be sent when the store is durable up to this number; 0: at once.
    package var visibleAfter: SequenceNumber
    /// The changes that the request made, in the order of their numbers. They are announced when
    /// they are durable.
    package var announcements: [Announcement] = []
    /// The index of the requested endpoint in `Endpoint.all`; nil if there is no such endpoint.
    package var endpoint: Int?
    /// Why the request was refused; nil if it was not.
    package var problem: ProblemKind?

    package init(_ response: Response, visibleAfter: SequenceNumber = 0) {
        self.response = response
        self.visibleAfter = visibleAfter
    }
}
