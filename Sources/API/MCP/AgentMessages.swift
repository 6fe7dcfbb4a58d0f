// `POST /mcp`: a server of the Model Context Protocol, for agents that use an app by its tools.
//
// 1. A body is a JSON-RPC message, or in the first revision an array of messages. Nothing is kept
//    between requests: each message says which revision it speaks (`RevisionCheck`).
// 2. A tool stands for a request to the API. The request is written out with the token of the outer
//    one, read and answered like any other (`ToolCall`, `InnerRequest`), and its response becomes
//    the result. So a tool has the checks, the problems and the promises of its URL.
// 3. A refusal of a tool is a result with `isError`, which a model can read. What is wrong with the
//    message itself is an error of JSON-RPC (`RPCError`).
// 4. The messages are answered one in each portion. A portion that shows a change ends when it is
//    decided whether the change is kept (`MessageBatch`), so nothing is shown before, nothing is
//    done twice, and a change that is not kept is told in the form of its message.
// 5. What must be loaded, and a wait for a change, interrupt the portion alone: the same message is
//    answered again afterwards.
//
//     AgentMessages   the messages of one HTTP request, and the reply
//     AgentRequest    one message to its answer
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
//     MessageBatch    the portion ends after 4711 is kept
//     AgentMessages   200, {"jsonrpc":"2.0","id":7,"result":{"content":[…],…}}
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Answers the messages of one request to `/mcp`, one in each portion.
struct AgentMessages {
    private let service: Service
    private let context: RequestContext
    private let check: RevisionCheck

    init(_ service: Service, _ context: RequestContext) {
        self.service = service
        self.context = context
        check = RevisionCheck(http: context.request)
    }

    /// The number of messages in one array.
    private static let messagesMax = 100
    /// A message, its params and its arguments enclose what is the body of another request, and an
    /// array encloses the message.
    private static let levelsAround = 4

    /// The reply, or what has to be done before it.
    func outcome(at stage: RequestStage) throws(OperationError) -> Outcome {
        let hasWaited: Bool
        switch stage {
        case .portions(.messages(let progress), let hasWaited):
            return try next(progress.batch, hasWaited: hasWaited)
        case .portions(.commands, _): preconditionFailure("the portions of another operation")
        case .begun: hasWaited = false
        case .waited: hasWaited = true
        }
        try context.checkAccept()
        try context.checkUntagged()
        try context.refuseQuery()
        switch begin() {
        case .batch(let batch): return try next(batch, hasWaited: hasWaited)
        case .refused(let error):
            let answer = MessageAnswer(refusing: error, id: nil, in: revisionOfField)
            return .reply(reply([answer], isArray: false))
        }
    }

    // MARK: - The body

    /// What is known of a body before its messages are read.
    private enum Beginning {
        case batch(MessageBatch)
        case refused(RPCError)
    }

    private func begin() -> Beginning {
        let body = context.request.bodyRange
        var reader = JSONReader(context.request.bodyBytes, in: body, limits: limits)
        do {
            guard try reader.peekKind() == .array else {
                return .batch(MessageBatch([0..<body.count], isArray: false))
            }
            var parts: [Range<Int>] = []
            try reader.beginArray()
            while try reader.nextElement() {
                let part = try reader.skipValue()
                parts.append(
                    part.lowerBound - body.lowerBound..<part.upperBound - body.lowerBound)
            }
            try reader.expectEnd()
            if let error = refusal(ofArray: parts.count) { return .refused(error) }
            return .batch(MessageBatch(parts, isArray: true))
        } catch {
            return .refused(RPCError(error))
        }
    }

    private func refusal(ofArray count: Int) -> RPCError? {
        do {
            guard try check.revisionOfField().allowsArrays else {
                return .invalidRequest("Send one message at a time, without an array around it.")
            }
        } catch {
            return error
        }
        guard (1...Self.messagesMax).contains(count) else {
            return .invalidRequest("An array must have 1 to \(Self.messagesMax) messages.")
        }
        return nil
    }

