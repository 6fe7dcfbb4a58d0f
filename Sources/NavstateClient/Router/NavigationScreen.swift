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
/// An enum with `String` raw values works too; its screens have no params. Otherwise write the
/// three requirements yourself.
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
}

extension NavigationScreen where Self: Codable {
    /// The case's name, with the associated values as params. The program ends with a message if
    /// the screen cannot be encoded, for example because an associated value is not a number (NaN).
    public var destination: Destination {
        do throws(NavstateError) {
            return try encodedDestination()
        } catch {
            preconditionFailure("\(Self.self) has no destination: \(error)")
        }
    }

    /// Throws `unencodable` if this is not encoded as an enum is.
    func encodedDestination() throws(NavstateError) -> Destination {
        switch try JSONValue(encoding: self) {
        case .object(let members) where members.count == 1:
            if let member = members.first { return Destination(member.key, params: member.value) }
        // An enum with raw values.
        case .string(let route): return Destination(route)
        case .null, .bool, .integer, .number, .array, .object: break
        }
        throw .unencodable("\(Self.self) is not encoded as an enum is; write `destination`.")
    }

    /// The case with this name, with the params as its associated values.
    public init?(route: String, params: JSONValue) {
        let (full, raw) = (JSONValue.object([route: params]), JSONValue.string(route))
        if let screen = try? full.decode(Self.self) {
            self = screen
        } else if params == [:], let screen = try? raw.decode(Self.self) {
            self = screen
        } else {
            return nil
        }
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

    init(_ sheet: Sheet, screen: Screen) {
        id = sheet.id
        self.screen = screen
        style = sheet.style
        detents = sheet.detents
        isDismissible = sheet.isDismissible
    }
}
