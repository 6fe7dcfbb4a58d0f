internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// A call of a tool with its arguments.
///
///     tool             request
///     listSessions     GET  /v1/sessions?…              the arguments are the query
///     createSession    POST /v1/sessions               the arguments are the body
///     readSession      GET  /v1/sessions/{session}?revision=
///     allowed          GET  /v1/sessions/{session}/allowed
///     (a command)      POST /v1/sessions/{session}/…   the other arguments are the body
///     waitForChange    GET  /v1/sessions/{session}     with Prefer: wait and If-None-Match
///     listApps         GET  /v1/apps
///     readApp          GET  /v1/apps/{app}
struct ToolCall {
    let tool: AgentTool
    /// The arguments, not checked.
    let arguments: JSONObject
    /// The request that the call came with.
    let context: RequestContext
    /// Whether the long poll has timed out.
    let hasTimedOut: Bool

    /// The request that the call stands for.
    ///
    /// - Throws: a problem if the arguments are wrong, as the API has it for a body.
    func request() throws(OperationError) -> InnerRequest {
        switch tool {
        case .listSessions: return try listSessions()
        case .createSession:
            var request = InnerRequest(.post, "/v1/sessions")
            request.add(body: arguments)
            return request
        case .readSession: return try readSession()
        case .allowed:
            return try only { reader in
                Self.session(&reader).map { InnerRequest(.get, "\($0)/allowed") }
            }
        case .command(let name): return try command(name)
        case .waitForChange: return try waitForChange()
        case .listApps: return try only { _ in InnerRequest(.get, "/v1/apps") }
        case .readApp:
            return try only { reader in
                let app: AppID? = reader.requiredName("app")
                return app.map { InnerRequest(.get, "/v1/apps/\($0)") }
            }
        }
    }

    /// Reads the arguments, of which none may be left over.
    private func only<Value>(
        _ read: (inout ObjectReader) -> Value?
    ) throws(OperationError) -> Value {
        var reader = ObjectReader(arguments, at: "", work: context.work)
        let value = read(&reader)
        reader.refuseUnknown()
        guard reader.faults.isEmpty, let value else { throw .problem(.invalid(reader.faults)) }
        return value
    }

    /// The URL of the session that the arguments name.
    private static func session(_ reader: inout ObjectReader) -> String? {
        let session: SessionID? = reader.requiredName("session")
        return session.map { "/v1/sessions/\($0)" }
    }

    private func listSessions() throws(OperationError) -> InnerRequest {
        try only { reader in
            var request = InnerRequest(.get, "/v1/sessions")
            for name in SessionFilter.parameters + ["cursor"] {
                if case .array? = arguments[name] {
                    let texts = reader.texts(name, countMax: 16, bytesMax: 512) ?? []
                    for text in texts { request.add(name, text.text) }
                } else if let value = reader.text(name) {
                    request.add(name, value)
                }
            }
            if let limit = reader.integer("limit", in: 1...1000) {
                request.add("limit", "\(limit)")
            }
            return request
        }
    }

    private func readSession() throws(OperationError) -> InnerRequest {
        try only { reader in
            let revision = reader.integer("revision", in: 1...Int.max)
            guard let url = Self.session(&reader) else { return nil }
            var request = InnerRequest(.get, url)
            if let revision { request.add("revision", "\(revision)") }
            return request
        }
    }

    private func command(_ name: CommandName) throws(OperationError) -> InnerRequest {
        var reader = ObjectReader(arguments, at: "", work: context.work)
        guard let url = Self.session(&reader) else { throw .problem(.invalid(reader.faults)) }
        var body = arguments
        body["session"] = nil
        var request = InnerRequest(.post, "\(url)/\(name.rawValue)")
        request.add(body: body)
        return request
    }

    // MARK: - Waiting

    private func waitForChange() throws(OperationError) -> InnerRequest {
        let wanted: Wait = try only { reader in
            let session: SessionID? = reader.requiredName("session")
            let revision =
                reader.required("revision") == nil
                ? nil : reader.integer("revision", in: 1...Int.max)
            let seconds = reader.integer("seconds", in: 1...LongPoll.secondsMax)
            guard let session, let revision else { return nil }
            return Wait(session: session, revision: revision, seconds: seconds ?? Wait.seconds)
        }
        var request = InnerRequest(.get, "/v1/sessions/\(wanted.session)")
        guard !hasTimedOut, let tag = try tag(of: wanted.session, at: wanted.revision) else {
            return request
        }
        request.add(field: .ifNoneMatch, "\"\(tag.opaque)\"")
        request.add(field: .prefer, "wait=\(wanted.seconds)")
        return request
    }

    private struct Wait {
        let session: SessionID
        let revision: Int
        let seconds: Int

        /// How long a call waits that does not say it: less than the time after which clients give
        /// up.
        static let seconds = 30
    }

    /// The entity tag of the session if it still has the revision.
    private func tag(
        of session: SessionID, at revision: Int
    ) throws(OperationError) -> ResponseTag? {
        guard let handle = try context.find(session),
            context.store.reading.summary(handle).revision == revision
        else { return nil }
        return context.etag(context.store.reading.version(of: handle))
    }
}
