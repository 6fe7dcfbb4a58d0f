internal import Bytes
public import HTTP
public import JSON
public import Navigation
public import Sessions

/// Answers requests from a store.
public final class Service {
    let state: ServiceState
    private let router: Router
    private let originPolicy: RequestOriginPolicy
    let access: AccessControl
    private var assets = AssetTable()
    /// The generation of the apps whose idle times were taken.
    var idleGeneration: UInt64?

    public init(store: SessionStore, options: ServiceOptions = ServiceOptions()) {
        state = ServiceState(store: store, options: options)
        router = Router(options)
        originPolicy = options.originPolicy
        access = AccessControl(options.tokens, store: store)
    }

    /// The values that the service gets from the process that it runs in.
    public var environment: ServiceEnvironment {
        get { state.environment }
        set { state.environment = newValue }
    }

    /// The work that the current request may still cause.
    public var work: WorkBudget { state.work }

    // MARK: - Requests

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - onMetricsAddress: whether it came to the address that serves only metrics and probes.
    ///   - id: the id of the request, which a problem shows.
    ///   - stage: what has been done for the request already.
    public func respond(
        to request: Request, at now: Milliseconds, onMetricsAddress: Bool = false,
        id: RequestID? = nil, stage: RequestStage = .begun
    ) -> Outcome {
        work.renew()
        state.refreshApps()
        var variables = PathTemplate.Variables()
        do {
            guard let endpoint = try route(request, onMetricsAddress, variables: &variables) else {
                var reply = Reply(router.options(for: request))
                complete(&reply, request)
                return .reply(reply)
            }
            let context = RequestContext(request, to: endpoint, variables, at: now, in: state)
            context.requestID = id
            context.stage = stage
            return perform(context, onMetricsAddress: onMetricsAddress)
        } catch {
            return .reply(refusal(error, of: request, id: id))
        }
    }

    /// The endpoint of a request, if its host and origin are accepted. Nil for `OPTIONS`.
    private func route(
        _ request: Request, _ onMetricsAddress: Bool, variables: inout PathTemplate.Variables
    ) throws(Problem) -> Endpoint? {
        try router.admit(request, onMetricsAddress: onMetricsAddress, &state.caches.heads)
        return try router.route(
            request, onMetricsAddress: onMetricsAddress, work, variables: &variables)
    }

    /// Carries out a request that this program made for another one.
    func perform(_ request: Request, for outer: RequestContext, hasWaited: Bool) -> Outcome {
        var variables = PathTemplate.Variables()
        guard let endpoint = router.endpoint(ofOwn: request, variables: &variables) else {
            preconditionFailure("the program makes only requests that have a route")
        }
        let context = RequestContext(request, to: endpoint, variables, at: outer.now, in: state)
        context.requestID = outer.requestID
        if hasWaited { context.stage = .waited }
        return perform(context)
    }

    /// Refuses a request before its body has been read. Returns nil if the body is needed to answer
    /// it.
    ///
    /// The refusal is the one that the whole request would get.
    ///
    /// - Parameter head: the request without its body.
    public func refusal(
        ofHead head: Request, at now: Milliseconds, onMetricsAddress: Bool = false,
        id: RequestID? = nil
    ) -> Reply? {
        work.renew()
        var variables = PathTemplate.Variables()
        do {
            guard let endpoint = try route(head, onMetricsAddress, variables: &variables) else {
                return nil
            }
            let context = RequestContext(head, to: endpoint, variables, at: now, in: state)
            do {
                try admit(context, onMetricsAddress: onMetricsAddress)
                return nil
            } catch {
                guard case .problem(let problem) = error else { return nil }
                return refusal(problem, of: head, endpoint: endpoint.number, id: id)
            }
        } catch {
            return refusal(error, of: head, id: id)
        }
    }

    /// The reply to a request that is refused.
    ///
    /// - Parameters:
    ///   - endpoint: the index of the requested endpoint in `Endpoint.all`, or nil if unknown.
    ///   - id: the id of the request.
    public func refusal(
        _ problem: Problem, of request: Request, endpoint: Int? = nil, id: RequestID? = nil
    ) -> Reply {
        // A refusal may show a session that is not durable yet.
        var reply = Reply(
            problem.response(instance: request.text(request.path), id: id),
            visibleAfter: problem.visibleAfter)
        reply.problem = problem.kind
        if problem.kind == .notFound,
            let page = PageOperations.missing(request, assets.problemPages())
        {
            reply.response = page
        }
        complete(&reply, request, endpoint: endpoint)
        return reply
    }

