internal import API
internal import HTTP
internal import Navigation
package import POSIX

// How connections are accepted, and which ones are closed to make room for new ones.
//
// The connections of one address are limited, except for addresses of this machine, where proxies
// connect from. A connection above that limit gets 429 and is closed.
//
// When `connectionsMax` connections are open, or the process has no descriptors left, a new
// connection takes the place of an open one. The loop samples some connections and closes the first
// of them in this order:
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

extension EventLoop {
    /// The number of connections that are accepted before other clients are served again.
    private static let acceptsMax = 4
    /// The wait before accepting is tried again.
    private static let pauseMilliseconds: Int64 = 100
    /// The age from which a message in transit, a wait or a stream makes room for others.
    private static let graceMilliseconds: Int64 = 2_000

    /// Accepts some connections of the listener with that token.
    func accept(at token: UInt64) throws(SystemError) {
        let index = Int(token - Token.firstListener)
        guard index < listeners.count else { return }
        listeners[index].isQueued = false
        guard isAccepting else { return }
        try accept(listeners[index])
    }

    private func accept(_ listener: Listener) throws(SystemError) {
        for _ in 0..<Self.acceptsMax {
            guard connections.count < options.connectionsMax || makePlace() else {
                return try pauseAccepting(retries: true)
            }
            do {
                guard let accepted = try Socket.accept(listener.descriptor) else { return }
                work.spend(.connection)
                try welcome(accepted, isForMetrics: listener.isForMetrics)
                // The next connection finds a place, if an idle connection is enough for that.
                // A slow one is only closed when the kernel says that somebody waits.
                if connections.count == options.connectionsMax, !makePlace(onlyIdle: true) {
                    return
                }
            } catch {
                if error.isOutOfDescriptors, makePlace() { continue }
                if error.isOutOfDescriptors { return try pauseAccepting(retries: true) }
                // Any other error concerns this one connection, which is closed.
            }
        }
    }

    /// Adds an accepted connection to the loop, or refuses it if its address has too many.
    package func welcome(
        _ accepted: Socket.Accepted, isForMetrics: Bool = false
    ) throws(SystemError) {
        let address = accepted.client
        let open = connectionsByAddress[address, default: 0]
        guard address.isLocal || open < options.connectionsOfAddressMax else {
            return refuse(accepted)
        }
        metrics.connectionsAccepted += 1
        let descriptor = accepted.descriptor
        let connection = connections.insert { token in
            Connection(
                descriptor: descriptor, token: token,
                state: ConnectionState(options.deadlines, at: now),
                parser: RequestParser(limits: options.parser), number: metrics.connectionsAccepted,
                address: address, isForMetrics: isForMetrics)
        }
        do {
            try epoll.add(descriptor, connection.interest, token: connection.token)
        } catch {
            connections.remove(connection)
            throw error
        }
        connectionsByAddress[address] = open + 1
        schedule(connection)
    }

    private func refuse(_ accepted: Socket.Accepted) {
        metrics.connectionsRefused += 1
        let count = options.connectionsOfAddressMax
        turnAway(
            accepted.descriptor,
            Problem(
                .tooManyRequests,
                "The client's address has \(count) open connections, which is the limit. Close some, "
                    + "or send several requests on one connection.",
                fields: [ResponseField(.retryAfter, "1")]))
    }

    /// Sends a problem if the socket takes it at once, as a new one does. The caller closes it.
    private func turnAway(_ descriptor: FileDescriptor, _ problem: Problem) {
        finishRefused(problem.kind)
        var bytes: [UInt8] = []
        ResponseEncoder.encode(
            problem.response(instance: nil), to: .refusal(isHead: false), date: date, into: &bytes)
        do {
            // Closing a socket with unread input resets the connection, and the answer is lost.
            _ = try descriptor.receive(into: &input, 0..<input.count)
            _ = try descriptor.send(bytes, 0..<bytes.count)
            try Socket.shutdownWriting(descriptor)
        } catch {
            // The client has closed the connection already.
        }
    }

