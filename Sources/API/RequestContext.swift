internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// A request on its way through an operation, and the service that it reached. It is a class, as
/// all operations pass it on.
final class RequestContext {
    let request: Request
    let endpoint: Endpoint
    /// The path's variable segments, percent-encoded.
    let variables: PathTemplate.Variables
    let now: Milliseconds
    let service: ServiceState
    /// The id of the request.
    var requestID: RequestID?
    /// The stage that the request has reached.
    var stage = RequestStage.begun
    /// The name of the token that the request came with, if the token has one. Nil for a read.
    var author: TokenName?
    /// The limits of the token that the request came with, if it has any.
    var tokenLimits: TokenLimits?

    init(
        _ request: Request, to endpoint: Endpoint, _ variables: PathTemplate.Variables,
        at now: Milliseconds, in service: ServiceState
    ) {
        self.request = request
        self.endpoint = endpoint
        self.variables = variables
        self.now = now
        self.service = service
    }

    /// A variable segment of the path, decoded.
    func variable(_ index: Int) throws(OperationError) -> String {
        guard let text = PercentCoding.decodeSegment(request.bytes, variables[index]) else {
            throw .problem(
                Problem(
                    .malformedRequest,
                    "The path contains a control character or invalid percent-encoding."))
        }
        return text
    }

    /// The body as a JSON object; an empty one is `{}`.
    func body() throws(OperationError) -> JSONObject {
        try json().requireObject()
    }

    /// The body as JSON, whatever its shape; an empty one is `{}`.
    func json() throws(OperationError) -> JSON { try json(limits) }

    /// The same with other limits than those of most bodies.
    func json(_ limits: Limits) throws(OperationError) -> JSON {
        do { return try requestBody(limits).json() } catch { throw .problem(Problem(error)) }
    }

    /// The body as JSON text without white space, whatever its shape; an empty one is `{}`.
    func compactBody() throws(OperationError) -> CompactObject {
        do { return try requestBody(limits).compact() } catch { throw .problem(Problem(error)) }
    }

    private func requestBody(_ limits: Limits) -> RequestBody {
        RequestBody(request.bodyBytes, in: request.bodyRange, limits: limits)
    }

    /// Every body must be declared as JSON, which a page of another origin cannot do without a
    /// preflight request.
    func checkMediaType() throws(OperationError) {
        guard request.hasContent, !service.caches.heads.has(.declaresJSON, request) else { return }
        try checkCoding()
        if request.has(.contentType, "application/json") {
            return service.caches.heads.note(.declaresJSON, request)
        }
        let type = MediaType(request)
        if type?.isJSON == true { return }
        if request.method == .patch, type?.isMergePatch == true { return }
        throw .problem(
            Problem(
                .unsupportedMediaType,
                "Send Content-Type: application/json. With curl, use --json.",
                fields: [request.method == .patch ? .acceptPatch : .acceptJSON]))
    }

    /// Content codings are not supported (RFC 9110 §8.4).
    private func checkCoding() throws(OperationError) {
        guard request[.contentEncoding] != nil else { return }
        for line in request.lines(of: .contentEncoding) where !line.isEmpty {
            guard request.bytes.matches(line, ignoringCase: "identity") else {
                throw .problem(
                    Problem(
                        .unsupportedMediaType, "Send the body without Content-Encoding.",
                        fields: [ResponseField("Accept-Encoding", "identity")]))
            }
        }
    }

    /// Refuses a part of a document, which must not be stored as the whole (RFC 9110 §14.5).
    func refusePart() throws(OperationError) {
        guard request[.contentRange] != nil else { return }
        throw .problem(
            Problem(.malformedRequest, "Send the whole document, without Content-Range."))
    }

    /// Checks that the client accepts the type of the response.
    func checkAccept(_ type: ContentType = .json) throws(OperationError) {
        guard request[.accept] != nil,
            type != .json || !service.caches.heads.has(.acceptsJSON, request)
        else { return }
        if AcceptedTypes(request).accepts(type) {
            if type == .json { service.caches.heads.note(.acceptsJSON, request) }
            return
        }
        throw .problem(Problem(.notAcceptable, "This URL returns \(type.value). Accept that type."))
    }
}

extension JSON {
    /// The members of a body, which must be an object.
    func requireObject() throws(OperationError) -> JSONObject {
        guard case .object(let object) = self else {
            throw .problem(Problem(.bodyIsNoObject))
        }
        return object
    }
}

extension ResponseField {
    fileprivate static let acceptJSON = ResponseField("Accept", "application/json")
    /// The types that a `PATCH` may have (RFC 5789 §3.1).
    static let acceptPatch = ResponseField(
        "Accept-Patch", "application/merge-patch+json, application/json")
}
