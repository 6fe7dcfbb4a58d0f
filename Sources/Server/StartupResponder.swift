internal import API
internal import Bytes
internal import HTTP
internal import Navigation
public import POSIX

// Answers while the store is being opened.
//
// Reading a large log takes seconds, and a probe that finds no server at the address may end the
// process. So a thread of its own answers meanwhile: 200 at /livez and 503 everywhere else. A small
// store is open before this thread answers anything: it is silent for the first
// `silentMilliseconds`, and clients that have connected by then wait for the event loop.
//
// Clients that send nothing delay no others: the oldest one makes room for the next, and each is
// served for `StartupClients.servedMilliseconds`.

/// Answers clients until the event loop can.
public final class StartupResponder: Sendable {
    private let wakeUp: WakeUp
    private let thread: Thread
    private let failure: Lock<SystemError?>
    private let progress: Lock<String>
    private let hungUp: Lock<Bool>

    private static let silentMilliseconds = 250

    /// Starts the thread.
    ///
    /// - Parameter signals: the descriptor that `Control.signals` returned.
    public init(_ listeners: [Listener], signals: FileDescriptor) throws(SystemError) {
        let (wakeUp, failure) = (try WakeUp(), Lock(SystemError?.none))
        let (progress, hungUp) = (Lock(""), Lock(false))
        (self.wakeUp, self.failure) = (wakeUp, failure)
        (self.progress, self.hungUp) = (progress, hungUp)
        thread = try Thread(named: "startup") {
            do throws(SystemError) {
                try Self.run(
                    listeners, signals: signals, wakeUp: wakeUp, progress: progress, hungUp: hungUp)
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// Adds a sentence to the answers that says how far the start is. It replaces the last one.
    public func say(_ sentence: String) { progress.withLock { $0 = sentence } }

    /// Ends the thread; connections without an answer are closed.
    ///
    /// - Returns: the error that ended it before. The event loop can start all the same.
    public func close() -> SystemError? {
        wakeUp.signal()
        thread.join()
        return failure.withLock { $0 }
    }

    /// Whether SIGHUP was received: the settings, which were read before the store was opened, have
    /// to be read again.
    public var wantsReload: Bool { hungUp.withLock { $0 } }

    private enum Token {
        static let wakeUp: UInt64 = 0
        static let signals: UInt64 = 1
        static let firstListener: UInt64 = 2
        static let firstClient = StartupClients.firstToken
    }

    private static func run(
        _ listeners: [Listener], signals: FileDescriptor, wakeUp: WakeUp,
        progress: Lock<String>, hungUp: Lock<Bool>
    ) throws(SystemError) {
        let epoll = try Epoll()
        try epoll.add(wakeUp.descriptor, .readable, token: Token.wakeUp)
        try epoll.add(signals, .readable, token: Token.signals)
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: silentMilliseconds)
        if events.isEmpty {
            for (index, listener) in listeners.enumerated() {
                let token = Token.firstListener + UInt64(index)
                try epoll.add(listener.descriptor, .readable, token: token)
            }
        }
        var clients = StartupClients()
        var ids = RequestIDs(seed: Random.word())
        while true {
            for event in events {
                switch event.token {
                case Token.wakeUp: return
                case Token.signals:
                    guard let signal = try Signals.next(signals) else { break }
                    // Nothing is lost: the next start finishes what the store has begun.
                    if signal != Signals.hangUp { Process.exit(0) }
                    hungUp.withLock { $0 = true }
                case Token.firstClient...:
                    let problem = starting(progress.withLock { $0 })
                    serve(event.token, &clients, ids: &ids, refusing: problem)
                default:
                    let index = Int(event.token - Token.firstListener)
                    try accept(listeners[index], into: &clients, epoll)
                }
            }
            clients.removeExpired(at: Clock.monotonicMilliseconds)
            let wait = clients.deadline.map { Int(max(0, $0 - Clock.monotonicMilliseconds)) }
            try epoll.wait(into: &events, timeoutMilliseconds: wait)
        }
    }

    private static func accept(
        _ listener: Listener, into clients: inout StartupClients, _ epoll: Epoll
    ) throws(SystemError) {
        do {
            guard let accepted = try Socket.accept(listener.descriptor) else { return }
            let token = clients.add(accepted.descriptor, at: Clock.monotonicMilliseconds)
            try epoll.add(accepted.descriptor, .readable, token: token)
        } catch {
            guard error.isOutOfDescriptors, clients.removeOldest() else { throw error }
        }
    }

    private static func serve(
        _ token: UInt64, _ clients: inout StartupClients, ids: inout RequestIDs,
        refusing starting: Problem
    ) {
        guard var client = clients.remove(token) else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = (try? client.socket.receive(into: &buffer, 0..<buffer.count)) ?? 0
        guard count > 0 else { return }
        client.input += buffer[..<count]
        switch client.parser.parse(client.input, from: 0, to: client.input.count) {
        case .needsMore(.message), .needsMore(.head): clients.putBack(client, token)
        case .needsMore(.body):
            // A client that waits for 100 Continue is answered too (RFC 9110 §10.1.1).
            let exchange = Exchange.refusal(isHead: client.parser.isHead)
            refuse(starting, id: ids.next(), to: exchange, client.socket)
        case .request(let request, _):
            answer(request, id: ids.id(of: request), refusing: starting, client.socket)
        case .refused(let malformation):
            let exchange = Exchange.refusal(isHead: client.parser.isHead)
            refuse(Problem(malformation), id: ids.next(), to: exchange, client.socket)
        }
    }

    private static func answer(
        _ request: Request, id: RequestID, refusing starting: Problem, _ socket: FileDescriptor
    ) {
        let path = request.text(request.path) ?? ""
        var exchange = request.exchange
        exchange.keepsAlive = false
        guard path == "/livez" else {
            return refuse(starting, instance: path, id: id, to: exchange, socket)
        }
        let response = Response(.ok, contentType: .text, body: Array("ok\n".utf8))
        send(response, to: exchange, id: id, socket)
    }

    private static func refuse(
        _ problem: Problem, instance: String? = nil, id: RequestID, to exchange: Exchange,
        _ socket: FileDescriptor
    ) {
        let response = problem.response(instance: instance, id: id)
        send(response, to: exchange, id: id, socket)
    }

    /// - Parameter progress: a sentence that says how far the start is, or nothing.
    private static func starting(_ progress: String) -> Problem {
        let sentences = ["The server is starting and reading its store.", progress, "Try again."]
        return Problem(
            .storeUnavailable, sentences.filter { !$0.isEmpty }.joined(separator: " "),
            fields: [ResponseField(.retryAfter, "1")])
    }

    /// A new socket takes a short answer at once.
    private static func send(
        _ response: Response, to exchange: Exchange, id: RequestID, _ socket: FileDescriptor
    ) {
        var output = ByteWriter(capacity: 1024)
        let date = DateField(unixSeconds: Clock.realtimeMilliseconds / 1000)
        ResponseEncoder.encode(response, to: exchange, id: id, date: date, into: &output)
        _ = output.withText { try? socket.send($0) }
        try? Socket.shutdownWriting(socket)
    }
}
