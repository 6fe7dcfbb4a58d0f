internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Operations that read sessions.

extension Service {
    func readSession(_ context: RequestContext) throws(OperationError) -> Reply {
        if context.request.query != nil {
            let query = try Query(context, allowed: ["revision"])
            if let revision = try query.integer("revision", in: 1...Int.max) {
                return try readRevision(revision, context)
            }
        }
        try context.checkAccept()
        let handle = try find(context)
        if !longBodies.isEmpty {
            let newest = store.sequence(of: handle)
            if let body = longBodies.body(handle, newest) { return show(body, newest) }
        }
        var body: [UInt8] = []
        let sequence = try stored { () throws(StoreError) in
            try store.appendState(handle, to: &body)
        }
        if body.count > LongBodies.bytesMin { longBodies.keep(body, handle, sequence) }
        return show(consume body, sequence)
    }

    /// Whether the client wants to wait, and has what there is; at most a minute.
    func waiting(_ context: RequestContext) throws(OperationError) -> LongPoll? {
        guard context.request[.prefer] != nil, context.request[.ifNoneMatch] != nil,
            let seconds = Preferences(context.request).waitSeconds, seconds > 0,
            context.request.query == nil
        else { return nil }
        try context.checkAccept()
        let handle = try find(context)
        let current = etag(store.sequence(of: handle))
        guard try context.failedPrecondition(current) == .ifNoneMatch else { return nil }
        return LongPoll(id: store.summary(handle).id, seconds: min(seconds, Self.waitSecondsMax))
    }

    private static let waitSecondsMax = 60

    private func readRevision(_ revision: Int, _ context: RequestContext) throws(OperationError)
        -> Reply
    {
        try context.checkAccept()
        let handle = try find(context)
        let found = try stored { () throws(StoreError) in
            try store.revision(revision, of: handle)
        }
        guard let found else {
            throw .problem(
                Problem(
                    .revisionGone,
                    "Only the most recent revisions of a session can be read; see its history."))
        }
        return show(found.record.state, found.sequence)
    }

    private func show(_ state: consuming [UInt8], _ sequence: SequenceNumber) -> Reply {
        let response = Response(.ok, contentType: .json, etag: etag(sequence), body: state)
        return Reply(response, visibleAfter: sequence)
    }

    /// The session that the URL names.
    func find(_ context: RequestContext) throws(OperationError) -> SessionHandle {
        let range = context.variables[0]
        if let handle = store.find(context.request.bytes, range, now: context.now) { return handle }
        if context.request.bytes[range].contains(UInt8(ascii: "%")),
            let id = SessionID(try context.variable(0)),
            let handle = store.find(id, now: context.now)
        {
            return handle
        }
        throw .problem(.sessionNotFound)
    }

    func etag(_ sequence: SequenceNumber) -> ResponseTag { tag.numbered(sequence) }

    // MARK: - The deep link of what is visible

    func sessionLink(_ context: RequestContext) throws(OperationError) -> Reply {
        _ = try Query(context, allowed: [])
        try context.checkAccept()
        let handle = try find(context)
        let stored = try stored { () throws(StoreError) in try store.newest(handle) }
        let session = try session(stored)
        let app = try app(of: session)
        let url = try within(budgetFor: .state) { () throws(WorkBudgetError) in
            try app?.link(to: session.state, work: context.work)
        }
        guard let url else {
            throw .problem(Problem(.noLink, "The app declares no deep link to the visible screen."))
        }
        let body = JSON.object(JSONObject([("url", .string(url))])).bytes
        return Reply(
            Response(.ok, contentType: .json, body: body), visibleAfter: stored.sequence)
    }
}

// MARK: - Listing

