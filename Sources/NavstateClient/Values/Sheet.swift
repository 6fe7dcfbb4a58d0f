/// How a sheet covers what is beneath it.
public struct SheetStyle: RawRepresentable, Codable, Sendable, Hashable {
    /// The name of the style.
    public var rawValue: String

    /// Creates a style from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Like SwiftUI's `sheet`.
    public static let sheet = SheetStyle(rawValue: "sheet")
    /// Like SwiftUI's `fullScreenCover`.
    public static let fullScreenCover = SheetStyle(rawValue: "fullScreenCover")
}

/// A screen that is presented over everything else and has its own path.
public struct Sheet: Codable, Sendable, Hashable, Identifiable {
    /// The id, which is unique within the session and never reused.
    public var id: String
    /// Whether it is a sheet or a full-screen cover.
    public var style: SheetStyle
    /// The name of the route.
    public var route: String
    /// The params of the route; an object.
    public var params: JSONValue
    /// The tag of the sheet. Presenting another sheet with the same tag replaces this one.
    public var tag: String?
    /// The heights at which the sheet can rest, by their names in the app.
    public var detents: [String]
    /// False if only `dismiss` with `force` removes the sheet.
    public var isDismissible: Bool
    /// The id of the entry, sheet or tab from which it was presented.
    public var presentedBy: String
    /// The entries pushed onto the sheet, from bottom to top.
    public var path: [Entry]
    /// All other members.
    public var members: [String: JSONValue]

    /// Creates a sheet that can be dismissed and has neither tag nor detents.
    public init(
        id: String, style: SheetStyle = .sheet, route: String, params: JSONValue = [:],
        presentedBy: String, path: [Entry] = []
    ) {
        self.id = id
        self.style = style
        self.route = route
        self.params = params
        self.presentedBy = presentedBy
        self.path = path
        detents = []
        isDismissible = true
        members = [:]
    }

    /// A name by which `back(to: .mark(…))` finds the sheet.
    public var mark: String? {
        get { members["mark"]?.string }
        set { members["mark"] = newValue.map(JSONValue.string) }
    }

    private static let known: Set<String> = [
        "id", "style", "route", "params", "tag", "detents", "dismissible", "presentedBy", "path",
    ]

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        style = try json.optional("style") ?? .sheet
        route = try json.member("route")
        params = try json.optional("params") ?? [:]
        tag = try json.optional("tag")
        detents = try json.optional("detents") ?? []
        isDismissible = try json.optional("dismissible") ?? true
        presentedBy = try json.member("presentedBy")
        path = try json.member("path")
        members = try json.members(besides: Self.known)
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("style", style)
        try json.set("route", route)
        try json.set("params", params)
        try json.set("tag", tag)
        try json.set("detents", detents.isEmpty ? nil : detents)
        try json.set("dismissible", isDismissible ? nil : false)
        try json.set("presentedBy", presentedBy)
        try json.set("path", path)
    }
}
