internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// One command for many sessions: `POST /v1/commands`.
//
// 1. Each session is a request of its own: with a budget of its own, changed or refused by itself,
//    and kept before its row is shown.
// 2. The request is carried out in portions of about a millisecond, and others are answered
//    between them. What a portion has done is in `CommandProgress`, so nothing is done twice.
// 3. A portion that shows a change ends only when it is decided whether the change is kept. Thus a
//    change that the store undoes is reported in its row, a change that lost to somebody else's is
//    retried, and only one portion at a time waits for the disk.
// 4. A session whose record is not in memory ends the portion, unless it is the first of it: then
//    the records of the next sessions are loaded together.

/// Carries a command out on many sessions.
struct ManyCommands {
    private let writer: SessionWriter
    /// The rows of the portions that are done.
    private let done: CommandRows

    private var context: RequestContext { writer.context }

    /// The units of work after which a portion ends: about a millisecond.
    private static let portionUnits = 100_000
    /// The sessions whose records are read in one portion to choose among them.
    private static let examinedTogether = 64
    /// The sessions whose records are loaded together.
    private static let loadedTogether = 32

    /// - Parameter stage: what is done already.
    init(_ context: RequestContext, at stage: RequestStage) throws(OperationError) {
        switch stage {
        case .begun, .waited: done = try Self.begin(context)
        case .portions(let progress): done = progress.done
        }
        writer = SessionWriter(done.request, context)
    }

    /// Carries out the next portion.
    func perform() throws(OperationError) -> Outcome {
        var portion = Portion(done: done)
        if portion.done.isChosen {
            if case .signal(let content) = done.wanted.action {
                guard done.next != nil else { return .reply(reply(try delivering(content))) }
                try carryOut(&portion)
                return .pause(portion.pause)
            }
            try carryOut(&portion)
            if portion.done.next == nil, context.store.status.hasKept(portion.visibleAfter) {
                return .reply(reply(portion.done))
            }
        } else {
            try choose(&portion.done)
        }
        return .pause(portion.pause)
    }

    /// The work of one portion.
    private struct Portion {
        var done: CommandRows
        /// The changes that the rows of the portion show.
        var visibleAfter = Tickets.none
        var audience = 0

        var pause: Pause {
            Pause(
                progress: CommandProgress(done), visibleAfter: visibleAfter, audience: audience)
        }
    }

    // MARK: - The request

    private static func begin(_ context: RequestContext) throws(OperationError) -> CommandRows {
        let json = try context.json()
        if case .object(let body) = json { try context.checkLimits(ofCommandIn: body) }
        let request = try ChangeRequest(context) { $0.mix(json) }
        guard context.request[.ifMatch] == nil else {
            throw .problem(
                Problem(
                    .malformedRequest,
                    "If-Match names the state of one session. Send the request without it."))
        }
        try context.checkUntagged()
        try request.checkQuery(context)
        let body = try json.requireObject()
        return CommandRows(
            request,
            try ruled { () throws(RejectionError) in
                try CommandForMany(body, limits: context.limits, work: context.work)
            }, requestID: context.requestID)
    }

    /// Searches for more matching sessions.
    private func choose(_ done: inout CommandRows) throws(OperationError) {
        let wanted = done.wanted
        let conditions = RecordConditions(wanted.filter, context)
        let left = CommandForMany.sessionsMax + 1 - done.ids.count
        let page = try stored { () throws(StoreError) in
            try context.store.reading.walk(
                after: done.cursor, filter: wanted.filter,
                limit: conditions.areAny ? min(left, Self.examinedTogether) : left,
                now: context.now)
        }
        count(.entries(min(context.store.reading.sessionCount, SessionPage.examinedMax)))
        let handles = try conditions.selected(of: page.handles)
        if conditions.areAny {
            let bytes = page.handles.reduce(0) { $0 + context.store.reading.summary($1).bytes }
            count(.parsing(bytes: bytes))
        }
        done.add(handles.map { context.store.reading.summary($0).id }, cursor: page.next)
        guard done.ids.count <= CommandForMany.sessionsMax else {
            throw .problem(Problem(.tooManySessions(at: "")))
        }
    }

    // MARK: - A portion

    /// Carries the command out on one session after another until the portion is full.
    ///
    /// - Throws: `load` if the first session's records are not in memory.
    private func carryOut(_ portion: inout Portion) throws(OperationError) {
        let spent = context.work.unitsSpent
        var isFirst = true
        while let id = portion.done.next {
            let left = Self.portionUnits - (context.work.unitsSpent - spent)
            guard isFirst || left > estimatedUnits(of: id) else { return }
            do {
                let row = try carryOut(id, &portion)
                if let row { portion.visibleAfter.insert(row.ticket) }
                portion.done.finish(row)
            } catch {
                switch error {
                case .load(let requests):
                    guard isFirst else { return }
                    throw .load(requests + missing(after: portion.done, beside: requests))
                case .problem(let problem):
                    portion.visibleAfter.formUnion(problem.visibleAfter)
                    portion.done.refuse(id, problem)
                }
            }
            isFirst = false
        }
    }

