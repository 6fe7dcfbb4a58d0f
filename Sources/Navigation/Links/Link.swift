package import JSON

/// A deep link as the app declares it: a pattern and a destination.
package struct Link: Sendable {
    /// The URLs that the link matches.
    package let pattern: LinkPattern
    /// The tab that the link selects.
    package let tab: TabID
    /// The path to show on the tab; nil if its path stays as it is.
    var path: [LinkScreen]?
    var sheet: LinkSheet?
}

/// A screen that a link shows; its params are a template with `{captures}`.
struct LinkScreen: Sendable {
    var route: RouteName
    var params: JSONObject
}

/// The sheet that a link presents.
struct LinkSheet: Sendable {
    var screen: LinkScreen
    var style: SheetStyle
    var tag: ExactString?
    var detents: [ExactString]
    var dismissible: Bool
    var path: [LinkScreen]
}

/// The destination of a URL: the tab, the path and the sheet that opening it shows.
package struct LinkGoal: Equatable, Sendable {
    /// A screen on the path, with its params filled in.
    package struct Screen: Equatable, Sendable {
        /// The route of the screen.
        package var route: RouteName
        /// The params, with captures and defaults filled in.
        package var params: Params
    }

    /// The sheet that is presented, with its params filled in.
    package struct Sheet: Equatable, Sendable {
        /// The route of the sheet.
        package var route: RouteName
        /// The params, with captures and defaults filled in.
        package var params: Params
        /// The style of the presentation.
        package var style: SheetStyle
        /// The tag of the sheet.
        package var tag: ExactString?
        /// The heights at which the sheet can rest.
        package var detents: [ExactString]
        /// Whether the sheet may be dismissed without force.
        package var dismissible: Bool
        var screens: [Screen]
        /// The path on the sheet from bottom to top.
        package var path: [(route: RouteName, params: Params)] {
            screens.map { ($0.route, $0.params) }
        }
    }

    /// The text of the pattern that matched.
    package var pattern: String
    /// The tab to select.
    package var tab: TabID
    var screens: [Screen]?
    /// The sheet to present; nil if there is none.
    package var sheet: Sheet?

    /// The new path of the tab from bottom to top; nil if the path stays as it is.
    package var path: [(route: RouteName, params: Params)]? {
        screens?.map { ($0.route, $0.params) }
    }
}

// MARK: - From a URL to a destination

extension App {
    /// Work units for splitting, decoding and keeping one byte of a URL.
    private static let unitsOfURLByte = 12

    /// The destination of the most specific link that matches the URL; nil if none does.
    package func resolve(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkGoal? {
        try work.spend(.steps(url.utf8.count * Self.unitsOfURLByte))
        guard let url = LinkURL(url) else { return nil }
        for link in links {
            if let goal = try goal(link, for: url, work: work) { return goal }
        }
        return nil
    }

    /// The destination of this link alone; nil if it does not match the URL.
    func goal(
        _ link: Link, of url: String, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        try work.spend(.steps(url.utf8.count * Self.unitsOfURLByte))
        return try LinkURL(url).flatMap { url throws(WorkBudgetError) in
            try goal(link, for: url, work: work)
        }
    }

    private func goal(
        _ link: Link, for url: LinkURL, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        guard let captures = try link.pattern.captures(from: url, work: work) else { return nil }
        return try goal(link, captures: captures, work: work)
    }

    /// The destination with the captures filled in; nil if a value does not fit the schema.
    private func goal(
        _ link: Link, captures: [String: String], work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        var goal = LinkGoal(pattern: link.pattern.text, tab: link.tab)
        if let path = link.path {
            guard let screens = try screens(path, captures: captures, work: work) else {
                return nil
            }
            goal.screens = screens
        }
        guard let sheet = link.sheet else { return goal }
        guard let screen = try screen(sheet.screen, captures: captures, work: work),
            let screens = try screens(sheet.path, captures: captures, work: work)
        else { return nil }
        goal.sheet = LinkGoal.Sheet(
            route: screen.route, params: screen.params, style: sheet.style, tag: sheet.tag,
            detents: sheet.detents, dismissible: sheet.dismissible, screens: screens)
        return goal
    }

    private func screens(
        _ templates: [LinkScreen], captures: [String: String], work: WorkBudget
    ) throws(WorkBudgetError) -> [LinkGoal.Screen]? {
        var screens: [LinkGoal.Screen] = []
        for template in templates {
            guard let screen = try screen(template, captures: captures, work: work) else {
                return nil
            }
            screens.append(screen)
        }
        return screens
    }

    private func screen(
        _ template: LinkScreen, captures: [String: String], work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal.Screen? {
        guard let route = routes[template.route],
            case .value(.object(let object)) = try Template.fill(
                .object(template.params), captures: captures, schema: route.schema, work: work)
        else { return nil }
        let params = try route.filled(object, work: work)
        guard try route.takes(params, work: work) else { return nil }
        return LinkGoal.Screen(route: template.route, params: Params(params))
    }
}
