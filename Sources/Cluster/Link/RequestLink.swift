internal import NATS

/// An event on a link for requests.
enum RequestEvent<Context: Sendable>: Sendable {
    /// The link is ready, and replies can be received. The owner now makes its own subscriptions.
    case ready
    /// A reply to a request, or one of several. Call `finish` to end the request.
    case reply(Context, Message)
    /// A request timed out or lost its link. It may have taken effect, or may still do so.
    case unanswered(Context)
    /// A message for one of the owner's subscriptions.
    case message(Message)
    /// The server rejected an operation. The link stays open.
    case warning(String)
    /// The link was closed. Another server will be tried.
    case closed(LinkFailure, server: ServerAddress?)
}

/// A link with an inbox, which matches replies to requests.
final class RequestLink<Context: Sendable> {
    private let link: ServerLink
    private var requests: RequestTable<Context>
    private let name: String
    private var linkCount = 0

    /// The subscription of the inbox. The owner's subscriptions have higher numbers.
    static var inbox: SubscriptionID { SubscriptionID(1) }

    /// - Parameters:
    ///   - name: a token that no other client of these servers uses, such as random digits.
    ///   - countMax: the maximum number of outstanding requests.
    init(_ link: ServerLink, name: SubjectToken, countMax: Int) {
        self.link = link
        self.name = name.text
        requests = RequestTable(countMax: countMax)
    }

    /// Whether requests can be sent.
    var isReady: Bool { link.isReady }

    /// What the server reported in `INFO`. It is nil until the server has sent it.
    var info: ServerInfo? { link.info }

    /// Whether the server has read enough of what was sent.
    var hasRoom: Bool { link.waitingBytes < Self.waitingBytesMax }

    /// With this many bytes before it, a request would not be answered in time.
    private static var waitingBytesMax: Int { 8 << 20 }

    var waitingCount: Int { requests.count }

    var deadline: Int64 { min(link.deadline, requests.deadline ?? .max) }

    /// Adds a request, which the next `flush` sends.
    ///
    /// - Parameter deadline: when the request counts as unanswered, in milliseconds.
    /// - Returns: false if it cannot be sent: the link is not ready, too many requests are
    ///   outstanding, the server does not read, or it does not accept so large a message.
    @discardableResult
    func request(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8], context: Context,
        deadline: Int64
    ) -> Bool {
        guard link.isReady, hasRoom,
            Publication(subject, headers: headers, payload: payload).fits(link.publishLimits),
            let reply = requests.begin(context, deadline: deadline)
        else { return false }
        link.send(
            .publish(Publication(subject, reply: reply, headers: headers, payload: payload)))
        return true
    }

    /// Adds an operation that gets no reply, such as a subscription. The next `flush` sends it.
    func send(_ operation: ClientOperation) { link.send(operation) }

    /// Ends the request to which a reply belongs. Any further replies to it are dropped.
    func finish(with reply: Message) { requests.end(with: reply) }

    /// Sends what is waiting. It is called at the end of each turn.
    func flush(at now: Int64) -> [RequestEvent<Context>] {
        take(link.flush(at: now))
    }

    /// Reads what has arrived. It is called when one of the link's descriptors has an event.
    func happened(at now: Int64) -> [RequestEvent<Context>] {
        take(link.happened(at: now))
    }

    /// Handles deadlines of the link and of requests that have passed.
    func expired(at now: Int64) -> [RequestEvent<Context>] {
        take(link.expired(at: now)) + requests.expired(at: now).map { .unanswered($0) }
    }

    /// Moves to another server, because this one has lost contact with the others.
    func leave(at now: Int64) -> [RequestEvent<Context>] { take(link.leave(at: now)) }

    private func take(_ events: [LinkEvent]) -> [RequestEvent<Context>] {
        var taken: [RequestEvent<Context>] = []
        for event in events {
            switch event {
            case .ready:
                linkCount += 1
                // Each link has a new inbox, so that late replies to requests of the previous one
                // are not mistaken for others.
                let inbox = Subject(trusted: "_INBOX.\(name).\(linkCount)")
                link.send(.subscribe(requests.linked(inbox: inbox), Self.inbox))
                taken.append(.ready)
            case .message(let message) where message.subscription == Self.inbox:
                if let context = requests.context(for: message) {
                    taken.append(.reply(context, message))
                }
            case .message(let message): taken.append(.message(message))
            case .warning(let text): taken.append(.warning(text))
            case .closed(let failure, let server):
                taken.append(.closed(failure, server: server))
                taken += requests.unlinked().map { .unanswered($0) }
            }
        }
        return taken
    }
}
