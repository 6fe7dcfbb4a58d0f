internal import Bytes
internal import JSON

// The declarations of an app about its screens: how they appear, their texts, their identity, and
// the roots of the tabs.

extension AppReader {
    /// Reads how a route may appear, and its texts.
    mutating func readPresentation(_ route: inout Route, _ reader: inout ObjectReader) {
        route.presentation = presentation(&reader)
        let isDialog = route.presentation.isDialog
        let title =
            isDialog ? reader.text("title", bytes: 1...Dialog.titleBytesMax) : reader.text("title")
        route.texts.title = title.map { ScreenText($0) }
        route.texts.backTitle = reader.text("backTitle").map { ScreenText($0) }
        route.texts.dialog.readBody(&reader)
        if !isDialog, let member = route.texts.dialog.firstMember {
            reader.refuse(
                member, "is only for routes whose presentation is alert or confirmationDialog")
        }
        if isDialog, route.texts.backTitle != nil {
            reader.refuse("backTitle", "must be absent: no screen is on top of a dialog's path")
        }
        route.identity = identity(&reader)
    }

    private func presentation(_ reader: inout ObjectReader) -> Presentation {
        guard case .array(let items)? = reader.value("presentation") else {
            guard let name: PresentationName = reader.choice("presentation") else { return .push }
            return name.presentation
        }
        var found = Presentation(allowsPush: false, styles: [])
        for (index, item) in items.enumerated() {
            guard case .string(let text) = item, let name = PresentationName(named: text),
                name != .any, !(name.presentation.isDialog)
            else {
                reader.refuse(
                    at: "/presentation/\(index)",
                    "must be push, sheet, fullScreenCover, popover or inspector")
                return .push
            }
            let isRepeated =
                name == .push
                ? found.allowsPush : found.styles.contains(name.presentation.defaultStyle)
            if isRepeated { reader.refuse(at: "/presentation/\(index)", "repeats \(text)") }
            found.allowsPush = found.allowsPush || name == .push
            found.styles += name.presentation.styles
        }
        if items.isEmpty { reader.refuse("presentation", "must have at least one item") }
        return found
    }

    private func identity(_ reader: inout ObjectReader) -> [ParamsPath]? {
        guard let items = reader.array("identity") else { return nil }
        guard items.count <= Self.identityMax else {
            reader.refuse(
                "identity", "must have at most \(Self.identityMax) items", isLimit: true)
            return nil
        }
        var paths: [ParamsPath] = []
        for (index, item) in items.enumerated() {
            guard case .string(let text) = item, let path = ParamsPath(text[...]) else {
                reader.refuse(
                    at: "/identity/\(index)",
                    "must be names of members joined by dots, such as contact.id")
                continue
            }
            paths.append(path)
        }
        return paths
    }

    /// More members that tell screens of one route apart are probably a mistake.
    private static var identityMax: Int { 16 }

    /// Checks the paths of each route against the schema of its params.
    mutating func checkPaths() throws(WorkBudgetError) {
        for name in routeOrder {
            guard let route = routes[name] else { continue }
            let pointer = "/routes/" + JSONPointer.escaped(name.rawValue)
            for (index, path) in (route.identity ?? []).enumerated()
            where try !path.isPossible(in: route.schema, work: work) {
                let detail = "names a member that the params of the route cannot have"
                refuse("\(pointer)/identity/\(index)", detail)
            }
            let texts = [("title", route.texts.title), ("backTitle", route.texts.backTitle)]
            for (member, text) in texts {
                for path in text?.paths ?? []
                where try !path.isPossible(in: route.schema, work: work) {
                    let name = path.steps.map { $0.text }.joined(separator: ".")
                    let detail = "names {\(name)}, which the params of the route cannot have"
                    warn(.unknownParam, at: "\(pointer)/\(member)", detail)
                    break
                }
            }
        }
    }

    /// The routes that may be pushed on a screen, as `App.pushable(on:in:)` has them.
    func pushable(on route: RouteName?, in container: Set<RouteName>) -> Set<RouteName> {
        route.flatMap { routes[$0]?.routes } ?? container
    }

    // MARK: - Dialogs