    // MARK: - Pauses

    func watchListeners() throws(SystemError) {
        for (index, listener) in listeners.enumerated() {
            try epoll.add(
                listener.descriptor, .readable, token: Token.firstListener + UInt64(index))
        }
    }

    /// - Parameter retries: whether to accept again after a while even if no connection closes.
    private func pauseAccepting(retries: Bool) throws(SystemError) {
        if retries { acceptsAgainAt = now + Self.pauseMilliseconds }
        guard isAccepting else { return }
        isAccepting = false
        for listener in listeners { try epoll.remove(listener.descriptor) }
    }

    func resumeAccepting() {
        acceptsAgainAt = nil
        guard !isAccepting, !listeners.isEmpty else { return }
        do {
            try watchListeners()
            isAccepting = true
        } catch {
            // The kernel has no memory for it; the next connection that closes tries again.
        }
    }

    /// The kernel refuses new connections from now on.
    func stopListening() throws(SystemError) {
        try pauseAccepting(retries: false)
        listeners = []
    }

    func close(_ connection: Connection) {
        guard connections.holds(connection) else { return }
        connections.remove(connection)
        forgetDeadline(of: connection)
        budget.remove(connection)
        subscribers.remove(connection.token)
        endBackup(connection)
        let left = connectionsByAddress[connection.address, default: 1] - 1
        connectionsByAddress[connection.address] = left > 0 ? left : nil
        resumeAccepting()
    }

    // MARK: - Places

    /// What a connection does. The higher the value, the sooner it makes room.
    private enum Occupation: Int {
        case stream, wait, slowAnswer, slowRequest, lingering, idle
    }

    /// Closes a connection to make room for a new one.
    ///
    /// - Returns: false if none of those that were looked at may be closed.
    private func makePlace(onlyIdle: Bool = false) -> Bool {
        var found: (connection: Connection, rank: (Int, Int, Int64, UInt64))?
        for connection in connections.sample() {
            guard let (occupation, age) = occupation(of: connection),
                !onlyIdle || occupation == .idle
            else { continue }
            let rank = (
                occupation.rawValue, connectionsByAddress[connection.address, default: 0], age,
                UInt64.max - connection.number
            )
            if found.map({ rank > $0.rank }) ?? true { found = (connection, rank) }
        }
        guard let connection = found?.connection else { return false }
        metrics.connectionsEvicted += 1
        evict(connection)
        return true
    }

    /// What the connection does and for how long; nil if it may not be closed now.
    private func occupation(of connection: Connection) -> (Occupation, age: Int64)? {
        let state = connection.state
        let (occupation, since): (Occupation, Int64)
        switch state.phase {
        case .idle:
            // A connection that was accepted in this turn has had no chance to send anything.
            guard !connection.isQueued, state.since < now else { return nil }
            return (.idle, now - state.since)
        case .lingering: return (.lingering, now - state.since)
        case .head, .body: (occupation, since) = (.slowRequest, state.since)
        case .writing: (occupation, since) = (.slowAnswer, connection.requestedAt)
        case .streaming:
            guard backups[connection.token] == nil else { return nil }
            (occupation, since) = (.stream, connection.requestedAt)
        case .answering:
            guard connection.isWaiting else { return nil }
            (occupation, since) = (.wait, connection.requestedAt)
        case .closed: return nil
        }
        return now - since >= Self.graceMilliseconds ? (occupation, now - since) : nil
    }

    private func evict(_ connection: Connection) {
        switch connection.state.phase {
        case .idle, .lingering, .closed: break
        case .streaming:
            if let subscriber = subscribers[connection.token] { endStream(subscriber) }
        case .answering: resume(connection.token, hasWaited: true)
        case .head, .body:
            turnAway(
                connection.descriptor,
                Problem(
                    .requestTimeout,
                    "The server has no connection left for others, and the request was not complete "
                        + "in time. Send it again."))
        case .writing: Socket.resetWhenClosed(connection.descriptor)
        }
        close(connection)
    }
}
