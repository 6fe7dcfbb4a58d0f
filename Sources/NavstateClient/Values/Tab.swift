/// A tab with its path.
public struct Tab: Codable, Sendable, Hashable, Identifiable {
    /// The name of the tab.
    public var id: String
    /// The tab's badge, if it has one.
    public var badge: Badge?
    /// Whether the tab is hidden. A hidden tab keeps its path.
    public var isHidden: Bool
    /// The entries above the tab's root, from bottom to top.
    public var path: [Entry]
    /// The members that this version of the client does not know.
    public var members: [String: JSONValue]

    /// Creates a tab.
    public init(id: String, badge: Badge? = nil, isHidden: Bool = false, path: [Entry] = []) {
        self.id = id
        self.badge = badge
        self.isHidden = isHidden
        self.path = path
        members = [:]
    }

    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: MemberName.self)
        id = try json.member("id")
        badge = try json.optional("badge")
        isHidden = try json.optional("hidden") ?? false
        path = try json.member("path")
        members = try json.members(besides: ["id", "badge", "hidden", "path"])
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        try json.set(members)
        try json.set("id", id)
        try json.set("badge", badge)
        try json.set("hidden", isHidden ? true : nil)
        try json.set("path", path)
    }
}

/// What a tab's badge shows.
public enum Badge: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral
{
    /// A positive number.
    case number(Int)
    /// A short text.
    case text(String)

    public init(integerLiteral value: Int) { self = .number(value) }
    public init(stringLiteral value: String) { self = .text(value) }

    public init(from decoder: any Decoder) throws {
        let json = try decoder.singleValueContainer()
        if let number = try? json.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try json.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.singleValueContainer()
        switch self {
        case .number(let number): try json.encode(number)
        case .text(let text): try json.encode(text)
        }
    }

    /// The badge as text.
    public var text: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }

    var json: JSONValue {
        switch self {
        case .number(let number): .integer(Int64(number))
        case .text(let text): .string(text)
        }
    }
}
