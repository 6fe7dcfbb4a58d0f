package import HTTP
package import Navigation

/// What a request asks for.
package enum Operation: Hashable, Sendable {
    case page, live, ready, metrics, problemPage
    case createSession, listSessions
    case readSession, restoreSession, patchSession, deleteSession
    case command(CommandName)
    case sessionLink, sessionHistory, sessionAllowed, sessionEvents, allEvents
    case listTokens, createToken, revokeToken
    case listApps, readApp, storeApp, deleteApp, resolveLink
    case backup
}

/// A method and a URL, and what they ask for.
package struct Endpoint: Sendable {
    package let method: Method
    /// `{…}` stands for one segment.
    package let template: String
    package let operation: Operation

    init(_ method: Method, _ template: String, _ operation: Operation) {
        self.method = method
        self.template = template
        self.operation = operation
    }

    /// Every URL of the service. `HEAD` goes where `GET` goes, and `OPTIONS` everywhere.
    package static let all: [Endpoint] =
        [
            Endpoint(.get, "/", .page),
            Endpoint(.get, "/docs", .page),
            Endpoint(.get, "/openapi.yaml", .page),
            Endpoint(.get, "/navstate.js", .page),
            Endpoint(.get, "/console.css", .page),
            Endpoint(.get, "/console/{part}", .page),
            Endpoint(.get, "/docs.js", .page),
            Endpoint(.get, "/docs.css", .page),
            Endpoint(.get, "/livez", .live),
            Endpoint(.get, "/readyz", .ready),
            Endpoint(.get, "/metrics", .metrics),
            Endpoint(.get, "/problems/{name}", .problemPage),
            Endpoint(.post, "/v1/sessions", .createSession),
            Endpoint(.get, "/v1/sessions", .listSessions),
            Endpoint(.get, "/v1/sessions/{id}", .readSession),
            Endpoint(.put, "/v1/sessions/{id}", .restoreSession),
            Endpoint(.patch, "/v1/sessions/{id}", .patchSession),
            Endpoint(.delete, "/v1/sessions/{id}", .deleteSession),
            Endpoint(.get, "/v1/sessions/{id}/history", .sessionHistory),
            Endpoint(.get, "/v1/sessions/{id}/allowed", .sessionAllowed),
            Endpoint(.get, "/v1/sessions/{id}/events", .sessionEvents),
            Endpoint(.get, "/v1/sessions/{id}/link", .sessionLink),
            Endpoint(.get, "/v1/sessions/{id}/tokens", .listTokens),
            Endpoint(.post, "/v1/sessions/{id}/tokens", .createToken),
            Endpoint(.delete, "/v1/sessions/{id}/tokens/{token}", .revokeToken),
            Endpoint(.get, "/v1/events", .allEvents),
            Endpoint(.get, "/v1/backup", .backup),
            Endpoint(.get, "/v1/apps", .listApps),
            Endpoint(.get, "/v1/apps/{app}", .readApp),
            Endpoint(.put, "/v1/apps/{app}", .storeApp),
            Endpoint(.delete, "/v1/apps/{app}", .deleteApp),
            Endpoint(.get, "/v1/apps/{app}/resolve", .resolveLink),
        ]
        + CommandName.allCases.map {
            Endpoint(.post, "/v1/sessions/{id}/\($0.rawValue)", .command($0))
        }
}

/// Finds the endpoint of a request.
struct RouteTable: Sendable {
    /// The resources of a path with so many segments.
    private var byCount: [Shelf] = []

    /// Resources beside the keys by which most of them are passed over.
    private struct Shelf {
        var resources: [Resource] = []
        var lastKeys: [UInt64?] = []
    }

    /// What a method does at a path.
    struct Action: Sendable {
        let operation: Operation
        /// The place in `Endpoint.all`.
        let endpoint: Int
    }

    /// What can be done at a path. It is shared by all requests, and counts one reference for each.
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

        /// The same with one action more; `HEAD` goes where `GET` goes.
        fileprivate func adding(_ action: Action, for method: Method) -> Resource {
            var actions = actions
            actions[Int(method.rawValue)] = action
            if method == .get { actions[Int(Method.head.rawValue)] = action }
            return Resource(url, actions)
        }

        var allow: String {
            var names = Method.allCases.filter { self[$0] != nil }.map(\.name)
            names.append(Method.options.name)
            return names.joined(separator: ", ")
        }

        var takesPatch: Bool { self[.patch] != nil }
    }

    /// The resource of a URL, and what in the path is variable.
    struct Match {
        var resource: Resource
        var variables: PathTemplate.Variables
    }

    init(_ endpoints: [Endpoint]) {
        for (place, endpoint) in endpoints.enumerated() {
            let action = Action(operation: endpoint.operation, endpoint: place)
            add(action, for: endpoint.method, at: endpoint.template)
        }
    }

    private mutating func add(_ action: Action, for method: Method, at url: String) {
        let empty = Resource(url, InlineArray(repeating: nil))
        let count = empty.template.count
        while byCount.count <= count { byCount.append(Shelf()) }
        if let known = byCount[count].resources.firstIndex(where: { $0.url == url }) {
            let resource = byCount[count].resources[known]
            byCount[count].resources[known] = resource.adding(action, for: method)
        } else {
            byCount[count].resources.append(empty.adding(action, for: method))
            byCount[count].lastKeys.append(empty.template.lastKey)
        }
    }

    /// nil: nothing is under that path.
    func match(_ path: PathSegments, in bytes: [UInt8]) -> Match? {
        let count = path.count
        guard count > 0, count < byCount.count else { return nil }
        let key = PathTemplate.key(of: path[count - 1], in: bytes)
        for index in byCount[count].lastKeys.indices {
            if let lastKey = byCount[count].lastKeys[index], lastKey != key { continue }
            let resource = byCount[count].resources[index]
            if let variables = resource.template.variables(of: path, in: bytes) {
                return Match(resource: resource, variables: variables)
            }
        }
        return nil
    }
}
