internal import Bytes
package import HTTP
package import Navigation

/// An operation of the service.
package enum Operation: Hashable, Sendable {
    case page, live, ready, metrics, problemList, problemPage
    case contract
    case createSession, listSessions
    case readSession, restoreSession, patchSession, deleteSession
    case command(CommandName), commandSessions
    case sessionLink, sessionHistory, sessionAllowed, sessionEvents, allEvents
    case sessionWatchers, reportShown, sessionSteps, sessionSheet
    case listTokens, createToken, revokeToken
    case listApps, readApp, storeApp, deleteApp, resolveLink
    case backup, agents

    /// Whether the operation is about apps alone.
    var isAboutApps: Bool {
        switch self {
        case .listApps, .readApp, .storeApp, .deleteApp, .resolveLink: true
        case .contract, .page, .live, .ready, .metrics, .problemList, .problemPage, .createSession,
            .listSessions, .readSession, .restoreSession, .patchSession, .deleteSession, .command,
            .commandSessions, .sessionLink, .sessionHistory, .sessionAllowed, .sessionEvents,
            .allEvents, .sessionWatchers, .reportShown, .sessionSteps, .sessionSheet, .listTokens,
            .createToken, .revokeToken, .backup, .agents:
            false
        }
    }
}

/// A method and a URL, and the operation that they request.
package struct Endpoint: Sendable {
    /// The method; `.get` includes `HEAD`.
    package let method: Method
    /// The path of the URL, in which `{…}` matches one segment.
    package let template: String
    /// What the method does at that URL.
    package let operation: Operation

    init(_ method: Method, _ template: String, to operation: Operation) {
        self.method = method
        self.template = template
        self.operation = operation
    }

    /// Every URL of the service. `HEAD` is allowed wherever `GET` is, and `OPTIONS` everywhere.
    package static let all: [Endpoint] =
        [
            Endpoint(.get, "/", to: .page),
            Endpoint(.get, "/docs", to: .page),
            Endpoint(.get, "/openapi.yaml", to: .page),
            Endpoint(.get, "/openapi.json", to: .page),
            Endpoint(.get, "/navstate.js", to: .page),
            Endpoint(.get, "/console.css", to: .page),
            Endpoint(.get, "/console/{part}", to: .page),
            Endpoint(.get, "/docs.js", to: .page),
            Endpoint(.get, "/docs.css", to: .page),
            Endpoint(.get, "/livez", to: .live),
            Endpoint(.get, "/readyz", to: .ready),
            Endpoint(.get, "/metrics", to: .metrics),
            Endpoint(.get, "/display", to: .page),
            Endpoint(.get, "/display/{part}", to: .page),
            Endpoint(.get, "/problems", to: .problemList),
            Endpoint(.get, "/problems/{name}", to: .problemPage),
            Endpoint(.get, "/v1", to: .contract),
            Endpoint(.post, "/v1/sessions", to: .createSession),
            Endpoint(.get, "/v1/sessions", to: .listSessions),
            Endpoint(.get, "/v1/sessions/{id}", to: .readSession),
            Endpoint(.put, "/v1/sessions/{id}", to: .restoreSession),
            Endpoint(.patch, "/v1/sessions/{id}", to: .patchSession),
            Endpoint(.delete, "/v1/sessions/{id}", to: .deleteSession),
            Endpoint(.get, "/v1/sessions/{id}/history", to: .sessionHistory),
            Endpoint(.get, "/v1/sessions/{id}/allowed", to: .sessionAllowed),
            Endpoint(.get, "/v1/sessions/{id}/events", to: .sessionEvents),
            Endpoint(.get, "/v1/sessions/{id}/watchers", to: .sessionWatchers),
            Endpoint(.post, "/v1/sessions/{id}/shown", to: .reportShown),
            Endpoint(.get, "/v1/sessions/{id}/link", to: .sessionLink),
            Endpoint(.get, "/v1/sessions/{id}/steps", to: .sessionSteps),
            Endpoint(.get, "/v1/sessions/{id}/sheets/{sheet}", to: .sessionSheet),
            Endpoint(.get, "/v1/sessions/{id}/tokens", to: .listTokens),
            Endpoint(.post, "/v1/sessions/{id}/tokens", to: .createToken),
            Endpoint(.delete, "/v1/sessions/{id}/tokens/{token}", to: .revokeToken),
            Endpoint(.post, "/v1/commands", to: .commandSessions),
            Endpoint(.get, "/v1/events", to: .allEvents),
            Endpoint(.get, "/v1/backup", to: .backup),
            Endpoint(.post, "/mcp", to: .agents),
            Endpoint(.get, "/v1/apps", to: .listApps),
            Endpoint(.get, "/v1/apps/{app}", to: .readApp),
            Endpoint(.put, "/v1/apps/{app}", to: .storeApp),
            Endpoint(.delete, "/v1/apps/{app}", to: .deleteApp),
            Endpoint(.get, "/v1/apps/{app}/resolve", to: .resolveLink),
        ]
        + CommandName.allCases.map {
            Endpoint(.post, "/v1/sessions/{id}/\($0.rawValue)", to: .command($0))
        }
}

