internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Operations on the tokens of one session, such as for a remote control or a display. Tokens do
/// not change the revision of the session, and they end with it.
struct TokenOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    func list() throws(OperationError) -> Reply {
        try context.checkAccept()
        let (_, list) = try tokens()
        let items = list.tokens.map { JSON.object(heading($0)) }
        var reply = Reply(["tokens": .array(items)], visibleAfter: list.ticket)
        reply.response.caching = .never
        return reply
    }

    func create() throws(OperationError) -> Reply {
        let body = try context.body()
        let (handle, list) = try tokens()
        try context.checkUntagged()
        var token = try wanted(body, for: handle)
        guard list.tokens.count < Self.tokensMax else {
            try context.confirm(handle)
            let detail = "A session can have at most \(Self.tokensMax) tokens. Revoke one first."
            throw .problem(Problem(.limitExceeded, detail))
        }
        var random = context.random
        let id = context.store.reading.summary(handle).id
        let text = random.text(32)
        let secret =
            context.store.tokens.namesSessionsInTokens
            ? SessionToken.text(of: id, secret: text) : "nst_" + text
        token.id = "t" + random.text(8)
        token.digest = SHA256.digest(of: secret.utf8)
        let ticket = try stored { () throws(StoreError) in
            try context.store.writing.putTokens(list.tokens + [token], of: handle, at: context.now)
        }
        var object = heading(token)
        object.append("token", .string(secret))
        let location = "/v1/sessions/\(id)/tokens/\(token.id)"
        return Reply(
            Response(
                .created, contentType: .json, location: location, caching: .never,
                body: object.bytes),
            visibleAfter: ticket)
    }

    func revoke() throws(OperationError) -> Reply {
        let (handle, list) = try tokens()
        let id = try context.variable(1)
        guard list.tokens.contains(where: { $0.id == id }) else {
            try context.confirm(handle)
            throw .problem(
                Problem(
                    .tokenNotFound,
                    "The session has no token \(id.clipped). GET lists its tokens."))
        }
        try context.checkUntagged()
        let ticket = try stored { () throws(StoreError) in
            try context.store.writing.putTokens(
                list.tokens.filter { $0.id != id }, of: handle, at: context.now)
        }
        return Reply(Response(.noContent), visibleAfter: ticket)
    }

    /// The maximum number of tokens of one session: more than there are displays in a large house.
    private static let tokensMax = 64

    /// The session that the path names, with those of its tokens that have not expired.
    private func tokens()
        throws(OperationError) -> (SessionHandle, (ticket: Ticket, tokens: [SessionToken]))
    {
        try context.refuseQuery()
        let handle = try context.find()
        var list = try stored { () throws(StoreError) in
            try context.store.tokens.tokens(of: handle)
        }
        list.tokens.removeAll { !$0.isValid(at: context.now) }
        return (handle, list)
    }

    /// The token that the body asks for, without an id and a secret yet.
    private func wanted(
        _ body: JSONObject, for handle: SessionHandle
    ) throws(OperationError) -> SessionToken {
        var reader = ObjectReader(body, at: "", work: context.work)
        let scope: Scope? =
            reader.required("scope") == nil ? nil : reader.choice("scope", unnamed: [.admin])
        if scope == .admin { reader.refuse("scope", "must be control or read") }
        let ttl = reader.integer("ttlSeconds", in: 1...3_155_760_000)
        let name: TokenName? = reader.name("name")
        let limits = try TokenLimitsReader(context).limits(&reader, body, of: handle)
        for name in ["commands", "routes"] where scope == .read && body[name] != nil {
            reader.refuse(name, "cannot be combined with the scope read")
        }
        reader.refuseUnknown()
        guard reader.faults.isEmpty, let scope else { throw .problem(.invalid(reader.faults)) }
        var token = SessionToken(
            id: "", scope: scope,
            digest: TokenDigest(.init(first: 0, second: 0, third: 0, fourth: 0)),
            expiresAt: ttl.map { context.now + Milliseconds($0) * 1000 })
        (token.createdAt, token.name, token.limits) = (context.now, name, limits)
        return token
    }

    /// The members of a token that are shown: all but the secret.
    private func heading(_ token: SessionToken) -> JSONObject {
        [
            "id": .string(token.id), "scope": .string(token.scope.rawValue),
            "name": token.name?.json,
            "commands": token.limits?.commands.map { .array($0.map { .string($0.name) }) },
            "routes": token.limits?.routes.map { .array($0.map { .string($0.text) }) },
            "createdAt": token.createdAt.map { .string(Timestamp.text($0)) },
            "expiresAt": token.expiresAt.map { .string(Timestamp.text($0)) },
        ]
    }
}
