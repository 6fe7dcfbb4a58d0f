internal import API
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions
internal import Storage

/// The result of handling a request.
enum HandledRequest {
    /// The answer is encoded, and can be sent.
    case encoded(persists: Bool)
    /// The answer must be held.
    case held(HeldAnswer)
    /// The answer is a stream that begins with these bytes, which may have to be held.
    case stream(HeldAnswer)
    /// The request waits, parked with its connection.
    case waiting
}

/// Gives requests to the service and encodes the answers. It reads no socket and sends nothing.
final class RequestHandler {
    private let service: Service
    private let store: Store
    private let observer: RequestObserver
    private let writer: ResponseWriter
    private let gate: AnswerGate
    private let streams: StreamHub
    private let backups: BackupSender
    private let share: FairShare
    private let budget: BufferBudget
    private let clock: TurnClock
    private let work: WorkBudget

    init(_ parts: LoopParts, _ writer: ResponseWriter, gate: AnswerGate, backups: BackupSender) {
        service = parts.service
        store = parts.store
        observer = parts.observer
        streams = parts.streams
        share = parts.share
        budget = parts.budget
        clock = parts.clock
        work = parts.service.work
        self.writer = writer
        self.gate = gate
        self.backups = backups
    }

    // MARK: - Requests

    /// Handles a request that has arrived.
    func handle(_ request: Request, _ connection: Connection) -> HandledRequest {
        connection.exchange.begin(at: clock.now)
        connection.exchange.requestID = observer.identify(request)
        budget.beginRequest(connection, at: clock.now)
        let wasAdmitted = connection.exchange.isAdmitted
        connection.exchange.isAdmitted = false
        if !wasAdmitted, let refusal = observer.limit(request, from: connection) {
            connection.exchange.begun = clock.nanoseconds
            return encode(refusal, to: request, on: connection)
        }
        if !request.method.isSafe, streams.hasTooMuchToTell {
            connection.exchange.parked = request.compacted()
            share.enqueueChange(connection)
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
        connection.exchange.begun = clock.nanoseconds
        connection.exchange.requestID = observer.identify(head)
        share.spend(.request)
        let refusal =
            observer.limit(head, from: connection)
            ?? service.refusal(
                ofHead: head, at: clock.now, onMetricsAddress: connection.origin.isForMetrics,
                id: connection.exchange.requestID)
        guard var refusal else { return nil }
        refusal.response.closes = true
        connection.exchange.begin(at: clock.now)
        return encode(refusal, to: head, on: connection)
    }

    /// Asks the service for the answer to a request.
    ///
    /// - Parameters:
    ///   - loaded: the records that were read for this request, if the service needed any.
    ///   - hasWaited: whether the request has waited for a change long enough.
    func respond(
        to request: Request, _ connection: Connection, loaded: LoadedRecords? = nil,
        hasWaited: Bool = false
    ) -> HandledRequest {
        var stage = hasWaited ? RequestStage.waited : .begun
        if let progress = connection.exchange.progress {
            stage = .portions(progress)
        } else if loaded == nil {
            connection.exchange.begun = clock.nanoseconds
        }
        let spent = work.unitsSpent
        let outcome = service.respond(
            to: request, at: clock.now, onMetricsAddress: connection.origin.isForMetrics,
            id: connection.exchange.requestID, stage: stage)
        share.spend(.request)
        share.spend(.budget(units: work.unitsSpent - spent))
        switch consume outcome {
        case .load(let locations):
            connection.exchange.parked = request.compacted()
            store.load(locations, ticket: connection.token, earlier: loaded)
            return .waiting
        case .wait(let poll):
            connection.exchange.parked = request.compacted()
            streams.wait(connection, for: poll)
            return .waiting
        case .pause(let pause): return wait(pause, request, on: connection)
        case .stream(let opening): return open(opening, for: request, on: connection)
        case .backup(let opening): return openBackup(opening, for: request, on: connection)
        case .shown(let report):
            streams.note(report)
            return encode(report.reply, to: request, on: connection)
        case .reply(let reply):
            connection.exchange.progress = nil
            streams.announce(reply.announcements)
            return encode(reply, to: request, on: connection)
        }
    }

    /// Answers a request for which records were read.
    func respond(
        to request: Request, _ connection: Connection, with loaded: LoadedRecords
    ) -> HandledRequest {
        store.with(loaded) { respond(to: request, connection, loaded: loaded) }
    }

    // MARK: - Requests in portions

    /// Keeps the progress of a request until its changes are durable, or until a later turn.
    private func wait(
        _ pause: Pause, _ request: Request, on connection: Connection
    ) -> HandledRequest {
        streams.announce(pause.announcements)
        connection.exchange.progress = pause.progress
        connection.exchange.parked = request.compacted()
        if gate.mayShow(pause.visibleAfter) {
            share.enqueueChange(connection)
        } else {
            let portion = HeldAnswer(
                to: request, visibleAfter: pause.visibleAfter, bytes: [], persists: true)
            gate.hold(portion, connection)
        }
        return .waiting
    }

    /// Resumes a request in portions, now that the outcome of its last one is known.
    ///
    /// - Returns: the answer if the store takes no more changes, otherwise nil.
    func resume(_ connection: Connection, after portion: HeldAnswer) -> HandledRequest? {
        if let failure = portion.failure {
            if failure == .unavailable, let problem = Problem(failure),
                let request = connection.exchange.takeParked()
            {
                connection.exchange.progress = nil
                let refusal = service.refusal(
                    problem, of: request, id: connection.exchange.requestID)
                return encode(refusal, to: request, on: connection)
            }
            connection.exchange.progress = connection.exchange.progress?.takingBack(
                after: portion.durable, because: failure)
        }
        share.enqueueChange(connection)
        return nil
    }

    // MARK: - Answers

    private func encode(
        _ reply: consuming Reply, to request: Request, on connection: Connection
    ) -> HandledRequest {
        let facts = observer.observe(request, reply, on: connection)
        guard gate.mayShow(reply.visibleAfter) else {
            let (bytes, persists) = writer.encodeHeld(
                reply.response, to: request.exchange, id: connection.exchange.requestID)
            return .held(
                HeldAnswer(
                    to: request, visibleAfter: reply.visibleAfter, bytes: bytes,
                    persists: persists, facts: facts))
        }
        let persists = writer.encode(reply.response, to: request.exchange, connection)
        observer.finish(facts, on: connection)
        return .encoded(persists: persists)
    }

    /// Replaces the answer to a request whose change did not become durable.
    ///
    /// - Returns: false if the request is a read that the client gets a new answer to.
    func replace(
        _ answer: HeldAnswer, _ failure: StoreError, on connection: Connection
    ) -> Bool {
        if failure == .full, answer.request.read != nil { return false }
        let problem =
            Problem(failure)
            ?? Problem(.storeUnavailable, "It is unknown whether the change was stored.")
        let path = String(decoding: answer.request.path, as: UTF8.self)
        let id = connection.exchange.requestID
        let refusal = problem.response(instance: path, id: id)
        let (bytes, persists) = writer.encodeHeld(refusal, to: answer.request.exchange, id: id)
        observer.countProblem(problem.kind)
        answer.replace(by: bytes, refusal, persists: persists)
        // Nothing was changed in anybody's name.
        connection.exchange.author = nil
        return true
    }

    // MARK: - Streams and backups

    private func open(
        _ opening: StreamOpening, for request: Request, on connection: Connection
    ) -> HandledRequest {
        observer.logBeginning(
            of: opening.response, endpoint: opening.endpoint, to: request, on: connection)
        var (bytes, framing) = writer.encodeStreamHead(
            opening.response, to: request.exchange, id: connection.exchange.requestID)
        let continues = streams.open(connection, opening, framing: framing, into: &bytes)
        let answer = HeldAnswer(
            to: request, visibleAfter: opening.visibleAfter, bytes: bytes,
            persists: request.minorVersion >= 1)
        return continues ? .stream(answer) : encodeWhole(answer, connection)
    }

    private func openBackup(
        _ opening: Reply, for request: Request, on connection: Connection
    ) -> HandledRequest {
        guard !backups.isFull else {
            let refusal = service.refusal(
                Self.tooManyBackups, of: request, endpoint: opening.endpoint,
                id: connection.exchange.requestID)
            return encode(refusal, to: request, on: connection)
        }
        let (bytes, framing) = writer.encodeStreamHead(
            opening.response, to: request.exchange, id: connection.exchange.requestID)
        let persists = request.exchange.minorVersion >= 1
        guard framing != .nothing else {
            let facts = observer.observe(request, opening, on: connection)
            let answer = HeldAnswer(
                to: request, visibleAfter: 0, bytes: bytes, persists: persists, facts: facts)
            return encodeWhole(answer, connection)
        }
        observer.logBeginning(
            of: opening.response, endpoint: opening.endpoint, to: request, on: connection)
        let visibleAfter = backups.begin(connection, framing, at: clock.now)
        return .stream(
            HeldAnswer(to: request, visibleAfter: visibleAfter, bytes: bytes, persists: persists))
    }

    private static let tooManyBackups = Problem(
        .storeUnavailable,
        "\(BackupSender.transfersMax) backups are in progress. Wait until one has finished.",
        fields: [ResponseField(.retryAfter, "10")])

    /// Adds a stream that is over at once to what is encoded, or holds it.
    private func encodeWhole(
        _ answer: HeldAnswer, _ connection: Connection
    ) -> HandledRequest {
        guard gate.mayShow(answer.visibleAfter) else { return .held(answer) }
        writer.append(answer.bytes, connection)
        if let facts = answer.facts { observer.finish(facts, on: connection) }
        return .encoded(persists: answer.persists)
    }
}
