internal import API
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import POSIX
internal import Storage

// What happens on a connection.

extension EventLoop {
    func serve(_ connection: Connection, _ happened: Epoll.Interest) {
        if happened.contains(.writable) { flush(connection) }
        guard connections.holds(connection) else { return }
        if !happened.isDisjoint(with: .input), connection.state.wantsInput {
            // What is read already comes first.
            if !connection.hasMore { read(connection) }
        } else if happened.contains(.failed) || happened.contains(.hangUp) {
            perform(connection.state.peerGone(), on: connection)
        } else if happened.contains(.readHangUp) {
            hungUp(connection)
        } else if happened.contains(.readable) {
            // The next request waits in the kernel until its turn comes.
            change(connection, connection.interest.subtracting(.readable))
        }
        settle(connection)
    }

    /// The peer has ended its side while an answer is made or a stream is open. It may still read
    /// (RFC 9112 §9.6), so an answer that is being made is sent all the same. A read that waits is
    /// answered now: if the client is gone, that is how it is noticed. A stream ends.
    private func hungUp(_ connection: Connection) {
        connection.hasHungUp = true
        change(connection, connection.interest.subtracting(.input))
        if listens(connection) {
            perform(connection.state.peerGone(), on: connection)
        } else if connection.isWaiting {
            resume(connection.token, hasWaited: true)
        }
    }

    /// Asks the kernel for what the connection wants now, and no more.
    func settle(_ connection: Connection) {
        guard connections.holds(connection), weigh(connection) else { return }
        schedule(connection)
        let input = input(connection)
        let wanted = connection.outbox.isEmpty ? input : input.union(.writable)
        if wanted != connection.interest { change(connection, wanted) }
    }

    /// What to be told of the peer's side. While an answer is being made a client seldom sends
    /// more, so the interest stays as it is until something comes after all.
    private func input(_ connection: Connection) -> Epoll.Interest {
        if connection.state.wantsInput { return .input }
        if connection.hasHungUp || connection.state.isHalfClosed { return .nothing }
        if listens(connection) { return .readHangUp }
        return connection.state.phase == .answering
            ? connection.interest.intersection(.input) : .nothing
    }

    /// Whether the end of the peer's side is the end of the stream; who takes a backup may well
    /// have said all it had to say.
    private func listens(_ connection: Connection) -> Bool {
        connection.isStreaming && backups[connection.token] == nil
    }

    func change(_ connection: Connection, _ wanted: Epoll.Interest) {
        do {
            try epoll.change(connection.descriptor, wanted, token: connection.token)
            connection.interest = wanted
        } catch {
            perform(connection.state.peerGone(), on: connection)
        }
    }

    // MARK: - Reading

    /// Reads once, unless others have to make room first.
    func read(_ connection: Connection) {
        guard !budget.isExceeded else { return }
        do {
            if connection.state.phase == .lingering {
                guard let count = try connection.descriptor.receive(into: &input, 0..<input.count)
                else { return }
                return took(count, connection)
            }
            if connection.input.isEmpty {
                guard let count = try connection.descriptor.receive(into: &input, 0..<input.count)
                else { return }
                took(count, connection)
                if count > 0 { consume(connection, upTo: count) }
            } else {
                try readMore(connection)
            }
        } catch {
            perform(connection.state.peerGone(), on: connection)
        }
    }

    /// Reads behind what is left over.
    private func readMore(_ connection: Connection) throws(SystemError) {
        let start = connection.input.count
        let room = max(Self.readBytesMin, min(start, Self.inputBytes))
        connection.input.append(zeros: room)
        let count = try connection.descriptor.receive(
            into: &connection.input, start..<start + room)
        connection.input.removeLast(room - (count ?? 0))
        guard let count else { return }
        took(count, connection)
        if count > 0 { consumeOwn(connection) }
    }

    private static let readBytesMin = 4 << 10

    private func took(_ count: Int, _ connection: Connection) {
        work.spend(.input(bytes: count))
        let action =
            count == 0
            ? connection.state.readEnd(at: now) : connection.state.read(count, at: now)
        perform(action, on: connection)
    }

    // MARK: - Requests

    /// Answers what lies in the shared buffer and keeps what is left over.
    private func consume(_ connection: Connection, upTo end: Int) {
        let used = answerAll(connection, input, upTo: end)
        if used < end, connections.holds(connection) {
            connection.input = Array(input[used..<end])
        }
        flushShared(connection)
    }

