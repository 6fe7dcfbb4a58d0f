package import NATS
internal import POSIX

/// What happened on a link that requests are sent over.
package enum RequestEvent<Context: Sendable>: Sendable {
    /// The link can be used, and replies come again: subscribe to what else is wanted.
    case ready
    /// A reply, or one of several. `finish` ends the request.
    case reply(Context, Message)
    /// The time of a request is up, or its link broke: it may have had its effect, or may have it
    /// later.
    case unanswered(Context)
    /// A message of a subscription of the owner.
    case message(Message)
    /// The server refused something; the link goes on.
    case warning(String)
    /// The link is gone; another server is tried.
    case closed(LinkFailure, server: ServerAddress?)
}

/// Why a request was not sent.
package enum RequestError: Error, Equatable, Sendable {
    /// There is no link, or too many requests wait.
    case unavailable
    /// The message is larger than the server takes.
    case tooLarge
}

/// A link with an inbox: requests go out, and each reply finds its request.
package final class RequestLink<Context: Sendable> {
    private let link: ServerLink
    private var requests: RequestTable<Context>
    private let name: String
    private var linkCount = 0

    /// The subscription of the inbox. The owner's subscriptions have higher numbers.
    package static var inbox: SubscriptionID { SubscriptionID(1) }

    /// - Parameters:
    ///   - name: one token that no other client of the servers has, such as random digits.
    ///   - countMax: how many requests may wait for a reply at the same time.
    package init(_ link: ServerLink, name: SubjectToken, countMax: Int) {
        self.link = link
        self.name = name.text
        requests = RequestTable(countMax: countMax)
    }

    /// Whether requests can be sent.
    package var isReady: Bool { link.isReady }

    /// The facts that the server gave. Nil before it did.
    package var info: ServerInfo? { link.info }

    /// The number of requests that wait for a reply.
    package var waitingCount: Int { requests.count }

    /// When to call `expired`.
    package var deadline: Int64 { min(link.deadline, requests.deadline ?? .max) }

    /// Sends a request with the next `flush`.
    ///
    /// - Parameter deadline: when it counts as unanswered, in milliseconds.
    package func request(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8], context: Context,
        deadline: Int64
    ) throws(RequestError) {
        guard link.isReady else { throw .unavailable }
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

    /// Sends an operation without a reply, such as a subscription.
    package func send(_ command: Command) { link.send(command) }

    /// Ends the request to which a reply belongs. Other replies to it are dropped.
    package func finish(with reply: Message) { requests.end(with: reply) }

    /// Changes the context of the request to which one of several replies belongs.
    package func update(with reply: Message, _ change: (inout Context) -> Void) {
        requests.update(with: reply, change)
    }

    /// Sends what waits. It is called at the end of each turn.
    package func flush(at now: Int64) -> [RequestEvent<Context>] {
        take(link.flush(at: now))
    }

    /// Reads what came. It is called when one of the link's descriptors has an event.
    package func happened(at now: Int64) -> [RequestEvent<Context>] {
        take(link.happened(at: now))
    }

    /// Asks whether the time of the link or of requests is up.
    package func expired(at now: Int64) -> [RequestEvent<Context>] {
        take(link.expired(at: now)) + requests.expired(at: now).map { .unanswered($0) }
    }

    /// Moves to another server, because this one does not hear the others any more.
    package func leave(at now: Int64) -> [RequestEvent<Context>] { take(link.leave(at: now)) }

    private func take(_ events: [LinkEvent]) -> [RequestEvent<Context>] {
        var taken: [RequestEvent<Context>] = []
        for event in events {
            switch event {
            case .ready:
                linkCount += 1
                // A new inbox for each link: late replies to the last one are not expected.
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
