// `POST /mcp`: a server of the Model Context Protocol, for agents that use an app by its tools.
//
// 1. A body is one JSON-RPC message. Nothing is kept between requests: each message says which
//    revision it speaks (`RevisionCheck`).
// 2. A tool stands for a request to the API. The request is written out with the token of the outer
//    one, read and answered like any other (`ToolCall`, `InnerRequest`), and its response becomes
//    the result. So a tool has the checks, the problems and the promises of its URL.
// 3. A refusal of a tool is a result with `isError`, which a model can read. An error in the
//    message itself is an error of JSON-RPC (`RPCError`).
// 4. The reply has an `AnswerForm`. If the store does not keep the change that the reply shows, the
//    form writes the refusal that takes its place.
//
//     AgentMessages   the message of one HTTP request, and the reply
//     AgentRequest    a request of JSON-RPC to its answer
//     AgentTool       the tools; `agents.json` describes them
//     AgentResource   sessions and apps as resources
//     MessageAnswer   an answer, and the forms of results and refusals
//
// A worked example, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"back",
// "arguments":{"session":"kiosk-1"}}}`:
//
//     RevisionCheck   MCP-Protocol-Version: 2025-11-25
//     ToolCall        → POST /v1/sessions/kiosk-1/back with the body {}
//     Service         → 200, {"changed":true,…}, visible after 4711
//     AgentMessages   200, {"jsonrpc":"2.0","id":7,"result":{"content":[…],…}}, visible after 4711
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Answers the message of one request to `/mcp`.
struct AgentMessages {
    private let service: Service
    private let context: RequestContext
    private let check: RevisionCheck

    init(_ service: Service, _ context: RequestContext) {
        self.service = service
        self.context = context
        check = RevisionCheck(http: context.request)
    }

    /// A message, its params and its arguments enclose the body of another request.
    private static let levelsAround = 3

    /// The reply, or what has to be done before it.
    ///
    /// - Parameter hasTimedOut: whether the long poll of the request has timed out.
    func outcome(hasTimedOut: Bool) throws(OperationError) -> Outcome {
        try context.checkUntagged()
        try context.refuseQuery()
        let json: JSON
        do {
            json = try JSON(
                parsing: context.request.bodyBytes, in: context.request.bodyRange, limits: limits)
        } catch {
            return refuse(RPCError(error))
        }
        switch RPCMessage(json) {
        case .notification: return unanswered(isResponse: false)
        case .response: return unanswered(isResponse: true)
        case .array:
            let error = RPCError.invalidRequest("Send one message in each request.")
            return .reply(Reply(MessageAnswer(refusing: error, id: nil, in: nil)))
        case .invalid(let error, let id): return refuse(error, id: id)
        case .request(let rpc):
            let revision: ProtocolRevision
            do { revision = try check.revision(of: rpc) } catch {
                // Only a stateless request's `_meta` and fields can be wrong here.
                return .reply(Reply(MessageAnswer(refusing: error, id: rpc.id, in: .july2026)))
            }
            let request = AgentRequest(
                service: service, context: context, rpc: rpc, revision: revision,
                hasTimedOut: hasTimedOut)
            switch try request.outcome() {
            case .wait(let poll): return .wait(poll)
            case .answer(let answer): return .reply(Reply(answer))
            }
        }
    }

    private var limits: JSONLimits {
        JSONLimits(nestingMax: context.limits.nestingMax + Self.levelsAround)
    }

    private func refuse(_ error: RPCError, id: RPCID? = nil) -> Outcome {
        // Nil if the field names an unknown revision.
        let revision = try? check.revisionOfField()
        return .reply(Reply(MessageAnswer(refusing: error, id: id, in: revision)))
    }

    /// The reply to a message that has no answer.
    private func unanswered(isResponse: Bool) -> Outcome {
        do {
            let revision = try check.revisionOfField()
            guard revision.isStateless, isResponse else {
                return .reply(Reply(Response(.accepted)))
            }
            return refuse(.invalidRequest("The server sends no requests. Send requests only."))
        } catch {
            return refuse(error)
        }
    }
}

extension Reply {
    fileprivate init(_ answer: MessageAnswer) {
        self.init(
            answer.response, visibleAfter: answer.visibleAfter, audience: answer.audience)
        problem = answer.problem
        author = answer.author
        form = answer.form
    }
}
