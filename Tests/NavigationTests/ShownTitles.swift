import JSON
import Navigation

/// The titles of screens, read from the JSON of a session and the texts that the app declares.
struct ShownTitles {
    private let app: App

    init?(_ app: App?) {
        guard let app, app.showsTitles else { return nil }
        self.app = app
    }

    /// - Parameter screen: an entry, a sheet or a root of the session; nil for a root as declared.
    func title(_ screen: JSONObject?, _ isRoot: Bool, _ tab: JSONObject) -> String {
        let (route, params) = content(of: screen, tab)
        if isRoot, app.routes[RouteName(trusted: route)] == nil {
            return app.tab(TabID(trusted: tab.string("id")))?.title ?? route
        }
        return filled(app.routes[RouteName(trusted: route)]?.texts.title?.declared, params) ?? route
    }

    func backTitle(_ screen: JSONObject?, _ isRoot: Bool, _ tab: JSONObject) -> String {
        let (route, params) = content(of: screen, tab)
        guard route == "user" else { return title(screen, isRoot, tab) }
        return filled("{id}", params) ?? route
    }

    private func content(of screen: JSONObject?, _ tab: JSONObject) -> (String, JSONObject) {
        if let screen { return (screen.string("route"), screen.object("params")) }
        let declared = app.tab(TabID(trusted: tab.string("id")))?.root
        return (
            declared?.route.rawValue ?? tab.string("id"), declared?.params.object ?? JSONObject()
        )
    }

    /// Knows one place, `{id}`, which is enough for the apps of the tests.
    private func filled(_ text: String?, _ params: JSONObject) -> String? {
        guard let text, text.contains("{id}") else { return text }
        switch params["id"] {
        case .string(let value)?: return text.replacing("{id}", with: value)
        case .integer(let number)?: return text.replacing("{id}", with: "\(number)")
        default: return nil
        }
    }
}
