internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations on apps.
struct AppOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    // MARK: - Reading

    func list() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let apps = context.apps.all
        let items = apps.map { loaded in
            var item = JSONObject([("id", .string(loaded.stored.id.rawValue))])
            if let title = loaded.app?.title { item.append("title", .string(title)) }
            return JSON.object(item)
        }
        var newest = Tickets.none
        for loaded in apps { newest.insert(loaded.stored.version.ticket) }
        let body = JSON.object(JSONObject([("apps", .array(items))])).bytes
        return Reply(Response(.ok, contentType: .json, body: body), visibleAfter: newest)
    }

    func read() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let stored = try context.loadedApp().stored
        // An unknown tag cannot be ordered, so the newest document decides.
        if context.isConditional,
            try context.failedPrecondition(context.etag(stored.version)) != .ifNoneMatch
        {
            try context.confirmApps()
        }
        let response = Response(
            .ok, contentType: .json, etag: context.etag(stored.version), body: stored.document)
        return Reply(response, visibleAfter: stored.version.ticket)
    }

    // MARK: - Storing

    func put() throws(OperationError) -> Reply {
        let isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        try context.refusePart()
        let name = try context.variable(0)
        guard !context.request.bodyRange.isEmpty else {
            throw .problem(
                .invalid([InputFault(pointer: "", detail: "must be the definition of the app")]))
        }
        let document = try context.json()
        guard let id = AppID(name) else {
            throw .problem(
                .invalid([InputFault(pointer: "/id", detail: nameRule(AppID.self))]))
        }
        try checkPreconditions(id)
        context.work.renew(units: WorkBudget.unitsMaxOfApp)
        let check = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try CheckedApp.Check(document, id, limits: context.limits, work: context.work)
        }
        if isDry { return Reply(dryReport(check.report)) }
        guard let app = check.report.app else {
            throw .problem(.invalid(check.report.errors, .invalidApp))
        }
        let existed = context.apps[id] != nil
        let versions = try API.stored { () throws(StoreError) in
            try context.service.caches.apps.put(
                [CheckedApp(app: app, text: check.text)], in: context.store, at: context.now)
        }
        return reply(
            existed ? .ok : .created, of: id, as: check, version: versions[0])
    }

    private func checkPreconditions(_ id: AppID) throws(OperationError) {
        let current = context.apps[id].map { context.etag($0.stored.version) }
        let failed = try context.failedPrecondition(current, exists: current != nil)
        guard let failed else { return }
        try context.confirmApps()
        let detail =
            failed == .ifMatch
            ? "The app has changed. Read it again before you replace it."
            : "The app already exists. Send the request without If-None-Match to replace it."
        throw .problem(context.mismatch(failed, detail, etag: current))
    }

    private func reply(
        _ status: Status, of id: AppID, as check: CheckedApp.Check, version: StoredVersion
    ) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"app":"#)
        body.append(check.text)
        body.append(literal: #","warnings":"#)
        JSON.array(check.report.warnings.map(\.json)).write(to: &body)
        body.append(UInt8(ascii: "}"))
        var response = Response(
            status, contentType: .json, etag: context.etag(version), body: body.finish())
        if status == .created { response.location = "/v1/apps/\(id)" }
        return Reply(response, visibleAfter: version.ticket)
    }

    private func dryReport(_ report: AppReport) -> Response {
        let body = JSONObject([
            ("valid", .bool(report.app != nil)), ("errors", .array(report.errors.map(\.json))),
            ("warnings", .array(report.warnings.map(\.json))),
        ])
        return Response(.ok, contentType: .json, body: JSON.object(body).bytes)
    }

    // MARK: - Deleting

    func delete() throws(OperationError) -> Reply {
        let isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        let stored = try context.loadedApp().stored
        try checkPreconditions(stored.id)
        let users = try API.stored { () throws(StoreError) in
            try context.store.apps.sessionCount(of: stored.id)
        }
        guard users == 0 else {
            try API.stored { () throws(StoreError) in try context.store.reading.confirmSessions() }
            throw .problem(
                Problem(
                    .appInUse, "Sessions that are bound to the app: \(users). Delete them first.",
                    members: JSONObject([("sessions", .integer(Int64(users)))])))
        }
        guard !isDry else {
            return Reply(Response(.noContent), visibleAfter: stored.version.ticket)
        }
        let ticket = try API.stored { () throws(StoreError) in
            try context.service.caches.apps.delete(stored.id, from: context.store, at: context.now)
        }
        return Reply(Response(.noContent), visibleAfter: ticket)
    }
}

extension InputFault {
    fileprivate var json: JSON {
        .object(JSONObject([("pointer", .string(pointer)), ("detail", .string(detail))]))
    }
}
