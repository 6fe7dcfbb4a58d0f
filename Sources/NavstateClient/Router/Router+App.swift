public import NavstateRules

// The router of an app whose screens were generated.
extension Router where Screen: AppScreen {
    /// The facts of the app, as they are shown. One whose value these types do not know, because
    /// the app was changed on the server, has its default.
    public var facts: Screen.Facts {
        guard let own = target?.facts,
            let defaults = try? JSONValue(encoding: Screen.Facts()).object
        else { return Screen.Facts() }
        func facts(_ own: [String: JSONValue]) -> Screen.Facts? {
            try? JSONValue.object(defaults.merging(own) { _, own in own }).decode()
        }
        return facts(own) ?? facts(own.filter { facts([$0.key: $0.value]) != nil })
            ?? Screen.Facts()
    }

    /// Changes facts. Those that are left as they are stay on the server as they are there, also
    /// values that these types do not know.
    ///
    /// ```swift
    /// router.setFacts { $0.signedIn = true }
    /// ```
    public func setFacts(_ change: (inout Screen.Facts) -> Void) {
        do throws(NavstateError) {
            let old = try JSONValue(encoding: facts).object ?? [:]
            var new = facts
            change(&new)
            var changed = try JSONValue(encoding: new).object ?? [:]
            // A fact without a value is left out, and null stands for the default.
            for name in old.keys where changed[name] == nil { changed[name] = .null }
            let different = changed.filter { old[$0.key] != $0.value }
            if !different.isEmpty { perform(.setFacts(different)) }
        } catch {
            self.error = error
        }
    }

    /// The selected tab, for binding to a `TabView`.
    public var tab: Screen.Tab {
        get {
            Screen.Tab(rawValue: selectedTab)
                ?? Screen.Tab.allCases[Screen.Tab.allCases.startIndex]
        }
        set { selectedTab = newValue.rawValue }
    }

    /// Selects a tab. With `params`, a screen of its root's route, the root gets its params. With
    /// `emptiesPath`, the root is visible then.
    public func select(
        _ tab: Screen.Tab, params root: Screen? = nil, emptiesPath: Bool = false
    ) {
        if let root {
            let params = root.destination.params
            perform(.select(tab: tab.rawValue, params: params, emptiesPath: emptiesPath))
        } else {
            perform(.select(tab: tab.rawValue, popsToRoot: emptiesPath))
        }
    }

    /// Shows a screen on the path of a tab, which is selected.
    public func navigate(to screen: Screen, mode: NavigationMode? = nil, in tab: Screen.Tab) {
        navigate(to: screen, mode: mode, in: tab.rawValue)
    }

    /// Presents a screen that asks a question, waits until it is dismissed, and returns the answer.
    /// Returns nil if the user did not answer. The answer to a dialog is the id of its button.
    ///
    /// ```swift
    /// if try await router.ask(.confirm(question: "Delete the chat?")) == true { delete() }
    /// ```
    public func ask<Answer>(
        _ question: Question<Screen, Answer>
    ) async throws(NavstateError) -> Answer? {
        let sheet = try await answer(to: .present(question.screen.destination))
        guard let value = sheet.button.map(JSONValue.string) ?? sheet.result else { return nil }
        return try value.decode()
    }

    /// Answers the question that is asked by the nearest sheet of a route. Does nothing if there is
    /// none.
    public func answer<Answer>(_ question: Answering<Screen, Answer>, _ answer: Answer) {
        guard let sheet = target?.sheets.last(where: { $0.route == question.route }) else { return }
        do throws(NavstateError) {
            let result = try JSONValue(encoding: answer)
            if sheet.isDialog {
                press(result.string ?? "", ofDialog: sheet.id)
            } else {
                dismiss(sheet, result: result)
            }
        } catch {
            self.error = error
        }
    }
}

// Routers without a server.
extension Router {
    /// Creates a router that keeps a session of an app in this process.
    public convenience init(local app: AppDefinition, id: String = "local") throws(Rejection) {
        self.init(try LocalSession(app, id: id), app)
    }

    /// Creates a router that keeps a session of a generated app in this process.
    public convenience init<App: AppNamespace>(local app: App.Type) where App.Screen == Screen {
        self.init(preview: .root)
    }
}

extension Router where Screen: AppScreen {
    /// Creates a router that begins at a certain place, for previews. It has no server. The
    /// program stops if the app does not allow the place.
    ///
    /// ```swift
    /// #Preview {
    ///     RemoteTabView(Router<Chat.Screen>(preview: .screens([.contactList]))) { … }
    /// }
    /// ```
    public convenience init(
        preview start: AppStart<Screen>, tab: Screen.Tab? = nil,
        facts: Screen.Facts = Screen.Facts(), sheets: [Screen] = []
    ) {
        var start = start
        start.tab = tab ?? start.tab
        do {
            let app = try AppDefinition(of: Screen.self)
            self.init(try start.session(of: app, facts: facts, sheets: sheets), app)
        } catch {
            preconditionFailure("\(Screen.appID) cannot begin there: \(error)")
        }
    }
}

/// Where a session begins, in a preview or a test.
public struct AppStart<Screen: AppScreen>: Sendable {
    var tab: Screen.Tab?
    private var screens: [Screen] = []

    /// Where the app begins.
    public static var root: AppStart { AppStart() }

    /// On these screens above the root of a tab, by default of the first one.
    public static func screens(_ screens: [Screen], in tab: Screen.Tab? = nil) -> AppStart {
        AppStart(tab: tab, screens: screens)
    }

    /// A session that begins there. It has nothing to undo.
    package func session(
        of app: AppDefinition, facts: Screen.Facts, sheets: [Screen]
    ) throws -> LocalSession {
        let body = JSONValue.members([
            "facts": try JSONValue(encoding: facts).object?.unless([:]),
            "selectedTab": tab?.rawValue,
        ])
        var session = try LocalSession(app, creating: body.text)
        let path = screens.map(\.destination)
        if !path.isEmpty {
            try session.perform(.setPath(in: session.state.selectedTab, path), isStrict: true)
        }
        for sheet in sheets { try session.perform(.present(sheet.destination), isStrict: true) }
        var state = session.state
        (state.canUndo, state.canRedo) = (false, false)
        return try LocalSession(app, continuing: state)
    }
}

extension AppDefinition {
    /// The app that the document of the screens declares.
    package init<Screen: AppScreen>(of screens: Screen.Type) throws(InvalidApp) {
        try self.init(json: Screen.appDocument, id: Screen.appID)
    }
}
