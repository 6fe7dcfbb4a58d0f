internal import Bytes
public import HTTP
public import Navigation
internal import Sessions

/// An operation of the service.
public enum Operation: Hashable, Sendable {
    case page, live, ready, metrics, problemList, problemPage
    case contract
    case createSession, listSessions
    case readSession, restoreSession, patchSession, deleteSession
    case command(CommandName), commandSessions
    case sessionLink, sessionHistory, sessionAllowed, sessionEvents, allEvents
    case sessionWatchers, reportShown, signal, sessionSteps, sessionSheet
    case listTokens, createToken, revokeToken
    case listApps, readApp, storeApp, deleteApp, resolveLink, appImpact
    case backup, agents
}

/// The token that an operation requires.
enum RequiredScope: Equatable {
    /// None: documents, pages, probes and what the server speaks.
    case nothing
    /// A server token of this scope or a greater one.
    case scope(Scope)
    /// A server token as above, or a token of the session that the path names.
    case session(Scope)
    /// Any token: what it allows is checked for each message.
    case any
}

/// A method and a URL, the operation that they request, and who may request it where. It is a class
/// so that a request refers to its row.
public final class Endpoint: Sendable {
    /// The addresses of the server that serve an endpoint.
    enum Address {
        case mainAddress, everyAddress
        /// The address of the metrics if they have one of their own, otherwise the main one.
        case metricsAddress
    }

    /// The method; `.get` includes `HEAD`.
    public let method: Method
    /// The path of the URL, in which `{…}` matches one segment.
    public let template: String
    /// The operation of the method at that URL.
    public let operation: Operation
    let requiredScope: RequiredScope
    private let address: Address
    /// Whether the operation is about apps alone, so that it needs the newest ones.
    let isAboutApps: Bool
    /// The index in `all`.
    let number: Int

    private init(
        _ method: Method, _ template: String, to operation: Operation, needs scope: RequiredScope,
        at address: Address = .mainAddress, isAboutApps: Bool = false
    ) {
        self.method = method
        self.template = template
        self.operation = operation
        requiredScope = scope
        self.address = address
        self.isAboutApps = isAboutApps
        number = 0
    }

    private init(_ other: Endpoint, number: Int) {
        method = other.method
        template = other.template
        operation = other.operation
        requiredScope = other.requiredScope
        address = other.address
        isAboutApps = other.isAboutApps
        self.number = number
    }

    /// Whether it is a probe. Probes are frequent and are not logged.
    public var isHealth: Bool { operation == .live || operation == .ready }

    /// Whether it is a page or a file of one.
    var isPage: Bool { operation == .page || operation == .problemList }

    /// Whether the endpoint is served at the address of the metrics, or else at the main address.
    func isServed(onMetricsAddress: Bool, _ options: ServiceOptions) -> Bool {
        switch address {
        case .everyAddress: true
        case .mainAddress: !onMetricsAddress
        case .metricsAddress: onMetricsAddress == options.hasMetricsAddress
        }
    }

