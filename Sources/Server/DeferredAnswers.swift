internal import API
internal import HTTP
internal import Navigation
internal import Sessions

/// Answers that are sent later than their request: those that were held, those for which something
/// was loaded, changes that had to wait, reads that wait for a change, streams and backups.
final class DeferredAnswers {
    private let driver: HTTPDriver
    private let connections: OpenConnections
    private let handler: RequestHandler
    private let gate: AnswerGate
    private let transport: Transport
    private let streams: StreamHub
    private let backups: BackupSender
    private let share: FairShare
    private let clock: TurnClock

    /// A stream is closed when more bytes than this wait for its client.
    private static let backlogBytesMax = 4 << 20

    init(_ parts: LoopParts, _ answers: AnswerParts, driver: HTTPDriver) {
        self.driver = driver
        connections = parts.connections
        streams = parts.streams
        share = parts.share
        clock = parts.clock
        handler = answers.handler
        gate = answers.gate
        transport = answers.transport
        backups = answers.backups
    }

    // MARK: - Requests that were parked

    /// Sends one answer that was held. Returns false if no answer is ready.
    func sendReleased() -> Bool {
        guard let (connection, answer) = gate.next() else { return false }
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
        streams.remove(connection)
        backups.end(connection)
        if handler.replace(answer, decision.outcome, on: connection) {
            driver.show(answer, on: connection)
        } else if let request = answer.request {
            driver.proceed(connection, handler.respond(to: request, connection))
        }
        return true
    }

    /// Answers one request for which something was loaded. Returns false if no request is ready.
    func answerLoaded() -> Bool {
        guard let loaded = share.nextLoaded() else { return false }
        guard let connection = connections[loaded.token],
            let request = connection.exchange.takeParked()
        else { return true }
        driver.proceed(connection, handler.respond(to: request, connection, with: loaded))
        return true
    }

    /// Answers one change that has waited until streams were told of earlier ones, or carries out
    /// the next portion of one. Returns false if no change is ready, or if changes have to wait.
    func answerChange() -> Bool {
        guard !streams.hasTooMuchToTell, let token = share.next(of: .changes) else { return false }
        guard let connection = connections[token], let request = connection.exchange.takeParked()
        else { return true }
        driver.proceed(connection, handler.respond(to: request, connection))
        return true
    }

    /// Answers the read that waits on the connection with this token, if one does.
    func answerWaiting(_ token: UInt64, hasWaited: Bool) {
        guard let connection = connections[token], let request = connection.exchange.takeParked()
        else { return }
        streams.remove(connection)
        driver.proceed(
            connection, handler.respond(to: request, connection, hasWaited: hasWaited))
    }

    // MARK: - Streams

    /// Tells one client of changes. Returns false if there is nothing to tell.
    func tellNext() -> Bool {
        guard let step = streams.next() else { return false }
        perform(step)
        return true
    }

    /// Ends all streams and waits, for a server that stops.
    func endStreams() {
        for step in streams.stop() { perform(step) }
    }

    /// Carries out a step of the hub.
    func perform(_ step: StreamStep) {
        switch step {
        case .answer(let token, let hasWaited): answerWaiting(token, hasWaited: hasWaited)
        case .send(let frame, let subscriber): send(frame, to: subscriber.connection)
        case .end(let subscriber, let frame):
            end(subscriber.connection, subscriber.framing, after: frame)
        case .skip: break
        }
    }

    /// Sends a part of a stream at once if it can, and keeps it otherwise.
    private func send(_ frame: [UInt8], to connection: Connection) {
        guard !gate.append(frame, connection) else { return }
        let wasBlocked = !connection.outbox.isEmpty
        guard driver.write(frame, to: connection) == .blocked else { return }
        guard connection.outbox.count <= Self.backlogBytesMax else {
            return transport.abort(connection)
        }
        if wasBlocked {
            _ = transport.weigh(connection)
        } else {
            connection.state.streamed(at: clock.now)
            transport.settle(connection)
        }
    }

    /// Ends a stream or a backup. What is encoded is still sent.
    private func end(
        _ connection: Connection, _ framing: StreamFraming, after frame: [UInt8] = []
    ) {
        guard connections.holds(connection) else { return }
        if !frame.isEmpty { driver.append(frame, to: connection) }
        var bytes: [UInt8] = []
        framing.appendEnd(to: &bytes)
        driver.append(bytes, to: connection)
        streams.remove(connection)
        backups.end(connection)
        gate.endStream(connection, persists: framing == .chunks)
        guard connection.held == nil else { return }
        connection.state.answered(closes: framing != .chunks, at: clock.now)
        if connection.outbox.isEmpty {
            driver.finishWriting(connection)
        } else {
            driver.flush(connection)
        }
        transport.settle(connection)
    }

    // MARK: - Backups

    /// Sends what was read for backups.
    func sendBackups() {
        for (token, step) in backups.takeSteps() {
            guard let connection = connections[token] else { continue }
            switch step {
            case .fail: transport.abort(connection)
            case .end(let framing): end(connection, framing)
            case .send(let part):
                driver.append(part, to: connection)
                connection.state.streamed(at: clock.now)
                driver.flush(connection)
                transport.settle(connection)
            }
        }
    }
}
