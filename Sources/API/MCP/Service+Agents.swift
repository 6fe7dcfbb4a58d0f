public import HTTP
internal import Navigation
internal import Sessions

/// The outcome of a request to the API that stands for a message.
enum InnerOutcome {
    case reply(Reply)
    case wait(LongPoll)
}

extension Service {
    /// The path at which agents send their messages.
    private static let agentsPath = "/mcp"

    /// Carries out the request that a message stands for.
    func perform(
        _ inner: InnerRequest, for message: AgentRequest
    ) throws(OperationError) -> InnerOutcome {
        let context = message.context
        let request: Request
        do {
            request = try inner.request(within: context.request)
        } catch {
            throw .problem(Problem(error))
        }
        switch perform(request, for: context, hasWaited: message.hasTimedOut) {
        case .load(let requests): throw .load(requests)
        case .wait(let poll): return .wait(poll)
        case .reply(let reply): return .reply(reply)
        case .stream, .pause, .shown, .backup:
            throw .problem(Problem(.internalError, "No message stands for this operation."))
        }
    }

    /// The response to a message of HTTP that could not be read to its end.
    ///
    /// - Parameter head: the request without its body, if the head is valid.
    public func response(to problem: Problem, head: Request?, id: RequestID) -> Response {
        guard let head else { return problem.response(instance: nil, id: id) }
        guard head.method == .post, head.bytes[head.path].elementsEqual(Self.agentsPath.utf8)
        else { return refusal(problem, of: head, id: id).response }
        let body = RPCText.error(.invalidRequest(problem.detail), to: nil)
        var response = Response(
            problem.kind.status, contentType: .json, caching: .never, body: body)
        addStandingFields(to: &response, for: head)
        return response
    }
}
