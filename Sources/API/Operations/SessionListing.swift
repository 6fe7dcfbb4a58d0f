internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The list of sessions.
struct SessionListing {
    /// Sessions of a page.
    private static let limitMax = 1000

    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    func list() throws(OperationError) -> Reply {
        let query = try Query(context, allowed: SessionFilter.parameters + ["limit", "cursor"])
        try context.checkAccept()
        let limit = try query.integer("limit", in: 1...Self.limitMax) ?? 100
        var after: SessionID?
        if let cursor = query.value("cursor") {
            guard let id = SessionID(cursor) else {
                throw .problem(
                    .invalidQuery("cursor", "must be the next value of the previous page"))
            }
            after = id
        }
        let filter = try query.sessionFilter()
        let conditions = RecordConditions(filter, context)
        let examined = conditions.areAny ? Self.limitMax : limit
        let page = try stored { () throws(StoreError) in
            try context.store.reading.walk(
                after: after, filter: filter, limit: examined, now: context.now)
        }
        return try reply(selected(of: context.affordable(page), by: conditions, limit), query)
    }

    /// The sessions of a page for which the conditions hold.
    private func selected(
        of page: SessionPage, by conditions: RecordConditions, _ limit: Int
    ) throws(OperationError) -> SessionPage {
        let selected = try conditions.selected(of: page.handles)
        guard selected.count > limit else { return SessionPage(handles: selected, next: page.next) }
        let shown = Array(selected[..<limit])
        return SessionPage(
            handles: shown, next: shown.last.map { context.store.reading.summary($0).id })
    }

    private func reply(_ page: SessionPage, _ query: Query) throws(OperationError) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"sessions":["#)
        var visibleAfter = Tickets.none
        var (missing, damaged) = ([LoadRequest](), [SessionID]())
        for (handle, watchers) in zip(page.handles, try watcherCounts(of: page)) {
            var state: [UInt8] = []
            let version: StoredVersion
            do {
                version = try context.store.reading.appendState(handle, to: &state)
                visibleAfter.insert(version.ticket)
            } catch .notInMemory(let requests) {
                missing += requests
                continue
            } catch .damaged {
                damaged.append(context.store.reading.summary(handle).id)
                continue
            } catch {
                throw OperationError(error)
            }
            guard let members = summary(of: state, handle) else { continue }
            body.element()
            append(members, of: state, to: &body)
            appendRest(version.entity, watchers: watchers, to: &body)
        }
        guard missing.isEmpty else { throw .load(missing) }
        body.append(UInt8(ascii: "]"))
        append(damaged: damaged, to: &body)
        var fields: [ResponseField] = []
        if let next = page.next {
            body.member("next", string: next.rawValue)
            fields.append(ResponseField(.link, "<\(nextURL(query, next))>; rel=\"next\""))
        }
        body.append(UInt8(ascii: "}"))
        return Reply(
            Response(.ok, contentType: .json, fields: fields, body: body.finish()),
            visibleAfter: visibleAfter)
    }

    /// Appends the sessions of the page whose records are damaged, if there are any.
    private func append(damaged: [SessionID], to body: inout ByteWriter) {
        guard !damaged.isEmpty else { return }
        body.member("damaged", names: damaged.map { $0.rawValue })
    }

    /// The number of watchers of each session, at all servers.
    private func watcherCounts(of page: SessionPage) throws(OperationError) -> [Int] {
        let ids = page.handles.map { context.store.reading.summary($0).id }
        guard !ids.isEmpty else { return [] }
        let elsewhere = try context.answer(to: .watcherCounts(ids)).counts
        return zip(ids, elsewhere).map { context.service.environment.watchers($0) + $1 }
    }

    /// The URL of the next page.
    private func nextURL(_ query: Query, _ next: SessionID) -> String {
        var items: [String] = []
        for name in SessionFilter.parameters + ["limit"] {
            items += query.values(name).map { "\(name)=\(PercentCoding.encode($0))" }
        }
        items.append("cursor=\(PercentCoding.encode(next.rawValue))")
        return "/v1/sessions?" + items.joined(separator: "&")
    }

    /// The members of a session that the list shows. If the stored record is not a session, logs
    /// that and returns nil.
    private func summary(of state: [UInt8], _ handle: SessionHandle) -> [TextMember]? {
        if let members = summary(of: state) { return members }
        _ = context.unreadable(
            context.store.reading.sequence(of: handle),
            "is not a session, so it is left out of lists")
        return nil
    }

    /// The members of a session that the list shows, or nil if a required one is missing.
    private func summary(of state: [UInt8]) -> [TextMember]? {
        guard let members = state.members else { return nil }
        var shown: [TextMember] = []
        for (name, isOptional) in Self.summaryMembers {
            if let member = members.first(where: { $0.name == name }) {
                shown.append(member)
            } else if !isOptional {
                return nil
            }
        }
        return shown
    }

    private static let summaryMembers: [(name: String, isOptional: Bool)] = [
        ("id", false), ("revision", false), ("app", true), ("labels", true),
        ("selectedTab", false), ("visible", false), ("updatedAt", false), ("expiresAt", true),
    ]

    /// Appends the members that the JSON of the session does not have, and the missing brace.
    private func appendRest(
        _ version: EntityVersion, watchers: Int, to body: inout ByteWriter
    ) {
        context.service.tagMember.append(version, to: &body)
        body.member("watchers", watchers)
        body.append(UInt8(ascii: "}"))
    }

    /// Copies the members from the JSON of the session. The brace after them is still missing.
    private func append(
        _ members: [TextMember], of state: [UInt8], to body: inout ByteWriter
    ) {
        body.append(UInt8(ascii: "{"))
        for (name, value) in members {
            body.member(key: name)
            body.append(state[value])
        }
    }
}

extension RequestContext {
    /// As many sessions of a page as one request may load, read and copy, but at least one.
    func affordable(_ page: SessionPage) -> SessionPage {
        var (bytesLeft, last) = (options.recordBytesMax, SessionID?.none)
        for (index, handle) in page.handles.enumerated() {
            let summary = store.reading.summary(handle)
            bytesLeft -= summary.bytes
            let cost = Work.parsing(bytes: summary.bytes)
            if index > 0, bytesLeft < 0 || !work.canAfford(cost) {
                return SessionPage(handles: Array(page.handles[..<index]), next: last)
            }
            // The first session is listed whatever it costs.
            try? work.spend(cost)
            last = summary.id
        }
        return page
    }
}

extension Query {
    /// The sessions that the parameters select.
    func sessionFilter() throws(OperationError) -> SessionFilter {
        do { return try SessionFilter(values: values) } catch {
            throw .problem(.invalidQuery(error.parameter, error.detail))
        }
    }
}
