internal import API
internal import Bytes
internal import HTTP
internal import Navigation
internal import POSIX

// Events of a connection: bytes are read and parsed, requests are given to `RequestHandler`,
// and `ConnectionState` says what to do next.
//
// 1. A connection at rest has no buffer. All reads go into one shared buffer, and only what is left
//    over is copied to the connection.
// 2. Pipelined requests whose answers need no waiting are answered together, with one write.
// 3. The end of a write leads to the next request, so answers that are ready later than their
//    request (`DeferredAnswers`) are sent through this class too.

/// Drives each connection from its bytes to its answers.
final class HTTPDriver {
    private let parts: LoopParts
    let handler: RequestHandler
    let transport: Transport
    let reader = InputReader()
    private let heads = KnownHeads()

    /// The number of pipelined requests of one connection that are answered together.
    private static let requestsAtOnce = 8

    init(_ parts: LoopParts, transport: Transport) {
        self.parts = parts
        self.transport = transport
        handler = RequestHandler(parts)
    }

    // MARK: - Reading

    /// Does what the connection's state wants after input, or when the server shuts down.
    func perform(_ action: InputAction, on connection: Connection) {
        switch action {
        case .wait: break
        case .close: transport.close(connection)
        }
    }

    /// Reads once and answers what is complete, unless others have to free memory first.
    func read(_ connection: Connection) {
        guard !transport.isOverBudget else { return }
        do {
            let isShared = connection.incoming.bytes.isEmpty
            guard let count = try reader.read(connection) else { return }
            parts.share.spend(.input(bytes: count))
            let isLingering = connection.state.phase == .lingering
            guard count > 0 else {
                return perform(connection.state.readEnd(at: parts.clock.now), on: connection)
            }
            perform(connection.state.read(count, at: parts.clock.now), on: connection)
            if isLingering { return }
            if isShared { consumeShared(connection, upTo: count) } else { consumeOwn(connection) }
        } catch {
            transport.drop(connection)
        }
    }

    /// Answers what is in the shared buffer and keeps what is left over.
    private func consumeShared(_ connection: Connection, upTo end: Int) {
        let used = answerAll(connection, reader.buffer, upTo: end)
        if used < end, parts.connections.holds(connection) {
            connection.incoming.bytes = Array(reader.buffer[used..<end])
        }
        sendEncoded(to: connection)
    }

    /// Answers what the connection has kept, and keeps what is left over.
    func consumeOwn(_ connection: Connection) {
        let own = connection.incoming.bytes
        connection.incoming.bytes = []
        let used = answerAll(connection, own, upTo: own.count)
        if used < own.count, parts.connections.holds(connection) {
            connection.incoming.bytes = used == 0 ? own : Array(own[used...])
        }
        sendEncoded(to: connection)
    }

    /// Answers what was read before, now or in a later turn.
    private func consumeRest(_ connection: Connection) {
        guard !connection.incoming.bytes.isEmpty else { return }
        if parts.share.isUsedUp { parts.share.postpone(connection) } else { consumeOwn(connection) }
    }

    /// Parses and answers until something is missing.
    ///
    /// - Returns: the index of the first byte that is not used.
    private func answerAll(_ connection: Connection, _ bytes: [UInt8], upTo end: Int) -> Int {
        var (start, answered, encoded) = (0, 0, 0)
        while start < end, parts.connections.holds(connection) {
            switch connection.incoming.parser.parse(bytes, from: start, to: end, heads) {
            case .needsMore(let need):
                let isRefused = needsMore(connection, need, in: bytes, from: start)
                return isRefused ? end : start
            case .refused(let malformation):
                connection.state.refused(at: parts.clock.now)
                // If the body alone is too large, then the head is a valid one.
                let head =
                    malformation.isBodyTooLarge
                    ? connection.incoming.parser.head(bytes, from: start) : nil
                refuse(connection, Problem(malformation), head: head)
                return end
            case .request(let request, let consumed):
                start += consumed
                let before = parts.writer.encodedCount
                guard answer(connection, request) else {
                    // Bytes after the last request of a connection are not parsed.
                    return connection.state.closesAfterAnswer ? end : start
                }
                encoded += parts.writer.encodedCount - before
                if parts.writer.encodedCount > InputReader.bufferBytes {
                    sendEncoded(to: connection)
                }
                guard connection.state.phase == .idle else { return start }
                answered += 1
                let isEnough =
                    answered == Self.requestsAtOnce || encoded > ResponseWriter.writeBytesMax
                    || parts.share.isUsedUp
                if isEnough, start < end {
                    parts.share.postpone(connection)
                    return start
                }
            }
        }
        return start
    }

    /// - Returns: whether the head of the unfinished request was enough to refuse it.
    private func needsMore(
        _ connection: Connection, _ need: ParseStatus, in bytes: [UInt8], from start: Int
    ) -> Bool {
        if case .body = need, !connection.exchange.isAdmitted,
            let head = connection.incoming.parser.head(bytes, from: start),
            let handled = handler.refuse(head: head, connection)
        {
            connection.state.requested(keepsAlive: false)
            _ = finish(handled, connection)
            return true
        }
        switch connection.state.needs(need, at: parts.clock.now) {
        case .wait: break
        case .sendContinue: parts.writer.encodeContinue()
        case .close: transport.close(connection)
        }
        return false
    }