    /// Adds the endpoint to a reply, and the fields that every response has.
    private func complete(_ reply: inout Reply, _ request: Request, endpoint: Int? = nil) {
        reply.endpoint = endpoint
        addStandingFields(to: &reply.response, for: request)
    }

    /// Adds the fields that do not depend on the operation: for pages of other origins, and for our
    /// own pages.
    func addStandingFields(to response: inout Response, for request: Request) {
        if !originPolicy.allowedOrigins.isEmpty {
            response.fields += originPolicy.fields(for: request)
        }
        response.addPageFields(for: request)
    }

    /// Takes back the body of a response that was encoded.
    public func reuse(_ body: [UInt8]) { state.texts.reuse(body) }

    // MARK: - Operations

    /// Checks what the head of a request decides: the token, the type of the body, and whether the
    /// client accepts the answer to a change, before the change is made.
    private func admit(
        _ context: RequestContext, onMetricsAddress: Bool
    ) throws(OperationError) {
        let admission = onMetricsAddress ? .withoutToken : try access.check(context)
        if let limits = admission.limits { context.tokenLimits = limits }
        guard !context.request.method.isSafe else { return }
        context.author = admission.name
        try context.checkMediaType()
        if context.request.method != .delete { try context.checkAccept() }
    }

    private func perform(_ context: RequestContext, onMetricsAddress: Bool = false) -> Outcome {
        do {
            try admit(context, onMetricsAddress: onMetricsAddress)
            if context.endpoint.isAboutApps {
                try stored { () throws(StoreError) in try context.store.apps.awaitApps() }
            }
            return try outcome(context)
        } catch {
            switch error {
            case .load(let requests): return .load(requests)
            case .problem(let problem):
                let refusal = refusal(
                    problem, of: context.request, endpoint: context.endpoint.number,
                    id: context.requestID)
                return .reply(refusal)
            }
        }
    }

    private func outcome(_ context: RequestContext) throws(OperationError) -> Outcome {
        if let wait = try wait(context) { return .wait(wait) }
        var reply: Reply
        switch context.endpoint.operation {
        case .contract: reply = try ContractOperations(context).read()
        case .readSession: reply = try context.readSession()
        case .command(let name): reply = try SessionCommands.perform(name, context)
        case .commandSessions, .sessionSheet, .agents:
            return try staged(context)
        case .createSession: reply = try SessionLifecycle(context).create()
        case .restoreSession: reply = try SessionLifecycle(context).restore()
        case .patchSession: reply = try SessionLifecycle(context).patch()
        case .deleteSession: reply = try SessionLifecycle(context).delete()
        case .listSessions: reply = try SessionListing(context).list()
        case .sessionHistory: reply = try HistoryOperations(context).history()
        case .sessionAllowed: reply = try HistoryOperations(context).allowed()
        case .sessionSteps: reply = try StepOperations(context).steps()
        case .sessionWatchers: reply = try WatcherOperations(context).list()
        case .reportShown: return try shown(context)
        case .signal: reply = try SignalOperations(context).send()
        case .sessionLink: reply = try LinkOperations(context).sessionLink()
        case .resolveLink: reply = try LinkOperations(context).resolve()
        case .sessionEvents, .allEvents: return try stream(context)
        case .listTokens: reply = try TokenOperations(context).list()
        case .createToken: reply = try TokenOperations(context).create()
        case .revokeToken: reply = try TokenOperations(context).revoke()
        case .listApps: reply = try AppOperations(context).list()
        case .readApp: reply = try AppOperations(context).read()
        case .storeApp: reply = try AppOperations(context).put()
        case .deleteApp: reply = try AppOperations(context).delete()
        case .appImpact: reply = try ImpactOperations(context).read()
        case .backup: return try backup(context)
        case .live, .ready, .metrics: reply = try health(context)
        case .page: reply = try PageOperations(context).page(in: &assets)
        case .problemList, .problemPage: reply = try problem(context)
        }
        try finish(&reply, context)
        return .reply(reply)
    }

