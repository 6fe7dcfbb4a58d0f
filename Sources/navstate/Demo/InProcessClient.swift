internal import API
internal import HTTP
internal import JSON
internal import Navigation

/// Sends requests to a service of this process before it has other clients.
struct InProcessClient {
    private let service: Service
    /// The token that every request has, if the service asks for one.
    private let token: String?

    init(_ service: Service, token: String?) {
        self.service = service
        self.token = token
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - body: JSON.
    ///   - now: the time of the request, in milliseconds since 1970.
    /// - Returns: the body of the response.
    /// - Throws: an `internalError` if the service refuses the request.
    @discardableResult
    func post(_ path: String, _ body: String, at now: Milliseconds) throws(ExitError) -> JSON {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let message =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\(authorization)\r\n\(body)"
        let bytes = Array(message.utf8)
        var parser = RequestParser()
        guard case .request(let request, _) = parser.parse(bytes, from: 0, to: bytes.count),
            case .reply(let reply) = service.respond(to: request, at: now),
            let response = try? JSON(parsing: reply.response.body)
        else { throw ExitError(.internalError, "POST \(path) of the demo has no response") }
        guard reply.problem == nil else {
            throw ExitError(.internalError, "POST \(path) of the demo is refused: \(response.text)")
        }
        return response
    }
}
