package import JSON

/// A deep link as the app declares it: a pattern, and where it leads.
package struct Link: Sendable {
    package let pattern: LinkPattern
    package let tab: TabID
    /// nil: the tab's path stays.
    var path: [LinkScreen]?
    var sheet: LinkSheet?
}

/// A screen on a link's way, its params with `{captures}` in them.
struct LinkScreen: Sendable {
    var route: RouteName
    var params: JSONObject
}

/// What a link presents.
struct LinkSheet: Sendable {
    var screen: LinkScreen
    var style: SheetStyle
    var tag: ExactString?
    var detents: [ExactString]
    var dismissible: Bool
    var path: [LinkScreen]
}

/// Where a URL leads.
package struct LinkGoal: Equatable, Sendable {
    package struct Screen: Equatable, Sendable {
        package var route: RouteName
        package var params: Params
    }

    package struct Sheet: Equatable, Sendable {
        package var route: RouteName
        package var params: Params
        package var style: SheetStyle
        package var tag: ExactString?
        package var detents: [ExactString]
        package var dismissible: Bool
        var screens: [Screen]
        package var path: [(route: RouteName, params: Params)] {
            screens.map { ($0.route, $0.params) }
        }
    }

    package var pattern: String
    package var tab: TabID
    var screens: [Screen]?
    package var sheet: Sheet?

    /// nil: the tab's path stays.
    package var path: [(route: RouteName, params: Params)]? {
        screens?.map { ($0.route, $0.params) }
    }
}

// MARK: - From a URL to a place

extension App {
    /// Units for each byte of a URL: its parts are split, decoded and kept.
    private static let unitsOfURLByte = 12

    /// The most specific link that fits the URL; nil if none does.
    package func resolve(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkGoal? {
        try work.spend(.steps(url.utf8.count * Self.unitsOfURLByte))
        guard let url = LinkURL(url) else { return nil }
        for link in links {
            if let goal = try goal(link, url, work) { return goal }
        }
        return nil
    }

    /// Where this link alone leads; nil where it does not fit the URL.
    func goal(
        _ link: Link, of url: String, _ work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        try work.spend(.steps(url.utf8.count * Self.unitsOfURLByte))
        return try LinkURL(url).flatMap { url throws(WorkBudgetError) in try goal(link, url, work) }
    }

    private func goal(
        _ link: Link, _ url: LinkURL, _ work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        guard let captures = try link.pattern.captures(from: url, work: work) else { return nil }
        return try goal(link, captures, work)
    }

    /// nil where a capture does not fit the schema that its place has.
    private func goal(
        _ link: Link, _ captures: [String: String], _ work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        var goal = LinkGoal(pattern: link.pattern.text, tab: link.tab)
        if let path = link.path {
            guard let screens = try screens(path, captures, work) else { return nil }
            goal.screens = screens
        }
        guard let sheet = link.sheet else { return goal }
        guard let screen = try screen(sheet.screen, captures, work),
            let screens = try screens(sheet.path, captures, work)
        else { return nil }
        goal.sheet = LinkGoal.Sheet(
            route: screen.route, params: screen.params, style: sheet.style, tag: sheet.tag,
            detents: sheet.detents, dismissible: sheet.dismissible, screens: screens)
        return goal
    }

    private func screens(
        _ templates: [LinkScreen], _ captures: [String: String], _ work: WorkBudget
    ) throws(WorkBudgetError) -> [LinkGoal.Screen]? {
        var screens: [LinkGoal.Screen] = []
        for template in templates {
            guard let screen = try screen(template, captures, work) else { return nil }
            screens.append(screen)
        }
        return screens
    }

    private func screen(
        _ template: LinkScreen, _ captures: [String: String], _ work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal.Screen? {
        guard let route = routes[template.route],
            case .value(.object(let object)) = try Template.fill(
                .object(template.params), captures, route.schema, work: work)
        else { return nil }
        let params = try route.filled(object, work: work)
        guard try route.takes(params, work: work) else { return nil }
        return LinkGoal.Screen(route: template.route, params: Params(params))
    }
}
