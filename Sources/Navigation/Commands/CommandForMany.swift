internal import Bytes
package import JSON

/// The body of a command for many sessions: `{command, app?, labels?, sessions?}`.
package struct CommandForMany: Sendable {
    /// The name of the command.
    package let name: CommandName
    /// The command.
    package let command: Command
    /// The members of the command besides its name, for the history of the sessions.
    package let body: JSONObject
    /// The app that the sessions must be bound to, or nil for any or none.
    package let app: AppID?
    /// Labels, all of which a session must have.
    package let labels: [Label]
    /// The sessions, in the order of their ids and without repeats, or nil for every session that
    /// has the app and the labels.
    package let sessions: [SessionID]?

    /// Each takes as long as a request, and their results share one response.
    package static let sessionsMax = 1000

    package init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        let command = reader.requiredObject("command")
        app = reader.name("app")
        labels = reader.labels(limits) ?? []
        sessions = try reader.sessions()
        if ["app", "labels", "sessions"].allSatisfy({ body[$0] == nil }) {
            reader.refuse(at: "", "must name an app, labels or sessions")
        }
        if case .object(let object)? = body["labels"], object.isEmpty {
            reader.refuse("labels", "must name at least one label")
        }
        reader.refuseUnknown()
        guard let command, reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        (name, self.command) = try Command.named(command, at: "/command", limits, work: work)
        self.body = JSONObject(
            command.members.filter { $0.key != "command" }
                .map { ($0.key, $0.value) })
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
    package static func tooManySessions(at pointer: String) -> RejectionError {
        .limitExceeded(
            "A command can change at most \(CommandForMany.sessionsMax) sessions at once. "
                + "Nothing was done; select fewer.", pointer: pointer)
    }
}
