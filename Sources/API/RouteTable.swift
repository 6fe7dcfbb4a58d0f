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

extension [UInt8] {
    fileprivate func isSame(as bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard count == range.count else { return false }
        for index in indices where self[index] != bytes[range.lowerBound + index] { return false }
        return true
    }
}

/// Finds the endpoint of a request.
struct RouteTable: Sendable {
    /// The resources of a path with so many segments.
    private var byCount: [[Resource]] = []

    /// What can be done at a path. It is shared by all requests, and counts one reference for each.
    final class Resource: Sendable {
        /// nil stands for any segment.
        let segments: [[UInt8]?]
        /// By the method's raw value.
        let operations: [Operation?]
        /// The same, as places in `Endpoint.all`.
        let endpoints: [Int?]

        init(_ segments: [[UInt8]?], _ operations: [Operation?], _ endpoints: [Int?]) {
            self.segments = segments
            self.operations = operations
            self.endpoints = endpoints
        }

        var allow: String {
            var names: [String] = []
            for method in Method.allCases where operations[Int(method.rawValue)] != nil {
                names.append(method.name)
                if method == .get { names.append(Method.head.name) }
            }
            return (names + [Method.options.name]).joined(separator: ", ")
        }

        var takesPatch: Bool { operations[Int(Method.patch.rawValue)] != nil }
    }

    /// The resource of a URL, and where in the path its variable segments are.
    struct Match {
        var resource: Resource
        var variables: [Range<Int>]
    }

    init(_ endpoints: [Endpoint]) {
        for (place, endpoint) in endpoints.enumerated() { add(endpoint, place) }
    }

    private mutating func add(_ endpoint: Endpoint, _ number: Int) {
        let segments: [[UInt8]?] = endpoint.template.utf8.dropFirst()
            .split(separator: UInt8(ascii: "/")).map {
                $0.first == UInt8(ascii: "{") ? nil : Array($0)
            }
        while byCount.count <= segments.count { byCount.append([]) }
        let known = byCount[segments.count].firstIndex { $0.segments == segments }
        let nothing = [Int?](repeating: nil, count: Method.allCases.count)
        let old = known.map { byCount[segments.count][$0] }
        var operations = old?.operations ?? nothing.map { _ in nil }
        var endpoints = old?.endpoints ?? nothing
        operations[Int(endpoint.method.rawValue)] = endpoint.operation
        endpoints[Int(endpoint.method.rawValue)] = number
        let resource = Resource(segments, operations, endpoints)
        if let known {
            byCount[segments.count][known] = resource
        } else {
            byCount[segments.count].append(resource)
        }
    }
}

extension RouteTable {
    /// nil: nothing is under that path.
    func match(_ path: PathSegments) -> Match? {
        // `/` is one empty segment, and the template `/` has none.
        let isRoot = path.count == 1 && path[0].isEmpty
        let count = isRoot ? 0 : path.count
        guard count < byCount.count else { return nil }
        for resource in byCount[count] where resource.fits(path) {
            var variables: [Range<Int>] = []
            for index in 0..<count where resource.segments[index] == nil {
                variables.append(path[index])
            }
            return Match(resource: resource, variables: variables)
        }
        return nil
    }
}

extension RouteTable.Resource {
    /// Whether the path is one of the resource's; a variable segment is never empty.
    fileprivate func fits(_ path: PathSegments) -> Bool {
        // The last segment tells most resources apart.
        for index in segments.indices.reversed() {
            let range = path[index]
            guard segments[index]?.isSame(as: path.bytes, range) ?? !range.isEmpty else {
                return false
            }
        }
        return true
    }
}
