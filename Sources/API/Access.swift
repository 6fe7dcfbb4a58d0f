internal import HTTP
internal import Navigation

// Who may do what. `Operation.need` is the table; a new operation has to choose its line.

/// What an operation asks of the one who asks for it.
enum Need: Equatable {
    /// Nothing: documents, pages and probes.
    case nothing
    /// A token of this scope or a further one.
    case scope(Scope)
    /// The same, and a token for the session that the path names will do.
    case session(Scope)
}

extension Operation {
    var need: Need {
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

extension Service {
    /// Lets the request in, or says what it lacks.
    func checkAccess(_ operation: Operation, _ call: Call) throws(Interruption) {
        guard !options.tokens.isEmpty else { return }
        let (needed, isOfSession): (Scope, Bool)
        switch operation.need {
        case .nothing: return
        case .scope(let scope): (needed, isOfSession) = (scope, false)
        case .session(let scope): (needed, isOfSession) = (scope, true)
        }
        guard let range = Bearer.range(in: call.request) else { throw .problem(.noToken) }
        let digest = SHA256.digest(of: call.request.bytes[range])
        if let scope = options.tokens.scope(of: digest) {
            if scope >= needed { return }
            throw .problem(
                .tooLittle("this needs a token with the scope \(needed.rawValue)", needed))
        }
        guard let (owner, token) = store.owner(of: digest, now: call.now) else {
            throw .problem(.wrongToken)
        }
        guard isOfSession, try isNamed(owner, call) else {
            throw .problem(
                .tooLittle("the token is for one session alone, and not for this", needed))
        }
        guard token.scope >= needed else {
            throw .problem(.tooLittle("the session's token may only read", needed))
        }
    }

    /// Whether the path names that session.
    private func isNamed(_ owner: SessionHandle, _ call: Call) throws(Interruption) -> Bool {
        guard let id = SessionID(try call.variable(0)) else { return false }
        return store.find(id, now: call.now) == owner
    }
}

extension Problem {
    fileprivate static let noToken = Problem(
        .unauthorized, "send Authorization: Bearer TOKEN",
        fields: [ResponseField(.wwwAuthenticate, #"Bearer realm="navstate""#)])

    fileprivate static let wrongToken = Problem(
        .unauthorized, "the token is not known here, has expired or was revoked",
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
