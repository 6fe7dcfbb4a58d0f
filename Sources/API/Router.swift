internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// A request as it reached the service.
struct Arrival {
    let request: Request
    /// The id of the request, for a problem.
    let id: RequestID?
    let now: Milliseconds
    let stage: RequestStage
    /// Whether it came to the address that serves only metrics and probes.
    let onMetricsAddress: Bool
}

/// What has been done for a request when the service is given it.
package enum RequestStage: Sendable {
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

    /// What a request asks for.
    enum Route {
        case options(Response)
        case action(RouteTable.Action, PathTemplate.Variables)
    }

    init(_ options: ServiceOptions) { self.options = options }

    /// - Throws: the problem for which the request is refused before its operation is known.
    func route(_ arrival: Arrival, _ work: WorkBudget) throws(Problem) -> Route {
        let request = arrival.request
        let refusal =
            arrival.onMetricsAddress
            ? options.originPolicy.metricsProblem(of: request)
            : options.originPolicy.problem(of: request)
        if let refusal { throw refusal }
        if request.isAsterisk {
            return .options(.options(allow: "GET, HEAD, POST, PUT, PATCH, DELETE"))
        }
        guard let segments = PathSegments(request),
            let match = table.match(segments, in: request.bytes)
        else { throw notFound(request, near: table.near(request, work)) }
        let resource = table[match]
        if case .options = request.method { return .options(response(resource, request)) }
        guard let action = resource[request.method] else {
            let allow = resource.allow
            throw Problem(
                .methodNotAllowed, "This URL supports \(allow).",
                fields: [ResponseField(.allow, allow)])
        }
        guard action.operation.isServed(arrival.onMetricsAddress, options) else {
            throw notFound(request)
        }
        return .action(action, match.variables)
    }

    /// What a request that this program made asks for.
    func action(of request: Request) -> (RouteTable.Action, PathTemplate.Variables)? {
        guard let segments = PathSegments(request),
            let match = table.match(segments, in: request.bytes),
            let action = table[match][request.method]
        else { return nil }
        return (action, match.variables)
    }

    /// - Parameter near: URLs that are similar.
    private func notFound(_ request: Request, near: [String] = []) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(.malformedRequest, "The path contains invalid percent-encoding.")
        }
        let hint = near.first.map { "Did you mean \($0)? " } ?? ""
        var problem = Problem(
            .notFound, "There is no such URL. \(hint)All URLs are listed in /openapi.yaml.")
        if !near.isEmpty { problem.members.append("near", .array(near.map(JSON.string))) }
        return problem
    }

    /// The response to `OPTIONS`.
    private func response(_ resource: RouteTable.Resource, _ request: Request) -> Response {
        let allow = resource.allow
        var response =
            options.originPolicy.preflight(request, allow: allow) ?? .options(allow: allow)
        if resource.takesPatch { response.fields.append(.acceptPatch) }
        return response
    }
}

extension Response {
    fileprivate static func options(allow: String) -> Response {
        Response(.noContent, fields: [ResponseField(.allow, allow)])
    }
}