    /// Every URL of the service. `HEAD` is allowed wherever `GET` is, and `OPTIONS` everywhere.
    public static let all =
        ([
            Endpoint(.get, "/", to: .page, needs: .nothing),
            Endpoint(.get, "/docs", to: .page, needs: .nothing),
            Endpoint(.get, "/openapi.yaml", to: .page, needs: .nothing),
            Endpoint(.get, "/openapi.json", to: .page, needs: .nothing),
            Endpoint(.get, "/app.schema.json", to: .page, needs: .nothing),
            Endpoint(.get, "/navstate.js", to: .page, needs: .nothing),
            Endpoint(.get, "/navstate.d.ts", to: .page, needs: .nothing),
            Endpoint(.get, "/navstate-rules.js", to: .page, needs: .nothing),
            Endpoint(.get, "/navstate-rules.d.ts", to: .page, needs: .nothing),
            Endpoint(.get, "/rules-session.js", to: .page, needs: .nothing),
            Endpoint(.get, "/rules.wasm", to: .page, needs: .nothing),
            Endpoint(.get, "/react-navigation.js", to: .page, needs: .nothing),
            Endpoint(.get, "/react-navigation.d.ts", to: .page, needs: .nothing),
            Endpoint(.get, "/console.css", to: .page, needs: .nothing),
            Endpoint(.get, "/console/{part}", to: .page, needs: .nothing),
            Endpoint(.get, "/docs.js", to: .page, needs: .nothing),
            Endpoint(.get, "/docs.css", to: .page, needs: .nothing),
            Endpoint(.get, "/livez", to: .live, needs: .nothing, at: .everyAddress),
            Endpoint(.get, "/readyz", to: .ready, needs: .nothing, at: .everyAddress),
            Endpoint(.get, "/metrics", to: .metrics, needs: .scope(.admin), at: .metricsAddress),
            Endpoint(.get, "/display", to: .page, needs: .nothing),
            Endpoint(.get, "/display/{part}", to: .page, needs: .nothing),
            Endpoint(.get, "/navstate-display.js", to: .page, needs: .nothing),
            Endpoint(.get, "/play", to: .page, needs: .nothing),
            Endpoint(.get, "/play/{part}", to: .page, needs: .nothing),
            Endpoint(.get, "/problems", to: .problemList, needs: .nothing),
            Endpoint(.get, "/problems/{name}", to: .problemPage, needs: .nothing),
            Endpoint(.get, "/v1", to: .contract, needs: .nothing),
            Endpoint(.post, "/v1/sessions", to: .createSession, needs: .scope(.control)),
            Endpoint(.get, "/v1/sessions", to: .listSessions, needs: .scope(.read)),
            Endpoint(.get, "/v1/sessions/{id}", to: .readSession, needs: .session(.read)),
            Endpoint(.put, "/v1/sessions/{id}", to: .restoreSession, needs: .session(.control)),
            Endpoint(.patch, "/v1/sessions/{id}", to: .patchSession, needs: .session(.control)),
            Endpoint(.delete, "/v1/sessions/{id}", to: .deleteSession, needs: .session(.control)),
            Endpoint(
                .get, "/v1/sessions/{id}/history", to: .sessionHistory, needs: .session(.read)),
            Endpoint(
                .get, "/v1/sessions/{id}/allowed", to: .sessionAllowed, needs: .session(.read)),
            Endpoint(.get, "/v1/sessions/{id}/events", to: .sessionEvents, needs: .session(.read)),
            Endpoint(
                .get, "/v1/sessions/{id}/watchers", to: .sessionWatchers, needs: .session(.read)),
            Endpoint(.post, "/v1/sessions/{id}/shown", to: .reportShown, needs: .session(.read)),
            Endpoint(.post, "/v1/sessions/{id}/signal", to: .signal, needs: .session(.control)),
            Endpoint(.get, "/v1/sessions/{id}/link", to: .sessionLink, needs: .session(.read)),
            Endpoint(.get, "/v1/sessions/{id}/steps", to: .sessionSteps, needs: .session(.read)),
            Endpoint(
                .get, "/v1/sessions/{id}/sheets/{sheet}", to: .sessionSheet, needs: .session(.read)),
            // Session tokens may not list or create tokens, so that a revoked token has no
            // successor.
            Endpoint(.get, "/v1/sessions/{id}/tokens", to: .listTokens, needs: .scope(.read)),
            Endpoint(.post, "/v1/sessions/{id}/tokens", to: .createToken, needs: .scope(.control)),
            Endpoint(
                .delete, "/v1/sessions/{id}/tokens/{token}", to: .revokeToken,
                needs: .scope(.control)),
            Endpoint(.post, "/v1/commands", to: .commandSessions, needs: .scope(.control)),
            Endpoint(.get, "/v1/events", to: .allEvents, needs: .scope(.admin)),
            Endpoint(.get, "/v1/backup", to: .backup, needs: .scope(.admin)),
            Endpoint(.post, "/mcp", to: .agents, needs: .any),
            Endpoint(.get, "/v1/apps", to: .listApps, needs: .scope(.read), isAboutApps: true),
            Endpoint(.get, "/v1/apps/{app}", to: .readApp, needs: .scope(.read), isAboutApps: true),
            Endpoint(
                .put, "/v1/apps/{app}", to: .storeApp, needs: .scope(.admin), isAboutApps: true),
            Endpoint(
                .delete, "/v1/apps/{app}", to: .deleteApp, needs: .scope(.admin), isAboutApps: true),
            Endpoint(
                .get, "/v1/apps/{app}/resolve", to: .resolveLink, needs: .scope(.read),
                isAboutApps: true),
            Endpoint(
                .get, "/v1/apps/{app}/impact", to: .appImpact, needs: .scope(.read),
                isAboutApps: true),
        ]
        + CommandName.allCases.map {
            Endpoint(
                .post, "/v1/sessions/{id}/\($0.rawValue)", to: .command($0),
                needs: .session(.control))
        }).enumerated().map { Endpoint($1, number: $0) }

    private static let byOperation = Dictionary(
        all.map { ($0.operation, $0) }, uniquingKeysWith: { first, _ in first })

    /// The endpoint of an operation, if there is one.
    public static func of(_ operation: Operation) -> Endpoint? { byOperation[operation] }

    /// The scope that an operation requires.
    static func requiredScope(for operation: Operation) -> RequiredScope? {
        byOperation[operation]?.requiredScope
    }
}

