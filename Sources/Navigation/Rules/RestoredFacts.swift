internal import Bytes
internal import JSON

// The facts and the pending command in the body of a PUT.

extension ObjectReader {
    /// The facts as the client sent them. Names and values are not checked: what the app does not
    /// allow is dropped when the session is made to fit it.
    mutating func facts() -> Facts {
        guard let object = object("facts"), !object.isEmpty else { return .none }
        guard object.count <= Limits.factsMax else {
            refuse("facts", "must have at most \(Limits.factsMax) members", isLimit: true)
            return .none
        }
        return Facts(
            object.members.compactMap { member in
                FactName(member.key).map { ($0, member.value) }
            })
    }

    /// The pending command. Nil if it is missing or invalid.
    mutating func pending(_ limits: Limits) -> PendingCommand? {
        guard let object = object("pending") else { return nil }
        var inner = ObjectReader(object, at: pointer + "/pending", work: work)
        defer { adopt(inner) }
        let name: GuardName? = inner.requiredName("guard")
        let command = inner.requiredObject("command")
        let text = inner.text("entry")
        let entry = text.flatMap { EntryID($0) }
        if text != nil, entry == nil { inner.refuse("entry", "must be e and a number, or absent") }
        let isAnswered = inner.flag("answered", default: false)
        if isAnswered, text != nil { inner.refuse("answered", "cannot be combined with entry") }
        inner.refuseUnknown()
        guard let name, let command else { return nil }
        inner.check(pending: command, limits)
        return PendingCommand(
            guardName: name, command: command, entry: entry, isAnswered: isAnswered)
    }

    /// Refuses a command that could not have been held back.
    private mutating func check(pending command: JSONObject, _ limits: Limits) {
        do {
            let place = pointer + "/command"
            let read = try Command(item: .object(command), at: place, limits: limits, work: work)
            if read.name == .setFacts {
                refuse(at: "/command/command", "must be a command that a guard can hold back")
            }
            check(read, limits)
        } catch {
            guard case .invalidRequest(let faults) = error else {
                return refuse(at: "/command", "takes too much work to read", isLimit: true)
            }
            for fault in faults {
                let place = String(fault.pointer.dropFirst(pointer.count))
                refuse(at: place, fault.detail, isLimit: fault.isLimit)
            }
        }
    }

    /// Refuses screens and paths that the command could not have brought.
    private mutating func check(_ command: Command, _ limits: Limits) {
        let (path, params) = command.screens
        if path.count > limits.pathDepthMax {
            let detail = "must have at most \(limits.pathDepthMax) entries"
            refuse(at: "/command/path", detail, isLimit: true)
        }
        for params in [params] + path.map({ $0.params })
        where params.text.count > limits.paramsBytesMax {
            let detail = "has params of more than \(limits.paramsBytesMax) bytes as JSON"
            return refuse(at: "/command", detail, isLimit: true)
        }
    }
}
