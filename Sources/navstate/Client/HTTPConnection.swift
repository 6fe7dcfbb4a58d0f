internal import Bytes
package import HTTP
internal import POSIX

/// Why there is no response.
package enum TransportError: Error, Equatable, Sendable {
    /// No connection could be made, so that nothing was sent.
    case unreachable(String)
    /// The connection has ended before the response has.
    case lost(String)
    /// Nothing was received within the time limit.
    case timedOut
    /// The server sent something other than an HTTP response.
    case malformed(MalformedResponseError)
    /// The response is larger than a client reads.
    case tooLarge
    /// The reader of this program's output is gone.
    case outputClosed

    /// The error, as the end of a sentence.
    package var text: String {
        switch self {
        case .unreachable(let why): why
        case .lost(let why): "the connection was lost: \(why)"
        case .timedOut: "no response within the time of --timeout"
        case .malformed(let error): "the response \(error.text)"
        case .tooLarge: "the response is too large"
        case .outputClosed: "the output is closed"
        }
    }
}

/// A connection to a server for one request.
struct HTTPConnection {
    private let socket: FileDescriptor
    private let wait: Wait

    /// Connects to the first address of the host that accepts the connection.
    ///
    /// - Parameters:
    ///   - milliseconds: the longest time for connecting, and for each wait after it.
    ///   - isTotal: whether it is the limit for all waits together.
    ///   - ending: descriptors that end each wait, see `Wait`.
    init(
        to address: ServerURL, timeoutMilliseconds milliseconds: Int64, isTotal: Bool = false,
        ending: [Int32] = []
    ) throws(TransportError) {
        do {
            wait = try Wait(milliseconds, isTotal: isTotal, ending: ending)
            socket = try Self.connect(address, within: milliseconds)
            try wait.epoll.add(socket, .readable, token: Token.socket)
        } catch {
            throw .unreachable(error.text)
        }
    }

    private static func connect(
        _ address: ServerURL, within milliseconds: Int64
    ) throws(SystemError) -> FileDescriptor {
        if let path = address.path {
            return try Socket.connect(path: path, waitingAtMost: milliseconds)
        }
        let end = Clock.monotonicMilliseconds + milliseconds
        var failure = SystemError(
            "getaddrinfo", number: SystemError.notFound,
            explanation: "the host name is unknown")
        for host in try addresses(of: address.host, within: milliseconds) {
            do {
                let rest = max(1, end - Clock.monotonicMilliseconds)
                return try Socket.connect(address: host, port: address.port, waitingAtMost: rest)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func addresses(
        of host: String, within milliseconds: Int64
    ) throws(SystemError) -> [String] {
        if Socket.isNumeric(host) { return [host] }
        let lookUp = try HostLookUp(host)
        let wait = try Wait(milliseconds)
        try wait.epoll.add(lookUp.wakeDescriptor, .readable, token: Token.socket)
        guard try wait.next() != nil, let found = lookUp.addresses else {
            throw SystemError("getaddrinfo", number: SystemError.timedOut)
        }
        return found
    }

    /// Sends a request. A server that refuses it early may close the connection before all of it
    /// was sent; the response is there nevertheless.
    func send(_ bytes: [UInt8]) throws(TransportError) {
        var start = 0
        do throws(SystemError) {
            while start < bytes.count {
                if let count = try socket.send(bytes, start..<bytes.count) {
                    start += count
                    continue
                }
                try wait.epoll.change(socket, .writable, token: Token.socket)
                guard try wait.next() != nil else {
                    throw SystemError("send", number: SystemError.timedOut)
                }
            }
            try wait.epoll.change(socket, .readable, token: Token.socket)
        } catch {
            if error.number == SystemError.timedOut { throw .timedOut }
            do throws(SystemError) {
                try wait.epoll.change(socket, .readable, token: Token.socket)
            } catch { throw .lost(error.text) }
        }
    }

    /// Waits for the next bytes. Returns none at the end of the connection.
    func receive() throws(TransportError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let token: UInt64?
            do {
                token = try wait.next()
                if token == Token.socket,
                    let count = try socket.receive(into: &buffer, 0..<buffer.count)
                {
                    return Array(buffer[..<count])
                }
            } catch {
                throw .lost(error.text)
            }
            guard let token else { throw .timedOut }
            if token == Token.ending { throw .outputClosed }
        }
    }
}

private enum Token {
    static let socket: UInt64 = 0
    static let ending: UInt64 = 1
}

/// Waits for descriptors with a time limit.
struct Wait {
    let epoll: Epoll
    private let milliseconds: Int64
    private let lastEnd: Int64

    /// - Parameter ending: descriptors that end each wait: the output when its reader is gone, and
    ///   another one when it is readable.
    init(
        _ milliseconds: Int64, isTotal: Bool = false, ending: [Int32] = []
    ) throws(SystemError) {
        epoll = try Epoll(eventsMax: 2)
        for number in ending {
            // A regular file cannot be watched, and does not close.
            let interest = number > 2 ? Epoll.Interest.readable : .nothing
            try? epoll.add(number: number, interest, token: Token.ending)
        }
        self.milliseconds = milliseconds
        lastEnd = isTotal ? Clock.monotonicMilliseconds + milliseconds : .max
    }

    /// Waits for a time.
    ///
    /// - Returns: whether one of the descriptors has ended it.
    static func pause(_ milliseconds: Int64, ending: [Int32]) throws(ExitError) -> Bool {
        do throws(SystemError) {
            return try Wait(milliseconds, ending: ending).next() != nil
        } catch {
            throw ExitError(.internalError, error.description)
        }
    }

    /// The highest token that has an event, or nil at the end of the time.
    func next() throws(SystemError) -> UInt64? {
        let end = min(lastEnd, Clock.monotonicMilliseconds + milliseconds)
        var events: [Epoll.Event] = []
        while events.isEmpty {
            let rest = end - Clock.monotonicMilliseconds
            guard rest > 0 else { return nil }
            // A signal ends the wait without events.
            try epoll.wait(into: &events, timeoutMilliseconds: Int(rest))
        }
        return events.map(\.token).max()
    }
}
