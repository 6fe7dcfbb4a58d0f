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
            JSON.object([
                "id": loaded.stored.id.json, "title": loaded.app?.title.map(JSON.string),
            ])
        }
        var newest = Tickets.none
        for loaded in apps { newest.insert(loaded.stored.version.ticket) }
        return Reply(["apps": .array(items)], visibleAfter: newest)
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
        let query = try Query(context, allowed: ["dryRun"] + ImpactOperations.parameters)
        let isDry = try query.flag("dryRun")
        let page = try ImpactOperations.Page(query)
        for name in ImpactOperations.parameters where !isDry && query.value(name) != nil {
            throw .problem(.invalidQuery(name, "is only allowed together with dryRun=true"))
        }
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
        if isDry { return try tried(check.report, page) }
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

    /// The result of a dry run: what is wrong with the app, or what it would do to its sessions.
    private func tried(
        _ report: AppReport, _ page: ImpactOperations.Page
    ) throws(OperationError) -> Reply {
        var object: JSONObject = [
            "valid": .bool(report.app != nil), "errors": report.errors.json,
            "warnings": report.warnings.json,
        ]
        guard let app = report.app else { return Reply(object) }
        let users = try API.stored { () throws(StoreError) in
            try context.store.apps.sessionCount(of: app.id)
        }
        guard users > 0 else { return Reply(object) }
        let (impact, visibleAfter) = try ImpactOperations(context).impact(
            of: app, storedAs: nil, on: page)
        object.append("impact", .object(impact))
        return Reply(object, visibleAfter: visibleAfter)
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
        body.object("app")
        body.append(check.text)
        body.member("warnings", check.report.warnings.json)
        body.append(UInt8(ascii: "}"))
        var response = Response(
            status, contentType: .json, etag: context.etag(version), body: body.finish())
        if status == .created { response.location = "/v1/apps/\(id)" }
        return Reply(response, visibleAfter: version.ticket)
    }

    // MARK: - Deleting

    func delete() throws(OperationError) -> Reply {
        let isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        let stored = try context.loadedApp().stored
        try checkPreconditions(stored.id)
        let users = try API.stored { () throws(StoreError) in
            // Another server may have bound a session to the app, or deleted one.
            try context.store.reading.confirmSessions()
            return try context.store.apps.sessionCount(of: stored.id)
        }
        guard users == 0 else {
            throw .problem(
                Problem(
                    .appInUse, "Sessions that are bound to the app: \(users). Delete them first.",
                    members: ["sessions": .integer(Int64(users))]))
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
