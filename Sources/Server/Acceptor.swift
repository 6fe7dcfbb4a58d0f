internal import API
internal import HTTP
internal import Navigation
internal import POSIX

// How connections are accepted, and which ones are closed to make room for new ones.
//
// The connections of one address are limited, except for addresses of this machine, where proxies
// connect from. A connection above that limit gets 429 and is closed.
//
// When `connectionsMax` connections are open, or the process has no descriptors left, a new
// connection takes the place of an open one. The acceptor samples some connections and closes the
// first of them in this order:
//
//   1. idle connections: a client knows that these may close at any time (RFC 9112 §9.3.1)
//   2. connections that were answered for the last time and wait for the client to close
//   3. requests that have been arriving for at least `graceMilliseconds`; they get 408
//   4. answers to requests of at least that age that the client has not read yet
//   5. reads that have been waiting for a change for that long; they are answered without it
//   6. streams that have been open for that long; they end as at a shutdown
//
// Within a kind, connections of the address with the most connections come first, then the oldest.
// Requests that are being processed and backups are never closed.

/// Accepts connections within the server's limits.
final class Acceptor {
    private let parts: LoopParts
    private var listeners: [Listener]
    private let transport: Transport
    private let events: ConnectionEvents
    private let epoll: Epoll
    private var pause: Pause?

    /// Why no connections are accepted at the moment, and until when.
    private struct Pause {
        /// When to try again even if no connection closes.
        var until: Int64?
        /// The number of connections that had closed when the pause began.
        var closedCount: UInt64
    }

    /// The token of the first listener; the others follow.
    static let firstToken: UInt64 = 16
    /// The number of connections that are accepted before other clients are served again.
    private static let acceptsMax = 4
    /// The wait before accepting is tried again.
    private static let pauseMilliseconds: Int64 = 100
    /// The time that a new connection has for its first bytes before it counts as idle.
    private static let firstBytesMilliseconds: Int64 = 250
    /// The age from which a message in transit, a wait or a stream makes room for others.
    private static let graceMilliseconds: Int64 = 2_000

    init(
        _ parts: LoopParts, transport: Transport, listeners: [Listener],
        events: ConnectionEvents, epoll: Epoll
    ) throws(SystemError) {
        self.parts = parts
        self.listeners = listeners
        self.events = events
        self.epoll = epoll
        self.transport = transport
        try watchListeners()
    }

    // MARK: - Accepting

    /// Queues the listener with that token: it has connections to be accepted.
    func enqueue(_ token: UInt64) {
        let index = Int(token - Self.firstToken)
        guard index < listeners.count, !listeners[index].isQueued else { return }
        listeners[index].isQueued = true
        parts.share.enqueueListener(token)
    }

    /// Accepts some connections of the listener with that token.
    func accept(at token: UInt64) throws(SystemError) {
        let index = Int(token - Self.firstToken)
        guard index < listeners.count else { return }
        listeners[index].isQueued = false
        guard pause == nil else { return }
        try accept(listeners[index])
    }

    private func accept(_ listener: Listener) throws(SystemError) {
        for _ in 0..<Self.acceptsMax {
            guard parts.connections.count < parts.options.connectionsMax || makeRoom() else {
                return try beginPause(until: parts.clock.now + Self.pauseMilliseconds)
            }
            do {
                guard let accepted = try Socket.accept(listener.descriptor) else { return }
                parts.share.spend(.connection)
                try welcome(accepted, isForMetrics: listener.isForMetrics)
                // The next connection finds room, if closing an idle one is enough for that. Slow
                // ones are only closed when the kernel reports that another client waits.
                if parts.connections.count == parts.options.connectionsMax,
                    !makeRoom(onlyIdle: true)
                {
                    return
                }
            } catch {
                guard error.isOutOfDescriptors else {
                    // The error concerns this one connection, which is closed.
                    continue
                }
                guard makeRoom() else {
                    return try beginPause(until: parts.clock.now + Self.pauseMilliseconds)
                }
            }
        }
    }

