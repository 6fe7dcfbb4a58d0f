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
