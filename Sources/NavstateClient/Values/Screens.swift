public import Foundation

extension Nav {
    /// A pushed screen, or the root of a tab: a route with its params.
    public struct Entry: Document, Identifiable {
        /// The id, which is unique within the session and never reused.
        public var id = ""
        public var route = ""
        /// The params of the route; an object.
        public var params: JSONValue = [:]
        /// A name by which `back(to: .mark(…))` finds the entry.
        public var mark: String?
        /// Whether only a command that forces it removes the entry.
        public var isLocked = false
        /// The members that this version of the client does not know.
        public var members: [String: JSONValue] = [:]

        /// Creates an entry.
        public init(id: String, route: String, params: JSONValue = [:], mark: String? = nil) {
            self.id = id
            self.route = route
            self.params = params
            self.mark = mark
        }

        init() {}

        static let known: [Member<Nav.Entry>] = [
            .required("id", \.id), .required("route", \.route), .defaulted("params", \.params),
            .optional("mark", \.mark), .optional("locked", \.isLocked),
        ]

        /// The title of the screen, if the session has titles.
        public var title: String? { members["title"]?.string }
    }
}

/// How a sheet covers what is beneath it.
public struct SheetStyle: RawRepresentable, Codable, Sendable, Hashable, JSONConvertible {
    public var rawValue: String

    /// Creates a style from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Like SwiftUI's `sheet`.
    public static let sheet = SheetStyle(rawValue: "sheet")
    /// Like SwiftUI's `fullScreenCover`.
    public static let fullScreenCover = SheetStyle(rawValue: "fullScreenCover")
    /// Like SwiftUI's `popover`.
    public static let popover = SheetStyle(rawValue: "popover")
    /// Like SwiftUI's `inspector`.
    public static let inspector = SheetStyle(rawValue: "inspector")
    /// Like SwiftUI's `alert`: texts and buttons.
    public static let alert = SheetStyle(rawValue: "alert")
    /// Like SwiftUI's `confirmationDialog`: texts and buttons.
    public static let confirmationDialog = SheetStyle(rawValue: "confirmationDialog")
}

extension Nav {
    /// A screen that is presented over everything else and has its own path.
    public struct Sheet: Document, Identifiable {
        /// The id, which is unique within the session and never reused.
        public var id = ""
        /// How it is presented.
        public var style = SheetStyle.sheet
        public var route = ""
        /// The params of the route; an object.
        public var params: JSONValue = [:]
        /// The tag of the sheet. Presenting another sheet with the same tag replaces this one.
        public var tag: String?
        /// The heights at which the sheet can rest, by their names in the app.
        public var detents: [String] = []
        /// False if only a command that forces it removes the sheet.
        public var isDismissible = true
        /// The id of the entry, sheet or tab from which it was presented.
        public var presentedBy = ""
        /// The entries pushed onto the sheet, from bottom to top.
        public var path: [Nav.Entry] = []
        public var members: [String: JSONValue] = [:]

        /// Creates a sheet that can be dismissed and has neither tag nor detents.
        public init(
            id: String, style: SheetStyle = .sheet, route: String, params: JSONValue = [:],
            presentedBy: String, path: [Nav.Entry] = []
        ) {
            self.id = id
            self.style = style
            self.route = route
            self.params = params
            self.presentedBy = presentedBy
            self.path = path
        }

        /// A name by which `back(to: .mark(…))` finds the sheet.
        public var mark: String? {
            get { members["mark"]?.string }
            set { members["mark"] = newValue.map(JSONValue.string) }
        }

        /// The title of a dialog, and of any sheet if the session has titles.
        public var title: String? {
            get { members["title"]?.string }
            set { members["title"] = newValue.map(JSONValue.string) }
        }

        /// The name of the place at which a popover points.
        public var anchor: String? {
            get { members["anchor"]?.string }
            set { members["anchor"] = newValue.map(JSONValue.string) }
        }

        /// When the sheet goes by itself; nil if it does not.
        public var expiresAt: Date? { members.date("expiresAt") }

        init() {}

        static let known: [Member<Nav.Sheet>] = [
            .required("id", \.id), .defaulted("style", \.style), .required("route", \.route),
            .defaulted("params", \.params), .optional("tag", \.tag),
            .optional("detents", \.detents),
            .optional("dismissible", \.isDismissible), .required("presentedBy", \.presentedBy),
            .required("path", \.path),
        ]
    }
}

extension Nav {
    /// A tab with its path.
    public struct Tab: Document, Identifiable {
        public var id = ""
        /// The tab's badge, if it has one.
        public var badge: Nav.Badge?
        /// Whether the tab is hidden. A hidden tab keeps its path.
        public var isHidden = false
        /// The root of the tab, with the id of the tab. It is nil as long as it is as declared.
        public var root: Nav.Entry?
        /// The entries above the tab's root, from bottom to top.
        public var path: [Nav.Entry] = []
        /// The members that this version of the client does not know.
        public var members: [String: JSONValue] = [:]

        /// Creates a tab.
        public init(
            id: String, badge: Nav.Badge? = nil, isHidden: Bool = false, path: [Nav.Entry] = []
        ) {
            self.id = id
            self.badge = badge
            self.isHidden = isHidden
            self.path = path
        }

        init() {}

        static let known: [Member<Nav.Tab>] = [
            .required("id", \.id), .optional("badge", \.badge), .optional("hidden", \.isHidden),
            .optional("root", \.root), .required("path", \.path),
        ]
    }
}

extension Nav {
    /// The content of a tab's badge.
    public enum Badge: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral,
        ExpressibleByStringLiteral, JSONConvertible
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
}

extension Nav {
    /// A screen to show: a route with its params.
    ///
    /// ```swift
    /// try await session.navigate(to: "settings")
    /// try await session.navigate(to: Nav.Destination("contact", params: ["id": "42"]))
    /// ```
    public struct Destination: Sendable, Hashable, ExpressibleByStringLiteral, JSONConvertible {
        public var route: String
        /// The params of the route; an object.
        public var params: JSONValue
        /// A name by which `back(to: .mark(…))` finds the screen. It is optional.
        public var mark: String?
        /// The id of an existing entry to keep; nil for a new entry. Only `setPath` uses it.
        public var id: String?
        /// Whether the screen is locked; nil leaves it as it is. A sheet that is locked is not
        /// dismissible.
        public var isLocked: Bool?

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

        /// Creates a destination whose params are a value of your own type, which must be encoded
        /// as an object.
        ///
        /// ```swift
        /// let destination = try Nav.Destination("contact", encoding: Contact(id: "42"))
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
        public init(_ entry: Nav.Entry) {
            self.init(entry.route, params: entry.params, mark: entry.mark, id: entry.id)
        }

        /// The screen as an element of a path.
        var json: JSONValue { .object(members(id: id)) }

        /// The members that describe the screen in a command.
        func members(id: String? = nil) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            members.add([
                "route": route, "params": params.unless([:]), "mark": mark, "id": id,
                "locked": isLocked,
            ])
            return members
        }
    }
}
