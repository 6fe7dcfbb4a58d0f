/// The screens of the entries and sheets that are shown, so that they are not decoded again
/// whenever a view is evaluated.
struct ScreenCache<Screen: NavigationScreen>: Sendable {
    private struct Cached: Sendable {
        var route: String
        var params: JSONValue
        var screen: Screen?
    }

    /// More than a session usually shows. When it is reached, all are forgotten.
    private static var countMax: Int { 1024 }

    private var cached: [String: Cached] = [:]

    /// The screen of what has this id. Nil for a route that the app does not know.
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
