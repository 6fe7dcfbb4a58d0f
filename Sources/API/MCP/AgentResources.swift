internal import JSON
internal import Navigation
internal import Sessions

/// The lists of resources.
struct AgentResources {
    private let context: RequestContext
    private let reach: TokenReach
    private let form: AnswerForm

    init(_ context: RequestContext, reach: TokenReach, form: AnswerForm) {
        self.context = context
        self.reach = reach
        self.form = form
    }

    /// The number of sessions on one page.
    private static let pageMax = 100

    /// The apps and the first sessions, or, with a cursor, the next sessions.
    func list(_ params: JSONObject) throws(OperationError) -> MessageAnswer {
        var after: SessionID?
        if let cursor = params["cursor"] {
            guard case .string(let text) = cursor, let id = SessionID(text) else {
                return form.error(
                    .invalidParams("The cursor must be the nextCursor of the page before."))
            }
            after = id
        }
        var page = Page()
        if after == nil { addApps(to: &page) }
        switch reach {
        case .everything, .server: try addSessions(after: after, to: &page)
        case .session(let id, _, _): if after == nil { try addSession(id, to: &page) }
        }
        let members: JSONObject = [
            "resources": .array(page.items), "nextCursor": page.next?.json,
        ]
        var answer = form.result(members.membersText, reuse: .never)
        answer.visibleAfter = page.visibleAfter
        return answer
    }

    /// The templates of URIs.
    func templates(_ params: JSONObject) -> MessageAnswer {
        guard params["cursor"] == nil else {
            return form.error(.invalidParams("The list has one page. Send no cursor."))
        }
        let templates = AgentResource.templates(for: reach)
        let members: JSONObject = ["resourceTemplates": .array(templates)]
        return form.result(members.membersText, reuse: .brief)
    }

    private struct Page {
        var items: [JSON] = []
        var visibleAfter = Tickets.none
        var next: SessionID?
    }

    private func addApps(to page: inout Page) {
        guard reach.allows(.readApp) else { return }
        for loaded in context.apps.all {
            let resource = AgentResource.app(loaded.stored.id)
            page.items.append(
                resource.heading(title: loaded.app?.title, "The definition of an app."))
            page.visibleAfter.insert(loaded.stored.version.ticket)
        }
    }

    private func addSessions(
        after: SessionID?, to page: inout Page
    ) throws(OperationError) {
        let found = try stored { () throws(StoreError) in
            try context.store.reading.walk(
                after: after, filter: SessionFilter(), limit: Self.pageMax, now: context.now)
        }
        for handle in found.handles { add(handle, to: &page) }
        page.next = found.next
    }

    private func addSession(_ id: SessionID, to page: inout Page) throws(OperationError) {
        if let handle = try context.find(id) { add(handle, to: &page) }
    }

    private func add(_ handle: SessionHandle, to page: inout Page) {
        let summary = context.store.reading.summary(handle)
        let app = summary.app.map { "A session of the app \($0)." } ?? "A session without an app."
        page.items.append(AgentResource.session(summary.id).heading(app))
        page.visibleAfter.insert(context.store.reading.version(of: handle).ticket)
    }
}
