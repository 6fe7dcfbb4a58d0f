internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Storage

// Live streams and reads that wait: how they begin, what is written to them, and how they end. What
// they are told is in EventLoop+Telling. A stream that is not read ends when 4 MiB wait for its client.

extension EventLoop {
    /// A subscriber may be behind by so much.
    private static let backlogBytesMax = 4 << 20
    /// A comment line keeps proxies and clients from giving up.
    static let heartbeatSeconds: Int64 = 15

    // MARK: - Waiting reads

    func wait(_ connection: Connection, _ request: Request, _ waiting: LongPoll) {
        connection.parked = request.compacted()
        connection.wakesAt = now + Int64(waiting.seconds) * 1000
        subscribers.wait(connection.token, for: waiting.id)
    }

    /// Asks again on behalf of a read that has waited.
    func resume(_ token: UInt64, hasWaited: Bool) {
        guard let connection = connections[token], let request = connection.parked else { return }
        subscribers.remove(token)
        connection.parked = nil
        connection.wakesAt = .max
        proceed(connection, goesOn: respond(connection, request, hasWaited: hasWaited))
    }

    // MARK: - Opening

    /// - Returns: whether the next request can be begun at once, since the stream is over already.
    func open(_ connection: Connection, _ request: Request, _ opening: StreamOpening) -> Bool {
        var bytes: [UInt8] = []
        let framing = ResponseEncoder.encodeStreamHead(
            opening.response, to: request.exchange, date: date, into: &bytes)
        let subscriber = Subscriber(connection, opening.subscription, framing)
        if framing != .nothing {
            for event in opening.events where subscriber.eventsLeft != 0 {
                framing.append(event.encoded(as: opening.subscription.format), to: &bytes)
                subscriber.eventsLeft = subscriber.eventsLeft.map { $0 - 1 }
            }
        }
        let isOver = framing == .nothing || subscriber.eventsLeft == 0
        if isOver { framing.appendEnd(to: &bytes) }
        let answer = HeldAnswer(
            to: request, visibleAfter: opening.visibleAfter, bytes: bytes,
            persists: request.minorVersion >= 1)
        guard !isOver else { return send(answer, connection) }
        subscribers.add(subscriber)
        connection.wakesAt = heartbeatTime(connection.token)
        begin(answer, connection)
        return false
    }

    /// Begins a stream that goes on after these bytes.
    func begin(_ answer: HeldAnswer, _ connection: Connection) {
        flushShared(connection)
        guard connections.holds(connection) else { return }
        connection.isStreaming = true
        connection.held = answer
        if answer.visibleAfter <= store.durable {
            show(connection, answer)
        } else {
            waiting.append(connection.token)
        }
    }

    /// The stream is over; what is encoded still leaves.
    func end(_ connection: Connection, _ framing: StreamFraming) {
        var bytes: [UInt8] = []
        framing.appendEnd(to: &bytes)
        owe(bytes, to: connection)
        connection.isStreaming = false
        connection.wakesAt = .max
        connection.held?.persists = framing == .chunks
        subscribers.remove(connection.token)
        endBackup(connection)
    }

    // MARK: - Writing

    /// Ends the stream of somebody whose token is no longer good.
    func refuseFurther(_ subscriber: Subscriber) {
        end(subscriber.connection, subscriber.framing)
        finishStream(subscriber.connection, subscriber.framing)
    }

    /// Writes a part of a stream at once if it can, keeps it otherwise.
    func push(_ frame: [UInt8], to connection: Connection, flushes: Bool) {
        guard flushes, connection.held == nil else { return owe(frame, to: connection) }
        let owedBefore = !connection.outbox.isEmpty
        guard !write(frame, to: connection), connections.holds(connection) else { return }
        guard connection.outbox.count <= Self.backlogBytesMax else {
            return perform(.abort, on: connection)
        }
        if owedBefore {
            _ = weigh(connection)
        } else {
            connection.state.streamed(at: now)
            settle(connection)
        }
    }

    func finishStream(_ connection: Connection, _ framing: StreamFraming) {
        guard connections.holds(connection), connection.held == nil else { return }
        connection.state.answered(
            closes: framing != .chunks || connection.state.closesAfterAnswer, at: now)
        if connection.outbox.isEmpty { finished(connection) } else { flush(connection) }
        settle(connection)
    }

    // MARK: - Time

    /// The end of a waiting read, or a stream's next sign of life.
    func wake(_ connection: Connection) {
        connection.wakesAt = .max
        if let subscriber = subscribers[connection.token] {
            beat(subscriber)
        } else {
            resume(connection.token, hasWaited: true)
        }
    }

    private func beat(_ subscriber: Subscriber) {
        guard service.mayListen(subscriber.subscription, at: now) else {
            return refuseFurther(subscriber)
        }
        let connection = subscriber.connection
        connection.wakesAt = heartbeatTime(connection.token)
        if connection.outbox.isEmpty, connection.held == nil {
            var part: [UInt8] = []
            if subscriber.subscription.format == .ndjson {
                part.append(UInt8(ascii: "\n"))
            } else {
                EventStreamEncoder.appendComment(to: &part)
            }
            var frame: [UInt8] = []
            subscriber.framing.append(part, to: &frame)
            push(frame, to: connection, flushes: true)
        }
    }

    /// Streams that began together do not beat together.
    private func heartbeatTime(_ token: UInt64) -> Int64 {
        let spread = Int64(token % UInt64(Self.heartbeatSeconds))
        let latest = now / 1000 + Self.heartbeatSeconds
        return (latest - (latest - spread) % Self.heartbeatSeconds) * 1000
    }

    /// Ends all streams and waits, for a server that stops.
    func endStreams() {
        for subscriber in subscribers.byToken.values { endStream(subscriber) }
        for token in subscribers.allWaiting { resume(token, hasWaited: true) }
    }

    /// Ends a stream and tells its client when to reconnect, each client at another time.
    func endStream(_ subscriber: Subscriber) {
        let connection = subscriber.connection
        if subscriber.subscription.format == .eventStream {
            var part: [UInt8] = []
            EventStreamEncoder.append(
                retryMilliseconds: Int.random(in: 500...5000), to: &part)
            var frame: [UInt8] = []
            subscriber.framing.append(part, to: &frame)
            owe(frame, to: connection)
        }
        end(connection, subscriber.framing)
        finishStream(connection, subscriber.framing)
    }
}
