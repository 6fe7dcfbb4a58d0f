internal import HTTP
internal import Navigation
internal import Sessions

/// The permissions of a token.
enum TokenReach {
    /// Everything, since the server has no tokens.
    case everything
    /// A token of the server with this scope, and its limits if it has any.
    case server(Scope, TokenLimits?)
    /// A token of this session, and its limits if it has any.
    case session(SessionID, Scope, TokenLimits?)

    /// Whether it suffices for an operation, on the token's own session if it has one.
    func allows(_ operation: Operation) -> Bool {
        if let limits, !limits.allows(operation) { return false }
        return switch (self, Endpoint.requiredScope(for: operation)) {
        case (.everything, _), (_, nil), (_, .nothing), (_, .any): true
        case (.server(let scope, _), .scope(let required)): scope >= required
        case (.server(let scope, _), .session(let required)): scope >= required
        case (.session, .scope): false
        case (.session(_, let scope, _), .session(let required)): scope >= required
        }
    }

    /// The limits of the token.
    var limits: TokenLimits? {
        switch self {
        case .everything: nil
        case .server(_, let limits), .session(_, _, let limits): limits
        }
    }
}

/// The token of a request that was admitted.
struct Admission {
    /// The name of the token, if it has one.
    var name: TokenName?
    /// The limits of the token, if it has any.
    var limits: TokenLimits?

    /// Without a token.
    static let withoutToken = Admission()
}

/// The token that a request was admitted with, and its session.
public struct Credentials: Equatable, Sendable {
    let requiredScope: RequiredScope
    /// The session that the request is for, or nil if a server token was used or no session is
    /// named.
    let id: SessionID?
    /// The digest of the request's token, if it has one.
    let digest: TokenDigest?
    /// The session named in the text of the token, if there is one.
    let owner: SessionID?
}

/// Decides which requests are admitted, by the tokens of the server and of the sessions.
final class AccessControl {
    private var tokens: Tokens
    private let store: SessionStore

    init(_ tokens: Tokens, store: SessionStore) {
        self.tokens = tokens
        self.store = store
    }

    /// Whether every client may do everything, since the server has no tokens.
    var isOpen: Bool { tokens.isEmpty }

    /// Replaces the tokens of the server.
    func replace(_ tokens: Tokens) { self.tokens = tokens }

    /// Refuses a request whose token does not allow the operation.
    ///
    /// - Returns: what is known of the token.
    func check(_ context: RequestContext) throws(OperationError) -> Admission {
        guard !isOpen, context.endpoint.requiredScope != .nothing else { return .withoutToken }
        let credentials = try credentials(context)
        let verdict = try stored { () throws(StoreError) in
            try authorize(credentials, at: context.now)
        }
        switch verdict {
        case .admitted(let admission):
            try admission.limits?.check(context.endpoint.operation)
            return admission
        case .refused(let problem): throw .problem(problem)
        }
    }

    /// The required scope and the token of a request.
    func credentials(_ context: RequestContext) throws(OperationError) -> Credentials {
        let token = Self.token(of: context)
        var (required, id) = (context.endpoint.requiredScope, SessionID?.none)
        // A server token is valid for every session, so the id is not decoded for it.
        if case .session = required, token.flatMap({ tokens.grant(of: $0.digest) }) == nil {
            id = SessionID(try context.variable(0))
        }
        if context.endpoint.operation == .allEvents, namesSessions(context) {
            required = .scope(.read)
        }
        return Credentials(
            requiredScope: required, id: id, digest: token?.digest, owner: token?.owner)
    }

    private static func token(of context: RequestContext) -> PresentedToken? {
        if let known = context.service.caches.heads.token(context.request) { return known }
        guard let range = Bearer.range(in: context.request) else { return nil }
        let text = context.request.bytes[range]
        let token = PresentedToken(
            digest: SHA256.digest(of: text), owner: SessionToken.session(namedIn: text))
        context.service.caches.heads.note(token, context.request)
        return token
    }

    /// The permissions of the request's token. The request has been admitted.
    func reach(of context: RequestContext) throws(OperationError) -> TokenReach {
        guard !isOpen else { return .everything }
        guard let token = Self.token(of: context) else { throw .problem(.noToken) }
        if let grant = tokens.grant(of: token.digest) { return .server(grant.scope, grant.limits) }
        let found = try stored { () throws(StoreError) in
            try store.tokens.owner(of: token.digest, in: token.owner, now: context.now)
        }
        guard let found else { throw .problem(.wrongToken) }
        return .session(
            store.reading.summary(found.handle).id, found.token.scope, found.token.limits)
    }

