internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Computes how a user interface gets from one revision of a session to another.
struct StepOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    func steps() throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["from", "to"])
        try context.checkAccept()
        let to = try query.integer("to", in: 1...Int.max)
        guard let from = try query.integer("from", in: 1...Int.max) else {
            throw .problem(.invalidQuery("from", "is required: the revision to start from"))
        }
        let handle = try context.find()
        let goal = to ?? context.store.reading.summary(handle).revision
        // Loading an older record loads those after it as well.
        let older = try kept(min(from, goal), of: handle)
        let newer = try kept(max(from, goal), of: handle)
        let steps =
            try from < goal ? encode(from: older, to: newer) : encode(from: newer, to: older)
        var body = ByteWriter(capacity: steps.count + 64)
        body.object("from")
        body.append(from)
        body.member("to", goal)
        body.member("steps", json: steps)
        body.append(UInt8(ascii: "}"))
        return Reply(
            Response(.ok, contentType: .json, body: body.finish()),
            visibleAfter: newer.version.ticket)
    }

    private func kept(
        _ revision: Int, of handle: SessionHandle
    ) throws(OperationError) -> StoredRecord {
        if let found = try context.revision(revision, of: handle) { return found }
        throw .problem(.revisionGone)
    }

    private func encode(
        from first: StoredRecord, to second: StoredRecord
    ) throws(OperationError) -> [UInt8] {
        let (start, goal) = (try context.session(first).state, try context.session(second).state)
        let bytes = first.record.state.count + second.record.state.count
        try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try context.work.spend(.entries(start.ids.count + goal.ids.count))
            try context.work.spend(.moving(bytes: bytes))
        }
        let app = second.record.app.flatMap { context.apps[$0]?.app }
        return SessionEncoder.encode(start.steps(to: goal, app: app), app: app)
    }
}
