package import HTTP
internal import JSON
package import Navigation

/// What of the service can be set.
package struct ServiceOptions: Sendable {
    package var limits = Limits()
    package var door = Door()
    /// None: whoever reaches the server may do everything.
    package var tokens = Tokens()
    /// Metrics have an address of their own, so that they are nowhere else.
    package var hasMetricsAddress = false
    /// What sessions may take that stay decoded.
    package var decodedBytesMax = 64 << 20

    package init() {}
}

/// Answers requests out of a store.
package final class Service {
    let store: any SessionStore
    private(set) var options: ServiceOptions
    /// The store's; the beginning of every entity tag.
    let lineage: String
    /// Every stored app, ready to be asked.
    var apps: [AppID: LoadedApp] = [:]
    var recent: RecentSessions
    /// Embedded files that were asked for.
    var assets: [String: Asset] = [:]
    private let table = RouteTable(Endpoint.all)
    /// How many subscribers a session has.
    package var watchers: (SessionID) -> Int = { _ in 0 }
    /// Whether any stream wants to be told of the session.
    package var isWatched: (SessionID) -> Bool = { _ in false }
    /// Changes that are to be told when they are durable; the server takes them out.
    package var announcements: [Announcement] = []
    var history: RecentChanges
    /// The highest sequence number that was given so far.
    var lastSequence: SequenceNumber
    /// Makes the page of /metrics.
    package var metrics: () -> [UInt8] = { [] }
    /// The server is about to stop: it still answers, and says so at /readyz.
    package var isDraining = false
    /// The place in `Endpoint.all` of what was asked for last; nil if that is not there.
    package private(set) var lastEndpoint: Int?
    /// Why the last request was refused.
    package private(set) var lastProblem: ProblemKind?

    /// How a request came to be asked.
    private struct Manner {
        var hasWaited: Bool
        var onMetricsAddress: Bool
    }

    /// An app beside its document.
    struct LoadedApp {
        var app: App
        var stored: StoredApp
    }

    /// - Throws: `StoredAppError` when the store holds an app that these rules refuse.
    package init(
        store: any SessionStore, options: ServiceOptions = ServiceOptions()
    ) throws(StoredAppError) {
        self.store = store
        self.options = options
        lineage = store.lineage
        lastSequence = store.durable
        recent = RecentSessions(bytes: options.decodedBytesMax)
        history = RecentChanges(completeAfter: store.durable)
        for stored in store.apps { try load(stored) }
    }

    /// Whoever reaches it may do everything.
    package var isOpen: Bool { options.tokens.isEmpty }

    /// Other tokens count from now on.
    package func take(_ tokens: Tokens) { options.tokens = tokens }

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
        let manner = Manner(hasWaited: hasWaited, onMetricsAddress: onMetricsAddress)
        let outcome = refusing(request, now, manner)
        if options.door.allowedOrigins.isEmpty, case .reply(let reply) = outcome,
            reply.response.contentType == .json
        {
            return outcome
        }
        switch outcome {
        case .reply(var reply):
            addStandingFields(to: &reply.response, for: request)
            return .reply(reply)
        case .stream(var opening):
            addStandingFields(to: &opening.response, for: request)
            return .stream(opening)
        case .backup(var response):
            addStandingFields(to: &response, for: request)
            return .backup(response)
        case .load, .wait: return outcome
        }
    }

    /// What goes with an answer whatever the operation: for pages of other origins, and for our own.
    package func addStandingFields(to response: inout Response, for request: Request) {
        if !options.door.allowedOrigins.isEmpty {
            response.fields += options.door.fields(for: request)
        }
        if response.contentType != .json { response.addPageFields() }
    }

    /// Turns what is thrown into an answer.
    private func refusing(
        _ request: Request, _ now: Milliseconds, _ manner: Manner
    ) -> Outcome {
        do {
            return try outcome(of: request, now, manner)
        } catch {
            switch error {
            case .load(let places): return .load(places)
            case .problem(let problem):
                lastProblem = problem.kind
                // A refusal may show a session that is not durable yet.
                let instance = request.text(request.path)
                return .reply(
                    Reply(
                        problem.response(instance: instance), visibleAfter: problem.shownSequence))
            }
        }
    }

    private func outcome(
        of request: Request, _ now: Milliseconds, _ manner: Manner
    ) throws(Interruption) -> Outcome {
        if !manner.onMetricsAddress, let problem = options.door.problem(of: request) {
            throw .problem(problem)
        }
        if request.isAsterisk {
            return .reply(Reply(.options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE")))
        }
        guard let segments = PathSegments(request), let match = table.match(segments) else {
            throw .problem(notFound(request))
        }
        let method = request.method == .head ? .get : request.method
        if method == .options { return .reply(options(match.resource, request)) }
        guard let operation = match.resource.operations[Int(method.rawValue)] else {
            throw .problem(
                Problem(
                    .methodNotAllowed, "use one of \(match.resource.allow)",
                    fields: [ResponseField(.allow, match.resource.allow)]))
        }
        guard operation.isServed(manner.onMetricsAddress, options) else {
            throw .problem(notFound(request))
        }
        lastEndpoint = match.resource.endpoints[Int(method.rawValue)]
        let call = Call(request: request, variables: match.variables, now: now)
        if !manner.onMetricsAddress { try checkAccess(operation, call) }
        return try perform(operation, call, manner)
    }

    /// What does not end with one answer is told apart here.
    private func perform(
        _ operation: Operation, _ call: Call, _ manner: Manner
    ) throws(Interruption) -> Outcome {
        if operation == .sessionEvents { return .stream(try sessionEvents(call)) }
        if operation == .allEvents { return .stream(try allEvents(call)) }
        if operation == .backup { return .backup(try backup(call)) }
        if operation == .readSession, !manner.hasWaited, let waiting = try waiting(call) {
            return .wait(waiting)
        }
        let reply = try perform(operation, call)
        return .reply(call.request.method.isSafe ? try conditional(reply, call) : reply)
    }

    private func options(_ resource: RouteTable.Resource, _ request: Request) -> Reply {
        let allow = resource.allow
        var response =
            options.door.preflight(request, allow: allow) ?? .options(allow: allow)
        if resource.takesPatch { response.fields.append(.acceptPatch) }
        return Reply(response)
    }

    private func notFound(_ request: Request) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(.malformedRequest, "the path has a bad percent-encoding")
        }
        return Problem(.notFound, "the URLs are listed in /openapi.yaml")
    }

    private func perform(_ operation: Operation, _ call: Call) throws(Interruption) -> Reply {
        switch operation {
        case .page: try page(call)
        case .live: try health(call)
        case .ready: try readiness(call)
        case .metrics: try metricsPage(call)
        case .problemPage: try problemPage(call)
        case .createSession: try createSession(call)
        case .listSessions: try listSessions(call)
        case .readSession: try readSession(call)
        case .restoreSession: try restoreSession(call)
        case .patchSession: try patchSession(call)
        case .deleteSession: try deleteSession(call)
        case .command(let name): try command(name, call)
        case .sessionLink: try sessionLink(call)
        case .listTokens: try listTokens(call)
        case .createToken: try createToken(call)
        case .revokeToken: try revokeToken(call)
        case .sessionHistory: try readHistory(call)
        case .sessionAllowed: try readAllowed(call)
        case .sessionEvents, .allEvents, .backup:
            preconditionFailure("a stream is no single answer")
        case .listApps: try listApps(call)
        case .readApp: try readApp(call)
        case .storeApp: try storeApp(call)
        case .deleteApp: try deleteApp(call)
        case .resolveLink: try resolveLink(call)
        }
    }
}

extension Response {
    static func options(allow: String) -> Response {
        Response(.noContent, fields: [ResponseField(.allow, allow)])
    }
}
