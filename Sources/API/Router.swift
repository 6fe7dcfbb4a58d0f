internal import Bytes
internal import HTTP
internal import Navigation

/// A request as it reached the service.
struct Arrival {
    let request: Request
    let now: Milliseconds
    /// Whether the request has waited as a long poll.
    let hasWaited: Bool
    /// Whether it came to the address that serves only metrics and probes.
    let onMetricsAddress: Bool
}

/// Finds what a request asks for, and refuses requests from foreign origins and for unknown URLs.
struct Router {
    private let table = RouteTable(Endpoint.all)
    private let options: ServiceOptions

    /// What a request asks for.
    enum Route {
        case options(Response)
        case action(RouteTable.Action, PathTemplate.Variables)
    }

    init(_ options: ServiceOptions) { self.options = options }

    /// - Throws: the problem for which the request is refused before its operation is known.
    func route(_ arrival: Arrival) throws(Problem) -> Route {
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
        else { throw notFound(request) }
        if case .options = request.method { return .options(response(match.resource, request)) }
        guard let action = match.resource[request.method] else {
            let allow = match.resource.allow
            throw Problem(
                .methodNotAllowed, "This URL supports \(allow).",
                fields: [ResponseField(.allow, allow)])
        }
        guard action.operation.isServed(arrival.onMetricsAddress, options) else {
            throw notFound(request)
        }
        return .action(action, match.variables)
    }

    private func notFound(_ request: Request) -> Problem {
        guard PercentCoding.decodeSegment(request.bytes, request.path) != nil else {
            return Problem(.malformedRequest, "The path contains invalid percent-encoding.")
        }
        return Problem(.notFound, "There is no such URL. All URLs are listed in /openapi.yaml.")
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
