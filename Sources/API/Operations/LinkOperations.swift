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
        let app = try context.app(boundTo: session.app)
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
        return Reply(["url": .string(url)], visibleAfter: newest.version.ticket)
    }

    /// The target of a deep link of an app.
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
        return Reply(goal.object(near), visibleAfter: loaded.stored.version.ticket)
    }
}

extension LinkPlace where Value == Params {
    fileprivate func object(_ near: [NearLink]) -> JSONObject {
        let isMatched = pattern != nil
        return [
            "pattern": pattern.map(JSON.string), "matched": isMatched ? nil : .bool(false),
            "nearLinks": isMatched ? nil : near.json, "redirected": redirected.map(JSON.string),
            "tab": tab.json,
            "tabs": placement.tabs.isEmpty ? nil : .array(placement.tabs.map(\.json)),
            "params": roots.first.map { .object($0.params.object) },
            "path": path.map { .array($0.map(\.json)) }, "present": sheet?.json,
            "mode": placement.mode.map { .string($0.rawValue) },
            "sheets": placement.sheets.map { .string($0.rawValue) },
            "guard": placement.guards?.declared,
        ]
    }
}

extension LinkScreen where Value == Params {
    fileprivate var json: JSON {
        .object(["route": route.json, "params": .object(params.object), "mark": mark?.json])
    }
}

extension LinkSheet where Value == Params {
    fileprivate var json: JSON {
        .object([
            "route": screen.route.json, "params": .object(screen.params.object),
            "style": .string(style.rawValue), "mark": screen.mark?.json,
            "tag": tag.map { .string($0.text) },
            "detents": detents.isEmpty ? nil : .array(detents.map { .string($0.text) }),
            "dismissible": dismissible ? nil : .bool(false), "path": .array(path.map(\.json)),
        ])
    }
}
