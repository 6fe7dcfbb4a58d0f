public import Foundation
internal import JSON

// The types that `navstate app generate swift` builds on. The generated file has a namespace such
// as `Chat` with `Chat.Screen`, `Chat.Tab`, `Chat.Facts` and, if the app declares any,
// `Chat.Guard` and `Chat.Link`.

/// The screens of an app that declares them in a document, as a generated enum.
public protocol AppScreen: NavigationScreen {
    /// The tabs of the app.
    associatedtype Tab: AppTab where Tab.Screen == Self
    /// The facts that the guards of the app depend on.
    associatedtype Facts: AppFacts
    /// The guards of the app.
    associatedtype Guard: RawRepresentable & Hashable & Sendable = NoGuard
    where Guard.RawValue == String

    /// The id of the app.
    static var appID: String { get }
    /// The document that declares the app; empty if it was left out of the generated file.
    static var appDocument: String { get }
    /// The title of the screen.
    var title: String? { get }
    /// How the screen may be shown.
    var presentation: Presentation { get }
    /// Whether the tab bar is hidden while the screen is visible.
    var hidesTabBar: Bool { get }
    /// The guard of the screen, if it has one.
    var `guard`: Guard? { get }
}

extension AppScreen {
    /// The root that the app declares for the tab.
    public static func root(of tab: String) -> Self? { Tab(rawValue: tab)?.root }
    /// No document.
    public static var appDocument: String { "" }
}

extension AppScreen where Guard == NoGuard {
    /// No guard: the app declares none.
    public var `guard`: NoGuard? { nil }
}

/// The guards of an app that has none.
public struct NoGuard: RawRepresentable, Hashable, Sendable {
    public var rawValue: String { "" }
    public init?(rawValue: String) { nil }
}

/// The tabs of an app, as a generated enum.
public protocol AppTab: RawRepresentable, CaseIterable, Codable, Hashable, Identifiable, Sendable
where RawValue == String {
    /// The screens of the app.
    associatedtype Screen
    /// The title to show to people.
    var title: String? { get }
    /// The name of the tab's symbol.
    var icon: String? { get }
    /// The screen at the root of the tab.
    var root: Screen { get }
}

extension AppTab {
    /// The name of the tab in the session.
    public var id: String { rawValue }
}

/// The facts of an app, as a generated struct whose properties have the defaults of the app.
public protocol AppFacts: Codable, Hashable, Sendable {
    init()
}

extension AppFacts {
    /// The defaults of the app with some changes.
    ///
    /// ```swift
    /// let member = Shop.Facts.with { $0.signedIn = true }
    /// ```
    public static func with(_ change: (inout Self) -> Void) -> Self {
        var facts = Self()
        change(&facts)
        return facts
    }
}

/// The namespace of a generated file, such as `Chat`.
public protocol AppNamespace {
    associatedtype Screen: AppScreen
}

/// How a screen may be shown. The first style is used if none is given.
public struct Presentation: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Whether the screen can be pushed onto a path.
    public var allowsPush: Bool
    /// The styles in which the screen can be presented.
    public var styles: [SheetStyle]

    /// Everything that one of the elements allows.
    public init(arrayLiteral elements: Presentation...) { self.init(elements) }

    init(_ elements: [Presentation]) {
        allowsPush = elements.contains { $0.allowsPush }
        styles = elements.flatMap(\.styles)
    }

    init(_ style: SheetStyle?) {
        allowsPush = style == nil
        styles = style.map { [$0] } ?? []
    }

    /// On a path.
    public static let push = Presentation(nil)
    /// As a sheet.
    public static let sheet = Presentation(.sheet)
    /// As a full-screen cover.
    public static let fullScreenCover = Presentation(.fullScreenCover)
    /// As a popover.
    public static let popover = Presentation(.popover)
    /// As an inspector.
    public static let inspector = Presentation(.inspector)
    /// As an alert.
    public static let alert = Presentation(.alert)
    /// As a confirmation dialog.
    public static let confirmationDialog = Presentation(.confirmationDialog)
    /// On a path, as a sheet or as a full-screen cover.
    public static let any: Presentation = [.push, .sheet, .fullScreenCover]

    /// The style in which the screen is presented if none is given; nil if it can only be pushed.
    public var style: SheetStyle? { styles.first }
}

