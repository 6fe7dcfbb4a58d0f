internal import API
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The result of handling a request.
enum HandledRequest {
    /// The answer is encoded, and can be sent.
    case encoded(persists: Bool)
    /// The answer, or the beginning of a stream, is sent by itself, perhaps later.
    case held(HeldAnswer)
    /// The request waits, parked with its connection.
    case waiting
}

/// Gives requests to the service and encodes the answers. It reads no socket and sends nothing.
final class RequestHandler {
    private let parts: LoopParts
    private let work: WorkBudget

    init(_ parts: LoopParts) {
        self.parts = parts
        work = parts.service.work
    }

    // MARK: - Requests

    /// Handles a request that has arrived.
    func handle(_ request: Request, _ connection: Connection) -> HandledRequest {
        connection.exchange.begin(at: parts.clock.now)
        connection.exchange.requestID = parts.observer.identify(request)
        parts.budget.beginRequest(connection, at: parts.clock.now)
        let wasAdmitted = connection.exchange.isAdmitted
        connection.exchange.isAdmitted = false
        if !wasAdmitted, let seconds = parts.observer.limit(request, from: connection) {
            connection.exchange.begun = parts.clock.nanoseconds
            let refusal = parts.observer.refusal(of: request, waiting: seconds, connection)
            return encode(refusal, to: request, on: connection)
        }
        if !request.method.isSafe, parts.streams.isFarBehind {
            connection.exchange.parked = request.compacted()
            parts.share.enqueueChange(connection)
            return .waiting
        }
        return respond(to: request, connection)
    }

    /// Refuses a request whose content is still to come, if its head is enough for that. Then
    /// nothing waits for the content: the connection closes after the answer.
    ///
    /// - Returns: nil if the content is needed.
    func refuse(head: Request, _ connection: Connection) -> HandledRequest? {
        connection.exchange.isAdmitted = true
        connection.exchange.begun = parts.clock.nanoseconds
        connection.exchange.requestID = parts.observer.identify(head)
        parts.share.spend(.request)
        let refusal =
            parts.observer.limit(head, from: connection).map {
                parts.observer.refusal(of: head, waiting: $0, connection)
            }
            ?? parts.service.refusal(
                ofHead: head, at: parts.clock.now, onMetricsAddress: connection.origin.isForMetrics,
                id: connection.exchange.requestID)
        guard var refusal else { return nil }
        refusal.response.closes = true
        connection.exchange.begin(at: parts.clock.now)
        return encode(refusal, to: head, on: connection)
    }

    /// The response to a message that could not be read to its end.
    ///
    /// - Parameter head: the request without its body, if the head is valid.
    func response(to problem: Problem, head: Request?, id: RequestID) -> Response {
        parts.service.response(to: problem, head: head, id: id)
    }

    /// Asks the service for the answer to a request.
    ///
    /// - Parameters:
    ///   - loaded: what was loaded for this request, if the service needed anything.
    ///   - hasWaited: whether the wait of the request ends now.
    func respond(
        to request: Request, _ connection: Connection, loaded: (any LoadResult)? = nil,
        hasWaited: Bool = false
    ) -> HandledRequest {
        if hasWaited { connection.exchange.endWait(at: parts.clock.now) }
        let hasWaited = connection.exchange.hasWaited(at: parts.clock.now)
        var stage = hasWaited ? RequestStage.waited : .begun
        if let progress = connection.exchange.progress {
            stage = .portions(progress)
        } else if loaded == nil, connection.exchange.conflicts == 0 {
            connection.exchange.begun = parts.clock.nanoseconds
        }
        let spent = work.unitsSpent
        let outcome = parts.service.respond(
            to: request, at: parts.clock.now, onMetricsAddress: connection.origin.isForMetrics,
            id: connection.exchange.requestID, stage: stage)
        parts.share.spend(.request)
        parts.share.spend(.budget(units: work.unitsSpent - spent))
        switch consume outcome {
        case .load(let requests):
            connection.exchange.parked = request.compacted()
            parts.store.load(requests, token: connection.token, earlier: loaded)
            return .waiting
        case .wait(let poll):
            connection.exchange.parked = request.compacted()
            parts.streams.wait(connection, for: poll)
            return .waiting
        case .pause(let pause): return wait(pause, request, on: connection)
        case .stream(let opening): return open(opening, for: request, on: connection)
        case .backup(let opening): return openBackup(opening, for: request, on: connection)
        case .shown(let report):
            parts.streams.note(report.display)
            return encode(report.reply, to: request, on: connection)
        case .reply(let reply):
            connection.exchange.progress = nil
            return encode(reply, to: request, on: connection)
        }
    }

    /// Answers a request for which something was loaded.
    func respond(
        to request: Request, _ connection: Connection, with loaded: any LoadResult
    ) -> HandledRequest {
        parts.store.with(loaded) { respond(to: request, connection, loaded: loaded) }
    }

    // MARK: - Requests in portions

    /// Keeps the progress of a request until its changes are decided, or until a later turn.
    private func wait(
        _ pause: Pause, _ request: Request, on connection: Connection
    ) -> HandledRequest {
        connection.exchange.progress = pause.progress
        connection.exchange.parked = request.compacted()
        if parts.gate.mayShow(pause.visibleAfter) {
            parts.share.enqueueChange(connection)
        } else {
            let portion = HeldAnswer(
                to: request, .init(after: pause.visibleAfter, audience: pause.audience),
                text: HeldText([]), persists: true)
            parts.gate.hold(portion, connection)
        }
        return .waiting
    }