    /// Checks the members that the style of a sheet does not have, or needs, in a command that a
    /// guard offers.
    ///
    /// - Returns: whether the sheet is a dialog of the route with the name of its style, of which
    ///   there is nothing else to check.
    mutating func isOwnDialog(
        _ command: Present, at pointer: String
    ) throws(WorkBudgetError) -> Bool {
        let declared = routes[command.route]
        guard let style = command.style ?? declared?.presentation.defaultStyle else { return false }
        errors.append(command.faults(style, of: declared ?? Route(), at: pointer))
        guard declared == nil, style.isDialog, command.route.rawValue == style.rawValue else {
            return false
        }
        let params = command.params.object
        let schema = declared?.schema
        errors.append(try schema.faults(in: params, at: pointer + "/params", work: work))
        return true
    }

    /// Checks that a link can present a dialog: with the title of its route, and without the
    /// members that a dialog does not have.
    mutating func checkDialog(
        _ style: SheetStyle, of route: Route, in link: JSONObject, at pointer: String
    ) {
        guard style.isDialog else { return }
        if route.texts.title == nil {
            refuse(pointer + "/route", "names a dialog that has no title")
        }
        for name in ["path", "detents", "dismissible"] where link[name] != nil {
            refuse("\(pointer)/\(name)", "must be absent: a dialog has none")
        }
    }

    // MARK: - Roots

    /// Reads the `root` of a tab: the name of a route, or a route with the params that it begins
    /// with.
    func readRoot(_ reader: inout ObjectReader) throws(WorkBudgetError) -> Screen? {
        let object: JSONObject
        switch reader.value("root") {
        case .object(let given)?: object = given
        case .string?, nil:
            let route: RouteName? = reader.name("root")
            return route.map { Screen(route: $0) }
        case .null?, .bool?, .integer?, .double?, .array?:
            reader.refuse("root", "must be the name of a route, or an object with its params")
            return nil
        }
        var inner = ObjectReader(object, at: reader.pointer + "/root", work: work)
        let route: RouteName? = inner.requiredName("route")
        let given = inner.object("params")
        inner.allowNotes()
        inner.refuseUnknown()
        reader.adopt(inner)
        guard let route else { return nil }
        guard let given else { return Screen(route: route) }
        let schema = routes[route]?.schema
        let params = try schema.filled(given, work: work)
        guard Params(params).text.count <= limits.paramsBytesMax else {
            reader.refuse(
                at: "/root/params", "must be at most \(limits.paramsBytesMax) bytes as JSON",
                isLimit: true)
            return nil
        }
        let pointer = reader.pointer + "/root/params"
        for fault in try schema.faults(in: params, at: pointer, work: work) {
            reader.refuse(
                at: String(fault.pointer.dropFirst(reader.pointer.count)), fault.detail)
        }
        return Screen(route: route, params: Params(params))
    }

    /// Warns of roots that are no declared routes, or that lack params which their route requires.
    /// A tab that names no root is its own root.
    ///
    /// - Parameter items: the tabs in the document, where some may be no valid tabs.
    mutating func warnOfRoots(_ items: [JSON]) throws(WorkBudgetError) {
        for tab in tabs {
            let id = JSON.string(tab.id.rawValue)
            let index = items.firstIndex { item in
                if case .object(let object) = item { object["id"] == id } else { false }
            }
            guard let index else { continue }
            let pointer = "/tabs/\(index)/root"
            guard let route = routes[tab.root.route] else {
                if tab.root.route.rawValue != tab.id.rawValue {
                    let detail = "names the route \(tab.root.route), which the app does not declare"
                    warn(.undeclaredRoot, at: pointer, detail)
                }
                continue
            }
            guard tab.root.params.isEmpty, let schema = route.schema else { continue }
            if let missing = try schema.requiredNames(work: work).first {
                let detail = "has no params, but its route requires \(missing)"
                warn(.rootWithoutParams, at: pointer, detail)
            }
        }
    }
}

/// The names of presentations in an app's document.
private enum PresentationName: String, CaseIterable {
    case push, sheet, fullScreenCover, any, popover, inspector, alert, confirmationDialog

    var presentation: Presentation {
        switch self {
        case .push: .push
        case .any: .any
        case .sheet: Presentation(allowsPush: false, styles: [.sheet])
        case .fullScreenCover: Presentation(allowsPush: false, styles: [.fullScreenCover])
        case .popover: Presentation(allowsPush: false, styles: [.popover])
        case .inspector: Presentation(allowsPush: false, styles: [.inspector])
        case .alert: Presentation(allowsPush: false, styles: [.alert])
        case .confirmationDialog:
            Presentation(allowsPush: false, styles: [.confirmationDialog])
        }
    }
}
