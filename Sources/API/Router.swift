internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// The state of a request when the service is given it.
public enum RequestStage: Sendable {
    /// Nothing; it may have been given before, and records that it needs have been loaded since.
    case begun
    /// It has waited as a long poll, and is answered now in any case.
    case waited
    /// Some portions of it are carried out.
    case portions(CommandProgress)

    var hasWaited: Bool {
        switch self {
        case .waited: true
        case .begun, .portions: false
        }
    }
}

/// Finds what a request asks for, and refuses requests from foreign origins and for unknown URLs.
struct Router {
    private let table = RouteTable.all
    private let options: ServiceOptions

    init(_ options: ServiceOptions) { self.options = options }

    /// Refuses a request from a foreign host or origin.
    ///
    /// - Parameter verdicts: what was found out about the same field lines before.
    func admit(
        _ request: Request, onMetricsAddress: Bool, _ verdicts: inout HeadVerdicts
    ) throws(Problem) {
        guard !onMetricsAddress else {
            if let problem = options.originPolicy.metricsProblem(of: request) { throw problem }
            return
        }
        let finding: HeadVerdicts.Finding = request.method.isSafe ? .mayRead : .mayChange
        guard !verdicts.has(finding, request) else { return }
        if let problem = options.originPolicy.problem(of: request) { throw problem }
        if !RequestOriginPolicy.isExempt(request) { verdicts.note(finding, request) }
    }

    /// The endpoint that a request is for, or nil if it requests the options.
    ///
    /// - Throws: the problem for which the request is refused before its operation is known.
    func route(
        _ request: Request, onMetricsAddress: Bool, _ work: WorkBudget,
        variables: inout PathTemplate.Variables
    ) throws(Problem) -> Endpoint? {
        guard let resource = table.match(request, &variables) ?? table.page(request) else {
            if request.isAsterisk { return nil }
            throw notFound(request, near: table.near(request, work))
        }
        if case .options = request.method { return nil }
        guard let endpoint = resource[request.method] else {
            let allow = resource.allow
            throw Problem(
                .methodNotAllowed, "This URL supports \(allow).",
                fields: [ResponseField(.allow, allow)])
        }
        guard endpoint.isServed(onMetricsAddress: onMetricsAddress, options) else {
            throw Problem(
                .notFound,
                onMetricsAddress
                    ? "This address serves only /metrics, /livez and /readyz."
                    : "The metrics have an address of their own, that of --metrics-listen.")
        }
        return endpoint
    }

    /// The endpoint of a request that this program made.
    func endpoint(ofOwn request: Request, variables: inout PathTemplate.Variables) -> Endpoint? {
        table.match(request, &variables)?[request.method]
    }

    /// The response to `OPTIONS`.
    func options(for request: Request) -> Response {
        var variables = PathTemplate.Variables()
        guard let resource = table.match(request, &variables) else {
            return .options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        }
        let allow = resource.allow
        var response =
            options.originPolicy.preflight(request, allow: allow) ?? .options(allow: allow)
        if resource.takesPatch { response.fields.append(.acceptPatch) }
        return response
    }

    /// - Parameter near: URLs that are similar.
    private func notFound(_ request: Request, near: [String] = []) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(
                .malformedRequest,
                "The path contains a control character or invalid percent-encoding.")
        }
        let hint = near.first.map { "Did you mean \($0)? " } ?? ""
        var problem = Problem(
            .notFound, "There is no such URL. \(hint)All URLs are listed in /openapi.yaml.")
        if !near.isEmpty { problem.members.append("near", .array(near.map(JSON.string))) }
        return problem
    }
}

extension Response {
    fileprivate static func options(allow: String) -> Response {
        Response(.noContent, fields: [ResponseField(.allow, allow)])
    }
}
