internal import API
internal import HTTP
internal import Navigation
internal import Sessions

/// Answers that are sent later than their request: those that were held, those for which something
/// was loaded, changes that had to wait, reads that wait for a change, streams and parts.backups.
final class DeferredAnswers {
    private let parts: LoopParts
    private let driver: HTTPDriver
    private let handler: RequestHandler
    private let transport: Transport

    /// A stream is closed when more bytes than this wait for its client.
    private static let backlogBytesMax = 4 << 20

    init(_ parts: LoopParts, driver: HTTPDriver) {
        self.parts = parts
        self.driver = driver
        handler = driver.handler
        transport = driver.transport
    }

    // MARK: - Requests that were parked

    /// Sends one answer that was held. Returns false if no answer is ready.
    func sendReleased() -> Bool {
        guard let (connection, answer) = parts.gate.next() else { return false }
        if connection.exchange.progress != nil {
            if let handled = handler.resume(connection, after: answer) {
                driver.proceed(connection, handled)
            }
            return true
        }
        guard let decision = answer.decision else {
            driver.show(answer, on: connection)
            return true
        }
        parts.streams.remove(connection)
        parts.backups.end(connection)
        if handler.replace(answer, decision.outcome, on: connection) {
            driver.show(answer, on: connection)
        } else if let request = answer.request {
            driver.proceed(connection, handler.respond(to: request, connection))
        }
        return true
    }

    /// Answers one request for which something was loaded. Returns false if no request is ready.
    func answerLoaded() -> Bool {
        guard let loaded = parts.share.nextLoaded() else { return false }
        guard let connection = parts.connections[loaded.token],
            let request = connection.exchange.takeParked()
        else { return true }
        driver.proceed(connection, handler.respond(to: request, connection, with: loaded))
        return true
    }

    /// Answers one change that has waited until streams received earlier ones, or carries out
    /// the next portion of one. Returns false if no change is ready, or if changes have to wait.
    func answerChange() -> Bool {
        guard !parts.streams.isFarBehind, let token = parts.share.next(of: .changes) else {
            return false
        }
        guard let connection = parts.connections[token],
            let request = connection.exchange.takeParked()
        else { return true }
        driver.proceed(connection, handler.respond(to: request, connection))
        return true
    }

    /// Answers the read that waits on the connection with this token, if one does.
    func answerWaiting(_ token: UInt64, hasWaited: Bool) {
        guard let connection = parts.connections[token],
            let request = connection.exchange.takeParked()
        else { return }
        parts.streams.remove(connection)
        driver.proceed(
            connection, handler.respond(to: request, connection, hasWaited: hasWaited))
    }

    // MARK: - Streams

    /// Sends changes to one client. Returns false if there is nothing to send.
    func deliverNext() -> Bool {
        guard let step = parts.streams.next() else { return false }
        perform(step)
        return true
    }

    /// Ends all streams and waits, for a server that stops.
    func endStreams() {
        parts.streams.stop(perform)
    }

    /// Carries out a step of the hub.
    func perform(_ step: StreamStep) {
        switch step {
        case .answer(let token, let hasWaited): answerWaiting(token, hasWaited: hasWaited)
        case .send(let subscriber): sendParts(to: subscriber.connection)
        case .end(let subscriber): end(subscriber.connection, subscriber.framing)
        case .skip: break
        }
    }

    /// Sends parts of a stream at once if it can, and keeps them otherwise.
    private func sendParts(to connection: Connection) {
        guard connection.held == nil else { return driver.keepParts(for: connection) }
        let wasBlocked = !connection.outbox.isEmpty
        guard driver.sendParts(to: connection) == .blocked else { return }
        guard connection.outbox.count <= Self.backlogBytesMax else {
            return transport.abort(connection)
        }
        if wasBlocked {
            _ = transport.weigh(connection)
        } else {
            connection.state.streamed(at: parts.clock.now)
            transport.settle(connection)
        }
    }

    /// Ends a stream or a backup. What is encoded is still sent.
    private func end(_ connection: Connection, _ framing: StreamFraming) {
        guard parts.connections.holds(connection) else { return parts.writer.discardEncoded() }
        driver.keepParts(for: connection)
        var bytes: [UInt8] = []
        framing.appendEnd(to: &bytes)
        driver.append(bytes, to: connection)
        parts.streams.remove(connection)
        parts.backups.end(connection)
        parts.gate.endStream(connection, persists: framing == .chunks)
        guard connection.held == nil else { return }
        connection.state.answered(closes: framing != .chunks, at: parts.clock.now)
        if connection.outbox.isEmpty {
            driver.finishWriting(connection)
        } else {
            driver.flush(connection)
        }
        transport.settle(connection)
    }

    // MARK: - Backups

    /// Sends what was read for parts.backups.
    func sendBackups() {
        for (token, step) in parts.backups.takeSteps() {
            guard let connection = parts.connections[token] else { continue }
            switch step {
            case .fail: transport.abort(connection)
            case .end(let framing): end(connection, framing)
            case .send(let part):
                driver.append(part, to: connection)
                connection.state.streamed(at: parts.clock.now)
                driver.flush(connection)
                transport.settle(connection)
            }
        }
    }
}
