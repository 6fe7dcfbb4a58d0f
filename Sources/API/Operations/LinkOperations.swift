internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations on deep links.
struct LinkOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The deep link to the visible screen of a session.
    func sessionLink() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let handle = try context.find()
        let newest = try context.newest(handle)
        let session = try context.session(newest)
        let app = try context.app(of: session)
        let url = try within(budgetFor: .state) { () throws(WorkBudgetError) in
            try app?.link(to: session.state, work: context.work)
        }
        guard let url else {
            if app != nil { try context.confirm(handle, of: app) }
            let detail =
                app == nil
                ? "The session is free-form: without an app there are no deep links."
                : "The app declares no deep link to the visible screen."
            throw .problem(Problem(.noLink, detail))
        }
        let body = JSON.object(JSONObject([("url", .string(url))])).bytes
        return Reply(
            Response(.ok, contentType: .json, body: body), visibleAfter: newest.version.ticket)
    }

    /// What a deep link of an app opens.
    func resolve() throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["url"])
        try context.checkAccept()
        let loaded = try context.loadedApp()
        guard let url = query.value("url") else {
            throw .problem(.invalidQuery("url", "is required"))
        }
        let app = try loaded.usable()
        let goal = try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try app.resolve(url, work: context.work)
        }
        guard let goal else {
            try context.confirmApps()
            let near = app.nearLinks(to: url, work: context.work)
            throw .problem(Problem(.noRouteForURL(url, near: near)))
        }
        let near = goal.pattern == nil ? app.nearLinks(to: url, work: context.work) : []
        return Reply(
            Response(.ok, contentType: .json, body: goal.json(near).bytes),
            visibleAfter: loaded.stored.version.ticket)
    }
}

extension LinkGoal {
    fileprivate func json(_ near: [NearLink]) -> JSON {
        var object = JSONObject()
        if let pattern {
            object.append("pattern", .string(pattern))
        } else {
            object.append("matched", .bool(false))
            for member in JSONObject(nearLinks: near).members {
                object.append(member.key, member.value)
            }
        }
        if let redirected { object.append("redirected", .string(redirected)) }
        object.append("tab", .string(tab.rawValue))
        if let path { object.append("path", Self.json(path)) }
        if let sheet { object.append("present", sheet.json) }
        return .object(object)
    }

    fileprivate static func json(
        _ path: [(route: RouteName, params: Params, mark: MarkName?)]
    ) -> JSON {
        .array(
            path.map { screen in
                var object = JSONObject([
                    ("route", .string(screen.route.rawValue)),
                    ("params", .object(screen.params.object)),
                ])
                if let mark = screen.mark { object.append("mark", .string(mark.rawValue)) }
                return .object(object)
            })
    }
}

extension LinkGoal.Sheet {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("route", .string(route.rawValue)), ("params", .object(params.object)),
            ("style", .string(style.rawValue)),
        ])
        if let mark { object.append("mark", .string(mark.rawValue)) }
        if let tag { object.append("tag", .string(tag.text)) }
        if !detents.isEmpty {
            object.append("detents", .array(detents.map { .string($0.text) }))
        }
        if !dismissible { object.append("dismissible", .bool(false)) }
        object.append("path", LinkGoal.json(path))
        return .object(object)
    }
}