/// Finds the endpoint of a request.
struct RouteTable: Sendable {
    /// The resources by the number of segments in their paths.
    private var byCount: [[Resource]] = []

    /// What a method does at a path.
    struct Action: Sendable {
        let operation: Operation
        /// The index in `Endpoint.all`.
        let endpoint: Int
    }

    /// The actions at a path. All requests share it, so that matching copies no more than a
    /// reference; as a struct, routing a GET takes 26 % more instructions.
    final class Resource: Sendable {
        let url: String
        fileprivate let template: PathTemplate
        /// By the method's raw value.
        private let actions: InlineArray<8, Action?>

        fileprivate init(_ url: String, _ actions: InlineArray<8, Action?>) {
            self.url = url
            template = PathTemplate(url)
            self.actions = actions
        }

        subscript(method: Method) -> Action? { actions[Int(method.rawValue)] }

        /// The resource with another action. `HEAD` does the same as `GET`.
        fileprivate func adding(_ action: Action, for method: Method) -> Resource {
            var actions = actions
            actions[Int(method.rawValue)] = action
            if method == .get { actions[Int(Method.head.rawValue)] = action }
            return Resource(url, actions)
        }

        /// The value of the field `Allow`.
        var allow: String {
            var names = Method.allCases.filter { self[$0] != nil }.map(\.name)
            names.append(Method.options.name)
            return names.joined(separator: ", ")
        }

        var takesPatch: Bool { self[.patch] != nil }
    }

    /// The position of a resource in the table, and the variable segments of the path. It contains
    /// no references, so that copying it needs no reference counting.
    struct Match {
        fileprivate let count: Int
        fileprivate let index: Int
        let variables: PathTemplate.Variables
    }

    /// Every URL of the service.
    static let all = RouteTable(Endpoint.all)

    init(_ endpoints: [Endpoint]) {
        for (index, endpoint) in endpoints.enumerated() {
            let action = Action(operation: endpoint.operation, endpoint: index)
            add(action, for: endpoint.method, at: endpoint.template)
        }
    }

    private mutating func add(_ action: Action, for method: Method, at url: String) {
        let empty = Resource(url, InlineArray(repeating: nil))
        let count = empty.template.count
        while byCount.count <= count { byCount.append([]) }
        if let known = byCount[count].firstIndex(where: { $0.url == url }) {
            byCount[count][known] = byCount[count][known].adding(action, for: method)
        } else {
            byCount[count].append(empty.adding(action, for: method))
        }
    }

    /// The resource of a path, if there is one.
    func match(_ path: PathSegments, in bytes: [UInt8]) -> Match? {
        let count = path.count
        guard count > 0, count < byCount.count else { return nil }
        let key = PathTemplate.key(of: path[count - 1], in: bytes)
        for index in byCount[count].indices {
            // The last segment tells most of them apart. Without this, finding the URL of a command
            // takes 2.5 times as many instructions, and a change 2 % more.
            if let lastKey = byCount[count][index].template.lastKey, lastKey != key { continue }
            let template = byCount[count][index].template
            if let variables = template.variables(of: path, in: bytes) {
                return Match(count: count, index: index, variables: variables)
            }
        }
        return nil
    }

    /// The resource that was found.
    subscript(match: Match) -> Resource { byCount[match.count][match.index] }
}