    /// Resumes a request in portions, now that the outcome of its last one is known.
    ///
    /// - Returns: the answer if the store takes no more changes, otherwise nil.
    func resume(_ connection: Connection, after portion: HeldAnswer) -> HandledRequest? {
        if let decision = portion.decision {
            if decision.refusal == .unavailable,
                let problem = Problem(.unavailable),
                let request = connection.exchange.takeParked()
            {
                connection.exchange.progress = nil
                let refusal = parts.service.refusal(
                    problem, of: request, id: connection.exchange.requestID)
                return encode(refusal, to: request, on: connection)
            }
            connection.exchange.progress = connection.exchange.progress?.settling(decision)
        }
        parts.share.enqueueChange(connection)
        return nil
    }

    // MARK: - Answers

    private func encode(
        _ reply: consuming Reply, to request: Request, on connection: Connection
    ) -> HandledRequest {
        let facts = parts.observer.observe(request, reply, on: connection)
        defer { parts.service.reuse(reply.response.body) }
        guard parts.gate.mayShow(reply.visibleAfter) else {
            let visibility = HeldAnswer.Visibility(
                after: reply.visibleAfter, audience: reply.audience, form: reply.form)
            let (text, persists) = parts.writer.encodeHeld(
                reply.response, to: request.exchange, id: connection.exchange.requestID,
                path: visibility.mayRepeat(request) ? [] : request.bytes[request.path])
            return .held(
                HeldAnswer(to: request, visibility, text: text, persists: persists, facts: facts))
        }
        let persists = parts.writer.encode(reply.response, to: request.exchange, connection)
        parts.observer.finish(facts, on: connection)
        return .encoded(persists: persists)
    }

    /// Replaces an answer that shows a change that is not kept.
    ///
    /// - Returns: false if the request has to be processed again, because it is a read or somebody
    ///   else made a change first.
    func replace(
        _ answer: HeldAnswer, _ outcome: TicketOutcome, on connection: Connection
    ) -> Bool {
        let problem: Problem
        switch outcome {
        case .kept: return false
        case .conflict:
            connection.exchange.conflicts += 1
            guard connection.exchange.conflicts > Self.conflictsMax else { return false }
            problem = .tooManyConflicts
        case .refused(let error):
            if error.refusesOnlyChanges, answer.isRead { return false }
            problem = Problem(error) ?? .unknownOutcome
        case .unknown: problem = .unknownOutcome
        }
        let path = String(decoding: answer.path, as: UTF8.self)
        let id = connection.exchange.requestID
        let refusal =
            answer.form?.response(refusing: problem) ?? problem.response(instance: path, id: id)
        let (text, persists) = parts.writer.encodeHeld(refusal, to: answer.exchange, id: id)
        parts.observer.countProblem(problem.kind)
        answer.replace(by: text, refusal, persists: persists)
        // Nothing was changed, so there is no author.
        connection.exchange.author = nil
        return true
    }

    // MARK: - Streams and backups

    private func open(
        _ opening: StreamOpening, for request: Request, on connection: Connection
    ) -> HandledRequest {
        parts.observer.logBeginning(
            of: opening.response, endpoint: opening.endpoint, to: request, on: connection)
        var (bytes, framing) = parts.writer.encodeStreamHead(
            opening.response, to: request.exchange, id: connection.exchange.requestID)
        let continues = parts.streams.open(connection, opening, framing: framing, into: &bytes)
        let answer = HeldAnswer(
            to: request, .init(after: opening.visibleAfter), text: HeldText(bytes),
            persists: request.minorVersion >= 1)
        answer.isStream = continues
        return continues ? .held(answer) : encodeWhole(answer, connection)
    }

    private func openBackup(
        _ opening: Reply, for request: Request, on connection: Connection
    ) -> HandledRequest {
        guard !parts.backups.isFull else {
            let refusal = parts.service.refusal(
                Self.tooManyBackups, of: request, endpoint: opening.endpoint,
                id: connection.exchange.requestID)
            return encode(refusal, to: request, on: connection)
        }
        let (bytes, framing) = parts.writer.encodeStreamHead(
            opening.response, to: request.exchange, id: connection.exchange.requestID)
        let persists = request.exchange.minorVersion >= 1
        guard framing != .nothing else {
            let facts = parts.observer.observe(request, opening, on: connection)
            let answer = HeldAnswer(
                to: request, .init(after: .none), text: HeldText(bytes), persists: persists,
                facts: facts)
            return encodeWhole(answer, connection)
        }
        parts.observer.logBeginning(
            of: opening.response, endpoint: opening.endpoint, to: request, on: connection)
        let ticket = parts.backups.begin(connection, framing, at: parts.clock.now)
        let answer = HeldAnswer(
            to: request, .init(after: Tickets(ticket)), text: HeldText(bytes), persists: persists)
        answer.isStream = true
        return .held(answer)
    }

    /// A request is given up after more conflicts than this.
    private static let conflictsMax: UInt8 = 8

    private static let tooManyBackups = Problem(
        .storeUnavailable,
        "\(BackupSender.transfersMax) backups are in progress. Wait until one has finished.",
        fields: [ResponseField(.retryAfter, "10")])

    /// Adds a stream that is over at once to what is encoded, or holds it.
    private func encodeWhole(
        _ answer: HeldAnswer, _ connection: Connection
    ) -> HandledRequest {
        guard parts.gate.mayShow(answer.visibleAfter) else { return .held(answer) }
        parts.writer.append(answer.text)
        parts.share.noteAnswer(connection, bytes: answer.text.count)
        if let facts = answer.facts { parts.observer.finish(facts, on: connection) }
        return .encoded(persists: answer.persists)
    }
}
