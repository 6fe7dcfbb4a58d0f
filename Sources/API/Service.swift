package import HTTP
internal import JSON
package import Navigation

/// What of the service can be set.
package struct ServiceOptions: Sendable {
    package var limits = Limits()
    package var door = Door()

    package init() {}
}

/// Answers requests out of a store.
package final class Service {
    let store: any SessionStore
    let options: ServiceOptions
    /// Every stored app, ready to be asked.
    var apps: [AppID: LoadedApp] = [:]
    var recent = RecentSessions()
    private let table = RouteTable(Endpoint.all)
    /// How many subscribers a session has.
    package var watchers: (SessionID) -> Int = { _ in 0 }

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

    /// Answers a request.
    package func respond(to request: Request, at now: Milliseconds) -> Outcome {
        do {
            return .reply(try reply(to: request, now))
        } catch {
            switch error {
            case .load(let places): return .load(places)
            case .problem(let problem):
                let instance = request.text(request.path)
                // A refusal may show a session that is not durable yet.
                let visible = problem.session == nil ? 0 : problem.shownSequence
                return .reply(
                    Reply(problem.response(instance: instance), visibleAfter: visible))
            }
        }
    }

    private func reply(to request: Request, _ now: Milliseconds) throws(Interruption) -> Reply {
        if let problem = options.door.problem(of: request) { throw .problem(problem) }
        if request.isAsterisk {
            return Reply(.options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE"))
        }
        guard let segments = PathSegments(request), let match = table.match(segments) else {
            throw .problem(try notFound(request))
        }
        let method = request.method == .head ? .get : request.method
        if method == .options { return Reply(.options(allow: match.resource.allow)) }
        guard let operation = match.resource.operations[Int(method.rawValue)] else {
            throw .problem(
                Problem(
                    .methodNotAllowed, "use one of \(match.resource.allow)",
                    fields: [ResponseField(.allow, match.resource.allow)]))
        }
        let call = Call(request: request, variables: match.variables, now: now)
        return try perform(operation, call)
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
