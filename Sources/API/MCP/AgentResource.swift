internal import Bytes
internal import JSON
internal import Navigation

/// Something that a client can read without a tool: a session or an app.
enum AgentResource: Equatable {
    case session(SessionID)
    case app(AppID)

    private static let sessions = "navstate://sessions/"
    private static let apps = "navstate://apps/"

    /// The resource that a URI names. Nil if it is no URI of a resource.
    init?(uri: String) {
        if let id = Self.name(uri, after: Self.sessions).flatMap(SessionID.init) {
            self = .session(id)
        } else if let id = Self.name(uri, after: Self.apps).flatMap(AppID.init) {
            self = .app(id)
        } else {
            return nil
        }
    }

    private static func name(_ uri: String, after prefix: String) -> String? {
        guard uri.utf8.starts(with: prefix.utf8) else { return nil }
        let name = Array(uri.utf8.dropFirst(prefix.utf8.count))
        return PercentCoding.decode(name[...], plusIsSpace: false, allowsControls: false)
    }

    /// The URI by which it is read.
    var uri: String {
        switch self {
        case .session(let id): Self.sessions + id.rawValue
        case .app(let id): Self.apps + id.rawValue
        }
    }

    /// The URL of the API that returns it.
    var path: String {
        switch self {
        case .session(let id): "/v1/sessions/\(id)"
        case .app(let id): "/v1/apps/\(id)"
        }
    }

    /// Its description in a list of resources.
    ///
    /// - Parameters:
    ///   - title: what people call it, if anything.
    ///   - description: what it is.
    func heading(title: String? = nil, _ description: String) -> JSON {
        let name =
            switch self {
            case .session(let id): id.rawValue
            case .app(let id): id.rawValue
            }
        return .object([
            "uri": .string(uri), "name": .string(name), "title": title.map(JSON.string),
            "description": .string(description), "mimeType": .string("application/json"),
        ])
    }

    /// The templates of the URIs that a token can read.
    static func templates(for reach: TokenReach) -> [JSON] {
        var templates = [
            template(
                sessions + "{id}", "session", title: "Session",
                description: "What a session shows: its tabs, the screens pushed in them, its "
                    + "sheets and what is visible.")
        ]
        if reach.allows(.readApp) {
            templates.append(
                template(
                    apps + "{app}", "app", title: "App",
                    description: "The definition of an app: its screens with the schemas of their "
                        + "params, its tabs and its deep links."))
        }
        return templates
    }

    private static func template(
        _ uri: String, _ name: String, title: String, description: String
    ) -> JSON {
        .object([
            "uriTemplate": .string(uri), "name": .string(name), "title": .string(title),
            "description": .string(description), "mimeType": .string("application/json"),
        ])
    }
}
