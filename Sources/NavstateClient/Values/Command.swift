extension Nav {
    /// A command as a value, for use with `perform` and in batches. Events contain commands too.
    ///
    /// ```swift
    /// try await session.batch([
    ///     .select(tab: "chats"),
    ///     .navigate(to: Nav.Destination("contact", params: ["id": "42"])),
    /// ])
    /// ```
    public struct Command: Document, JSONConvertible {
        /// The name of the command, such as `navigate`.
        public var name = ""
        /// The members of the command's body.
        public var members: [String: JSONValue] = [:]

        /// Creates a command from its name. Use this for commands that this version of the client
        /// does not know.
        public init(_ name: String, members: [String: JSONValue] = [:]) {
            self.name = name
            self.members = members
        }

        init() {}

        init(_ name: String, _ members: JSONMembers) {
            self.name = name
            self.members.add(members)
        }

        static let known: [Member<Nav.Command>] = [.required("command", \.name)]

        /// A member of the body.
        public subscript(member: String) -> JSONValue? { members[member] }

        var json: JSONValue {
            .object(members.merging(["command": .string(name)]) { _, name in name })
        }
    }
}

/// How `navigate` adds a screen to the path.
public enum NavigationMode: String, Codable, Sendable, Hashable, JSONConvertible {
    /// Always pushes a new entry.
    case push
    /// If the top entry has the same route, it gets the new params. Otherwise pushes a new entry.
    case single
    /// Goes back to the nearest entry with the route. If there is none, pushes a new entry.
    case popTo
    /// Moves the nearest equal entry to the top. If there is none, pushes a new entry.
    case toFront
    /// Replaces the top entry.
    case replace
    /// Replaces the whole path with this entry.
    case reset
}

/// The treatment of sheets that cover the target of a command.
public enum SheetHandling: String, Codable, Sendable, Hashable, JSONConvertible {
    /// They stay.
    case keep
    /// They are dismissed.
    case dismiss
    /// The command is refused with `sheet-open`.
    case reject
    /// They are dismissed, and everything that is locked may be removed.
    case force
}

/// How a deep link shows its target, which is the last screen that it names.
public enum OpenMode: String, Codable, Sendable, Hashable, JSONConvertible {
    /// The link's path takes the place of the path of the tab.
    case replace
    /// The target alone is pushed on the path of the tab.
    case push
    /// The visible screen gets the params of the target if it has the same route. Otherwise this is
    /// `push`.
    case update
}

/// The screen to which `back` returns.
public enum BackTarget: Sendable, Hashable, JSONConvertible {
    /// The entry or sheet with this id.
    case entry(String)
    /// The nearest entry with this route in the active container.
    case route(String)
    /// The nearest entry or sheet with this mark.
    case mark(String)

    var json: JSONValue {
        switch self {
        case .entry(let id): ["entry": .string(id)]
        case .route(let route): ["route": .string(route)]
        case .mark(let mark): ["mark": .string(mark)]
        }
    }
}

/// How far a command reaches.
public enum RootScope: String, Codable, Sendable, Hashable, JSONConvertible {
    /// Dismisses all sheets and empties the path of the selected tab.
    case tab
    /// Empties the path of the active container.
    case path
    /// Dismisses all sheets, empties every path and selects the first tab.
    case all
}

/// The sheet that `dismiss` removes, together with those above it.
public enum DismissTarget: Sendable, Hashable {
    /// The top sheet.
    case top
    /// The sheet with this id.
    case sheet(String)
    /// The sheet with this tag.
    case tag(String)
    /// Every sheet.
    case all
}

/// Details of a presentation that are rarely needed.
public struct PresentationOptions: Sendable, Hashable {
    /// The tag of the sheet. Presenting another sheet with the same tag replaces this one.
    public var tag: String?
    /// The heights at which the sheet can rest, by their names in the app.
    public var detents: [String]
    /// False if only a command that forces it removes the sheet.
    public var isDismissible: Bool
    /// The name of the place at which a popover points.
    public var anchor: String?
    /// After how many seconds the sheet goes by itself; nil if it does not.
    public var ttlSeconds: Int?

    /// Creates options. The defaults are those of `standard`.
    public init(
        tag: String? = nil, detents: [String] = [], isDismissible: Bool = true,
        anchor: String? = nil, ttlSeconds: Int? = nil
    ) {
        self.tag = tag
        self.detents = detents
        self.isDismissible = isDismissible
        self.anchor = anchor
        self.ttlSeconds = ttlSeconds
    }

    /// A sheet that can be dismissed and has neither tag nor detents.
    public static let standard = PresentationOptions()
}
