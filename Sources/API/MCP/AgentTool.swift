internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// A tool that a model can call: an endpoint of the API under a name, as `agents.json` describes
/// it.
struct AgentTool: Sendable {
    /// The name by which it is called.
    let name: String
    /// The description for models, as JSON.
    let text: [UInt8]
    let endpoint: Endpoint
    /// The argument that is the variable of the URL, if there is one.
    let variable: String?
    /// The arguments that are parameters of the query.
    let query: [String]
    /// Whether a call waits for a change. It has the arguments `revision` and `seconds`.
    let waits: Bool
    /// The schema of the arguments. Nil if they are a body, which the API checks.
    let schema: JSONSchema?

    /// Nil if the description is not one of a tool.
    fileprivate init?(_ item: JSON) {
        guard case .object(var object) = item, case .string(let name)? = object["name"],
            case .object(let request)? = object["request"],
            case .string(let method)? = request["method"],
            case .string(let path)? = request["path"], case .array(let query)? = request["query"],
            let input = object["inputSchema"],
            let endpoint = Endpoint.all.first(where: {
                $0.method.name == method && $0.template == path
            })
        else { return nil }
        object["request"] = nil
        (self.name, text, self.endpoint) = (name, object.bytes, endpoint)
        let variables: [(mark: String, argument: String)] = [("{id}", "session"), ("{app}", "app")]
        variable = variables.first { path.utf8.firstRange(of: $0.mark.utf8) != nil }?.argument
        self.query = query.compactMap { if case .string(let name) = $0 { name } else { nil } }
        waits = request["waits"] == .bool(true)
        guard endpoint.method.isSafe else {
            schema = nil
            return
        }
        guard let schema = try? JSONSchema(input) else { return nil }
        self.schema = schema
    }
}

extension AgentTool {
    /// The description for models whose token may show these routes only. What goes back may name
    /// any route.
    func text(withRoutes routes: [RouteName]) -> [UInt8] {
        guard case .command = endpoint.operation, let json = try? JSON(parsing: text) else {
            return text
        }
        return json.offering(.array(routes.map(\.json))).bytes
    }
}

extension JSON {
    /// The description of a tool in which each property `route` has one of these values. The
    /// description is one of the program's own, so the depth of the recursion is known.
    fileprivate func offering(_ values: JSON) -> JSON {
        switch self {
        case .object(var object):
            for member in object.members where member.key != "to" {
                object[member.key] = member.value.offering(values)
            }
            if case .object(var properties)? = object["properties"],
                case .object(var route)? = properties["route"]
            {
                route["enum"] = values
                properties["route"] = .object(route)
                object["properties"] = .object(properties)
            }
            return .object(object)
        case .array(let items): return .array(items.map { $0.offering(values) })
        case .null, .bool, .integer, .double, .string: return self
        }
    }
}

extension JSONSchema {
    fileprivate init?(_ document: JSON) throws(WorkBudgetError) {
        let work = WorkBudget.unlimited
        var compiler = try SchemaCompiler(definitions: [:], at: JSONPointer(), work: work)
        let root = try compiler.add(document, at: JSONPointer())
        try compiler.settle()
        guard let schema = try compiler.schema(root, checksDefaults: false),
            compiler.takeProblems().isEmpty
        else { return nil }
        self = schema
    }
}

/// The instructions and tools for models, from the embedded file `agents.json`.
struct AgentGuide: Sendable {
    /// The purpose of the server, and the tools to begin with.
    let instructions: String
    let tools: [AgentTool]

    /// The guide that the executable contains.
    static let embedded = AgentGuide(EmbeddedDocument.agents)

    private init(_ file: [UInt8]) {
        guard case .object(let guide)? = try? JSON(parsing: file),
            case .string(let text)? = guide["instructions"],
            case .array(let items)? = guide["tools"]
        else { preconditionFailure("agents.json has instructions and tools") }
        instructions = text
        tools = items.compactMap(AgentTool.init)
    }
}