    /// Whether a stream is opened for named sessions, which requires less than the stream of all.
    private func namesSessions(_ context: RequestContext) -> Bool {
        // A query with a mistake opens no stream: the operation says what is wrong with it.
        guard let query = try? Query(context, allowed: StreamOperations.queryOfAll) else {
            return true
        }
        return !query.values("session").isEmpty
    }

    /// Whether an open stream is still allowed: its token may have been revoked or have expired,
    /// and the tokens of the server may have been replaced.
    ///
    /// - Parameter event: an event that is to be sent. The last changes of a session and its
    ///   end are also sent to streams whose token ended with the session.
    func allows(
        _ subscription: Subscription, at now: Milliseconds, event: StreamEvent?
    ) -> Bool {
        let credentials = subscription.credentials
        if isOpen { return true }
        if let digest = credentials.digest, let id = credentials.id {
            let subject = event?.subject
            let ended = subject?.id == id ? subject?.endedTokens : nil
            let tokens = (ended ?? []) + store.tokens.endedTokens(of: id)
            if tokens.contains(where: { $0.digest == digest && $0.isValid(at: now) }) {
                return true
            }
        }
        do throws(StoreError) {
            switch try store.tokens.usingLocalState({ () throws(StoreError) in
                try authorize(credentials, at: now)
            }) {
            case .admitted: return true
            case .refused: return false
            }
        } catch {
            return false
        }
    }

    /// Whether a token allows an operation.
    private enum Verdict {
        case admitted(Admission)
        case refused(Problem)
    }

    private func authorize(
        _ credentials: Credentials, at now: Milliseconds
    ) throws(StoreError) -> Verdict {
        let (required, isOfSession): (Scope, Bool)
        switch credentials.requiredScope {
        case .nothing: return .admitted(.withoutToken)
        case .any: return try authorizeAny(credentials, at: now)
        case .scope(let scope): (required, isOfSession) = (scope, false)
        case .session(let scope): (required, isOfSession) = (scope, true)
        }
        guard let digest = credentials.digest else { return .refused(.noToken) }
        if let grant = tokens.grant(of: digest) {
            if grant.scope >= required { return .admitted(grant.admission) }
            let detail = "This request needs a token with the scope \(required.rawValue)."
            return .refused(.insufficient(detail, required))
        }
        guard
            let (owner, token) = try store.tokens.owner(of: digest, in: credentials.owner, now: now)
        else {
            return .refused(.wrongToken)
        }
        guard isOfSession, let id = credentials.id, try store.reading.find(id, now: now) == owner
        else {
            let detail = "The token is for one session only and does not allow this request."
            return .refused(.insufficient(detail, required))
        }
        guard token.scope >= required else {
            let detail = "The token is only allowed to read the session."
            return .refused(.insufficient(detail, required))
        }
        return .admitted(Admission(name: token.name, limits: token.limits))
    }

    /// Whether the token is any that is known.
    private func authorizeAny(
        _ credentials: Credentials, at now: Milliseconds
    ) throws(StoreError) -> Verdict {
        guard let digest = credentials.digest else { return .refused(.noToken) }
        if let grant = tokens.grant(of: digest) { return .admitted(grant.admission) }
        guard let (_, token) = try store.tokens.owner(of: digest, in: credentials.owner, now: now)
        else { return .refused(.wrongToken) }
        return .admitted(Admission(name: token.name, limits: token.limits))
    }
}

extension Problem {
    fileprivate static let noToken = Problem(
        .unauthorized, "Send the header field Authorization: Bearer TOKEN.",
        fields: [ResponseField(.wwwAuthenticate, #"Bearer realm="navstate""#)])

    fileprivate static let wrongToken = Problem(
        .unauthorized, "The token is unknown, has expired or was revoked.",
        fields: [
            ResponseField(
                .wwwAuthenticate, #"Bearer realm="navstate", error="invalid_token""#)
        ])

    fileprivate static func insufficient(_ detail: String, _ scope: Scope) -> Problem {
        let challenge = #"Bearer realm="navstate", error="insufficient_scope", scope=""#
        return Problem(
            .forbidden, detail,
            fields: [ResponseField(.wwwAuthenticate, "\(challenge)\(scope.rawValue)\"")])
    }
}
