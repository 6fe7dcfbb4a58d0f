package import NATS
internal import POSIX

/// An event on a link for requests.
package enum RequestEvent<Context: Sendable>: Sendable {
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

/// Why a request could not be sent.
package enum RequestError: Error, Equatable, Sendable {
    /// The link is not ready, too many requests are outstanding, or the server does not read.
    case unavailable
    /// The message is larger than the server accepts.
    case tooLarge
}

/// A link with an inbox, which matches replies to requests.
package final class RequestLink<Context: Sendable> {
    private let link: ServerLink
    private var requests: RequestTable<Context>
    private let name: String
    private var linkCount = 0

    /// The subscription of the inbox. The owner's subscriptions have higher numbers.
    package static var inbox: SubscriptionID { SubscriptionID(1) }

    /// - Parameters:
    ///   - name: a token that no other client of these servers uses, such as random digits.
    ///   - countMax: the maximum number of outstanding requests.
    package init(_ link: ServerLink, name: SubjectToken, countMax: Int) {
        self.link = link
        self.name = name.text
        requests = RequestTable(countMax: countMax)
    }

    /// Whether requests can be sent.
    package var isReady: Bool { link.isReady }

    /// What the server reported in `INFO`. It is nil until the server has sent it.
    package var info: ServerInfo? { link.info }

    /// Whether the server has read enough of what was sent.
    package var hasRoom: Bool { link.waitingBytes < Self.waitingBytesMax }

    /// With this many bytes before it, a request would not be answered in time.
    private static var waitingBytesMax: Int { 8 << 20 }

    /// The number of outstanding requests.
    package var waitingCount: Int { requests.count }

    /// When to call `expired`, in milliseconds.
    package var deadline: Int64 { min(link.deadline, requests.deadline ?? .max) }

    /// Adds a request, which the next `flush` sends.
    ///
    /// - Parameter deadline: when the request counts as unanswered, in milliseconds.
    package func request(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8], context: Context,
        deadline: Int64
    ) throws(RequestError) {
        guard link.isReady, hasRoom else { throw .unavailable }
        do throws(PublicationError) {
            let unaddressed = Publication(subject, reply: nil, headers: headers, payload: payload)
            try unaddressed.check(link.publishLimits)
        } catch {
            throw .tooLarge
        }
        let reply: Subject
        do throws(RequestTableError) {
            reply = try requests.begin(context, deadline: deadline)
        } catch {
            throw .unavailable
        }
        let publication = Publication(subject, reply: reply, headers: headers, payload: payload)
        link.send(.publish(publication))
    }

    /// Adds an operation that gets no reply, such as a subscription. The next `flush` sends it.
    package func send(_ command: Command) { link.send(command) }

    /// Ends the request to which a reply belongs. Any further replies to it are dropped.
    package func finish(with reply: Message) { requests.end(with: reply) }

    /// Sends what is waiting. It is called at the end of each turn.
    package func flush(at now: Int64) -> [RequestEvent<Context>] {
        take(link.flush(at: now))
    }

    /// Reads what has arrived. It is called when one of the link's descriptors has an event.
    package func happened(at now: Int64) -> [RequestEvent<Context>] {
        take(link.happened(at: now))
    }

    /// Handles deadlines of the link and of requests that have passed.
    package func expired(at now: Int64) -> [RequestEvent<Context>] {
        take(link.expired(at: now)) + requests.expired(at: now).map { .unanswered($0) }
    }

    /// Moves to another server, because this one has lost contact with the others.
    package func leave(at now: Int64) -> [RequestEvent<Context>] { take(link.leave(at: now)) }

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