    /// - Returns: nil if the session does not match.
    private func carryOut(
        _ id: SessionID, _ portion: inout Portion
    ) throws(OperationError) -> CommandRow? {
        let wanted = portion.done.wanted
        context.work.renew()
        defer { count(.entries(Self.entriesOfSession)) }
        if case .change(let earlier)? = try writer.earlierResult(in: .session(id)) {
            return CommandRow(
                id, revision: earlier.record.revision, held: try held(earlier),
                earlier.version.ticket)
        }
        let handle = try context.existing(id.rawValue)
        guard try matches(handle, wanted) else { return nil }
        guard case .command(let name, let command, let body) = wanted.action else {
            return CommandRow(id, delivered: 0)
        }
        let version = context.store.reading.version(of: handle)
        return try writer.change(handle, at: version) { transaction throws(OperationError) in
            defer { count(.parsing(bytes: transaction.jsonBytes)) }
            let commands = SessionCommands(name, writer)
            var answer = Answer()
            try commands.carryOut(
                CommandRequest(command, body: body), in: transaction, &answer)
            commands.signalReselection(by: command, answer, in: transaction)
            portion.audience += transaction.audience
            return CommandRow(
                id, revision: transaction.session.revision, reason: answer.reason,
                held: answer.guarded.held, transaction.version.ticket)
        }
    }

    /// Whether a session has the app and the labels, and the conditions hold for it.
    private func matches(
        _ handle: SessionHandle, _ wanted: CommandForMany
    ) throws(OperationError) -> Bool {
        if let app = wanted.app, context.store.reading.summary(handle).app != app { return false }
        if !wanted.labels.isEmpty {
            let labels = context.store.reading.labels(of: handle)
            guard wanted.filter.matches(app: wanted.app, labels: labels) else { return false }
        }
        return try stored { () throws(StoreError) in
            try RecordConditions(wanted.filter, context).hold(for: handle)
        }
    }

    /// The rows of a signal after it was sent to the streams.
    private func delivering(_ content: SignalContent) throws(OperationError) -> CommandRows {
        var done = done
        let sessions = done.sessionsToSignal
        if !sessions.isEmpty, !writer.request.isDry {
            done.note(delivered: try context.deliver(content, to: sessions))
        }
        return done
    }

    /// The guard that held the command back when it was carried out before, if one did.
    private func held(_ earlier: StoredRecord) throws(OperationError) -> GuardName? {
        let members = try context.members(ofEvent: earlier)
        guard let value = members.first(where: { $0.name == "held" })?.value else { return nil }
        // A name needs no escapes, so its text is what the quotation marks enclose.
        let name = earlier.record.event[value].dropFirst().dropLast()
        return GuardName(String(decoding: name, as: UTF8.self))
    }

    /// The cost of a session besides the rules, as for a request of its own.
    private static let entriesOfSession = 75

    /// Counts work that no rule counts. The budget of the command is not touched.
    private func count(_ work: Work) {
        context.work.renew()
        try? context.work.spend(work)
    }

    /// One unit per stored byte: a session is read and written whole.
    private func estimatedUnits(of id: SessionID) -> Int {
        guard let handle = try? context.store.reading.find(id, now: context.now) else { return 0 }
        return context.store.reading.summary(handle).bytes
    }

    /// Load requests for the sessions of the next portion.
    ///
    /// - Parameter first: what the first session needs. If that is about to be refused, then the
    ///   next ones probably are, too.
    private func missing(
        after done: CommandRows, beside first: [LoadRequest]
    ) -> [LoadRequest] {
        let isRefused = first.contains { if case .acknowledged = $0 { true } else { false } }
        var (requests, bytes) = ([LoadRequest](), 0)
        for id in done.ids.dropFirst(done.doneCount + 1).prefix(Self.loadedTogether) {
            do throws(StoreError) {
                guard let handle = try context.store.reading.find(id, now: context.now) else {
                    try context.store.reading.confirm(id)
                    continue
                }
                bytes += context.store.reading.summary(handle).bytes
                guard bytes < Self.portionUnits else { break }
                _ = try context.store.reading.newest(handle)
                if isRefused { try context.store.reading.confirm(id) }
            } catch {
                if case .notInMemory(let more) = error { requests += more }
            }
        }
        return requests
    }

    // MARK: - The response

    private func reply(_ done: CommandRows) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"results":["#)
        for row in done.rows {
            body.element()
            body.append(row.text)
        }
        body.append(literal: "]}")
        var response = Response(.ok, contentType: .json, body: body.finish())
        response.fields = writer.request.appliedPreferences
        return Reply(response)
    }
}

extension CommandForMany {
    /// The filter for the sessions.
    fileprivate var filter: SessionFilter {
        SessionFilter(app: app, labels: labels, visible: visible, idleSeconds: idleSeconds)
    }
}
