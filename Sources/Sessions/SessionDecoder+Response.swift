internal import Bytes
internal import JSON
public import Navigation

extension SessionDecoder {
    /// Decodes a session that a response had. Its undo stacks are as deep as they can be, since the
    /// response says only whether they are empty.
    ///
    /// - Parameter app: the app of the session, which the response has to name.
    public static func decode(
        response text: String, app: AppID?
    ) throws(ProblemContent) -> Session {
        let object = try RequestBody(text, limits: .ofResponses).object()
        guard case .string(let name)? = object["id"], let id = SessionID(name),
            let revision = object["revision"]?.wholeNumber,
            let nextEntry = object["nextEntry"]?.wholeNumber,
            case .string(let time)? = object["updatedAt"], (object["app"] == app?.json)
        else { throw invalid }
        let bytes = Array(time.utf8)
        var labels: [Label] = []
        if case .object(let object)? = object["labels"] {
            for case (let key, .string(let value)) in object.members.map({ ($0.key, $0.value) }) {
                labels.append(Label(key: key, value: value))
            }
        }
        var undoing = UndoStacks()
        if object["canUndo"] == .bool(true) {
            undoing = UndoStacks(steps: UndoStacks.stepsMax, before: revision)
        }
        if object["canRedo"] == .bool(true) {
            undoing.redo = UndoStacks(steps: UndoStacks.stepsMax, before: revision).undo
        }
        let record = SessionRecord(
            id: id, revision: revision, at: Timestamp.read(bytes, 0..<bytes.count) ?? 0, app: app,
            labels: labels, undoing: undoing, nextEntry: nextEntry, event: [],
            state: JSON.object(object).bytes)
        do { return try decode(record) } catch { throw invalid }
    }

    private static var invalid: ProblemContent {
        let detail = "must be a session of the app, as a server sends it"
        return .invalid([InputFault(pointer: "", detail: detail)])
    }
}

extension Limits {
    /// A session of a response is nested deeper than the bodies that led to it.
    fileprivate static var ofResponses: Limits {
        var limits = Limits()
        limits.nestingMax = 2 * Limits.nestingRange.upperBound
        return limits
    }
}
