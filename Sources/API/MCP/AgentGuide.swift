internal import JSON

/// What a model is told about the server and its tools: the file `agents.json` among the embedded
/// files.
struct AgentGuide: Sendable {
    /// What the server is for, and with which tools to begin.
    let instructions: String
    /// The description of each tool as JSON, in the order of `AgentTool.all`.
    let tools: [[UInt8]]

    /// The guide that the executable contains.
    static let embedded = AgentGuide(EmbeddedDocument.agents)

    /// - Precondition: the file describes every tool.
    private init(_ file: [UInt8]) {
        guard case .object(let guide)? = try? JSON(parsing: file),
            case .string(let text)? = guide["instructions"],
            case .array(let items)? = guide["tools"]
        else { preconditionFailure("agents.json has instructions and tools") }
        instructions = text
        tools = AgentTool.all.map { tool in
            let item = items.first { item in
                guard case .object(let members) = item else { return false }
                return members["name"] == .string(tool.name)
            }
            guard let item else { preconditionFailure("agents.json describes \(tool.name)") }
            return item.bytes
        }
    }
}
