internal import Bytes
public import JSON

/// The body of a command for many sessions:
/// `{command, app?, labels?, sessions?, visible?, idle?}`.
public struct CommandForMany: Sendable {
    /// The command or the signal for each session.
    public enum Action: Sendable {
        /// A command is carried out. The body has its members besides its name, for the history.
        case command(CommandName, Command, body: JSONObject)
        /// A signal is sent to its streams.
        case signal(SignalContent)

        /// The last segment of the URL that does it with one session.
        public var name: String {
            switch self {
            case .command(let name, _, _): name.rawValue
            case .signal: SignalContent.command
            }
        }
    }

    /// The command or the signal for each session.
    public let action: Action
    /// The app that the sessions must be bound to, or nil for any or none.
    public let app: AppID?
    /// Labels, all of which a session must have.
    public let labels: [Label]
    /// The sessions, in the order of their ids and without repeats, or nil for every session that
    /// has the app and the labels.
    public let sessions: [SessionID]?
    /// The route that a session must show, or nil for any.
    public let visible: RouteName?
    /// How many seconds ago the last change of a session must have been, or nil for any.
    public let idleSeconds: Int?

    /// Each takes as long as a request, and their results share one response.
    public static let sessionsMax = 1000

    public init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        let command = reader.requiredObject("command")
        app = reader.name("app")
        labels = reader.labels(limits) ?? []
        sessions = try reader.sessions()
        visible = reader.name("visible")
        idleSeconds = reader.integer("idle", in: 0...Int.max)
        if Self.conditions.allSatisfy({ body[$0] == nil }) {
            reader.refuse(at: "", "must have app, labels, sessions, visible or idle")
        }
        if case .object(let object)? = body["labels"], object.isEmpty {
            reader.refuse("labels", "must name at least one label")
        }
        reader.refuseUnknown()
        guard let command, reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        action = try Self.action(command, limits, work: work)
    }

    private static let conditions = ["app", "labels", "sessions", "visible", "idle"]

    private static func action(
        _ object: JSONObject, _ limits: Limits, work: WorkBudget
    ) throws(RejectionError) -> Action {
        if case .string(let name)? = object["command"], name == SignalContent.command {
            var reader = ObjectReader(object, at: "/command", work: work)
            _ = reader.value("command")
            let content = SignalContent(&reader)
            guard reader.faults.isEmpty, let content else {
                throw .invalidRequest(reader.faults)
            }
            return .signal(content)
        }
        let (name, command) = try Command.named(
            object, at: "/command", limits: limits, work: work)
        let body = JSONObject(
            object.members.filter { $0.key != "command" }.map { ($0.key, $0.value) })
        return .command(name, command, body: body)
    }
}

extension ObjectReader {
    fileprivate mutating func sessions() throws(RejectionError) -> [SessionID]? {
        guard let items = array("sessions") else { return nil }
        guard items.count <= CommandForMany.sessionsMax else {
            throw .tooManySessions(at: "/sessions")
        }
        var sessions: Set<SessionID> = []
        for (index, item) in items.enumerated() {
            if case .string(let text) = item, let id = SessionID(text) {
                sessions.insert(id)
            } else {
                refuse(at: "/sessions/\(index)", nameRule(SessionID.self))
            }
        }
        return sessions.sorted()
    }
}

extension RejectionError {
    /// The rejection if more sessions match than one request may change.
    ///
    /// - Parameter pointer: the member that must select fewer of them.
    public static func tooManySessions(at pointer: String) -> RejectionError {
        .limitExceeded(
            "A command can change at most \(CommandForMany.sessionsMax) sessions at once. "
                + "Nothing was done; select fewer.", pointer: pointer)
    }
}
