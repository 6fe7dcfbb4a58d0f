internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// A call of a tool with its arguments. One is the variable of the URL, and some are parameters of
/// the query; the others are the body.
struct ToolCall {
    let tool: AgentTool
    /// The arguments, not checked.
    let arguments: JSONObject
    /// The request that the call came with.
    let context: RequestContext
    /// Whether the long poll has timed out.
    let hasTimedOut: Bool

    /// The number of seconds that a call waits that does not say it: less than the time after which
    /// clients give up.
    private static let seconds = 30

    /// The request that the call stands for.
    ///
    /// - Throws: a problem if the arguments are wrong, as the API has it for a body.
    func request() throws(OperationError) -> InnerRequest {
        try check()
        var request = InnerRequest(tool.endpoint.method, path)
        for name in tool.query {
            for value in arguments[name]?.parameters ?? [] { request.add(name, value) }
        }
        if !tool.endpoint.method.isSafe {
            var body = arguments
            if let variable = tool.variable { body[variable] = nil }
            request.add(body: body)
        }
        if tool.waits { try addWait(to: &request) }
        return request
    }

    private func check() throws(OperationError) {
        var faults: [InputFault] = []
        if let schema = tool.schema {
            faults = try within(budgetFor: .request) { () throws(WorkBudgetError) in
                try schema.validate(.object(arguments), work: context.work).map(InputFault.init)
            }
        } else if let variable = tool.variable {
            var reader = ObjectReader(arguments, at: "", work: context.work)
            _ = reader.requiredName(variable, as: SessionID.self)
            faults = reader.faults
        }
        guard faults.isEmpty else { throw .problem(.invalid(faults)) }
    }

    /// The path with the value of its variable, which has been checked.
    private var path: String {
        let template = tool.endpoint.template
        guard let variable = tool.variable, case .string(let value)? = arguments[variable]
        else { return template }
        let parts = template.split(separator: "{", maxSplits: 1)
        let end = parts[1].split(separator: "}", maxSplits: 1).dropFirst().first ?? ""
        return "\(parts[0])\(PercentCoding.encode(value))\(end)"
    }

    /// Has the request wait while the session has the revision that the client knows.
    private func addWait(to request: inout InnerRequest) throws(OperationError) {
        guard !hasTimedOut, case .string(let name)? = arguments["session"],
            let handle = try context.find(SessionID(trusted: name)),
            context.store.reading.summary(handle).revision == arguments["revision"]?.wholeNumber
        else { return }
        let tag = context.etag(context.store.reading.version(of: handle))
        request.add(field: .ifNoneMatch, "\"\(tag.opaque)\"")
        let seconds = arguments["seconds"]?.wholeNumber ?? Self.seconds
        request.add(field: .prefer, "wait=\(seconds)")
    }
}

extension JSON {
    /// The values of a parameter of the query: an array has several.
    fileprivate var parameters: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let items): items.flatMap(\.parameters)
        case .null, .bool, .integer, .double, .object: [wholeNumber.map(String.init) ?? text]
        }
    }
}
