internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

// Operations that read sessions.

extension Service {
    func readSession(_ call: Call) throws(Interruption) -> Reply {
        if call.request.query != nil {
            let query = try Query(call, allowed: ["revision"])
            if let revision = try query.integer("revision", in: 1...Int.max) {
                return try readRevision(revision, call)
            }
        }
        try call.checkAccept()
        let handle = try find(call)
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
    func waiting(_ call: Call) throws(Interruption) -> Waiting? {
        guard call.request[.prefer] != nil, call.request[.ifNoneMatch] != nil,
            let seconds = Preferences(call.request).waitSeconds, seconds > 0,
            call.request.query == nil
        else { return nil }
        try call.checkAccept()
        let handle = try find(call)
        let current = etag(store.sequence(of: handle))
        guard try call.failedPrecondition(current) == .ifNoneMatch else { return nil }
        return Waiting(id: store.summary(handle).id, seconds: min(seconds, Self.waitSecondsMax))
    }

    private static let waitSecondsMax = 60

    private func readRevision(_ revision: Int, _ call: Call) throws(Interruption) -> Reply {
        try call.checkAccept()
        let handle = try find(call)
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
    func find(_ call: Call) throws(Interruption) -> SessionHandle {
        let range = call.variables[0]
        if let handle = store.find(call.request.bytes, range, now: call.now) { return handle }
        if call.request.bytes[range].contains(UInt8(ascii: "%")),
            let id = SessionID(try call.variable(0)), let handle = store.find(id, now: call.now)
        {
            return handle
        }
        throw .problem(.sessionNotFound)
    }

    func etag(_ sequence: SequenceNumber) -> ResponseTag { tag.numbered(sequence) }

    // MARK: - The deep link of what is visible

    func sessionLink(_ call: Call) throws(Interruption) -> Reply {
        _ = try Query(call, allowed: [])
        try call.checkAccept()
        let handle = try find(call)
        let stored = try stored { () throws(StoreError) in try store.newest(handle) }
        let session = session(stored)
        let url = try within(budgetFor: .state) { () throws(BudgetExceeded) in
            try app(of: session)?.link(to: session.state, work: call.work)
        }
        guard let url else {
            throw .problem(Problem(.noLink, "The app declares no deep link to the visible screen."))
        }
        let body = JSON.object(JSONObject([("url", .string(url))])).bytes
        return Reply(
            Response(.ok, contentType: .json, body: body), visibleAfter: stored.sequence)
    }

    /// A stored record as a session. The store has checked the record's checksum.
    func session(_ stored: Stored) -> Session {
        do {
            return try SessionDecoder.decode(stored.record)
        } catch {
            preconditionFailure("record \(stored.sequence) is not a session: \(error)")
        }
    }

    func app(of session: Session) -> App? { session.app.flatMap { apps[$0]?.app } }
}

// MARK: - Listing

extension Service {
    func listSessions(_ call: Call) throws(Interruption) -> Reply {
        let query = try Query(call, allowed: ["q", "app", "label", "limit", "cursor"])
        try call.checkAccept()
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
            after: after, filter: try filter(query), limit: limit, now: call.now)
        return try list(affordable(page, call.work), query)
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

    func filter(_ query: Query) throws(Interruption) -> SessionFilter {
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

    private func list(_ page: SessionPage, _ query: Query) throws(Interruption) -> Reply {
        var body = ByteWriter()
        body.append(literal: #"{"sessions":["#)
        var sequence: SequenceNumber = 0
        var missing: [Place] = []
        for (index, handle) in page.handles.enumerated() {
            var state: [UInt8] = []
            do {
                sequence = max(sequence, try store.appendState(handle, to: &state))
            } catch {
                guard case .notInMemory(let places) = error else { throw Interruption(error) }
                missing += places
                continue
            }
            if index > 0 { body.append(UInt8(ascii: ",")) }
            appendSummary(of: state, store.summary(handle).id, to: &body)
        }
        guard missing.isEmpty else { throw .load(missing) }
        body.append(UInt8(ascii: "]"))
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

    private func nextURL(_ query: Query, _ next: SessionID) -> String {
        var items: [String] = []
        for name in ["q", "app", "label", "limit"] {
            items += query.values(name).map { "\(name)=\(PercentCoding.encode($0))" }
        }
        items.append("cursor=\(PercentCoding.encode(next.rawValue))")
        return "/v1/sessions?" + items.joined(separator: "&")
    }

    /// The members of a session that a list shows, cut out of its JSON.
    private func appendSummary(of state: [UInt8], _ id: SessionID, to body: inout ByteWriter) {
        let shown = [
            "id", "revision", "app", "labels", "selectedTab", "visible", "updatedAt", "expiresAt",
        ]
        let members = state.members()
        body.append(UInt8(ascii: "{"))
        for name in shown {
            guard let range = members.first(where: { $0.name == name })?.value else { continue }
            body.append(string: name)
            body.append(UInt8(ascii: ":"))
            body.append(state[range])
            body.append(UInt8(ascii: ","))
        }
        body.append(literal: #""watchers":"#)
        body.append(watchers(id))
        body.append(UInt8(ascii: "}"))
    }
}

extension [UInt8] {
    /// The members of an object that this program wrote, and where their values stand.
    func members() -> [(name: String, value: Range<Int>)] {
        var reader = JSONReader(self, limits: JSONLimits(valuesMax: Int.max))
        var members: [(name: String, value: Range<Int>)] = []
        do {
            try reader.beginObject()
            while let name = try reader.nextKey() { members.append((name, try reader.skipValue())) }
        } catch {
            preconditionFailure("the store gave back what was put in it: \(error)")
        }
        return members
    }
}
