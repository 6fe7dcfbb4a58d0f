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
/// If the enum is `Codable`, there is nothing else to write: the route is the name of the case, and
/// the params are its associated values, named by their labels. For example, `contact(id: "42")` is
/// the route `contact` with the params `{"id": "42"}`. A value without a label is named `_0`, so
/// label the values that other programs should read. An enum with `String` raw values works too;
/// its screens have no params. For any other type, implement the requirements yourself.
public protocol NavigationScreen: Hashable, Sendable {
    /// The route and params of the screen. The params are an object.
    var destination: Nav.Destination { get }

    /// Creates the screen of a route. Returns nil if the app does not know the route; the entry is
    /// then left out.
    init?(route: String, params: JSONValue)

    /// Returns the screen at the root of a tab.
    static func root(of tab: String) -> Self?
}

extension NavigationScreen {
    /// The default implementation returns the screen whose route is the name of the tab, without
    /// params.
    public static func root(of tab: String) -> Self? { Self(route: tab, params: [:]) }
}

extension NavigationScreen where Self: Codable {
    /// The name of the case, with the associated values as params. If the screen cannot be encoded,
    /// for example because an associated value is NaN, the program stops with a message.
    public var destination: Nav.Destination {
        do throws(NavstateError) {
            return try encodedDestination()
        } catch {
            preconditionFailure("\(Self.self) has no destination: \(error)")
        }
    }

    /// Encodes the screen. Throws `unencodable` if the result does not look like an encoded enum.
    func encodedDestination() throws(NavstateError) -> Nav.Destination {
        switch try JSONValue(encoding: self) {
        case .object(let members) where members.count == 1:
            if let member = members.first {
                return Nav.Destination(member.key, params: member.value)
            }
        // An enum with raw values.
        case .string(let route): return Nav.Destination(route)
        case .null, .bool, .integer, .number, .array, .object: break
        }
        throw .unencodable("\(Self.self) is not encoded as an enum is; write `destination`.")
    }

    /// Creates the case with this name, with the params as its associated values.
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

/// A presented screen, for `sheet(item:)` and `fullScreenCover(item:)`.
public struct PresentedScreen<Screen: NavigationScreen>: Identifiable, Hashable, Sendable {
    /// An id that stays the same for as long as the screen is presented.
    public let id: String
    /// The screen.
    public let screen: Screen
    /// How it is presented.
    public let style: SheetStyle
    /// The heights at which the sheet can rest, by their names in the app.
    public let detents: [String]
    /// Whether the user can swipe it away: neither the sheet nor anything on its path is locked.
    public let isDismissible: Bool
    /// The name of the place at which a popover points.
    public let anchor: String?

    init(_ sheet: Nav.Sheet, screen: Screen) {
        id = sheet.id
        self.screen = screen
        style = sheet.style
        detents = sheet.detents
        isDismissible = !sheet.isLocked
        anchor = sheet.anchor
    }
}

/// Caches the screens of entries and sheets, so they are not decoded again every time a view is
/// evaluated.
struct ScreenCache<Screen: NavigationScreen>: Sendable {
    private struct Cached: Sendable {
        var route: String
        var params: JSONValue
        var screen: Screen?
    }

    /// More screens than a session usually shows. When the cache is full, it is emptied.
    private static var countMax: Int { 1024 }

    private var cached: [String: Cached] = [:]

    /// The screen of the entry or sheet with this id. Returns nil if the app does not know the
    /// route.
    mutating func screen(of id: String, route: String, params: JSONValue) -> Screen? {
        if let known = cached[id], known.route == route, known.params == params {
            return known.screen
        }
        let screen = Screen(route: route, params: params)
        if cached.count >= Self.countMax { cached = [:] }
        cached[id] = Cached(route: route, params: params, screen: screen)
        return screen
    }
}
