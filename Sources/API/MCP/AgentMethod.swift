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