extension Service {
    func listSessions(_ context: RequestContext) throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["q", "app", "label", "limit", "cursor"])
        try context.checkAccept()
        let limit = try query.integer("limit", in: 1...1000) ?? 100
        var after: SessionID?
        if let cursor = query.value("cursor") {
            guard let id = SessionID(cursor) else {
                throw .problem(
                    .invalidQuery("cursor", "must be the next value of the previous page"))
            }
            after = id
        }
        let page = store.walk(
            after: after, filter: try filter(query), limit: limit, now: context.now)
        return try list(affordable(page, context.work), query)
    }

    /// As much of a page as may be loaded, read and copied for one request, but a session at least.
    private func affordable(_ page: SessionPage, _ work: WorkBudget) -> SessionPage {
        var (bytesLeft, last) = (options.recordBytesMax, SessionID?.none)
        for (index, handle) in page.handles.enumerated() {
            let summary = store.summary(handle)
            bytesLeft -= summary.bytes
            let cost = Work.parsing(bytes: summary.bytes)
            if index > 0, bytesLeft < 0 || !work.canAfford(cost) {
                return SessionPage(handles: Array(page.handles[..<index]), next: last)
            }
            // The first one comes, whatever it costs.
            try? work.spend(cost)
            last = summary.id
        }
        return page
    }

    func filter(_ query: Query) throws(OperationError) -> SessionFilter {
        let prefix = query.value("q") ?? ""
        guard prefix.unicodeScalars.count <= 128 else {
            throw .problem(.invalidQuery("q", "is longer than any session id"))
        }
        var filter = SessionFilter(prefix: prefix)
        if let name = query.value("app") {
            guard let app = AppID(name) else {
                throw .problem(.invalidQuery("app", nameRule(AppID.self)))
            }
            filter.app = app
        }
        for label in query.values("label") {
            guard let colon = label.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw .problem(.invalidQuery("label", "must have the form key:value"))
            }
            filter.labels.append(
                Label(
                    key: String(label[..<colon]), value: String(label[label.index(after: colon)...])
                ))
        }
        return filter
    }

    private func list(_ page: SessionPage, _ query: Query) throws(OperationError) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"sessions":["#)
        var sequence: SequenceNumber = 0
        var (missing, damaged) = ([RecordLocation](), [SessionID]())
        var isFirst = true
        for handle in page.handles {
            var state: [UInt8] = []
            do {
                sequence = max(sequence, try store.appendState(handle, to: &state))
            } catch .notInMemory(let places) {
                missing += places
                continue
            } catch .damaged {
                damaged.append(store.summary(handle).id)
                continue
            } catch {
                throw OperationError(error)
            }
            guard let members = summary(of: state) else {
                _ = unreadable(store.sequence(of: handle), "is not a session, so no list has it")
                continue
            }
            if !isFirst { body.append(UInt8(ascii: ",")) }
            isFirst = false
            append(members, of: state, store.summary(handle).id, to: &body)
        }
        guard missing.isEmpty else { throw .load(missing) }
        body.append(UInt8(ascii: "]"))
        append(damaged: damaged, to: &body)
        var fields: [ResponseField] = []
        if let next = page.next {
            body.append(literal: #","next":"#)
            body.append(string: next.rawValue)
            fields.append(ResponseField(.link, "<\(nextURL(query, next))>; rel=\"next\""))
        }
        body.append(UInt8(ascii: "}"))
        let response = Response(.ok, contentType: .json, fields: fields, body: body.finish())
        return Reply(response, visibleAfter: sequence)
    }

    /// The sessions of the page whose records are damaged; nothing if there are none.
    private func append(damaged: [SessionID], to body: inout ByteWriter) {
        guard !damaged.isEmpty else { return }
        body.append(literal: #","damaged":["#)
        for (index, id) in damaged.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(string: id.rawValue)
        }
        body.append(UInt8(ascii: "]"))
    }

    private func nextURL(_ query: Query, _ next: SessionID) -> String {
        var items: [String] = []
        for name in ["q", "app", "label", "limit"] {
            items += query.values(name).map { "\(name)=\(PercentCoding.encode($0))" }
        }
        items.append("cursor=\(PercentCoding.encode(next.rawValue))")
        return "/v1/sessions?" + items.joined(separator: "&")
    }

    /// The members of a session that a list shows; nil if one that every session has is missing.
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

    /// Cuts the members out of the session's JSON.
    private func append(
        _ members: [TextMember], of state: [UInt8], _ id: SessionID, to body: inout ByteWriter
    ) {
        body.append(UInt8(ascii: "{"))
        for (name, value) in members {
            body.append(string: name)
            body.append(UInt8(ascii: ":"))
            body.append(state[value])
            body.append(UInt8(ascii: ","))
        }
        body.append(literal: #""watchers":"#)
        body.append(watchers(id))
        body.append(UInt8(ascii: "}"))
    }
}
