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
        for count in 0..<limit {
            guard revision >= 1, let found = try context.revision(revision, of: handle),
                isEvent(found)
            else {
                revision = 0
                break
            }
            if count > 0 { body.append(UInt8(ascii: ",")) }
            append(found.record, to: &body)
            revision -= 1
        }
        body.append(UInt8(ascii: "]"))
        // There is a next page only if its first record is still kept.
        if revision >= 1, try context.revision(revision, of: handle) != nil {
            body.append(literal: #","next":"#)
            body.append(revision + 1)
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
        body.append(literal: #"{"revision":"#)
        body.append(record.revision)
        body.append(literal: #","at":"#)
        body.append(time: record.at)
        body.append(UInt8(ascii: ","))
        body.append(record.event.dropFirst())
    }

    /// The routes that can be pushed or presented now, and the tabs.
    func allowed() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let newest = try context.newest(try context.find())
        let session = try context.session(newest)
        var object = JSONObject()
        let app = try context.app(of: session)
        if let (_, dialog) = session.state.openDialog {
            object.append("push", .array([]))
            object.append("present", .array([]))
            object.append("buttons", .array(dialog.buttons.map(\.id.json)))
        } else if let app {
            let routes = DescribedRoutes(
                app: app, facts: session.facts, allowed: try context.allowedRoutes(in: app))
            let pushable = app.pushableOnVisible(session.state)
            let pushed = allows(.navigate) ? app.pushableRoutes(pushable) : []
            object.append("push", .array(routes.permitted(pushed).map { routes.described($0) }))
            let visible = app.visibleRoute(of: session.state)
            object.append(
                "present", .array(allows(.present) ? routes.presentable(over: visible) : []))
        }
        object.append("tabs", .array(tabs(of: session, app)))
        object.append("canGoBack", .bool(allows(.back) && session.canGoBack(app)))
        if let commands = context.tokenLimits?.commands {
            object.append("commands", .array(commands.map { .string($0.name) }))
        }
        if let app {
            let definitions = app.definitions(usedIn: [
                object["push"], object["present"], object["tabs"],
            ])
            if !definitions.isEmpty { object.append("$defs", .object(definitions)) }
        }
        return Reply(object, visibleAfter: newest.version.ticket)
    }

    /// Whether the token of the request may send a command.
    private func allows(_ command: CommandName) -> Bool {
        context.tokenLimits?.allows(TokenCommand(command)) ?? true
    }

    private func tabs(of session: Session, _ app: App?) -> [JSON] {
        session.state.tabs.map { tab in
            let declared = app?.tab(tab.id)
            let found = app?.guards.ofTabs[tab.id]
            return .object([
                "id": .string(tab.id.rawValue), "title": declared?.title.map(JSON.string),
                "icon": declared?.icon.map(JSON.string), "params": params(ofRoot: declared, app),
                "guard": found?.declared,
                "holds": found.map { .bool($0.holds(session.facts)) },
            ])
        }
    }
}

extension HistoryOperations {
    /// The schema of the params of a tab's root, if the app declares the root with params.
    private func params(ofRoot tab: AppTab?, _ app: App?) -> JSON? {
        tab.flatMap { $0.hasRootParams ? app?.routes[$0.root.route]?.paramsDocument : nil }
    }
}

/// Routes with what a form or a menu shows of them.
private struct DescribedRoutes {
    let app: App
    let facts: Facts
    /// The routes that the token of the request may show, or nil for all.
    let allowed: AllowedRoutes?

    /// The routes that the token may show.
    func permitted(_ names: [RouteName]) -> [RouteName] {
        allowed.map { allowed in names.filter { allowed.contains($0) } } ?? names
    }

    func described(_ name: RouteName, styles: [SheetStyle]? = nil) -> JSON {
        let route = app.routes[name]
        let found = app.guards.ofRoutes[name]
        return .object([
            "route": name.json, "title": route?.texts.fixedTitle.map(JSON.string),
            "styles": styles.map { .array($0.map { .string($0.rawValue) }) },
            "params": route?.paramsDocument, "guard": found?.declared,
            "holds": found.map { .bool($0.holds(facts)) },
        ])
    }

    func presentable(over visible: RouteName) -> [JSON] {
        permitted(app.routeOrder).compactMap { name in
            guard app.mayPresent(name, over: visible) else { return nil }
            let styles = SheetStyle.allCases.filter {
                app.routes[name]?.presentation.allows($0) == true
            }
            return styles.isEmpty ? nil : described(name, styles: styles)
        }
    }
}

extension Name {
    var json: JSON { .string(rawValue) }
}
