internal import JSON
internal import Navigation

/// A tool that a model can call: an operation of the API under a name.
enum AgentTool: Equatable, Sendable {
    case listSessions, createSession, readSession, allowed
    case command(CommandName)
    case waitForChange, listApps, readApp

    /// Every tool, in the order in which they are listed.
    static let all: [AgentTool] =
        [.listSessions, .createSession, .readSession, .allowed]
        + CommandName.allCases.map(AgentTool.command)
        + [.waitForChange, .listApps, .readApp]

    /// The name by which it is called.
    var name: String {
        switch self {
        case .listSessions: "listSessions"
        case .createSession: "createSession"
        case .readSession: "readSession"
        case .allowed: "allowed"
        case .command(let command): command.rawValue
        case .waitForChange: "waitForChange"
        case .listApps: "listApps"
        case .readApp: "readApp"
        }
    }

    /// The operation that the tool carries out.
    var operation: Operation {
        switch self {
        case .listSessions: .listSessions
        case .createSession: .createSession
        case .readSession, .waitForChange: .readSession
        case .allowed: .sessionAllowed
        case .command(let command): .command(command)
        case .listApps: .listApps
        case .readApp: .readApp
        }
    }
}

/// What a model is told about the server and its tools: `agents.json` among the embedded files.
struct AgentGuide: Sendable {
    /// What the server is for, and with which tools to begin.
    let instructions: String
    /// The tools with their descriptions as JSON.
    let tools: [(tool: AgentTool, text: [UInt8])]

    /// The guide that the executable contains.
    static let embedded = AgentGuide(EmbeddedDocument.agents)

    private init(_ file: [UInt8]) {
        guard case .object(let guide)? = try? JSON(parsing: file),
            case .string(let text)? = guide["instructions"],
            case .array(let items)? = guide["tools"]
        else { preconditionFailure("agents.json has instructions and tools") }
        instructions = text
        tools = AgentTool.all.compactMap { tool in
            let item = items.first { item in
                guard case .object(let members) = item else { return false }
                return members["name"] == .string(tool.name)
            }
            return item.map { (tool, $0.bytes) }
        }
    }
}