    /// The same for what lies in the connection's own buffer.
    func consumeOwn(_ connection: Connection) {
        let own = connection.input
        connection.input = []
        let used = answerAll(connection, own, upTo: own.count)
        if used < own.count, connections.holds(connection) {
            connection.input = used == 0 ? own : Array(own[used...])
        }
        flushShared(connection)
    }

    /// Answers what was read before, now or in a later turn.
    func consumeRest(_ connection: Connection) {
        guard !connection.input.isEmpty else { return }
        if work.units < shareEnd { consumeOwn(connection) } else { postpone(connection) }
    }

    /// Parses and answers until something is missing; the bytes that are used up.
    private func answerAll(_ connection: Connection, _ bytes: [UInt8], upTo end: Int) -> Int {
        var (start, answered, encoded) = (0, 0, 0)
        while start < end, connections.holds(connection) {
            switch connection.parser.parse(bytes, from: start, to: end) {
            case .needsMore(let need):
                if case .body = need, refuseHead(connection, bytes, start) { return end }
                perform(connection.state.needs(need, at: now), on: connection)
                return start
            case .refused(let malformation):
                refuse(connection, malformation)
                return end
            case .request(let request, let consumed):
                start += consumed
                let before = output.count
                guard answer(connection, request) else {
                    // Nothing behind the last request of a connection is looked at.
                    return connection.state.closesAfterAnswer ? end : start
                }
                encoded += output.count - before
                if output.count > Self.inputBytes { flushShared(connection) }
                guard connection.state.phase == .idle else { return start }
                answered += 1
                let isEnough =
                    answered == Self.requestsAtOnce || encoded > Self.writeBytesMax
                    || work.units >= shareEnd
                if isEnough, start < end {
                    postpone(connection)
                    return start
                }
            }
        }
        return start
    }

    /// Answers a request; true if the next one can be begun at once.
    private func answer(_ connection: Connection, _ request: Request) -> Bool {
        connection.state.requested(keepsAlive: request.keepsAlive)
        connection.holdsSince = now
        connection.requestedAt = now
        let wasAdmitted = connection.isAdmitted
        connection.isAdmitted = false
        if !limiters.isEmpty, !wasAdmitted, var refusal = limited(connection, request) {
            connection.begun = clock.nanoseconds
            return send(&refusal, request, connection)
        }
        if !request.method.isSafe, hasTooMuchToTell {
            keepWaiting(connection, request)
            return false
        }
        return respond(connection, request)
    }

    /// Answers a request whose content is still to come, if its head is enough to refuse it. Then
    /// nobody waits for the content: the connection closes after the answer.
    private func refuseHead(_ connection: Connection, _ bytes: [UInt8], _ start: Int) -> Bool {
        guard !connection.isAdmitted, let head = connection.parser.head(bytes, from: start) else {
            return false
        }
        connection.isAdmitted = true
        connection.begun = clock.nanoseconds
        work.spend(.request)
        let limited = limiters.isEmpty ? nil : limited(connection, head)
        let refusal =
            limited
            ?? service.refusal(
                ofHead: head, at: now, onMetricsAddress: connection.isForMetrics)
        guard var refusal else { return false }
        refusal.response.closes = true
        connection.state.requested(keepsAlive: false)
        connection.requestedAt = now
        _ = send(&refusal, head, connection)
        return true
    }

    /// - Parameter loaded: what was loaded for this request before, if it was asked already.
    func respond(
        _ connection: Connection, _ request: Request, _ loaded: LoadedRecords? = nil,
        hasWaited: Bool = false
    ) -> Bool {
        if loaded == nil { connection.begun = clock.nanoseconds }
        let spent = service.work.unitsSpent
        let outcome = service.respond(
            to: request, at: now, hasWaited: hasWaited,
            onMetricsAddress: connection.isForMetrics)
        work.spend(.request)
        work.spend(.budget(units: service.work.unitsSpent - spent))
        switch consume outcome {
        case .load(let places):
            connection.parked = request.compacted()
            store.load(places, ticket: connection.token, earlier: loaded)
            return false
        case .wait(let waiting):
            wait(connection, request, waiting)
            return false
        case .stream(let opening):
            var opening = opening
            noteStream(request, &opening, begun: connection.begun)
            return open(connection, request, opening)
        case .backup(let opening):
            return openBackup(connection, request, opening)
        case .reply(var reply):
            announce(reply.announcements)
            return send(&reply, request, connection)
        }
    }

