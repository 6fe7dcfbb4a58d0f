import FoundationEssentials
import NavstateRules

/// The example apps.
enum Examples {
    static let names = ["chat", "hierarchy", "routers", "shop", "social"]

    static func app(_ name: String) throws -> AppDefinition {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/apps")
        let text = try String(
            contentsOf: folder.appending(path: "\(name).json"), encoding: .utf8)
        return try AppDefinition(json: text)
    }
}

extension AppDefinition {
    /// An app with these members besides an id.
    static func with(_ members: String) throws -> AppDefinition {
        try AppDefinition(json: #"{"id":"planted",\#(members)}"#)
    }
}
