internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// A method of the protocol that the server answers.
enum AgentMethod: String, CaseIterable {
    case initialize
    case ping
    case discover = "server/discover"
    case listTools = "tools/list"
    case callTool = "tools/call"
    case listResources = "resources/list"
    case listResourceTemplates = "resources/templates/list"
    case readResource = "resources/read"

    /// Whether the revision has the method.
    func isKnown(in revision: ProtocolRevision) -> Bool {
        switch self {
        case .initialize, .ping: !revision.isStateless
        case .discover: revision.isStateless
        case .listTools, .callTool, .listResources, .listResourceTemplates, .readResource: true
        }
    }
}

/// A request of the protocol on its way to its answer.
struct AgentRequest {
    let service: Service
    /// The HTTP request that it came with.
    let context: RequestContext
    let rpc: RPCRequest
    /// The revision that it speaks.
    let revision: ProtocolRevision
    /// Whether the long poll of the request has timed out.
    let hasTimedOut: Bool

    /// An answer, or the wait for it.
    enum Outcome {
        case answer(MessageAnswer)
        case wait(LongPoll)
    }

    /// Answers the request, unless it has to wait.
    func outcome() throws(OperationError) -> Outcome {
        guard let method = AgentMethod(named: rpc.method), method.isKnown(in: revision) else {
            return .answer(
                form().error(
                    RPCError(.methodNotFound, "There is no method \(rpc.method.clipped).")))
        }
        switch method {
        case .initialize: return .answer(initialize())
        case .ping: return .answer(form().result([]))
        case .discover: return .answer(discover())
        case .listTools: return .answer(try listTools())
        case .callTool: return try callTool()
        case .listResources:
            return .answer(try resources().list(rpc.params))
        case .listResourceTemplates:
            return .answer(try resources().templates(rpc.params))
        case .readResource: return try readResource()
        }
    }

    private func form(_ purpose: AnswerForm.Purpose = .read(uri: nil)) -> AnswerForm {
        AnswerForm(
            id: rpc.id, revision: revision, purpose: purpose, version: context.options.version,
            requestID: context.requestID)
    }

    /// The permissions of the request's token.
    private func reach() throws(OperationError) -> TokenReach {
        try service.access.reach(of: context)
    }

    // MARK: - The server

    private static let capabilities = JSON.object([
        "tools": .object([:]), "resources": .object([:]),
    ])

    private func initialize() -> MessageAnswer {
        guard case .string(let name)? = rpc.params["protocolVersion"] else {
            return form().error(.invalidParams("params.protocolVersion must be a string."))
        }
        let asked = ProtocolRevision(named: name).flatMap { $0.isStateless ? nil : $0 }
        let spoken = asked ?? .newestWithInitialize
        let members: JSONObject = [
            "protocolVersion": .string(spoken.rawValue), "capabilities": Self.capabilities,
            "serverInfo": .object(form().serverInfo),
            "instructions": .string(AgentGuide.embedded.instructions),
        ]
        return form().result(members.membersText)
    }

    private func discover() -> MessageAnswer {
        let members: JSONObject = [
            "supportedVersions": .array(ProtocolRevision.names.map(JSON.string)),
            "capabilities": Self.capabilities,
            "instructions": .string(AgentGuide.embedded.instructions),
        ]
        return form().result(members.membersText, reuse: .brief)
    }

    // MARK: - Tools

    private func listTools() throws(OperationError) -> MessageAnswer {
        guard rpc.params["cursor"] == nil else {
            return form().error(.invalidParams("The list has one page. Send no cursor."))
        }
        let reach = try reach()
        let routes = try routes(within: reach)
        var members = Array(#""tools":["#.utf8)
        var isFirst = true
        for tool in AgentGuide.embedded.tools where reach.allows(tool.endpoint.operation) {
            if !isFirst { members.append(UInt8(ascii: ",")) }
            isFirst = false
            members += routes.map { tool.text(withRoutes: $0) } ?? tool.text
        }
        members.append(UInt8(ascii: "]"))
        return form().result(members, reuse: .brief)
    }

    /// The routes that the token may show, if it is limited to some of the app of its session.
    private func routes(within reach: TokenReach) throws(OperationError) -> [RouteName]? {
        guard case .session(let id, _, let limits?) = reach, let list = limits.routes,
            let handle = try context.find(id),
            let name = context.store.reading.summary(handle).app,
            let app = context.apps[name]?.app
        else { return nil }
        return try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try AllowedRoutes(list, in: app, work: context.work).names
        }
    }

