/// A screen to show: a route with its params.
///
/// ```swift
/// try await session.navigate(to: "settings")
/// try await session.navigate(to: Destination("contact", params: ["id": "42"]))
/// ```
public struct Destination: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the route.
    public var route: String
    /// The params of the route; an object.
    public var params: JSONValue
    /// A name by which `back(to: .mark(…))` finds the screen. It is optional.
    public var mark: String?
    /// The id of an existing entry to keep; nil for a new entry. Only `setPath` uses it.
    public var id: String?

    /// A route with its params.
    public init(
        _ route: String, params: JSONValue = [:], mark: String? = nil, id: String? = nil
    ) {
        self.route = route
        self.params = params
        self.mark = mark
        self.id = id
    }

    /// A route without params.
    public init(stringLiteral route: String) { self.init(route) }

    /// Creates a destination whose params are a value of your own type, which must be encoded as an
    /// object.
    ///
    /// ```swift
    /// let destination = try Destination("contact", encoding: Contact(id: "42"))
    /// ```
    public init(
        _ route: String, encoding params: some Encodable, mark: String? = nil
    ) throws(NavstateError) {
        let json = try JSONValue(encoding: params)
        guard json.object != nil else {
            throw .unencodable("The params of \(route) are not an object.")
        }
        self.init(route, params: json, mark: mark)
    }

    /// Creates a destination from an existing entry, as part of a new path.
    public init(_ entry: Entry) {
        self.init(entry.route, params: entry.params, mark: entry.mark, id: entry.id)
    }

    /// The members that describe this screen in a command.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["route": .string(route)]
        if params != [:] { members["params"] = params }
        members.set("mark", mark.map(JSONValue.string))
        members.set("id", id.map(JSONValue.string))
        return members
    }
}

/// How `navigate` adds a screen to the path.
public enum NavigationMode: String, Codable, Sendable, Hashable {
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

/// What happens to sheets that cover the target of a command.
public enum SheetHandling: String, Codable, Sendable, Hashable {
    /// They stay.
    case keep
    /// They are dismissed.
    case dismiss
    /// The command is refused with `sheet-open`.
    case reject
}

/// The screen to which `back` returns.
public enum BackTarget: Sendable, Hashable {
    /// The entry or sheet with this id.
    case entry(String)
    /// The nearest entry with this route in the active container.
    case route(String)
    /// The nearest entry or sheet with this mark.
    case mark(String)
}

/// How far a command reaches.
public enum RootScope: String, Codable, Sendable, Hashable {
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
    /// False if only `dismiss` with `force` removes the sheet.
    public var isDismissible: Bool

    /// Creates options. The defaults are those of `standard`.
    public init(tag: String? = nil, detents: [String] = [], isDismissible: Bool = true) {
        self.tag = tag
        self.detents = detents
        self.isDismissible = isDismissible
    }

    /// A sheet that can be dismissed and has neither tag nor detents.
    public static let standard = PresentationOptions()
}
