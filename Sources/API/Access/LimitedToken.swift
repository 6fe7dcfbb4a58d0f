internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Tokens that are limited. Which commands a token may send is decided before a session is looked
// at; which routes it may show is one of the rules (`AllowedRoutes`).

/// The decision of a limit on an operation.
enum LimitedOperation: Equatable {
    /// It is allowed if the scope allows it.
    case allowed
    /// It is never allowed, whatever the scope allows.
    case refused
    /// It is allowed if the list of commands has this one.
    case needs(TokenCommand)
    /// The commands in the body decide.
    case carries
}

extension Operation {
    /// The decision of limits on the operation. Those that need more than the scope `control` are
    /// refused by the scope.
    var limited: LimitedOperation {
        switch self {
        case .command(.batch), .commandSessions: .carries
        case .command(let name): .needs(TokenCommand(name))
        case .createSession: .needs(.create)
        case .signal: .needs(.signal)
        case .restoreSession, .patchSession, .deleteSession, .createToken, .revokeToken, .storeApp,
            .deleteApp:
            .refused
        case .page, .live, .ready, .metrics, .problemList, .problemPage, .contract, .listSessions,
            .readSession, .sessionLink, .sessionHistory, .sessionAllowed, .sessionEvents,
            .allEvents, .sessionWatchers, .reportShown, .sessionSteps, .sessionSheet, .listTokens,
            .listApps, .readApp, .resolveLink, .appImpact, .backup, .agents:
            .allowed
        }
    }
}

extension TokenLimits {
    /// Whether the token may send the command. Creations have to be listed.
    func allows(_ command: TokenCommand) -> Bool {
        commands?.contains(command) ?? (command != .create)
    }

    /// Whether the operation is one that the token may use for itself: a batch has to be listed.
    func allows(_ operation: Operation) -> Bool {
        switch operation.limited {
        case .allowed: true
        case .refused: false
        case .needs(let command): allows(command)
        case .carries: operation != .command(.batch) || allows(TokenCommand(.batch))
        }
    }

    /// Refuses an operation that the token may not use.
    func check(_ operation: Operation) throws(OperationError) {
        switch operation.limited {
        case .allowed, .carries: break
        case .refused: throw .problem(refusal(of: nil))
        case .needs(let command): try check(command)
        }
    }

    /// Refuses a command that the token may not send.
    func check(_ command: TokenCommand) throws(OperationError) {
        if !allows(command) { throw .problem(refusal(of: command)) }
    }

    /// Refuses a command that the token may not send, and a batch with one. Whatever is no command
    /// is refused later.
    ///
    /// - Parameter command: the members of the command, and its name as `command` unless it is a
    ///   batch.
    func check(_ command: JSONObject) throws(OperationError) {
        if case .string(let name)? = command["command"], name != CommandName.batch.rawValue {
            if let command = TokenCommand(name) { try check(command) }
            return
        }
        guard case .array(let items)? = command["commands"] else { return }
        for case .object(let item) in items {
            guard case .string(let name)? = item["command"], let command = TokenCommand(name)
            else { continue }
            try check(command)
        }
    }

    /// - Parameter command: what is refused, or nil for anything that no limited token may do.
    fileprivate func refusal(of command: TokenCommand?) -> Problem {
        let sent = commands?.map(\.name) ?? []
        let allowed =
            commands == nil ? "read and send commands" : "send \(sent.listed(with: "and"))"
        let detail =
            command.map { "This token may \(allowed), but not \($0.name)." }
            ?? "This token may \(allowed), and change nothing in another way."
        return Problem(
            ProblemContent(
                .forbidden, detail,
                members: ["commands": commands == nil ? nil : .array(sent.map(JSON.string))]))
    }
}

// MARK: - In a request

extension RequestContext {
    /// The routes that the token of the request may show, or nil for all.
    ///
    /// - Parameter isNew: whether the session is a new one, whose roots are not asked.
    func allowedRoutes(
        in app: App?, isNew: Bool = false
    ) throws(OperationError) -> AllowedRoutes? {
        guard let list = tokenLimits?.routes else { return nil }
        return try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try AllowedRoutes(list, in: app, judgesRoots: !isNew, work: work)
        }
    }

    /// Refuses a batch with a command that the token of the request may not send.
    ///
    /// - Parameter body: the body without white space, whatever its shape.
    func checkLimits(ofBatch body: [UInt8]) throws(OperationError) {
        guard let tokenLimits else { return }
        guard case .object(let batch)? = try? JSON(parsing: body, limits: .stored) else { return }
        try tokenLimits.check(JSONObject([("commands", batch["commands"] ?? .null)]))
    }

    /// Refuses a command for many sessions that the token of the request may not send.
    ///
    /// - Parameter body: the body, with the command as a member.
    func checkLimits(ofCommandIn body: JSONObject) throws(OperationError) {
        guard let tokenLimits, case .object(let command)? = body["command"] else { return }
        try tokenLimits.check(command)
    }

    /// Refuses a new session with a screen that the token of the request may not show. The roots of
    /// its tabs are not asked, and neither is what a guard shows instead of a deep link. Without
    /// `setFacts` among its commands, a token sets no facts. What an idle command shows is not
    /// asked, so no limited token brings one.
    ///
    /// - Parameter body: the body of the creation.
    func checkLimits(
        of begun: SessionBeginnings.Begun, body: JSONObject
    ) throws(OperationError) {
        guard let tokenLimits else { return }
        if case .object(let facts)? = body["facts"], !facts.isEmpty {
            try tokenLimits.check(TokenCommand(.setFacts))
        }
        if let idle = body["idle"], idle != .null { throw .problem(tokenLimits.refusal(of: nil)) }
        guard begun.held == nil, let allowed = try allowedRoutes(in: begun.app),
            let route = begun.session.state.firstScreen(outside: allowed)
        else { return }
        throw .problem(Problem(.routeNotPermitted(route, allowed: allowed.names)))
    }
}