    private func callTool() throws(OperationError) -> Outcome {
        guard case .string(let name)? = rpc.params["name"] else {
            return .answer(form().error(.invalidParams("params.name must be a string.")))
        }
        let tools = AgentGuide.embedded.tools
        guard let tool = tools.first(where: { $0.name == name }) else {
            let hint = Spelling.proposal(
                for: name, among: tools.map(\.name), work: context.work)
            return .answer(
                form().error(.invalidParams("There is no tool \(name.clipped)\(hint).")))
        }
        let arguments: JSONObject
        switch rpc.params["arguments"] {
        case nil: arguments = JSONObject()
        case .object(let object): arguments = object
        case .null, .bool, .integer, .double, .string, .array:
            return .answer(form().error(.invalidParams("params.arguments must be an object.")))
        }
        return try call(
            ToolCall(
                tool: tool, arguments: arguments, context: context, hasTimedOut: hasTimedOut))
    }

    private func call(_ call: ToolCall) throws(OperationError) -> Outcome {
        let request: InnerRequest
        do { request = try call.request() } catch {
            guard case .problem(let problem) = error else { throw error }
            return .answer(form(.call(changes: false)).refusal(problem))
        }
        let form = form(.call(changes: !request.isRead))
        return try perform(request, form) { form.toolResult($0, isError: false) }
    }

    /// Performs the request that the message stands for.
    ///
    /// - Parameter success: makes the answer of the body of a response that is no problem.
    private func perform(
        _ request: InnerRequest, _ form: AnswerForm, success: ([UInt8]) -> MessageAnswer
    ) throws(OperationError) -> Outcome {
        do {
            switch try service.perform(request, for: self) {
            case .wait(let poll): return .wait(poll)
            case .reply(let reply): return .answer(answer(reply, form, success: success))
            }
        } catch {
            guard case .problem(let problem) = error else { throw error }
            return .answer(form.refusal(problem))
        }
    }

    // MARK: - Resources

    private func resources() throws(OperationError) -> AgentResources {
        AgentResources(context, reach: try reach(), form: form())
    }

    private func readResource() throws(OperationError) -> Outcome {
        guard case .string(let uri)? = rpc.params["uri"] else {
            return .answer(form().error(.invalidParams("params.uri must be a string.")))
        }
        let form = form(.read(uri: uri))
        guard let resource = AgentResource(uri: uri) else {
            let detail = "There is no resource \(uri.clipped). List the templates."
            return .answer(form.refusal(Problem(.notFound, detail)))
        }
        return try perform(InnerRequest(.get, resource.path), form) {
            form.result(contents($0, of: uri), reuse: .never)
        }
    }

    /// The result of reading a resource, without braces.
    private func contents(_ body: [UInt8], of uri: String) -> [UInt8] {
        let item: JSONObject = [
            "uri": .string(uri), "mimeType": .string("application/json"),
            "text": .string(String(decoding: body, as: UTF8.self)),
        ]
        let members: JSONObject = ["contents": .array([.object(item)])]
        return members.membersText
    }

    /// The answer that shows the reply of an operation.
    private func answer(
        _ reply: Reply, _ form: AnswerForm, success: ([UInt8]) -> MessageAnswer
    ) -> MessageAnswer {
        var answer =
            reply.problem.map { form.refusal($0, reply.response.body) }
            ?? success(reply.response.body)
        answer.visibleAfter = reply.visibleAfter
        answer.audience = reply.audience
        answer.author = reply.author
        return answer
    }
}

extension JSONObject {
    /// The members as text, without braces.
    var membersText: [UInt8] { Array(bytes.dropFirst().dropLast()) }
}
