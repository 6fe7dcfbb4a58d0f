internal import Bytes
package import HTTP
package import JSON
package import Navigation
package import Sessions

/// What of the service can be set.
package struct ServiceOptions: Sendable {
    package var limits = Limits()
    package var originPolicy = RequestOriginPolicy()
    /// None: whoever reaches the server may do everything.
    package var tokens = Tokens()
    /// Metrics have an address of their own, so that they are nowhere else.
    package var hasMetricsAddress = false
    /// What sessions may take that stay decoded.
    package var decodedBytesMax = 64 << 20
    /// Bytes of records that a page of the list reads, and of changes that a stream makes up for: as
    /// much as the loop reads and copies in some milliseconds.
    package var recordBytesMax = 4 << 20
    /// Bytes of sessions that a stream begins with.
    package var snapshotBytesMax = 32 << 20

    package init() {}
}

/// Answers requests out of a store.
package final class Service {
    let store: any SessionStore
    let options: ServiceOptions
    /// Those of the options, or what took their place.
    private(set) var serverTokens: Tokens
    /// The beginning of every entity tag: the store's lineage.
    let tag: ResponseTag
    /// Every stored app, ready to be asked.
    var apps: [AppID: LoadedApp] = [:]
    var recent: RecentSessions
    var longBodies = LongBodies()
    /// Embedded files that were asked for.
    var assets: [String: Asset] = [:]
    private let table = RouteTable(Endpoint.all)
    /// What the request may still cost: one object for all requests, as they come one after another.
    package let work = WorkBudget()
    /// How many subscribers a session has.
    package var watchers: (SessionID) -> Int = { _ in 0 }
    /// Whether any stream wants to be told of the session.
    package var isWatched: (SessionID) -> Bool = { _ in false }
    /// Changes that are to be told when they are durable; the server takes them out.
    package var announcements: [Announcement] = []
    var history: RecentChanges
    /// The highest sequence number that was given so far.
    var lastSequence: SequenceNumber
    /// Called with a message for the log when a stored record is unreadable.
    package var reportUnreadable: (String) -> Void = { _ in }
    /// Makes the page of /metrics.
    package var metrics: () -> [UInt8] = { [] }
    /// The server is about to stop: it still answers, and says so at /readyz.
    package var isDraining = false
    /// The place in `Endpoint.all` of what was asked for last; nil if that is not there.
    package private(set) var lastEndpoint: Int?
    /// Why the last request was refused.
    package private(set) var lastProblem: ProblemKind?

    /// How a request came to be asked.
    private struct RequestOptions {
        var hasWaited: Bool
        var onMetricsAddress: Bool
    }

    package init(store: any SessionStore, options: ServiceOptions = ServiceOptions()) {
        self.store = store
        self.options = options
        serverTokens = options.tokens
        tag = ResponseTag(store.lineage)
        lastSequence = store.durable
        recent = RecentSessions(bytesMax: options.decodedBytesMax)
        history = RecentChanges(completeAfter: store.durable)
        loadApps()
    }

    /// Whoever reaches it may do everything.
    package var isOpen: Bool { serverTokens.isEmpty }

    /// Other tokens count from now on.
    package func take(_ tokens: Tokens) { serverTokens = tokens }

    /// The last request was refused before it came here.
    package func noteRefused(_ kind: ProblemKind) {
        lastEndpoint = nil
        lastProblem = kind
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - hasWaited: it was asked before and has waited long enough.
    ///   - onMetricsAddress: it came where only metrics and health are.
    package func respond(
        to request: Request, at now: Milliseconds, hasWaited: Bool = false,
        onMetricsAddress: Bool = false
    ) -> Outcome {
        lastEndpoint = nil
        lastProblem = nil
        work.renew()
        let requestOptions = RequestOptions(
            hasWaited: hasWaited, onMetricsAddress: onMetricsAddress)
        do {
            return try outcome(of: request, now, requestOptions)
        } catch {
            switch error {
            case .load(let places): return .load(places)
            case .problem(let problem): return .reply(refusal(problem, request))
            }
        }
    }

    /// Refuses a request before its content has come; nil if the content is needed to answer it.
    ///
    /// The refusal is the one that the whole request would get.
    ///
    /// - Parameter head: the request without its content.
    package func refusal(
        ofHead head: Request, at now: Milliseconds, onMetricsAddress: Bool = false
    ) -> Reply? {
        lastEndpoint = nil
        lastProblem = nil
        work.renew()
        let requestOptions = RequestOptions(hasWaited: false, onMetricsAddress: onMetricsAddress)
        do {
            guard let match = try match(head, requestOptions), head.method != .options else {
                return nil
            }
            let context = RequestContext(
                request: head, variables: match.variables, now: now, work: work)
            _ = try admit(context, to: match.resource, requestOptions)
            return nil
        } catch {
            guard case .problem(let problem) = error else { return nil }
            return refusal(problem, head)
        }
    }

    private func refusal(_ problem: Problem, _ request: Request) -> Reply {
        lastProblem = problem.kind
        let response = problem.response(instance: request.text(request.path))
        // A refusal may show a session that is not durable yet.
        var reply = Reply(response, visibleAfter: problem.shownSequence)
        addStandingFields(to: &reply.response, for: request)
        return reply
    }

    /// An answer with all its fields.
    private func reply(_ reply: consuming Reply, _ request: Request) -> Outcome {
        addStandingFields(to: &reply.response, for: request)
        return .reply(reply)
    }

    /// What goes with an answer whatever the operation: for pages of other origins, and for our own.
    package func addStandingFields(to response: inout Response, for request: Request) {
        if !options.originPolicy.allowedOrigins.isEmpty {
            response.fields += options.originPolicy.fields(for: request)
        }
        response.addPageFields()
    }

    private func outcome(
        of request: Request, _ now: Milliseconds, _ requestOptions: RequestOptions
    ) throws(OperationError) -> Outcome {
        guard let match = try match(request, requestOptions) else {
            return reply(Reply(.options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE")), request)
        }
        if case .options = request.method {
            return reply(options(match.resource, request), request)
        }
        let context = RequestContext(
            request: request, variables: match.variables, now: now, work: work)
        let operation = try admit(context, to: match.resource, requestOptions)
        return try perform(operation, context, requestOptions)
    }

    /// The resource that a request names; nil if it asks about the server as a whole.
    private func match(
        _ request: Request, _ requestOptions: RequestOptions
    ) throws(OperationError) -> RouteTable.Match? {
        let refusal =
            requestOptions.onMetricsAddress
            ? options.originPolicy.metricsProblem(of: request)
            : options.originPolicy.problem(of: request)
        if let refusal { throw .problem(refusal) }
        if request.isAsterisk { return nil }
        guard let segments = PathSegments(request),
            let match = table.match(segments, in: request.bytes)
        else { throw .problem(notFound(request)) }
        return match
    }

    /// All that a request's head decides: the method, the token and the type of the content.
    private func admit(
        _ context: RequestContext, to resource: RouteTable.Resource,
        _ requestOptions: RequestOptions
    ) throws(OperationError) -> Operation {
        guard let action = resource[context.request.method] else {
            throw .problem(
                Problem(
                    .methodNotAllowed, "This URL supports \(resource.allow).",
                    fields: [ResponseField(.allow, resource.allow)]))
        }
        guard action.operation.isServed(requestOptions.onMetricsAddress, options) else {
            throw .problem(notFound(context.request))
        }
        lastEndpoint = action.endpoint
        if !requestOptions.onMetricsAddress { try checkAccess(action.operation, context) }
        if !context.request.method.isSafe { try context.checkMediaType() }
        return action.operation
    }

    private func perform(
        _ operation: Operation, _ context: RequestContext, _ requestOptions: RequestOptions
    ) throws(OperationError) -> Outcome {
        var answer: Reply
        switch operation {
        case .sessionEvents: return stream(try sessionEvents(context), context)
        case .allEvents: return stream(try allEvents(context), context)
        case .backup: return backup(try backup(context), context)
        case .readSession:
            if !requestOptions.hasWaited, let waiting = try waiting(context) {
                return .wait(waiting)
            }
            answer = try readSession(context)
        case .page: answer = try page(context)
        case .live: answer = try health(context)
        case .ready: answer = try readiness(context)
        case .metrics: answer = try metricsPage(context)
        case .problemPage: answer = try problemPage(context)
        case .createSession: answer = try createSession(context)
        case .listSessions: answer = try listSessions(context)
        case .restoreSession: answer = try restoreSession(context)
        case .patchSession: answer = try patchSession(context)
        case .deleteSession: answer = try deleteSession(context)
        case .command(let name): answer = try command(name, context)
        case .sessionLink: answer = try sessionLink(context)
        case .listTokens: answer = try listTokens(context)
        case .createToken: answer = try createToken(context)
        case .revokeToken: answer = try revokeToken(context)
        case .sessionHistory: answer = try readHistory(context)
        case .sessionAllowed: answer = try readAllowed(context)
        case .listApps: answer = try listApps(context)
        case .readApp: answer = try readApp(context)
        case .storeApp: answer = try storeApp(context)
        case .deleteApp: answer = try deleteApp(context)
        case .resolveLink: answer = try resolveLink(context)
        }
        if context.request.method.isSafe { try condition(&answer, context) }
        return reply(consume answer, context.request)
    }

    private func stream(_ opening: consuming StreamOpening, _ context: RequestContext) -> Outcome {
        addStandingFields(to: &opening.response, for: context.request)
        return .stream(opening)
    }

    private func backup(_ head: consuming Response, _ context: RequestContext) -> Outcome {
        addStandingFields(to: &head, for: context.request)
        return .backup(head)
    }

    private func options(_ resource: RouteTable.Resource, _ request: Request) -> Reply {
        let allow = resource.allow
        var response =
            options.originPolicy.preflight(request, allow: allow) ?? .options(allow: allow)
        if resource.takesPatch { response.fields.append(.acceptPatch) }
        return Reply(response)
    }

    private func notFound(_ request: Request) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(.malformedRequest, "The path contains invalid percent-encoding.")
        }
        return Problem(.notFound, "There is no such URL. All URLs are listed in /openapi.yaml.")
    }

}

extension Response {
    static func options(allow: String) -> Response {
        Response(.noContent, fields: [ResponseField(.allow, allow)])
    }
}