/// A screen that is presented to get an answer, for `Router.ask(_:)`. Generated code has a
/// function for each route with a `result`, or a property if the route has no params.
public struct Question<Screen: AppScreen, Answer: Codable & Sendable>: Sendable {
    /// The screen to present.
    public let screen: Screen

    /// Asks the question that a screen shows.
    public init(_ screen: Screen) { self.screen = screen }
}

/// The route of a question, for ``Router/answer(_:_:)``.
public struct Answering<Screen: AppScreen, Answer: Codable & Sendable>: Sendable {
    /// The name of the route.
    public let route: String

    /// Answers the question of a route.
    public init(_ route: String) { self.route = route }
}

/// The ways back, which every generated routing protocol has.
@MainActor public protocol AppRouting: AnyObject {
    /// Goes back one step.
    func navigateBack()
    /// Goes back to the root of the selected tab.
    func navigateToRoot()
    /// Dismisses the top sheet.
    func dismissSheet()
}

extension Router: AppRouting where Screen: AppScreen {
    /// Goes back to the root of the selected tab.
    public func navigateToRoot() { navigateToRoot(.tab) }
    /// Dismisses the top sheet without a result.
    public func dismissSheet() { dismissSheet(result: JSONValue?.none) }
}

/// Builds the URLs of deep links.
///
/// A pattern cannot tell every value from its surroundings. The URL opens another screen, or none,
/// for an empty value of a required capture, a text with the character that separates two captures
/// of a segment (`a-b` for `{id}-{slug}`), a rest that ends in a slash, and, in the host, any value
/// but a single label in lower case.
public enum AppLink {
    /// A value as one segment of a path, or as the value of a query item.
    public static func segment(_ value: some CustomStringConvertible) -> String {
        value.description.percentEncoded
    }

    /// A value as the rest of a path: it may have several segments.
    public static func rest(_ value: String) -> String {
        value.split(separator: "/", omittingEmptySubsequences: false).map(segment)
            .joined(separator: "/")
    }

    /// A number as a plain decimal in its shortest form, without an exponent: 7.0 is `7`, and 1e-05
    /// is `0.00001`. Links have numbers in this form. One without a fraction that is beyond 64 bits
    /// ends in `.0`, since the server would take it for an integer.
    public static func text(_ number: Double) -> String {
        let text = JSON.double(number).plainText
        let isBeyond = number.isFinite && number.rounded() == number && Int64(text) == nil
        return isBeyond ? text + ".0" : text
    }

    /// A URL with the values of its query items: none, one or several of each. The program stops if
    /// the text is not a URL. The generator excludes that: it makes no function for a link whose
    /// host is not one of a URL, and all other values are percent-encoded.
    public static func url(_ text: String, query: [(String, [String?])] = []) -> URL {
        let items = query.flatMap { name, values in
            values.compactMap { value in value.map { "\(segment(name))=\(segment($0))" } }
        }
        // A fragment that is empty would be none.
        let end = text.utf8.last == UInt8(ascii: "#") ? "?" : ""
        let full = text + (items.isEmpty ? end : "?" + items.joined(separator: "&"))
        guard let url = URL(string: full) else { preconditionFailure("\(full) is not a URL") }
        return url
    }
}

/// Writes the titles of screens as the server does.
public enum AppTitle {
    /// A number as JSON, as this client sends it: 7.0 is the integer `7`, 1e-7 is `1e-07`, and 1e21
    /// is `1e+21`.
    ///
    /// The server keeps the form in which a number came. If another client has sent `7.0`, the
    /// server's title has `7.0`, which a `Double` does not tell from 7.
    public static func text(_ number: Double) -> String {
        let plain = JSON.double(number).plainText
        return Int64(plain) == nil ? number.description : plain
    }
}
