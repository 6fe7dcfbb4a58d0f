import Foundation

/// An app's own screens, usually an enum with a case for each route.
///
/// ```swift
/// enum Screen: NavigationScreen, Codable {
///     case home
///     case contact(id: String)
/// }
/// ```
///
/// If the enum is `Codable`, that is all: the route is the name of the case, and the params are its
/// associated values by their labels. `contact(id: "42")` is the route `contact` with the params
/// `{"id": "42"}`. A value without a label is named `_0`, so label what other programs should read.
/// Otherwise write the three requirements yourself.
public protocol NavigationScreen: Hashable, Sendable {
    /// The route of the screen and its params, an object.
    var destination: Destination { get }

    /// The screen of a route. Nil for a route that this app does not know, which it then skips.
    init?(route: String, params: JSONValue)

    /// The screen at the root of a tab.
    static func root(of tab: String) -> Self?
}

extension NavigationScreen {
    /// By default, the screen whose route has the name of the tab and takes no params.
    public static func root(of tab: String) -> Self? { Self(route: tab, params: [:]) }

    init?(_ entry: Entry) { self.init(route: entry.route, params: entry.params) }
}

extension NavigationScreen where Self: Codable {
    /// The case's name, with the associated values as params.
    public var destination: Destination {
        guard let json = try? JSONValue(encoding: self), let members = json.object,
            members.count == 1, let member = members.first
        else {
            preconditionFailure("\(Self.self) is not encoded as an enum is; write `destination`.")
        }
        return Destination(member.key, params: member.value)
    }

    public init?(route: String, params: JSONValue) {
        guard let screen = try? JSONValue.object([route: params]).decode(Self.self) else {
            return nil
        }
        self = screen
    }
}

/// A screen that is presented over the rest, for `sheet(item:)` and `fullScreenCover(item:)`.
public struct PresentedScreen<Screen: NavigationScreen>: Identifiable, Hashable, Sendable {
    /// Stays the same while the screen is presented.
    public let id: String
    /// The screen.
    public let screen: Screen
    /// Whether it is a sheet or a full-screen cover.
    public let style: SheetStyle
    /// The heights at which the sheet rests, as the app names them.
    public let detents: [String]
    /// False if the user cannot swipe it away.
    public let isDismissible: Bool

    init?(_ sheet: Sheet, id: String) {
        guard let screen = Screen(route: sheet.route, params: sheet.params) else { return nil }
        self.id = id
        self.screen = screen
        style = sheet.style
        detents = sheet.detents
        isDismissible = sheet.isDismissible
    }
}
