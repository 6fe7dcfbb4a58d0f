internal import API
internal import HTTP
internal import Navigation
internal import POSIX

/// Does for a connection what the kernel's reports, the clock, or a lack of connections call for.
final class ConnectionEvents {
    private let parts: LoopParts
    private let driver: HTTPDriver
    private let deferred: DeferredAnswers
    private let transport: Transport

    init(_ parts: LoopParts, driver: HTTPDriver, deferred: DeferredAnswers) {
        self.parts = parts
        self.driver = driver
        self.deferred = deferred
        transport = driver.transport
    }

    // MARK: - The kernel

    /// Serves a connection that was taken out of a queue, if it is still open.
    func serve(_ token: UInt64) {
        guard let connection = parts.connections[token] else { return }
        let (happened, hasMore) = parts.share.beginServing(connection)
        if hasMore {
            if connection.state.phase == .idle, !connection.incoming.bytes.isEmpty {
                driver.consumeOwn(connection)
            }
            transport.settle(connection)
        }
        if happened != .nothing, parts.connections.holds(connection) { serve(connection, happened) }
    }

    private func serve(_ connection: Connection, _ happened: Epoll.Interest) {
        if happened.contains(.writable) { driver.flush(connection) }
        guard parts.connections.holds(connection) else { return }
        if !happened.isDisjoint(with: .input), connection.state.wantsInput {
            // Bytes that have been read already come first.
            if !connection.queuing.hasMore { driver.read(connection) }
        } else if happened.contains(.failed) || happened.contains(.hangUp) {
            transport.drop(connection)
        } else if happened.contains(.readHangUp) {
            hangUp(connection)
        } else if happened.contains(.readable) {
            transport.pauseReading(connection)
        }
        transport.settle(connection)
    }

    /// The peer has ended its side while an answer is made or a stream is open. It may still read
    /// (RFC 9112 §9.6), so an answer that is being made is sent all the same. A read that waits is
    /// answered now: if the client has gone, that is how it is noticed. A stream ends.
    private func hangUp(_ connection: Connection) {
        transport.hangUp(connection)
        if transport.endsWithPeer(connection) {
            transport.drop(connection)
        } else if connection.isWaiting {
            deferred.answerWaiting(connection.token, hasWaited: true)
        }
    }

    // MARK: - Time

    /// Looks at a connection whose time has come.
    func keepDeadline(_ connection: Connection) {
        if let step = parts.streams.wake(connection) { deferred.perform(step) }
        switch connection.state.expired(at: parts.clock.now) {
        case .wait: break
        case .timeOut: driver.timeOut(connection)
        case .close: transport.close(connection)
        case .abort: transport.abort(connection)
        }
        if parts.connections.holds(connection) { parts.connections.schedule(connection) }
    }

    /// Ends all streams and closes all idle connections, for a server that stops. A request in work
    /// is the last one of its connection.
    func drain() {
        deferred.endStreams()
        for connection in parts.connections.all {
            driver.perform(connection.state.drain(at: parts.clock.now), on: connection)
        }
    }

    // MARK: - Room for others

    /// Closes a connection so that another one can be accepted, and tells its client as far as
    /// possible.
    func evict(_ connection: Connection) {
        parts.observer.connectionEvicted()
        switch connection.state.phase {
        case .idle, .lingering, .closed: break
        case .streaming:
            if let step = parts.streams.farewell(to: connection) { deferred.perform(step) }
        case .answering: deferred.answerWaiting(connection.token, hasWaited: true)
        case .head, .body:
            turnAway(
                connection.descriptor,
                Problem(
                    .requestTimeout,
                    "The request did not arrive completely before the server needed the "
                        + "connection for others. Send it again."))
        case .writing: Socket.resetWhenClosed(connection.descriptor)
        }
        transport.drop(connection)
    }

    /// Sends a problem if the socket takes it at once, as a new one does. The caller closes it.
    func turnAway(_ descriptor: FileDescriptor, _ problem: Problem) {
        let id = parts.observer.nextID()
        parts.observer.finishRefused(problem.kind, id: id)
        let bytes = parts.writer.encodeAlone(
            problem.response(instance: nil, id: id), to: .refusal(isHead: false), id: id)
        do {
            try driver.reader.discardInput(of: descriptor)
            _ = try descriptor.send(bytes, 0..<bytes.count)
            try Socket.shutdownWriting(descriptor)
        } catch {
            // The client has closed the connection already.
        }
    }
}
