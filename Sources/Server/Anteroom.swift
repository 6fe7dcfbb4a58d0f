internal import API
internal import HTTP
package import POSIX

// Who answers while the store is being opened.
//
// A large log takes seconds to read, and a probe that finds nobody at the address may end the
// process. So a thread of its own answers meanwhile: /livez is well, /readyz is 503, and so is
// everything else. An empty store is open before anybody gets a word from here: the first
// `patienceMilliseconds` nobody is answered, and who has connected by then waits for the real server.

/// The server before the server.
package final class Anteroom: Sendable {
    private let wakeUp: WakeUp
    private let thread: Thread

    private static let patienceMilliseconds = 250
    private static let connectionsMax = 256

    package init(_ listeners: [Listener], signals: FileDescriptor) throws(SystemError) {
        let wakeUp = try WakeUp()
        self.wakeUp = wakeUp
        thread = try Thread(named: "anteroom") {
            // Without it the server is as good once it runs.
            try? Self.run(listeners, signals, wakeUp)
        }
    }

    /// Ends it; connections that got no answer yet are closed.
    package func close() {
        wakeUp.signal()
        thread.join()
    }

    private struct Guest {
        var socket: FileDescriptor
        var input: [UInt8] = []
    }

    private enum Token {
        static let wakeUp: UInt64 = 0
        static let signals: UInt64 = 1
        static let firstListener: UInt64 = 2
        static let firstGuest: UInt64 = 1000
    }

    private static func run(
        _ listeners: [Listener], _ signals: FileDescriptor, _ wakeUp: WakeUp
    ) throws(SystemError) {
        let epoll = try Epoll()
        try epoll.add(wakeUp.descriptor, .readable, token: Token.wakeUp)
        try epoll.add(signals, .readable, token: Token.signals)
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: patienceMilliseconds)
        var guests: [UInt64: Guest] = [:]
        var next = Token.firstGuest
        if events.isEmpty {
            for (index, listener) in listeners.enumerated() {
                let token = Token.firstListener + UInt64(index)
                try epoll.add(listener.descriptor, .readable, token: token)
            }
        }
        while true {
            for event in events {
                switch event.token {
                case Token.wakeUp: return
                case Token.signals:
                    let signal = try Signals.next(signals)
                    // Nothing is lost: what the store has begun it finishes at the next start.
                    if let signal, signal != Signals.hangUp { Process.exit(0) }
                case Token.firstGuest...: serve(event.token, &guests)
                default:
                    let listener = listeners[Int(event.token - Token.firstListener)]
                    guard guests.count < connectionsMax,
                        let accepted = try Socket.accept(listener.descriptor)
                    else { continue }
                    try epoll.add(accepted.descriptor, .readable, token: next)
                    guests[next] = Guest(socket: accepted.descriptor)
                    next += 1
                }
            }
            try epoll.wait(into: &events, timeoutMilliseconds: nil)
        }
    }

    private static func serve(_ token: UInt64, _ guests: inout [UInt64: Guest]) {
        guard var guest = guests[token] else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = (try? guest.socket.receive(into: &buffer, 0..<buffer.count)) ?? 0
        guard count > 0 else {
            guests[token] = nil
            return
        }
        guest.input += buffer[..<count]
        guests[token] = guest
        var parser = RequestParser(limits: ParserLimits())
        switch parser.parse(guest.input, from: 0, to: guest.input.count) {
        case .needsMore(.message), .needsMore(.head): return
        case .needsMore(.body):
            // Whoever waits for 100 Continue is answered too (RFC 9110 §10.1.1).
            let exchange = Exchange.refusal(isHead: parser.isHead)
            send(starting.response(instance: nil), exchange, guest.socket)
        case .request(let request, _): answer(request, guest.socket)
        case .refused(let malformation):
            let exchange = Exchange.refusal(isHead: parser.isHead)
            send(Problem(malformation).response(instance: nil), exchange, guest.socket)
        }
        guests[token] = nil
    }

    private static func answer(_ request: Request, _ socket: FileDescriptor) {
        let path = request.text(request.path) ?? ""
        var exchange = request.exchange
        exchange.keepsAlive = false
        if path == "/livez" {
            return send(
                Response(.ok, contentType: .text, body: Array("ok\n".utf8)), exchange, socket)
        }
        send(starting.response(instance: path), exchange, socket)
    }

    private static let starting = Problem(
        .storeUnavailable, "The server is starting and reading its log. Try again.",
        fields: [ResponseField(.retryAfter, "1")])

    /// A fresh socket takes a short answer at once.
    private static func send(_ response: Response, _ exchange: Exchange, _ socket: FileDescriptor) {
        var output: [UInt8] = []
        let date = DateField(unixSeconds: Clock.realtimeMilliseconds / 1000)
        ResponseEncoder.encode(response, to: exchange, date: date, into: &output)
        _ = try? socket.send(output, 0..<output.count)
        try? Socket.shutdownWriting(socket)
    }
}
