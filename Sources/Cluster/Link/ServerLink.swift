internal import NATS
internal import POSIX

// The socket of a `LinkState`.
//
// The link reads and writes only when its owner calls it, and never blocks. It reports what
// happened as events, in order. Messages from one read share a buffer.

/// An event on a link.
enum LinkEvent: Sendable {
    /// The link is ready: subscribe, and send what is waiting.
    case ready
    case message(Message)
    /// The server rejected an operation. The link stays open.
    case warning(String)
    /// The link was closed. The outcome of outstanding requests is unknown. Another server will be
    /// tried.
    case closed(LinkFailure, server: ServerAddress?)
}

/// A connection to the cluster, which is always to one of its servers.
final class ServerLink {
    private var state: LinkState
    private var parser: FrameParser
    private let limits: ProtocolLimits
    private var input = InputBuffer()
    private var output = OutputBuffer()
    private var route: Route
    private let random: () -> UInt64

    /// - Parameters:
    ///   - epoll: watches the link's descriptors with its token.
    ///   - random: returns a random number. It spreads the waits between attempts and need not be
    ///     secret.
    init(
        _ state: LinkState, limits: ProtocolLimits = ProtocolLimits(), epoll: Epoll, token: UInt64,
        random: @escaping () -> UInt64
    ) {
        self.state = state
        self.limits = limits
        parser = FrameParser(limits: limits)
        route = Route(epoll: epoll, token: token)
        self.random = random
    }

    var isReady: Bool { state.phase == .ready }

    var publishLimits: ProtocolLimits { state.publishLimits }

    /// What the server reported in `INFO`. It is nil until the server has sent it.
    var info: ServerInfo? { state.info }

    /// The server that the link is connected to, or that is being tried. It is nil at first.
    var server: ServerAddress? { state.server }

    var deadline: Int64 { state.deadline }

    var waitingBytes: Int { output.count }

    /// Adds an operation, which the next `flush` sends. It is dropped while the link is not ready:
    /// a server that asks for credentials rejects a client that begins with anything but them.
    func send(_ operation: ClientOperation) {
        if isReady { operation.encode(into: &output.bytes) }
    }

    /// Sends what is waiting.
    func flush(at now: Int64) -> [LinkEvent] {
        guard let socket = route.socket, output.count > 0 else { return [] }
        do throws(SystemError) {
            try output.send(to: socket)
            try route.wait(forRoom: output.count > 0)
            return []
        } catch {
            return perform(state.failed(at: now, random: random()), at: now)
        }
    }

    /// Reads what has arrived, and sends what is waiting. It is called when one of the descriptors
    /// has an event.
    func happened(at now: Int64) -> [LinkEvent] {
        if state.phase == .connecting { return proceed(at: now) }
        guard let socket = route.socket else { return [] }
        var events: [LinkEvent] = []
        do throws(SystemError) {
            // Epoll reports again what is left.
            for _ in 0..<Self.readsMax where route.socket === socket {
                guard let count = try input.receive(from: socket) else { break }
                guard count > 0 else {
                    return events + perform(state.failed(at: now, random: random()), at: now)
                }
                events += parse(at: now)
            }
        } catch {
            return events + perform(state.failed(at: now, random: random()), at: now)
        }
        return events + flush(at: now)
    }

    /// Acts if the deadline has passed, and does nothing otherwise.
    func expired(at now: Int64) -> [LinkEvent] {
        perform(state.expired(at: now, random: random()), at: now)
    }

    /// Moves to another server, because this one has lost contact with the others.
    func leave(at now: Int64) -> [LinkEvent] {
        perform(state.leave(at: now, random: random()), at: now)
    }

    /// Continues connecting after the name has been looked up, or the socket has been connected or
    /// has failed.
    private func proceed(at now: Int64) -> [LinkEvent] {
        do throws(SystemError) {
            guard try route.proceed() else { return [] }
            state.connected(at: now)
            return []
        } catch {
            return perform(state.failed(at: now, random: random()), at: now)
        }
    }

    private static let readsMax = 4

    private func parse(at now: Int64) -> [LinkEvent] {
        var events: [LinkEvent] = []
        while true {
            switch parser.parse(input.bytes, from: input.start, to: input.end) {
            case .needsMore(let bytes):
                input.expect(bytes)
                return events
            case .frame(let frame, let consumed):
                input.consume(consumed)
                let socket = route.socket
                events += perform(state.received(frame, at: now, random: random()), at: now)
                // Once the link is closed, the rest of the input is meaningless.
                guard let socket, route.socket === socket else { return events }
            case .refused(let error):
                let action = state.malformed(error, at: now, random: random())
                return events + perform(action, at: now)
            }
        }
    }

    private func perform(_ action: LinkAction, at now: Int64) -> [LinkEvent] {
        switch action {
        case .none: return []
        case .connect(let server):
            do throws(SystemError) { try route.begin(to: server) } catch {
                return perform(state.failed(at: now, random: random()), at: now)
            }
            return []
        case .send(let operations):
            for operation in operations { operation.encode(into: &output.bytes) }
            return flush(at: now)
        case .ready: return [.ready]
        case .message(let message): return [.message(message)]
        case .warn(let text): return [.warning(text)]
        case .close(let failure):
            let server = state.server
            route.end()
            parser = FrameParser(limits: limits)
            input = InputBuffer()
            output = OutputBuffer()
            return [.closed(failure, server: server)]
        }
    }
}