    func send(_ reply: inout Reply, _ request: Request, _ connection: Connection) -> Bool {
        let exchange = request.exchange
        let id = identify(request, &reply.response)
        let facts = facts(of: request, reply.response, endpoint: reply.endpoint)
        if let problem = reply.problem { metrics.count(problem) }
        guard reply.visibleAfter > store.durable else {
            let before = output.count
            let persists = encode(reply.response, to: exchange, connection)
            noteAnswer(connection, bytes: output.count - before + outputBody.count)
            finish(facts, id: id, begun: connection.begun)
            connection.state.answered(
                closes: !persists || connection.state.closesAfterAnswer, at: now)
            return !connection.state.closesAfterAnswer && pipelines(connection)
        }
        var bytes: [UInt8] = []
        let persists = ResponseEncoder.encode(
            reply.response, to: exchange, date: date, into: &bytes)
        hold(
            HeldAnswer(
                to: request, visibleAfter: reply.visibleAfter, bytes: bytes, persists: persists,
                facts: facts, id: id),
            connection)
        return false
    }

    /// Sends a whole answer that is encoded already.
    ///
    /// - Returns: whether the next request can be begun at once.
    func send(_ answer: HeldAnswer, _ connection: Connection) -> Bool {
        guard answer.visibleAfter <= store.durable else {
            hold(answer, connection)
            return false
        }
        output += answer.bytes
        noteAnswer(connection, bytes: answer.bytes.count)
        if let facts = answer.facts { finish(facts, id: answer.id, begun: connection.begun) }
        connection.state.answered(
            closes: !answer.persists || connection.state.closesAfterAnswer, at: now)
        return !connection.state.closesAfterAnswer && pipelines(connection)
    }

    /// Keeps an answer until it may be shown.
    private func hold(_ answer: HeldAnswer, _ connection: Connection) {
        flushShared(connection)
        guard connections.holds(connection) else { return }
        noteAnswer(connection, bytes: answer.bytes.count)
        connection.held = answer
        waiting.append(connection.token)
    }

    /// Encodes an answer that may be shown. A long body is not copied behind its head.
    private func encode(
        _ response: Response, to exchange: Exchange, _ connection: Connection
    ) -> Bool {
        guard response.body.count > Self.writeBytesMax, response.showsBody(to: exchange),
            connection.outbox.isEmpty
        else {
            return ResponseEncoder.encode(response, to: exchange, date: date, into: &output)
        }
        outputBody = response.body
        return ResponseEncoder.encodeHead(response, to: exchange, date: date, into: &output)
    }

    /// The answer is encoded and counts as written; what the socket does not take is owed.
    private func pipelines(_ connection: Connection) -> Bool {
        guard connection.outbox.isEmpty, outputBody.isEmpty else { return false }
        return connection.state.wroteAll(at: now) == .nextRequest
    }

    private func refuse(_ connection: Connection, _ malformation: MalformedMessageError) {
        connection.state.refused(at: now)
        let problem = Problem(malformation)
        finishRefused(problem.kind)
        ResponseEncoder.encode(
            problem.response(instance: nil), to: .refusal(isHead: connection.parser.isHead),
            date: date, into: &output)
    }

    // MARK: - What the state machine wants

    func perform(_ action: ConnectionAction, on connection: Connection) {
        guard connections.holds(connection) else { return }
        switch action {
        case .wait: break
        case .sendContinue: ResponseEncoder.encodeContinue(into: &output)
        case .timeOut:
            let problem = Problem(
                .requestTimeout, "The request did not arrive in time. Send it faster.")
            finishRefused(problem.kind)
            ResponseEncoder.encode(
                problem.response(instance: nil), to: .refusal(isHead: connection.parser.isHead),
                date: date, into: &output)
            flushShared(connection)
        case .nextRequest:
            consumeRest(connection)
        case .shutDownWriting:
            // Nothing more is parsed.
            connection.parser = RequestParser(limits: options.parser)
            connection.input = []
            do { try Socket.shutdownWriting(connection.descriptor) } catch { close(connection) }
        case .close: close(connection)
        case .abort:
            Socket.resetWhenClosed(connection.descriptor)
            close(connection)
        }
    }
}