    private func health(_ context: RequestContext) throws(OperationError) -> Reply {
        let operations = HealthOperations(context)
        if context.endpoint.operation == .live { return try operations.liveness() }
        return context.endpoint.operation == .ready
            ? try operations.readiness() : operations.metrics()
    }

    private func problem(_ context: RequestContext) throws(OperationError) -> Reply {
        let operations = PageOperations(context)
        return context.endpoint.operation == .problemList
            ? operations.problemList(assets.problemPages())
            : try operations.problemPage(assets.problemPages())
    }

    private func finish(
        _ reply: inout Reply, _ context: RequestContext
    ) throws(OperationError) {
        if context.request.method.isSafe {
            try context.applyPreconditions(to: &reply)
            if let seconds = context.waitSeconds {
                reply.response.fields.append(
                    ResponseField(.preferenceApplied, "wait=\(seconds)"))
            }
        }
        complete(&reply, context.request, endpoint: context.endpoint.number)
        if context.author != nil { reply.author = context.author }  // A copy of nil is not free.
    }

    /// The outcome of an operation that goes through stages of its own.
    private func staged(_ context: RequestContext) throws(OperationError) -> Outcome {
        let (operation, stage) = (context.endpoint.operation, context.stage)
        let outcome =
            if operation == .sessionSheet {
                try SheetReading(context).outcome(at: stage)
            } else if operation == .agents {
                try AgentMessages(self, context).outcome(hasTimedOut: stage.hasWaited)
            } else {
                try ManyCommands(context, at: stage).perform()
            }
        guard case .reply(var reply) = outcome else { return outcome }
        if operation == .agents {
            // The reply says itself whether there is an author of a change.
            complete(&reply, context.request, endpoint: context.endpoint.number)
        } else {
            try finish(&reply, context)
        }
        return .reply(reply)
    }

    /// The wait that a read asks for, or nil if it is to be answered now.
    private func wait(_ context: RequestContext) throws(OperationError) -> LongPoll? {
        guard context.request[.prefer] != nil, case .begun = context.stage else { return nil }
        if context.endpoint.operation == .readSession { return try context.sessionPoll() }
        if context.endpoint.operation == .sessionWatchers {
            return try WatcherOperations(context).wait()
        }
        return nil
    }

    private func stream(_ context: RequestContext) throws(OperationError) -> Outcome {
        let operations = StreamOperations(context, access)
        var opening =
            context.endpoint.operation == .allEvents
            ? try operations.allEvents() : try operations.sessionEvents()
        if let reply = try unmet(opening.response, context) { return .reply(reply) }
        opening.endpoint = context.endpoint.number
        addStandingFields(to: &opening.response, for: context.request)
        return .stream(opening)
    }

    private func shown(_ context: RequestContext) throws(OperationError) -> Outcome {
        var report = try WatcherOperations(context).report()
        complete(&report.reply, context.request, endpoint: context.endpoint.number)
        return .shown(report)
    }

    /// The head of the response to `GET /v1/backup`. The server copies the rest from the store: the
    /// bytes of the log as they are.
    private func backup(_ context: RequestContext) throws(OperationError) -> Outcome {
        try context.refuseQuery()
        try context.checkAccept(.ndjson)
        try context.checkSessions()
        let disposition = ResponseField(
            "Content-Disposition", #"attachment; filename="navstate.jsonl""#)
        var reply = Reply(
            Response(.ok, contentType: .ndjson, caching: .never, fields: [disposition]))
        if let reply = try unmet(reply.response, context) { return .reply(reply) }
        complete(&reply, context.request, endpoint: context.endpoint.number)
        return .backup(reply)
    }

    /// The response in place of one whose content is not made as a whole, if the request has a
    /// precondition that is false.
    private func unmet(
        _ head: Response, _ context: RequestContext
    ) throws(OperationError) -> Reply? {
        guard context.isConditional else { return nil }
        var reply = Reply(head)
        try finish(&reply, context)
        return reply.response.status == .ok ? nil : reply
    }
}
