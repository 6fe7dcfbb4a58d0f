internal import NATS
internal import POSIX

// The socket of a `LinkState`, with an inbox for the replies to requests.
//
// The link reads and writes only when its owner calls it, and never blocks. It reports what
// happened as events, in order. Messages from one read share a buffer.

/// An event on a link.
enum RequestEvent<Context> {
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

/// A connection to the cluster, which is always to one of its servers, and the requests that are
/// outstanding on it.
final class RequestLink<Context> {
    private var state: LinkState
    private var parser = FrameParser()
    private var input = InputBuffer()
    private var output = OutputBuffer()
    private var route: Route
    private var requests: RequestTable<Context>
    private let name: String
    private var linkCount = 0
    private let random: () -> UInt64

    /// The subscription of the inbox. The owner's subscriptions have higher numbers.
    static var inbox: SubscriptionID { SubscriptionID(1) }

    /// - Parameters:
    ///   - route: watches the link's descriptors.
    ///   - name: a token that no other client of these servers uses, such as random digits.
    ///   - countMax: the maximum number of outstanding requests.
    ///   - random: returns a random number. It spreads the waits between attempts and need not be
    ///     secret.
    init(
        _ state: LinkState, over route: Route, name: SubjectToken, countMax: Int,
        random: @escaping () -> UInt64
    ) {
        (self.state, self.route, self.name, self.random) = (state, route, name.text, random)
        requests = RequestTable(countMax: countMax)
    }

    var isReady: Bool { state.phase == .ready }

    /// The server's report in `INFO`. It is nil until the server has sent it.
    var info: ServerInfo? { state.info }

    /// The server that the link is connected to, or that is being tried. It is nil at first.
    var server: ServerAddress? { state.server }

    var waitingBytes: Int { output.count }

    /// Whether the server has read enough of what was sent.
    var hasRoom: Bool { waitingBytes < Self.waitingBytesMax }

    /// With this many bytes before it, a request would not be answered in time.
    private static var waitingBytesMax: Int { 8 << 20 }

    var waitingCount: Int { requests.count }

    var deadline: Int64 { min(state.deadline, requests.deadline ?? .max) }

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
        guard isReady, hasRoom,
            Publication(subject, headers: headers, payload: payload).fits(state.publishLimits),
            let reply = requests.begin(context, deadline: deadline)
        else { return false }
        send(
            .publish(Publication(subject, reply: reply, headers: headers, payload: payload)))
        return true
    }

    /// Adds an operation that gets no reply, such as a subscription, which the next `flush` sends.
    /// It is dropped while the link is not ready: a server that asks for credentials rejects a
    /// client that begins with anything but them.
    func send(_ operation: ClientOperation) {
        if isReady { operation.encode(into: &output.bytes) }
    }

    /// Ends the request to which a reply belongs. Any further replies to it are dropped.
    func finish(with reply: Message) { requests.end(with: reply) }

    // MARK: Turns

    /// Sends what is waiting.
    func flush(at now: Int64) -> [RequestEvent<Context>] {
        guard let socket = route.socket, output.count > 0 else { return [] }
        do throws(SystemError) {
            try output.send(to: socket)
            try route.wait(forRoom: output.count > 0)
            return []
        } catch {
            return outcome(of: state.failed(at: now, random: random()), at: now)
        }
    }

    /// Reads what has arrived, and sends what is waiting. It is called when one of the descriptors
    /// has an event.
    func happened(at now: Int64) -> [RequestEvent<Context>] {
        if state.phase == .connecting { return proceed(at: now) }
        guard let socket = route.socket else { return [] }
        var events: [RequestEvent<Context>] = []
        do throws(SystemError) {
            // Epoll reports again what is left. A second read would copy the buffer, to which the
            // messages of the first one refer.
            if let count = try input.receive(from: socket) {
                guard count > 0 else {
                    return outcome(of: state.failed(at: now, random: random()), at: now)
                }
                parse(at: now, into: &events)
            }
        } catch {
            return outcome(of: state.failed(at: now, random: random()), at: now)
        }
        return events + flush(at: now)
    }

    /// Handles deadlines of the link and of requests that have passed.
    func expired(at now: Int64) -> [RequestEvent<Context>] {
        outcome(of: state.expired(at: now, random: random()), at: now)
            + requests.expired(at: now).map { .unanswered($0) }
    }

    /// Moves to another server, because this one has lost contact with the others.
    func leave(at now: Int64) -> [RequestEvent<Context>] {
        outcome(of: state.leave(at: now, random: random()), at: now)
    }

    /// Continues connecting after the name has been looked up, or the socket has been connected or
    /// has failed.
    private func proceed(at now: Int64) -> [RequestEvent<Context>] {
        do throws(SystemError) {
            guard try route.proceed() else { return [] }
            state.connected(at: now)
            return []
        } catch {
            return outcome(of: state.failed(at: now, random: random()), at: now)
        }
    }

    private func parse(at now: Int64, into events: inout [RequestEvent<Context>]) {
        while true {
            switch parser.parse(input.bytes, from: input.start, to: input.bytes.count) {
            case .needsMore(let bytes): return input.expect(bytes)
            case .frame(let frame, let consumed):
                input.consume(consumed)
                let socket = route.socket
                perform(
                    state.received(frame, at: now, random: random()), at: now, into: &events)
                // Once the link is closed, the rest of the input is meaningless.
                guard let socket, route.socket === socket else { return }
            case .refused(let error):
                let action = state.malformed(error, at: now, random: random())
                return perform(action, at: now, into: &events)
            }
        }
    }

    private func outcome(of action: LinkAction, at now: Int64) -> [RequestEvent<Context>] {
        var events: [RequestEvent<Context>] = []
        perform(action, at: now, into: &events)
        return events
    }

    private func perform(
        _ action: LinkAction, at now: Int64, into events: inout [RequestEvent<Context>]
    ) {
        switch action {
        case .none: break
        case .connect(let server):
            do throws(SystemError) { try route.begin(to: server) } catch {
                perform(state.failed(at: now, random: random()), at: now, into: &events)
            }
        case .send(let operations):
            for operation in operations { operation.encode(into: &output.bytes) }
            events += flush(at: now)
        case .ready:
            linkCount += 1
            // Each link has a new inbox, so that late replies to requests of the previous one are
            // not mistaken for others.
            let inbox = Subject(trusted: "_INBOX.\(name).\(linkCount)")
            send(.subscribe(requests.linked(inbox: inbox), Self.inbox))
            events.append(.ready)
        case .message(let message) where message.subscription == Self.inbox:
            if let context = requests.context(for: message) {
                events.append(.reply(context, message))
            }
        case .message(let message): events.append(.message(message))
        case .warn(let text): events.append(.warning(text))
        case .close(let failure):
            let server = state.server
            route.end()
            parser = FrameParser()
            input = InputBuffer()
            output = OutputBuffer()
            events.append(.closed(failure, server: server))
            events += requests.unlinked().map { .unanswered($0) }
        }
    }
}
