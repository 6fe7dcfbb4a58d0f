internal import HTTP
package import Navigation
internal import Sessions

// Who may do what. `Operation.need` is the table; a new operation has to choose its line.

/// What an operation asks of the one who asks for it.
enum RequiredScope: Equatable {
    /// Nothing: documents, pages and probes.
    case nothing
    /// A token of this scope or a further one.
    case scope(Scope)
    /// The same, and a token for the session that the path names will do.
    case session(Scope)
}

extension Operation {
    var need: RequiredScope {
        switch self {
        case .page, .live, .ready, .problemPage: .nothing
        case .listSessions, .listApps, .readApp, .resolveLink: .scope(.read)
        case .readSession, .sessionLink, .sessionHistory, .sessionAllowed, .sessionEvents:
            .session(.read)
        // Not by a session's own token, which could outlive its own revocation that way.
        case .listTokens: .scope(.read)
        case .createSession, .createToken, .revokeToken: .scope(.control)
        case .restoreSession, .patchSession, .deleteSession, .command: .session(.control)
        case .storeApp, .deleteApp, .allEvents, .metrics, .backup: .scope(.admin)
        }
    }
}

/// What a token has to be good for.
package struct Credentials: Equatable, Sendable {
    let need: RequiredScope
    /// The session that is asked for, if it is one.
    let id: SessionID?
    /// Of the token that came along.
    let digest: TokenDigest?
}

extension Service {
    /// Lets the request in, or says what it lacks.
    func checkAccess(_ operation: Operation, _ context: RequestContext) throws(OperationError) {
        guard !serverTokens.isEmpty, operation.need != .nothing else { return }
        let credentials = try credentials(to: operation, context)
        if let refusal = refusal(credentials, now: context.now) { throw .problem(refusal) }
    }

    func credentials(to operation: Operation, _ context: RequestContext) throws(OperationError)
        -> Credentials
    {
        let digest = Bearer.range(in: context.request).map {
            SHA256.digest(of: context.request.bytes[$0])
        }
        var (need, id) = (operation.need, SessionID?.none)
        // A token of the server's own is good for any session, so no name is made for it.
        if case .session = need, digest.flatMap(serverTokens.scope) == nil {
            id = SessionID(try context.variable(0))
        }
        if operation == .allEvents, Self.namesSessions(context) { need = .scope(.read) }
        return Credentials(need: need, id: id, digest: digest)
    }

    /// Whether a stream is asked for by the names of its sessions; all of them are not everybody's.
    private static func namesSessions(_ context: RequestContext) -> Bool {
        let query = try? Query(context, allowed: streamQuery)
        return query?.values("session").isEmpty == false
    }

    /// Whether what was allowed when a stream began still is: a token may have been revoked or
    /// have expired, and the server's own may be others now.
    ///
    /// - Parameter announcement: an event that is to be sent. The end of a session is also sent to
    ///   streams whose token ended with it.
    package func mayListen(
        _ subscription: Subscription, at now: Milliseconds, to announcement: Announcement? = nil
    ) -> Bool {
        if let digest = subscription.credentials.digest, let announcement,
            subscription.credentials.id == announcement.id,
            announcement.endedTokens.contains(where: { $0.digest == digest && $0.isGood(at: now) })
        {
            return true
        }
        return isStillAdmitted(subscription, at: now)
    }

    private func isStillAdmitted(_ subscription: Subscription, at now: Milliseconds) -> Bool {
        serverTokens.isEmpty || refusal(subscription.credentials, now: now) == nil
    }

    /// Why a token is not good for that; nil if it is.
    private func refusal(_ credentials: Credentials, now: Milliseconds) -> Problem? {
        let (needed, isOfSession): (Scope, Bool)
        switch credentials.need {
        case .nothing: return nil
        case .scope(let scope): (needed, isOfSession) = (scope, false)
        case .session(let scope): (needed, isOfSession) = (scope, true)
        }
        guard let digest = credentials.digest else { return .noToken }
        if let scope = serverTokens.scope(of: digest) {
            if scope >= needed { return nil }
            return .tooLittle(
                "This request needs a token with the scope \(needed.rawValue).", needed)
        }
        guard let (owner, token) = store.owner(of: digest, now: now) else { return .wrongToken }
        guard isOfSession, let id = credentials.id, store.find(id, now: now) == owner else {
            return .tooLittle(
                "The token is for one session only, and not for this request.", needed)
        }
        guard token.scope >= needed else {
            return .tooLittle("The token is only allowed to read the session.", needed)
        }
        return nil
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

    fileprivate static func tooLittle(_ detail: String, _ scope: Scope) -> Problem {
        let challenge = #"Bearer realm="navstate", error="insufficient_scope", scope=""#
        return Problem(
            .forbidden, detail,
            fields: [ResponseField(.wwwAuthenticate, "\(challenge)\(scope.rawValue)\"")])
    }
}