    private var limits: JSONLimits {
        JSONLimits(nestingMax: context.limits.nestingMax + Self.levelsAround)
    }

    /// The revision that the header field names. Nil if it is unknown.
    private var revisionOfField: ProtocolRevision? { try? check.revisionOfField() }

    // MARK: - The messages

    /// Answers messages up to the first one that is a request.
    private func next(
        _ earlier: MessageBatch, hasWaited: Bool
    ) throws(OperationError) -> Outcome {
        var batch = earlier
        while let part = batch.next {
            switch try outcome(of: part, isAlone: !batch.isArray, hasWaited: hasWaited) {
            case nil: batch.finish(nil)
            case .wait(let poll): return .wait(poll)
            case .answer(let answer):
                batch.finish(answer)
                guard batch.next == nil, context.store.hasKept(answer.visibleAfter) else {
                    return .pause(
                        Pause(
                            progress: .messages(MessageProgress(batch)),
                            visibleAfter: answer.visibleAfter, audience: answer.audience))
                }
            }
        }
        return .reply(reply(batch.answers, isArray: batch.isArray))
    }

    /// The outcome of the message in a part of the body. Nil for a message that needs no answer.
    private func outcome(
        of part: Range<Int>, isAlone: Bool, hasWaited: Bool
    ) throws(OperationError) -> AgentRequest.Outcome? {
        let start = context.request.bodyRange.lowerBound
        let range = start + part.lowerBound..<start + part.upperBound
        let json: JSON
        do {
            json = try JSON(parsing: context.request.bodyBytes, in: range, limits: limits)
        } catch {
            return .answer(
                MessageAnswer(refusing: RPCError(error), id: nil, in: revisionOfField))
        }
        switch RPCMessage(json) {
        case .notification: return refusal(ofUnanswered: false)
        case .response: return refusal(ofUnanswered: true)
        case .invalid(let error, let id):
            return .answer(MessageAnswer(refusing: error, id: id, in: revisionOfField))
        case .request(let rpc):
            let revision: ProtocolRevision
            do { revision = try self.revision(of: rpc, isAlone: isAlone) } catch {
                // Only what a stateless request says of itself can be wrong.
                return .answer(MessageAnswer(refusing: error, id: rpc.id, in: .july2026))
            }
            return try AgentRequest(
                service: service, context: context, rpc: rpc, revision: revision,
                attempt: .init(isAlone: isAlone, hasWaited: hasWaited)
            ).outcome()
        }
    }

    private func revision(
        of rpc: RPCRequest, isAlone: Bool
    ) throws(RPCError) -> ProtocolRevision {
        if isAlone { return try check.revision(of: rpc) }
        guard !RevisionCheck.isStateless(rpc) else {
            throw .invalidRequest("Send a message of this revision without an array around it.")
        }
        return try check.revisionOfField()
    }

    /// The refusal of a message that has no answer, or nil if the message is accepted.
    private func refusal(ofUnanswered isResponse: Bool) -> AgentRequest.Outcome? {
        let refusal: RPCError
        do {
            let revision = try check.revisionOfField()
            guard revision.isStateless, isResponse else { return nil }
            refusal = .invalidRequest("The server sends no requests. Send requests only.")
        } catch {
            refusal = error
        }
        return .answer(MessageAnswer(refusing: refusal, id: nil, in: revisionOfField))
    }

    // MARK: - The reply

    private func reply(_ answers: [MessageAnswer], isArray: Bool) -> Reply {
        guard let first = answers.first else { return Reply(Response(.accepted)) }
        var body = first.text
        if isArray {
            body = Array("[".utf8)
            for (index, answer) in answers.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                body += answer.text
            }
            body.append(UInt8(ascii: "]"))
        }
        let status = isArray ? .ok : first.status
        var reply = Reply(Response(status, contentType: .json, caching: .never, body: body))
        reply.problem = answers.lazy.compactMap(\.problem).first
        reply.author = answers.lazy.compactMap(\.author).first
        return reply
    }
}
