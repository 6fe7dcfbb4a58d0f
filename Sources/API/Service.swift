internal import Bytes
package import HTTP
package import JSON
package import Navigation
package import Sessions

/// Answers requests from a store.
package final class Service {
    private let state: ServiceState
    private let router: Router
    private let originPolicy: RequestOriginPolicy
    private var access: AccessControl
    private var assets = AssetTable()
    /// The work that the current request may still cause. Requests are answered one after another,
    /// so they share one budget, which each of them renews.
    package let work = WorkBudget()

    package init(store: any SessionStore, options: ServiceOptions = ServiceOptions()) {
        state = ServiceState(store: store, options: options)
        router = Router(options)
        originPolicy = options.originPolicy
        access = AccessControl(options.tokens, store: store)
    }

    /// What the service gets from the process that it runs in.
    package var environment: ServiceEnvironment {
        get { state.environment }
        set { state.environment = newValue }
    }

    // MARK: - Requests

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - hasWaited: whether the request has waited as a long poll, and is answered now in any
    ///     case.
    ///   - onMetricsAddress: whether it came to the address that serves only metrics and probes.
    package func respond(
        to request: Request, at now: Milliseconds, hasWaited: Bool = false,
        onMetricsAddress: Bool = false
    ) -> Outcome {
        work.renew()
        let arrival = Arrival(
            request: request, now: now, hasWaited: hasWaited, onMetricsAddress: onMetricsAddress)
        let route: Router.Route
        do { route = try router.route(arrival) } catch {
            return .reply(refusal(error, of: request))
        }
        switch route {
        case .options(let response): return .reply(complete(Reply(response), request))
        case .action(let action, let variables): return perform(action, variables, for: arrival)
        }
    }

    /// Refuses a request before its body has been read; nil if the body is needed to answer it.
    ///
    /// The refusal is the one that the whole request would get.
    ///
    /// - Parameter head: the request without its body.
    package func refusal(
        ofHead head: Request, at now: Milliseconds, onMetricsAddress: Bool = false
    ) -> Reply? {
        work.renew()
        let arrival = Arrival(
            request: head, now: now, hasWaited: false, onMetricsAddress: onMetricsAddress)
        let route: Router.Route
        do { route = try router.route(arrival) } catch { return refusal(error, of: head) }
        guard case .action(let action, let variables) = route else { return nil }
        do {
            try admit(context(arrival, variables), to: action, arrival)
            return nil
        } catch {
            guard case .problem(let problem) = error else { return nil }
            return refusal(problem, of: head, endpoint: action.endpoint)
        }
    }

    /// The reply to a request that is refused.
    ///
    /// - Parameter endpoint: the index of the requested endpoint in `Endpoint.all`; nil if unknown.
    package func refusal(
        _ problem: Problem, of request: Request, endpoint: Int? = nil
    ) -> Reply {
        // A refusal may show a session that is not durable yet.
        var reply = Reply(
            problem.response(instance: request.text(request.path)),
            visibleAfter: problem.shownSequence)
        reply.problem = problem.kind
        return complete(reply, request, endpoint: endpoint)
    }

    /// The reply with its endpoint, and with the fields that every response has.
    private func complete(
        _ reply: consuming Reply, _ request: Request, endpoint: Int? = nil
    ) -> Reply {
        reply.endpoint = endpoint
        addStandingFields(to: &reply.response, for: request)
        return reply
    }

    /// Adds the fields that do not depend on the operation: for pages of other origins, and for our
    /// own pages.
    private func addStandingFields(to response: inout Response, for request: Request) {
        if !originPolicy.allowedOrigins.isEmpty {
            response.fields += originPolicy.fields(for: request)
        }
        response.addPageFields()
    }

    // MARK: - Operations

    private func context(
        _ arrival: Arrival, _ variables: PathTemplate.Variables
    ) -> RequestContext {
        RequestContext(
            request: arrival.request, variables: variables, now: arrival.now, service: state,
            work: work)
    }

    /// Checks what the head of a request decides: the token and the type of the body.
    private func admit(
        _ context: RequestContext, to action: RouteTable.Action, _ arrival: Arrival
    ) throws(OperationError) {
        if !arrival.onMetricsAddress { try access.check(action.operation, context) }
        if !context.request.method.isSafe { try context.checkMediaType() }
    }

    private func perform(
        _ action: RouteTable.Action, _ variables: PathTemplate.Variables, for arrival: Arrival
    ) -> Outcome {
        let context = context(arrival, variables)
        do {
            try admit(context, to: action, arrival)
            return try outcome(of: action, context, hasWaited: arrival.hasWaited)
        } catch {
            switch error {
            case .load(let locations): return .load(locations)
            case .problem(let problem):
                return .reply(refusal(problem, of: arrival.request, endpoint: action.endpoint))
            }
        }
    }

    private func outcome(
        of action: RouteTable.Action, _ context: RequestContext, hasWaited: Bool
    ) throws(OperationError) -> Outcome {
        var reply: Reply
        switch action.operation {
        case .readSession:
            if !hasWaited, let poll = try SessionReading(context).longPoll() { return .wait(poll) }
            reply = try SessionReading(context).read()
        case .command(let name): reply = try SessionCommands(context, name).perform()
        case .createSession: reply = try SessionLifecycle(context).create()
        case .restoreSession: reply = try SessionLifecycle(context).restore()
        case .patchSession: reply = try SessionLifecycle(context).patch()
        case .deleteSession: reply = try SessionLifecycle(context).delete()
        case .listSessions: reply = try SessionListing(context).list()
        case .sessionHistory: reply = try HistoryOperations(context).history()
        case .sessionAllowed: reply = try HistoryOperations(context).allowed()
        case .sessionLink: reply = try LinkOperations(context).sessionLink()
        case .resolveLink: reply = try LinkOperations(context).resolve()
        case .sessionEvents:
            return stream(
                try StreamOperations(context, access).sessionEvents(), of: action, context)
        case .allEvents:
            return stream(try StreamOperations(context, access).allEvents(), of: action, context)
        case .listTokens: reply = try TokenOperations(context).list()
        case .createToken: reply = try TokenOperations(context).create()
        case .revokeToken: reply = try TokenOperations(context).revoke()
        case .listApps: reply = try AppOperations(context).list()
        case .readApp: reply = try AppOperations(context).read()
        case .storeApp: reply = try AppOperations(context).put()
        case .deleteApp: reply = try AppOperations(context).delete()
        case .backup: return try backup(of: action, context)
        case .live: reply = try HealthOperations(context).liveness()
        case .ready: reply = try HealthOperations(context).readiness()
        case .metrics: reply = try HealthOperations(context).metrics()
        case .page: reply = try PageOperations(context).page(in: &assets)
        case .problemPage: reply = try PageOperations(context).problemPage()
        }
        if context.request.method.isSafe { try context.applyPreconditions(to: &reply) }
        return .reply(complete(consume reply, context.request, endpoint: action.endpoint))
    }

    private func stream(
        _ opening: consuming StreamOpening, of action: RouteTable.Action, _ context: RequestContext
    ) -> Outcome {
        opening.endpoint = action.endpoint
        addStandingFields(to: &opening.response, for: context.request)
        return .stream(opening)
    }

    /// The head of the response to `GET /v1/backup`. The server copies the rest from the store: the
    /// bytes of the log as they are.
    private func backup(
        of action: RouteTable.Action, _ context: RequestContext
    ) throws(OperationError) -> Outcome {
        try context.refuseQuery()
        try context.checkAccept(.ndjson)
        let disposition = ResponseField(
            "Content-Disposition", #"attachment; filename="navstate.jsonl""#)
        let reply = Reply(
            Response(.ok, contentType: .ndjson, caching: .never, fields: [disposition]))
        return .backup(complete(reply, context.request, endpoint: action.endpoint))
    }
}

extension Service {
    // MARK: - Tokens

    /// Whether every client may do everything, since the server has no tokens.
    package var isOpen: Bool { access.isOpen }

    /// Replaces the tokens of the server.
    package func replaceTokens(_ tokens: Tokens) { access.replace(tokens) }

    /// Whether an open stream is still allowed: its token may have been revoked or have expired,
    /// and the tokens of the server may have been replaced.
    ///
    /// - Parameter announcement: an event that is to be sent. The end of a session is also sent to
    ///   streams whose token ended with the session.
    package func mayListen(
        _ subscription: Subscription, at now: Milliseconds, to announcement: Announcement? = nil
    ) -> Bool {
        access.allows(subscription, at: now, announcement: announcement)
    }

    // MARK: - The store

    /// The announcement of a session that the store has deleted because it expired.
    package func announcement(of deletion: Deletion) -> Announcement { state.add(deletion) }

    /// Forgets what the store has taken back, after a failure to write it.
    package func storeWentBack() { state.rollBack() }

    /// Stored apps that are invalid, by id, each with the reasons. Their sessions can be read, but
    /// not changed until the app is stored again.
    package var invalidApps: [(id: AppID, faults: [InputFault])] { state.caches.apps.invalid }

    /// Stores apps, all of them or none. Apps that are stored already with the same document are
    /// left as they are.
    package func store(_ checked: [CheckedApp], at now: Milliseconds) throws(Problem) {
        try state.caches.apps.put(checked, in: state.store, at: now)
    }
}
