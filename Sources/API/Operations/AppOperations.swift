internal import Bytes
internal import HTTP
internal import JSON
package import Navigation
internal import Sessions

/// An app that is not taken, and why.
package struct InvalidAppError: Error, Sendable {
    package var id: AppID
    package var faults: [InputFault]
}

/// An app that keeps the rules, with its document as it is stored.
package struct CheckedApp: Sendable {
    let app: App
    let text: [UInt8]

    fileprivate init(app: App, text: [UInt8]) {
        self.app = app
        self.text = text
    }

    /// Reads the document of a file. It asks no store, so any thread may do it.
    ///
    /// - Throws: the faults for which the app is refused.
    package init(_ text: [UInt8], named id: AppID, limits: Limits) throws(InvalidAppError) {
        let (report, named): (AppReport, [UInt8])
        do {
            let document = try JSON(
                parsing: text, limits: JSONLimits(nestingMax: limits.nestingMax))
            (report, named) = try Self.check(document, id, limits: limits, work: .unlimited)
        } catch {
            let fault = InputFault(pointer: "", detail: "is not valid JSON: \(error)")
            throw InvalidAppError(id: id, faults: [fault])
        }
        guard let app = report.app else { throw InvalidAppError(id: id, faults: report.errors) }
        self.init(app: app, text: named)
    }

    /// Checks a document and adds its id. With the id it must still be within the limits of a
    /// body, so that the answer to GET can be sent with PUT.
    fileprivate static func check(
        _ document: JSON, _ id: AppID, limits: Limits, work: WorkBudget
    ) throws(WorkBudgetError) -> (report: AppReport, named: [UInt8]) {
        var report = try AppReader.read(document, id: id, limits: limits, work: work)
        let named = document.named(id).bytes
        var reader = JSONReader(named, limits: JSONLimits(nestingMax: limits.nestingMax))
        do {
            try reader.skipValue()
        } catch {
            let detail = "is missing, and adding it exceeds a limit: \(error.description)"
            report.errors.append(InputFault(pointer: "/id", detail: detail))
            report.app = nil
        }
        return (report, named)
    }
}

// Operations on apps.

/// An app beside its document.
struct LoadedApp {
    var stored: StoredApp
    /// What the document declares; nil if it is invalid.
    var app: App?
    /// Why it is invalid.
    var faults: [InputFault] = []
}

extension LoadedApp {
    /// Reads a stored document. The limits were checked when it was stored, perhaps under other
    /// options, so they are not checked again, and neither is what the app works without. It can be
    /// invalid if somebody has written to the log.
    init(_ stored: StoredApp) {
        self.stored = stored
        do {
            let document = try JSON(parsing: stored.document, limits: .stored)
            let report = try AppReader.read(
                document, id: stored.id, limits: .ofStoredApps, work: .unlimited, checks: .needed)
            (app, faults) = (report.app, report.errors)
        } catch {
            faults = [InputFault(pointer: "", detail: "is not valid JSON: \(error)")]
        }
    }
}

extension Service {
    /// Forgets what the store has forgotten, after it has gone back to what was durable.
    package func storeWentBack() {
        let durable = store.durable
        recent.removeAll()
        longBodies.removeAll()
        history.removeAll(after: durable)
        announcements.removeAll { $0.sequence > durable }
        lastSequence = min(lastSequence, durable)
        loadApps()
    }

    /// Takes the apps out of the store.
    func loadApps() {
        apps = [:]
        for stored in store.apps { apps[stored.id] = LoadedApp(stored) }
    }

    /// Stored apps that are invalid, each with the reasons. Their sessions can be read, but not changed
    /// until the app is stored again.
    package var invalidApps: [(id: AppID, faults: [InputFault])] {
        apps.values.filter { $0.app == nil }.map { ($0.stored.id, $0.faults) }
            .sorted { $0.id < $1.id }
    }

    /// The app that a session is bound to; nil for a free-form session.
    func app(of session: Session) throws(OperationError) -> App? {
        guard let id = session.app else { return nil }
        guard let loaded = apps[id] else {
            let detail = "The session is bound to the app \(id), which is not stored. "
            throw .problem(Problem(.appNotFound, detail + "Store it with PUT /v1/apps/\(id)."))
        }
        return try usable(loaded)
    }

