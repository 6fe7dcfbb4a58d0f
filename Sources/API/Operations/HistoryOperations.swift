internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The past changes of a session, and the possible next ones.
struct HistoryOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The events of a session, newest first.
    func history() throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["limit", "before"])
        try context.checkAccept()
        let limit = try query.integer("limit", in: 1...1000) ?? 100
        let before = try query.integer("before", in: 1...Int.max)
        let handle = try context.find()
        if let before { try context.confirm(handle, knownWith: before - 1) }
        let newest = context.store.reading.summary(handle)
        var revision = min(newest.revision, (before ?? .max) - 1)
        var body = ByteWriter()
        body.append(literal: #"{"history":["#)
        for _ in 0..<limit {
            guard revision >= 1, let found = try context.revision(revision, of: handle),
                isEvent(found)
            else {
                revision = 0
                break
            }
            body.element()
            append(found.record, to: &body)
            revision -= 1
        }
        body.append(UInt8(ascii: "]"))
        // There is a next page only if its first record is still kept.
        if revision >= 1, try context.revision(revision, of: handle) != nil {
            body.member("next", revision + 1)
        }
        body.append(UInt8(ascii: "}"))
        return Reply(
            Response(.ok, contentType: .json, body: body.finish()),
            visibleAfter: context.store.reading.version(of: handle).ticket)
    }

    /// Returns false for an unreadable event, at which the history ends.
    private func isEvent(_ stored: StoredRecord) -> Bool {
        do {
            _ = try context.members(ofEvent: stored)
            return true
        } catch {
            return false
        }
    }

    private func append(_ record: SessionRecord, to body: inout ByteWriter) {
        body.object("revision")
        body.append(record.revision)
        body.member("at", time: record.at)
        body.append(UInt8(ascii: ","))
        body.append(record.event.dropFirst())
    }

    /// The routes that can be pushed or presented now, and the tabs.
    func allowed() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let newest = try context.newest(try context.find())
        let session = try context.session(newest)
        let app = try context.app(boundTo: session.app)
        let object = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try session.allowed(app, to: context.tokenLimits, work: context.work)
        }
        return Reply(object, visibleAfter: newest.version.ticket)
    }
}