    /// Refuses a request that has not arrived in time.
    func timeOut(_ connection: Connection) {
        refuse(
            connection,
            Problem(.requestTimeout, "The request did not arrive in time. Send it faster."))
        sendEncoded(to: connection)
    }

    /// Answers what is not a request, or arrived too slowly.
    ///
    /// - Parameter head: the request without its body, if the head is valid.
    private func refuse(_ connection: Connection, _ problem: Problem, head: Request? = nil) {
        let id = parts.observer.nextID()
        parts.observer.finishRefused(problem.kind, id: id)
        let response = handler.response(to: problem, head: head, id: id)
        parts.writer.encodeRefusal(response, id: id, isHead: connection.incoming.parser.isHead)
    }

    // MARK: - Answers

    /// - Returns: whether the next request can be begun at once.
    private func answer(_ connection: Connection, _ request: Request) -> Bool {
        connection.state.requested(keepsAlive: request.keepsAlive)
        return finish(handler.handle(request, connection), connection)
    }

    /// - Returns: whether the next request can be begun at once.
    private func finish(
        _ handled: consuming HandledRequest, _ connection: Connection
    ) -> Bool {
        switch consume handled {
        case .waiting: return false
        case .encoded(let persists):
            connection.state.answered(closes: !persists, at: parts.clock.now)
            // Encoded bytes count as written; `sendEncoded` corrects that if need be.
            guard !connection.state.closesAfterAnswer, connection.outbox.isEmpty,
                !parts.writer.hasBody
            else { return false }
            return connection.state.wroteAll(at: parts.clock.now) == .nextRequest
        case .held(let answer):
            sendEncoded(to: connection)
            guard parts.connections.holds(connection) else { return false }
            if answer.isStream {
                parts.streams.beginStreaming(connection)
            } else {
                parts.share.noteAnswer(connection, bytes: answer.text.count)
            }
            if answer.isStream, parts.gate.mayShow(answer.visibleAfter) {
                show(answer, on: connection)
            } else {
                parts.gate.hold(answer, connection)
            }
            return false
        }
    }

    /// Sends an answer that is not the direct result of a read, and begins the next request.
    func proceed(_ connection: Connection, _ handled: consuming HandledRequest) {
        let isNext = finish(handled, connection)
        sendEncoded(to: connection)
        // Bytes that the socket did not take come before the next request.
        if isNext, connection.state.phase == .idle { consumeRest(connection) }
        transport.settle(connection)
    }

    /// Sends an answer, or the beginning of a stream, that may be shown now.
    func show(_ answer: HeldAnswer, on connection: Connection) {
        parts.writer.append(answer.text)
        guard connection.waiting.isStreaming else {
            if let facts = answer.facts { parts.observer.finish(facts, on: connection) }
            return proceed(connection, .encoded(persists: answer.persists))
        }
        connection.state.streamed(at: parts.clock.now)
        sendEncoded(to: connection)
        transport.settle(connection)
    }

    // MARK: - Writing

    /// Sends what is encoded; what the socket does not take is kept.
    private func sendEncoded(to connection: Connection) {
        guard !parts.writer.isEmpty, parts.connections.holds(connection) else {
            return parts.writer.discardEncoded()
        }
        switch parts.writer.sendEncoded(to: connection) {
        case .complete: return finishWriting(connection)
        case .failed: return transport.drop(connection)
        case .blocked: connection.state.blocked(at: parts.clock.now)
        }
        transport.settle(connection)
    }

    /// Writes what the connection's outbox holds.
    func flush(_ connection: Connection) {
        switch parts.writer.flush(connection) {
        case nil: break
        case .complete: finishWriting(connection)
        case .blocked: connection.state.wroteSome(at: parts.clock.now)
        case .failed: transport.drop(connection)
        }
    }

    /// Sends the parts of a stream that are encoded. If that fails the connection is closed.
    func sendParts(to connection: Connection) -> WriteResult {
        let result = parts.writer.sendEncoded(to: connection)
        if case .failed = result { transport.drop(connection) }
        return result
    }

    /// Adds the parts of a stream that are encoded to what the client gets next.
    func keepParts(for connection: Connection) {
        guard !parts.writer.isEmpty else { return }
        append(parts.writer.takeEncoded(), to: connection)
    }

    /// Adds bytes to what the client gets next.
    func append(_ bytes: [UInt8], to connection: Connection) {
        if !parts.gate.append(bytes, connection) { parts.writer.keep(bytes, for: connection) }
    }

    /// Everything is written: begins the next request, requests more of a backup, or ends.
    func finishWriting(_ connection: Connection) {
        let isStreaming = connection.state.phase == .streaming
        switch connection.state.wroteAll(at: parts.clock.now) {
        case .wait: if isStreaming { parts.backups.requestNext(connection) }
        case .nextRequest: consumeRest(connection)
        case .shutDownWriting:
            connection.incoming.discard()
            do { try Socket.shutdownWriting(connection.descriptor) } catch {
                transport.drop(connection)
            }
        case .close: transport.close(connection)
        }
    }
}
