internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations on the watchers of one session: its open streams, and what they show.
struct WatcherOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The watchers, the oldest first.
    func list() throws(OperationError) -> Reply {
        _ = try shown()
        try context.checkAccept()
        let handle = try context.find()
        let (list, _) = try watchers(of: context.store.reading.summary(handle).id)
        return Reply(
            Response(.ok, contentType: .json, caching: .never, body: list.json),
            visibleAfter: context.store.reading.version(of: handle).ticket)
    }

    /// The wait until every named watcher has shown a revision, or nil if the request is to be
    /// answered now.
    func wait() throws(OperationError) -> LongPoll? {
        guard let seconds = context.waitSeconds, let revision = try shown() else { return nil }
        try context.checkAccept()
        let id = context.store.reading.summary(try context.find()).id
        let (list, isWhole) = try watchers(of: id)
        guard !isWhole || !list.allSatisfy({ $0.hasShown(revision) }) else { return nil }
        return LongPoll(id: id, seconds: seconds, goal: .shown(revision))
    }

    /// The watchers at all servers that have answered, the oldest first, and whether these are all
    /// servers.
    private func watchers(
        of id: SessionID
    ) throws(OperationError) -> (list: [Watcher], isWhole: Bool) {
        let elsewhere = try context.answer(to: .watchers([id]))
        let list = context.service.environment.watcherList(id)
        return (list.joined(with: elsewhere.watchers.first ?? []), elsewhere.isWhole)
    }

    /// The revision that the query asks for.
    private func shown() throws(OperationError) -> Int? {
        guard context.request.query != nil else { return nil }
        return try Query(context, allowed: ["shown"]).integer("shown", in: 1...Int.max)
    }

    /// The screens of a display, as it reports them.
    func report() throws(OperationError) -> ShownReport {
        let json = try context.json()
        let handle = try context.find()
        let summary = context.store.reading.summary(handle)
        try context.checkUntagged()
        try context.refuseQuery()
        var reader = ObjectReader(try json.requireObject(), at: "", work: context.work)
        let name: WatcherName? = reader.requiredName("as")
        let revision =
            reader.required("revision") == nil
            ? nil : reader.integer("revision", in: 1...Int.max)
        if let revision, revision > summary.revision {
            try context.confirm(handle)
            reader.refuse("revision", "must be a revision that the session has had")
        }
        reader.refuseUnknown()
        guard reader.faults.isEmpty, let name, let revision else {
            throw .problem(.invalid(reader.faults))
        }
        let report = DisplayReport(id: summary.id, name: name, revision: revision)
        let elsewhere = try context.answer(to: .shown(report))
        let list = context.service.environment.watcherList(summary.id)
        guard elsewhere.hasDisplay || list.contains(where: { $0.name == name }) else {
            // The display may be at a server that has not answered.
            guard elsewhere.isWhole else { throw OperationError(.unavailable) }
            throw .problem(
                Problem(
                    .watcherNotFound,
                    "No open stream of the session has the name \(name). Open it with ?as=\(name)."
                ))
        }
        return ShownReport(
            display: report,
            reply: Reply(
                Response(.noContent), visibleAfter: context.store.reading.version(of: handle).ticket
            ))
    }
}
