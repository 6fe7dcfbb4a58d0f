public import HTTP
internal import JSON
public import Navigation
public import Sessions

/// The result of a request.
public enum Outcome {
    case reply(Reply)
    /// Load this, then make the same request again.
    case load([LoadRequest])
    /// Ask again at the next change of the session, or when the time is up.
    case wait(LongPoll)
    indirect case stream(StreamOpening)
    /// A portion of the request has been carried out. Ask again for the rest.
    indirect case pause(Pause)
    /// Record what a watcher shows, then send the reply.
    indirect case shown(ShownReport)
    /// A copy of the store follows this head.
    case backup(Reply)
}

/// A response, the changes that it has to wait for, and what is counted with it.
public struct Reply: Sendable {
    /// The response to the client.
    public var response: Response
    /// The response may be sent once these changes are kept.
    public var visibleAfter: Tickets
    /// The approximate number of clients to notify of the changes that the request made.
    public var audience = 0
    /// The name of the token that a change came with, if the token has one. Nil for a read.
    public var author: TokenName?
    /// The index of the requested endpoint in `Endpoint.all`, if there is such an endpoint.
    public var endpoint: Int?
    /// Why the request was refused, if it was.
    public var problem: ProblemKind?
    /// How a refusal that takes the place of the response is written, for a message of an agent.
    public var form: AnswerForm?
}

extension Reply {
    public init(
        _ response: Response, visibleAfter: Tickets = .none, audience: Int = 0
    ) {
        self.init(
            response: response, visibleAfter: visibleAfter, audience: audience, endpoint: nil,
            problem: nil)
    }

    /// - Parameter visibleAfter: the change that must be kept before the response is sent.
    init(_ response: Response, visibleAfter: Ticket) {
        self.init(response, visibleAfter: Tickets(visibleAfter))
    }

    /// A response with an object.
    init(_ object: JSONObject, visibleAfter: Tickets = .none) {
        self.init(
            Response(.ok, contentType: .json, body: object.bytes), visibleAfter: visibleAfter)
    }

    init(_ object: JSONObject, visibleAfter: Ticket) {
        self.init(object, visibleAfter: Tickets(visibleAfter))
    }
}

/// The end of a portion of a request that is carried out in portions, so that others are answered
/// between them.
public struct Pause: Sendable {
    /// The work that has been done so far. The service is given it together with the same request.
    public var progress: CommandProgress
    /// The request continues in a later turn, once these changes are decided.
    public var visibleAfter: Tickets
    /// The approximate number of clients to notify of the changes of this portion.
    public var audience = 0
}