    func usable(_ loaded: LoadedApp) throws(OperationError) -> App {
        if let app = loaded.app { return app }
        let id = loaded.stored.id
        throw .problem(
            Problem(
                .internalError,
                "The stored app \(id) is invalid. \(Problem.summary(loaded.faults)) "
                    + "Store it again with PUT /v1/apps/\(id)."))
    }

    func listApps(_ context: RequestContext) throws(OperationError) -> Reply {
        _ = try Query(context, allowed: [])
        try context.checkAccept()
        let items = apps.values.sorted { $0.stored.id < $1.stored.id }.map { loaded in
            var item = JSONObject([("id", .string(loaded.stored.id.rawValue))])
            if let title = loaded.app?.title { item.append("title", .string(title)) }
            return JSON.object(item)
        }
        let newest = apps.values.map(\.stored.sequence).max() ?? 0
        let body = JSON.object(JSONObject([("apps", .array(items))])).bytes
        return Reply(Response(.ok, contentType: .json, body: body), visibleAfter: newest)
    }

    func readApp(_ context: RequestContext) throws(OperationError) -> Reply {
        _ = try Query(context, allowed: [])
        try context.checkAccept()
        let loaded = try loadedApp(context)
        let etag = etag(loaded.stored.sequence)
        let response = Response(
            .ok, contentType: .json, etag: etag, body: loaded.stored.document)
        return Reply(response, visibleAfter: loaded.stored.sequence)
    }

    private func loadedApp(_ context: RequestContext) throws(OperationError) -> LoadedApp {
        let name = try context.variable(0)
        if let id = AppID(name), let loaded = apps[id] { return loaded }
        throw .problem(
            Problem(.appNotFound, "There is no app \(name.clipped). GET /v1/apps lists the apps."))
    }

    // MARK: - Storing

