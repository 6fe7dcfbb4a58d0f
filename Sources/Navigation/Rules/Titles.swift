internal import Bytes

/// The title of a screen of some app, and what its back button shows.
public struct TitleReading {
    private let app: App

    /// - Returns: nil if the screens of the app's sessions have no titles, which is so unless the
    ///   app has a title with a `{path}` or a `backTitle`.
    public init?(_ app: App?) {
        guard let app, app.showsTitles else { return nil }
        self.app = app
    }

    /// The title of an entry or a sheet: the one that its route declares, with the values of the
    /// params, otherwise the name of the route.
    public func title(of screen: Screen) -> String {
        let declared = app.routes[screen.route]?.texts.title
        return declared?.filled(
            with: screen.params, missing: nil, bytesMax: Dialog.titleBytesMax)
            ?? screen.route.rawValue
    }

    /// The title of the root of a tab: that of its route or, if the app does not declare it, that
    /// of the tab.
    public func title(ofRoot screen: Screen, of tab: TabID) -> String {
        guard app.routes[screen.route] == nil, let title = app.tab(tab)?.title else {
            return self.title(of: screen)
        }
        return title
    }

    /// The text on the button that leads back to a screen.
    public func backTitle(of screen: Screen, titled title: String) -> String {
        let declared = app.routes[screen.route]?.texts.backTitle
        return declared.map {
            $0.filled(with: screen.params, missing: nil, bytesMax: Dialog.titleBytesMax)
                ?? screen.route.rawValue
        } ?? title
    }
}
