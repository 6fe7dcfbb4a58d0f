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

    package init() {}
}

/// Answers requests out of a store.
package final class Service {
    let store: any SessionStore
    private(set) var options: ServiceOptions
    /// Every stored app, ready to be asked.
    var apps: [AppID: LoadedApp] = [:]
    var recent = RecentSessions()
    private let table = RouteTable(Endpoint.all)
    /// How many subscribers a session has.
    package var watchers: (SessionID) -> Int = { _ in 0 }
    /// Makes the page of /metrics.
    package var metrics: () -> [UInt8] = { [] }
    /// The server is about to stop: it still answers, and says so at /readyz.
    package var isDraining = false
    /// The place in `Endpoint.all` of what was asked for last; nil if that is not there.
    package private(set) var lastEndpoint: Int?
    /// Why the last request was refused.
    package private(set) var lastProblem: ProblemKind?

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
        for stored in store.apps { try load(stored) }
    }

    /// Whoever reaches it may do everything.
    package var isOpen: Bool { options.tokens.isEmpty }

    /// Other tokens count from now on.
    package func take(_ tokens: Tokens) { options.tokens = tokens }

    /// Answers a request.
    ///
    /// - Parameter onMetricsAddress: it came where only metrics and health are.
    package func respond(
        to request: Request, at now: Milliseconds, onMetricsAddress: Bool = false
    ) -> Outcome {
        lastEndpoint = nil
        lastProblem = nil
        var outcome = outcome(of: request, now, onMetricsAddress)
        if case .reply(var reply) = outcome {
            addStandingFields(to: &reply.response, for: request)
            outcome = .reply(reply)
        }
        return outcome
    }

    /// What goes with an answer whatever the operation: for pages of other origins, and for our own.
    package func addStandingFields(to response: inout Response, for request: Request) {
        if !options.door.allowedOrigins.isEmpty {
            response.fields += options.door.fields(for: request)
        }
        if response.contentType != .json { response.addPageFields() }
    }

    private func outcome(
        of request: Request, _ now: Milliseconds, _ onMetricsAddress: Bool
    ) -> Outcome {
        do {
            return .reply(try reply(to: request, now, onMetricsAddress))
        } catch {
            switch error {
            case .load(let places): return .load(places)
            case .problem(let problem):
                lastProblem = problem.kind
                let instance = request.text(request.path)
                // A refusal may show a session that is not durable yet.
                let visible = problem.session == nil ? 0 : problem.shownSequence
                return .reply(
                    Reply(problem.response(instance: instance), visibleAfter: visible))
            }
        }
    }

    private func reply(
        to request: Request, _ now: Milliseconds, _ onMetricsAddress: Bool
    ) throws(Interruption) -> Reply {
        if !onMetricsAddress, let problem = options.door.problem(of: request) {
            throw .problem(problem)
        }
        if request.isAsterisk {
            return Reply(.options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE"))
        }
        guard let segments = PathSegments(request), let match = table.match(segments) else {
            throw .problem(try notFound(request))
        }
        let method = request.method == .head ? .get : request.method
        if method == .options { return options(match.resource.allow, request) }
        guard let operation = match.resource.operations[Int(method.rawValue)] else {
            throw .problem(
                Problem(
                    .methodNotAllowed, "use one of \(match.resource.allow)",
                    fields: [ResponseField(.allow, match.resource.allow)]))
        }
        guard operation.isServed(onMetricsAddress, options) else {
            throw .problem(try notFound(request))
        }
        lastEndpoint = match.resource.endpoints[Int(method.rawValue)]
        let call = Call(request: request, variables: match.variables, now: now)
        if !onMetricsAddress { try checkAccess(operation, call) }
        return try perform(operation, call)
    }

    private func options(_ allow: String, _ request: Request) -> Reply {
        Reply(options.door.preflight(request, allow: allow) ?? .options(allow: allow))
    }

    private func notFound(_ request: Request) throws(Interruption) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(.malformedRequest, "the path has a bad percent-encoding")
        }
        return Problem(.notFound, "the URLs are listed in /openapi.yaml")
    }

    private func perform(_ operation: Operation, _ call: Call) throws(Interruption) -> Reply {
        switch operation {
        case .openAPI: try page(.openAPI, call)
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