/// Finds the endpoint of a request.
struct RouteTable: Sendable {
    /// The resources by the number of segments in their paths.
    private var byCount: [[Resource]] = []
    /// The last segments of the resources below a session, in the order of the resources.
    private var belowSession: [UInt64] = []

    /// The endpoints at a path. All requests share it, so that matching copies no more than a
    /// reference; as a struct, routing a GET takes 26 % more instructions.
    final class Resource: Sendable {
        let url: String
        fileprivate let template: PathTemplate
        /// By the method's raw value.
        private let endpoints: InlineArray<8, Endpoint?>

        fileprivate init(_ url: String, _ endpoints: InlineArray<8, Endpoint?>) {
            self.url = url
            template = PathTemplate(url)
            self.endpoints = endpoints
        }

        subscript(method: Method) -> Endpoint? { endpoints[Int(method.rawValue)] }

        /// The resource with another endpoint. `HEAD` does the same as `GET`.
        fileprivate func adding(_ endpoint: Endpoint) -> Resource {
            var endpoints = endpoints
            endpoints[Int(endpoint.method.rawValue)] = endpoint
            if endpoint.method == .get { endpoints[Int(Method.head.rawValue)] = endpoint }
            return Resource(url, endpoints)
        }

        /// The value of the field `Allow`.
        var allow: String {
            var names = Method.allCases.filter { self[$0] != nil }.map(\.name)
            names.append(Method.options.name)
            return names.joined(separator: ", ")
        }

        var takesPatch: Bool { self[.patch] != nil }
    }

    /// Every URL of the service.
    static let all = RouteTable(Endpoint.all)

    init(_ endpoints: [Endpoint]) {
        for endpoint in endpoints { add(endpoint) }
        belowSession = byCount[4].map { resource in
            resource.url.hasPrefix(Self.session + "{id}/") ? resource.template.lastKey ?? 0 : 0
        }
    }

    private mutating func add(_ endpoint: Endpoint) {
        let empty = Resource(endpoint.template, InlineArray(repeating: nil))
        let count = empty.template.count
        while byCount.count <= count { byCount.append([]) }
        if let known = byCount[count].firstIndex(where: { $0.url == endpoint.template }) {
            byCount[count][known] = byCount[count][known].adding(endpoint)
        } else {
            byCount[count].append(empty.adding(endpoint))
        }
    }

    /// The resource of a request, if there is one.
    ///
    /// - Parameter variables: is set to the variable segments of the path.
    func match(_ request: Request, _ variables: inout PathTemplate.Variables) -> Resource? {
        if let resource = matchSession(request, &variables) { return resource }
        guard let path = PathSegments(request) else { return nil }
        let count = path.count
        guard count > 0, count < byCount.count else { return nil }
        let bytes = request.bytes
        let key = PathTemplate.key(of: path[count - 1], in: bytes)
        for index in byCount[count].indices {
            // The last segment tells most of them apart.
            if let lastKey = byCount[count][index].template.lastKey, lastKey != key { continue }
            let resource = byCount[count][index]
            if let found = resource.template.variables(of: path, in: bytes) {
                variables = found
                return resource
            }
        }
        return nil
    }

    /// The resource of a page whose URL is written with a slash at the end, as people do.
    func page(_ request: Request) -> Resource? {
        guard let path = request.text(request.path), path.hasSuffix("/") else { return nil }
        let url = String(path.unicodeScalars.dropLast())
        return byCount[1].first { $0.url == url && $0[.get]?.isPage == true }
    }

    // MARK: - Sessions

    private static let session = "/v1/sessions/"
    /// The index of the resource of a session among those with as many segments.
    private static let sessionIndex = all.byCount[3].firstIndex { $0.url == session + "{id}" } ?? 0

    /// The resource of a session, or the one below it with that name: what most requests are for.
    /// It finds what the table would find.
    private func matchSession(
        _ request: Request, _ variables: inout PathTemplate.Variables
    ) -> Resource? {
        let (bytes, path) = (request.bytes, request.path)
        let start = path.lowerBound + Self.session.utf8.count
        guard start < path.upperBound,
            bytes.span.isSame(as: "/v1/sessions/", in: path.lowerBound..<start)
        else { return nil }
        let end = bytes.span.index(of: ASCII.slash, in: start..<path.upperBound)
        guard end > start else { return nil }
        variables = PathTemplate.Variables(start..<end)
        guard end < path.upperBound else { return byCount[3][Self.sessionIndex] }
        let name = end + 1..<path.upperBound
        let key = PathTemplate.key(of: name, in: bytes)
        for index in belowSession.indices where belowSession[index] == key {
            let resource = byCount[4][index]
            if resource.template.endsWith(name, in: bytes) { return resource }
        }
        return nil
    }
}