    /// Adds an accepted connection to the loop, or refuses it if its address has too many.
    func welcome(_ accepted: Socket.Accepted, isForMetrics: Bool) throws(SystemError) {
        let address = accepted.client
        guard
            address.isLocal
                || parts.connections.count(from: address) < parts.options.connectionsOfAddressMax
        else { return refuse(accepted) }
        let number = parts.observer.connectionAccepted()
        let connection = parts.connections.insert { token in
            Connection(
                accepted.descriptor, token: token,
                origin: ConnectionOrigin(
                    number: number, address: address, isForMetrics: isForMetrics),
                state: ConnectionState(parts.options.deadlines, at: parts.clock.now),
                limits: parts.options.parser)
        }
        do {
            try transport.watch(connection)
        } catch {
            parts.connections.remove(connection)
            throw error
        }
    }

    private func refuse(_ accepted: Socket.Accepted) {
        parts.observer.connectionRefused()
        let count = parts.options.connectionsOfAddressMax
        events.turnAway(
            accepted.descriptor,
            Problem(
                .tooManyRequests,
                "The client's address has \(count) open connections, which is the limit. Close some, "
                    + "or send several requests on one connection.",
                fields: [ResponseField(.retryAfter, "1")]))
    }

    // MARK: - Pauses

    /// When to try to accept again, if accepting is paused for a time.
    var retryTime: Int64? { pause?.until }

    /// Accepts again if the pause is over, or if a connection has closed since it began.
    func resumeIfPossible() {
        guard let pause, !listeners.isEmpty else { return }
        let isOver = pause.until.map { $0 <= parts.clock.now } ?? false
        guard isOver || parts.connections.closedCount != pause.closedCount else { return }
        do {
            try watchListeners()
            self.pause = nil
        } catch {
            // The kernel has no memory for it; the next connection that closes tries again.
            self.pause = Pause(until: nil, closedCount: parts.connections.closedCount)
        }
    }

    /// Refuses new connections from now on.
    func stop() throws(SystemError) {
        try beginPause(until: nil)
        for listener in listeners { listener.removeFile() }
        listeners = []
    }

    private func beginPause(until time: Int64?) throws(SystemError) {
        let wasPaused = pause != nil
        pause = Pause(until: time, closedCount: parts.connections.closedCount)
        guard !wasPaused else { return }
        for listener in listeners { try epoll.remove(listener.descriptor) }
    }

    private func watchListeners() throws(SystemError) {
        for (index, listener) in listeners.enumerated() {
            try epoll.add(
                listener.descriptor, .readable, token: Self.firstToken + UInt64(index))
        }
    }

    // MARK: - Making room

    /// The occupation of a connection. The higher the value, the sooner it makes room.
    private enum Occupation: Int {
        case stream, wait, slowAnswer, slowRequest, lingering, idle
    }

    /// Closes a connection to make room for a new one.
    ///
    /// - Returns: false if none of those that were looked at may be closed.
    private func makeRoom(onlyIdle: Bool = false) -> Bool {
        var found: (connection: Connection, rank: (Int, Int, Int64, UInt64))?
        for connection in parts.connections.sample() {
            guard let (occupation, age) = occupation(of: connection),
                !onlyIdle || occupation == .idle
            else { continue }
            let rank = (
                occupation.rawValue, parts.connections.count(from: connection.origin.address), age,
                UInt64.max - connection.origin.number
            )
            if found.map({ rank > $0.rank }) ?? true { found = (connection, rank) }
        }
        guard let connection = found?.connection else { return false }
        events.evict(connection)
        return true
    }

    /// The occupation of the connection and its duration. Nil if it may not be closed now.
    private func occupation(of connection: Connection) -> (Occupation, age: Int64)? {
        let state = connection.state
        let (occupation, since): (Occupation, Int64)
        switch state.phase {
        case .idle:
            // A client that has just connected has had no chance to send anything.
            let age = parts.clock.now - state.since
            let least = connection.exchange.hasBegun ? 1 : Self.firstBytesMilliseconds
            guard !connection.queuing.isQueued, age >= least else { return nil }
            return (.idle, age)
        case .lingering: return (.lingering, parts.clock.now - state.since)
        case .head, .body: (occupation, since) = (.slowRequest, state.since)
        case .writing: (occupation, since) = (.slowAnswer, connection.exchange.requestedAt)
        case .streaming:
            guard !parts.backups.serves(connection) else { return nil }
            (occupation, since) = (.stream, connection.exchange.requestedAt)
        case .answering:
            guard connection.isWaiting else { return nil }
            (occupation, since) = (.wait, connection.exchange.requestedAt)
        case .closed: return nil
        }
        return parts.clock.now - since >= Self.graceMilliseconds
            ? (occupation, parts.clock.now - since) : nil
    }
}
