internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Tokens that are good for one session alone: for a remote control, or for a display. They change
// no revision; they go with the session.

extension Service {
    func listTokens(_ context: RequestContext) throws(OperationError) -> Reply {
        try context.checkAccept()
        let (_, list) = try tokens(context)
        let items = list.tokens.map { JSON.object(Self.heading($0)) }
        let body = JSON.object(JSONObject([("tokens", .array(items))])).bytes
        return Reply(
            Response(.ok, contentType: .json, caching: .never, body: body),
            visibleAfter: list.sequence)
    }

    func createToken(_ context: RequestContext) throws(OperationError) -> Reply {
        let body = try context.body(limits: options.limits)
        let (handle, list) = try tokens(context)
        try context.checkUntagged()
        let (scope, ttlSeconds) = try Self.wanted(body, context)
        guard list.tokens.count < Self.tokensMax else {
            let detail = "A session can have at most \(Self.tokensMax) tokens. Revoke one first."
            throw .problem(Problem(.limitExceeded, detail))
        }
        let secret = "nst_" + Self.randomText(32)
        let token = SessionToken(
            id: "t" + Self.randomText(8), scope: scope, digest: SHA256.digest(of: secret.utf8),
            expiresAt: ttlSeconds.map { context.now + Milliseconds($0) * 1000 })
        let sequence = try stored { () throws(StoreError) in
            try store.putTokens(list.tokens + [token], of: handle, at: context.now)
        }
        var object = Self.heading(token)
        object.append("token", .string(secret))
        let place = "/v1/sessions/\(store.summary(handle).id)/tokens/\(token.id)"
        return Reply(
            Response(
                .created, contentType: .json, location: place, caching: .never,
                body: JSON.object(object).bytes),
            visibleAfter: sequence)
    }

    func revokeToken(_ context: RequestContext) throws(OperationError) -> Reply {
        let (handle, list) = try tokens(context)
        let id = try context.variable(1)
        guard list.tokens.contains(where: { JSONText.isSame($0.id, id) }) else {
            throw .problem(
                Problem(.tokenNotFound, "The session has no such token. GET lists its tokens."))
        }
        try context.checkUntagged()
        let sequence = try stored { () throws(StoreError) in
            try store.putTokens(
                list.tokens.filter { !JSONText.isSame($0.id, id) }, of: handle, at: context.now)
        }
        return Reply(Response(.noContent), visibleAfter: sequence)
    }

    /// Of one session; a display in each corner of a large house needs fewer.
    private static let tokensMax = 64

    /// The session that the path names, with those of its tokens that have not expired.
    private func tokens(
        _ context: RequestContext
    ) throws(OperationError) -> (SessionHandle, (sequence: SequenceNumber, tokens: [SessionToken]))
    {
        _ = try Query(context, allowed: [])
        let handle = try find(context)
        var list = store.tokens(of: handle)
        list.tokens.removeAll { !$0.isGood(at: context.now) }
        return (handle, list)
    }

    private static func wanted(
        _ body: JSONObject, _ context: RequestContext
    ) throws(OperationError) -> (Scope, ttlSeconds: Int?) {
        var reader = ObjectReader(body, at: "", work: context.work)
        let scope: Scope? = reader.required("scope") == nil ? nil : reader.choice("scope")
        if scope == .admin { reader.refuse("scope", "must be control or read") }
        let ttl = reader.integer("ttlSeconds", in: 1...3_155_760_000)
        reader.refuseUnknown()
        guard reader.faults.isEmpty, let scope else { throw .problem(.invalid(reader.faults)) }
        return (scope, ttl)
    }

    private static func heading(_ token: SessionToken) -> JSONObject {
        var object = JSONObject([
            ("id", .string(token.id)), ("scope", .string(token.scope.rawValue)),
        ])
        if let time = token.expiresAt {
            object.append("expiresAt", .string(Timestamp.text(time)))
        }
        return object
    }

    /// Letters and digits, almost six random bits each.
    private static func randomText(_ count: Int) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var random = SystemRandomNumberGenerator()
        let text = (0..<count).map { _ in
            alphabet[Int(random.next(upperBound: UInt64(alphabet.count)))]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
