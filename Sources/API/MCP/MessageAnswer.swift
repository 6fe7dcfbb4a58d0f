public import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The answer to one message.
struct MessageAnswer: Sendable {
    /// The answer as JSON.
    let text: [UInt8]
    /// The status of the response.
    let status: Status
    /// The answer may be sent once these changes are kept.
    var visibleAfter = Tickets.none
    /// The approximate number of clients to notify of the changes that the message made.
    var audience = 0
    /// The name of the token that a change came with, if the token has one.
    var author: TokenName?
    /// Why the message was refused, if an operation refused it.
    var problem: ProblemKind?
    /// How the answer is written. Nil if the message cannot be answered in another way.
    var form: AnswerForm?

    /// The answer to a message that is no request.
    init(refusing error: RPCError, id: RPCID?, in revision: ProtocolRevision?) {
        self.init(text: RPCText.error(error, to: id), status: error.status(in: revision))
    }

    init(text: [UInt8], status: Status) {
        self.text = text
        self.status = status
    }

    /// The response with the answer.
    var response: Response {
        Response(status, contentType: .json, caching: .never, body: text)
    }
}

/// How the answer to a request is written.
public final class AnswerForm: Sendable {
    /// The purpose of the request, on which the form of a refusal depends.
    enum Purpose: Sendable {
        /// A call, which is refused by a result that a model can read.
        ///
        /// - Parameter changes: whether it asks for a change.
        case call(changes: Bool)
        /// A list or a read, which is refused by an error.
        ///
        /// - Parameter uri: the resource, for a read.
        case read(uri: String?)
    }

    /// How long a client may use a result again.
    enum Reuse: Int, Sendable {
        /// Not at all: the result may be another one at once.
        case never = 0
        /// Five minutes: the result changes with the version of the server, or with the token.
        case brief = 300_000
    }

    /// The id of the request.
    let id: RPCID
    /// The revision that the request speaks.
    let revision: ProtocolRevision
    /// The purpose of the request.
    let purpose: Purpose
    /// The version of the server.
    let version: String
    /// The id of the HTTP request, which a problem shows.
    let requestID: RequestID?

    init(
        id: RPCID, revision: ProtocolRevision, purpose: Purpose, version: String,
        requestID: RequestID?
    ) {
        self.id = id
        self.revision = revision
        self.purpose = purpose
        self.version = version
        self.requestID = requestID
    }

    /// Whether the request asks for no change.
    public var isRead: Bool {
        switch purpose {
        case .call(let changes): !changes
        case .read: true
        }
    }

    /// The response that takes the place of one whose changes are not kept.
    public func response(refusing problem: Problem) -> Response { refusal(problem).response }

    /// A result.
    ///
    /// - Parameters:
    ///   - members: the members of the result, without braces.
    ///   - reuse: nil if the result must not be used again.
    func result(_ members: [UInt8], reuse: Reuse? = nil) -> MessageAnswer {
        var answer = MessageAnswer(text: RPCText.result(all(members, reuse), to: id), status: .ok)
        answer.form = self
        return answer
    }

    /// The members with those that stateless revisions add.
    private func all(_ members: [UInt8], _ reuse: Reuse?) -> [UInt8] {
        guard revision.isStateless else { return members }
        var all = members
        if !all.isEmpty { all.append(UInt8(ascii: ",")) }
        all += #""resultType":"complete","#.utf8
        if let reuse { all += #""ttlMs":\#(reuse.rawValue),"cacheScope":"private","#.utf8 }
        let key = "io.modelcontextprotocol/serverInfo"
        all += #""_meta":{"\#(key)":\#(JSON.object(serverInfo).text)}"#.utf8
        return all
    }

    /// The names and the version of the server.
    var serverInfo: JSONObject {
        ["name": .string("navstate"), "version": .string(version)]
    }

    /// The result of a tool.
    ///
    /// - Parameter body: the answer of the API, a JSON object.
    func toolResult(_ body: [UInt8], isError: Bool) -> MessageAnswer {
        let text = JSON.string(String(decoding: body, as: UTF8.self))
        var members = Array(#""content":[{"type":"text","text":"#.utf8)
        members += text.bytes
        members += "}],".utf8
        members += #""structuredContent":"#.utf8
        members += body
        members += #","isError":\#(isError)"#.utf8
        return result(members)
    }

    /// An error.
    func error(_ error: RPCError) -> MessageAnswer {
        var answer = MessageAnswer(refusing: error, id: id, in: revision)
        answer.form = self
        return answer
    }

    /// The answer to a request that an operation refuses.
    func refusal(_ problem: Problem) -> MessageAnswer {
        let body = problem.response(instance: "/mcp", id: requestID).body
        var answer = refusal(problem.kind, body)
        answer.visibleAfter = problem.visibleAfter
        return answer
    }

    /// The answer to a request that an operation has refused.
    ///
    /// - Parameter body: the problem as JSON.
    func refusal(_ kind: ProblemKind, _ body: [UInt8]) -> MessageAnswer {
        var answer: MessageAnswer
        switch purpose {
        case .call: answer = toolResult(body, isError: true)
        case .read(let uri): answer = error(error(for: kind, body, uri))
        }
        answer.problem = kind
        return answer
    }

    private func error(for kind: ProblemKind, _ body: [UInt8], _ uri: String?) -> RPCError {
        let isMissing = kind.status == .notFound
        let isOurs = kind.status.code >= 500
        let code: RPCError.Code =
            isOurs
            ? .internalError
            : isMissing && !revision.isStateless ? .resourceNotFound : .invalidParams
        var data: JSONObject = ["uri": uri.map(JSON.string)]
        guard case .object(let problem)? = try? JSON(parsing: body, limits: .stored) else {
            return RPCError(code, kind.title, data: .object(data))
        }
        data.append("problem", .object(problem))
        guard case .string(let detail)? = problem["detail"] else {
            return RPCError(code, kind.title, data: .object(data))
        }
        return RPCError(code, detail, data: .object(data))
    }
}
