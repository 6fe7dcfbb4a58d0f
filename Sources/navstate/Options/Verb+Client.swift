internal import Bytes

/// The words after a client command: those with a place of their own, and members of the request.
package struct VerbWords: Sendable {
    /// The names of the words that must be there.
    package var required: [String] = []
    /// The names of the words that may follow.
    package var optional: [String] = []
    /// Whether members may follow, as `KEY=VALUE`.
    package var takesMembers = false

    /// How help shows them: `ID [COUNT] [KEY=VALUE...]`. Nil if there are none.
    var usage: String? {
        let words =
            required + optional.map { "[\($0)]" } + (takesMembers ? ["[KEY=VALUE...]"] : [])
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

// The commands that are requests to a running server.
extension Verb {
    /// All of them, in the order in which help lists them.
    package static let clientVerbs = allCases.filter(\.isClient)

    /// Whether the command is a request to a running server.
    package var isClient: Bool { clientWords != nil }

    /// Whether its first word is the id of a session that exists.
    var takesSession: Bool { clientWords?.required.first == "ID" }

    /// Whether members among its words are the params of a screen.
    var takesParams: Bool { self == .navigate || self == .present }

    /// The words after a client command. Nil for the other commands.
    package var clientWords: VerbWords? {
        switch self {
        case .sessions: VerbWords(takesMembers: true)
        case .ids: VerbWords(optional: ["PREFIX"], takesMembers: true)
        case .show: VerbWords(required: ["ID"], takesMembers: true)
        case .create: VerbWords(optional: ["ID"], takesMembers: true)
        case .watch: VerbWords(required: ["ID"])
        case .apps: VerbWords()
        case .app: VerbWords(required: ["put", "FILE"])
        case .navigate, .present: VerbWords(required: ["ID", "ROUTE"], takesMembers: true)
        case .back, .undo, .redo:
            VerbWords(required: ["ID"], optional: ["COUNT"], takesMembers: true)
        case .root: VerbWords(required: ["ID"], optional: ["SCOPE"], takesMembers: true)
        case .dismiss: VerbWords(required: ["ID"], optional: ["SHEET"], takesMembers: true)
        case .select: VerbWords(required: ["ID", "TAB"], takesMembers: true)
        case .open: VerbWords(required: ["ID", "URL"], takesMembers: true)
        case .serve, .demo, .healthcheck, .check, .dump, .restore, .store, .config, .version,
            .openapi,
            .completion, .manpage, .help:
            nil
        }
    }

    /// The details of a client command: how its members are written, and what they can be.
    var clientDetails: String {
        switch self {
        case .sessions, .ids:
            "KEY=VALUE are query parameters of the list: app=chat, label=room:lobby, limit=10, q=PREFIX"
                + (self == .sessions ? ", cursor=ID for the next page." : ".")
        case .show: "revision=N shows an earlier state; at least the last 32 are kept."
        case .create:
            "Members are those of the API: app=chat, ttlSeconds:=3600, tabs:='[\"a\",\"b\"]'. "
                + Self.memberRule
        case .navigate, .present:
            "\(Self.memberRule) --with KEY=VALUE adds another member of the request, such as "
                + (self == .navigate ? "mode=replace, in=chats or mark=start." : "tag=login.")
        case .back:
            "Further members are those of the API: to:='{\"route\":\"list\"}', inclusive:=true. "
                + Self.memberRule
        case .dismiss:
            "Further members are those of the API: result:='{\"ok\":true}', force:=true. "
                + Self.memberRule
        case .select: "Further members are those of the API: sheets=dismiss. " + Self.memberRule
        case .root, .open, .undo, .redo: Self.memberRule
        case .watch:
            "Each line has the revision, the command, and the route that is visible then. With "
                + "--json, or not on a terminal, it is the event of the API as one line of JSON. A "
                + "connection that is lost is opened again, and no change is left out."
        case .app:
            "The definition is the JSON of PUT /v1/apps/{app}. Its member id names the app; "
                + "without one, the name of the file does, without .json."
        case .apps, .serve, .demo, .healthcheck, .check, .dump, .restore, .store, .config, .version,
            .openapi, .completion, .manpage, .help:
            ""
        }
    }

    private static let memberRule =
        "KEY=VALUE is a string and KEY:=JSON any JSON value; one JSON object can take the place of "
        + "them all."
}
