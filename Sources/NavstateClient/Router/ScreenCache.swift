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