    func storeApp(_ context: RequestContext) throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["dryRun"])
        let isDry = try query.flag("dryRun")
        try context.refusePart()
        let name = try context.variable(0)
        guard !context.request.bodyRange.isEmpty else {
            throw .problem(
                .invalid([InputFault(pointer: "", detail: "must be the definition of the app")]))
        }
        let document = try context.json(limits: options.limits)
        guard let id = AppID(name) else {
            throw .problem(
                .invalid([InputFault(pointer: "/id", detail: nameRule(AppID.self))]))
        }
        try checkPreconditions(id, context)
        context.work.renew(units: WorkBudget.unitsMaxOfApp)
        let (report, named) = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try CheckedApp.check(document, id, limits: options.limits, work: context.work)
        }
        if isDry { return Reply(Self.dryReport(report)) }
        guard let app = report.app else {
            throw .problem(
                Problem(
                    .invalidApp, Problem.summary(report.errors),
                    members: Problem.errors(report.errors)))
        }
        let existed = apps[id] != nil
        let sequence = try store(app, named, at: context.now)
        return answer(app, report.warnings, existed ? .ok : .created, sequence)
    }

    private func checkPreconditions(_ id: AppID, _ context: RequestContext) throws(OperationError) {
        let current = apps[id].map { etag($0.stored.sequence) }
        let failed = try context.failedPrecondition(current, exists: current != nil)
        guard let failed else { return }
        let detail =
            failed == .ifMatch
            ? "The app has changed. Read it again before you replace it."
            : "The app already exists. Send the request without If-None-Match to replace it."
        throw .problem(Problem(.revisionMismatch, detail, etag: current))
    }

    /// Stores an app unless it is stored just so; its sequence number.
    private func store(
        _ app: App, _ text: [UInt8], at now: Milliseconds
    ) throws(OperationError) -> SequenceNumber {
        let checked = CheckedApp(app: app, text: text)
        do { try store([checked], at: now) } catch { throw .problem(error) }
        return apps[app.id]?.stored.sequence ?? 0
    }

    /// Stores apps, all of them or none; those that are stored with the same document stay.
    package func store(_ checked: [CheckedApp], at now: Milliseconds) throws(Problem) {
        let changed = checked.filter { item in
            let known = apps[item.app.id]
            return known?.app == nil || known?.stored.document != item.text
        }
        let numbers: [SequenceNumber]
        do { numbers = try store.putApps(changed.map { ($0.app.id, $0.text) }, at: now) } catch {
            throw Problem(error) ?? Problem(.storeUnavailable, "the outcome is unknown")
        }
        for (item, sequence) in zip(changed, numbers) {
            let id = item.app.id
            let stored = StoredApp(id: id, sequence: sequence, at: now, document: item.text)
            apps[id] = LoadedApp(stored: stored, app: item.app)
        }
    }

    private func answer(
        _ app: App, _ warnings: [InputFault], _ status: Status, _ sequence: SequenceNumber
    ) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"app":"#)
        body.append(apps[app.id]?.stored.document ?? [])
        body.append(literal: #","warnings":"#)
        JSON.array(warnings.map(\.json)).write(to: &body)
        body.append(UInt8(ascii: "}"))
        var response = Response(
            status, contentType: .json, etag: etag(sequence), body: body.finish())
        if status == .created { response.location = "/v1/apps/\(app.id)" }
        return Reply(response, visibleAfter: sequence)
    }

    private static func dryReport(_ report: AppReport) -> Response {
        let body = JSONObject([
            ("valid", .bool(report.app != nil)), ("errors", .array(report.errors.map(\.json))),
            ("warnings", .array(report.warnings.map(\.json))),
        ])
        return Response(.ok, contentType: .json, body: JSON.object(body).bytes)
    }

    func deleteApp(_ context: RequestContext) throws(OperationError) -> Reply {
        let isDry = try Query(context, allowed: ["dryRun"]).flag("dryRun")
        let loaded = try loadedApp(context)
        let id = loaded.stored.id
        try checkPreconditions(id, context)
        let users = store.sessionCount(of: id)
        guard users == 0 else {
            throw .problem(
                Problem(
                    .appInUse, "Sessions that are bound to the app: \(users). Delete them first.",
                    members: JSONObject([("sessions", .integer(Int64(users)))])))
        }
        guard !isDry else {
            return Reply(Response(.noContent), visibleAfter: loaded.stored.sequence)
        }
        let sequence = try stored { () throws(StoreError) in
            try store.deleteApp(id, at: context.now)
        }
        apps[id] = nil
        return Reply(Response(.noContent), visibleAfter: sequence)
    }

    // MARK: - Deep links

    func resolveLink(_ context: RequestContext) throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["url"])
        try context.checkAccept()
        let loaded = try loadedApp(context)
        guard let url = query.value("url") else {
            throw .problem(.invalidQuery("url", "is required"))
        }
        let app = try usable(loaded)
        let goal = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try app.resolve(url, work: context.work)
        }
        guard let goal else {
            throw .problem(Problem(.noRouteForURL(url)))
        }
        return Reply(
            Response(.ok, contentType: .json, body: goal.json.bytes),
            visibleAfter: loaded.stored.sequence)
    }
}

extension JSON {
    /// An app's document with its id, wherever it had one.
    fileprivate func named(_ id: AppID) -> JSON {
        guard case .object(let object) = self, object["id"] == nil else { return self }
        var named = JSONObject([("id", .string(id.rawValue))])
        for member in object.members { named.append(member.key, member.value) }
        return .object(named)
    }
}

extension InputFault {
    fileprivate var json: JSON {
        .object(JSONObject([("pointer", .string(pointer)), ("detail", .string(detail))]))
    }
}

extension LinkGoal {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("pattern", .string(pattern)), ("tab", .string(tab.rawValue)),
        ])
        if let path { object.append("path", Self.json(path)) }
        if let sheet { object.append("present", sheet.json) }
        return .object(object)
    }

    fileprivate static func json(_ path: [(route: RouteName, params: Params)]) -> JSON {
        .array(
            path.map { screen in
                .object(
                    JSONObject([
                        ("route", .string(screen.route.rawValue)),
                        ("params", .object(screen.params.object)),
                    ]))
            })
    }
}

extension LinkGoal.Sheet {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("route", .string(route.rawValue)), ("params", .object(params.object)),
            ("style", .string(style.rawValue)),
        ])
        if let tag { object.append("tag", .string(tag.text)) }
        if !detents.isEmpty {
            object.append("detents", .array(detents.map { .string($0.text) }))
        }
        if !dismissible { object.append("dismissible", .bool(false)) }
        object.append("path", LinkGoal.json(path))
        return .object(object)
    }
}
