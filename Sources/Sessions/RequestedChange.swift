internal import Bytes
internal import JSON
public import Navigation

// From the bodies of requests to changes of a session.

/// The effects of a request on a session.
public struct RequestedChange {
    /// The answer, which says whether anything changed.
    public var answer: Answer
    /// The cause in the event.
    public var cause: EventText.Cause
    /// Whether the response has the answer, and not only the session.
    public var isCommand = false

    public init(answer: Answer, cause: EventText.Cause, isCommand: Bool = false) {
        (self.answer, self.cause, self.isCommand) = (answer, cause, isCommand)
    }

    /// A request that has changed nothing.
    public static func none(_ command: String, losses: Losses = Losses()) -> RequestedChange {
        var answer = Answer()
        answer.reason = .alreadyThere
        return RequestedChange(
            answer: answer, cause: EventText.Cause(command: command, losses: losses))
    }
}

private func explaining<Value>(
    _ body: () throws(RejectionError) -> Value
) throws(ProblemContent) -> Value {
    do { return try body() } catch { throw ProblemContent(error) }
}

extension CreateSession {
    /// The new session for a body, which need not name the app of the rules.
    public static func session(
        _ body: RequestBody, id: String, rules: Rules, at now: Milliseconds
    ) throws(ProblemContent) -> Session {
        var object = try body.object()
        if let app = rules.app, !object.contains("app"), !object.contains("copyOf") {
            object.append("app", app.id.json)
        }
        let wanted = try explaining { () throws(RejectionError) in
            try CreateSession(object, limits: rules.limits, work: rules.work)
        }
        if let source = wanted.copied { throw .sessionNotFound(source.id.rawValue) }
        try rules.check(wanted.app)
        let fresh = try SessionID(checking: id)
        return try wanted.begun(id: fresh, rules: rules, at: now).session.checked(rules)
    }
}

extension RestoreSession {
    /// The new session for a body, which need not name the app of the rules.
    public static func session(
        _ body: RequestBody, id: String, rules: Rules, at now: Milliseconds
    ) throws(ProblemContent) -> Session {
        let id = try SessionID(checking: id)
        var object = try body.object()
        if let app = rules.app, !object.contains("app") { object.append("app", app.id.json) }
        let (wanted, restored) = try explaining { () throws(RejectionError) in
            let wanted = try RestoreSession(object, id: id, limits: rules.limits, work: rules.work)
            let restored = try wanted.fitting(
                rules.app, nextEntry: 1, at: now, work: rules.work)
            return (wanted, restored)
        }
        try rules.check(wanted.app)
        return try Session(id: id, restored, by: wanted, at: now).checked(rules)
    }
}

extension CommandRequest {
    /// Reads a command.
    public init(named name: String, _ body: RequestBody, _ rules: Rules) throws(ProblemContent) {
        guard let command = CommandName(named: name) else {
            let known = CommandName.allCases.map { $0.rawValue }
            throw ProblemContent(
                .notFound, "There is no command \(name.clipped).",
                near: Spelling.near(name, among: known, work: rules.work),
                otherwise: "The commands are \(known.joined(separator: ", ")).")
        }
        let body = try body.compact()
        guard body.text.first == UInt8(ascii: "{") else { throw .bodyIsNoObject }
        let read = try explaining { () throws(RejectionError) in
            try Command(command, body: body, limits: rules.limits, work: rules.work)
        }
        self.init(read, body: body.text)
    }
}

extension SessionEditor {
    /// Replaces the state and the settings: a PUT.
    public mutating func restore(
        _ body: RequestBody, at now: Milliseconds
    ) throws(ProblemContent) -> RequestedChange {
        let object = try body.object()
        let (id, own, next) = (session.id, session.app, session.nextEntry)
        let (wanted, restored) = try explaining { () throws(RejectionError) in
            let wanted = try RestoreSession(object, id: id, limits: rules.limits, work: rules.work)
            try wanted.checkApp(of: own)
            let restored = try wanted.fitting(
                rules.app, nextEntry: next, at: now, work: rules.work)
            return (wanted, restored)
        }
        do throws(WorkBudgetError) {
            let answer = try restore(restored, settings: wanted.settings, at: now)
            guard let answer else { return .none("restore", losses: restored.losses) }
            let cause = EventText.Cause(command: "restore", losses: restored.losses)
            return RequestedChange(answer: answer, cause: cause)
        } catch {
            throw ProblemContent(.tooMuchWork(.request))
        }
    }

    /// Changes the settings: a PATCH.
    public mutating func update(
        _ body: RequestBody, at now: Milliseconds
    ) throws(ProblemContent) -> RequestedChange {
        let object = try body.object()
        let old = session.settings
        let settings = try explaining { () throws(RejectionError) in
            try PatchSession(object, limits: rules.limits, work: rules.work)
                .apply(to: old, work: rules.work)
        }
        guard update(settings, at: now) else { return .none("update") }
        let cause = EventText.Cause(command: "update", body: object.bytes)
        return RequestedChange(answer: Answer(), cause: cause)
    }

    /// Removes the sheet whose time came first.
    public mutating func expireSheet(_ now: Milliseconds) -> RequestedChange {
        guard let (sheet, answer) = expireSheet(at: now) else { return .none(EventText.expire) }
        let cause = EventText.Cause(
            command: EventText.expire, body: Array(#"{"sheet":"\#(sheet)"}"#.utf8))
        return RequestedChange(answer: answer, cause: cause)
    }
}

extension Rules {
    /// Refuses an app that is not the one of the rules.
    fileprivate func check(_ named: AppID?) throws(ProblemContent) {
        guard let named, named != app?.id else { return }
        throw .appNotFound(named, among: app.map { [$0.id.rawValue] } ?? [], work: work)
    }
}

extension SessionID {
    fileprivate init(checking text: String) throws(ProblemContent) {
        guard let id = SessionID(text) else {
            throw .invalid([InputFault(pointer: "/id", detail: nameRule(SessionID.self))])
        }
        self = id
    }
}

extension Session {
    fileprivate func checked(_ rules: Rules) throws(ProblemContent) -> Session {
        guard SessionEncoder.encode(self, app: rules.app).count <= rules.limits.sessionBytesMax
        else { throw .sessionTooLarge(rules.limits) }
        return self
    }

    /// The next thing that happens in the session by itself, and its time: the idle command, or the
    /// end of a sheet.
    public func due(_ app: App?, mayBeIdle: Bool) -> (at: Milliseconds, idle: CommandRequest?)? {
        let expiry = state.firstExpiry?.at ?? .max
        guard mayBeIdle, let idle = settings.idle ?? app?.idle,
            updatedAt + Milliseconds(idle.seconds) * 1000 < expiry
        else { return expiry == .max ? nil : (expiry, nil) }
        return (updatedAt + Milliseconds(idle.seconds) * 1000, idle.request)
    }
}
