internal import JSON

/// A deep link as the app declares it: a pattern, and where it leads.
package struct Link: Sendable {
    package let pattern: LinkPattern
    package let tab: TabID
    /// nil: the tab's path stays.
    let path: [LinkScreen]?
    let sheet: LinkSheet?
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
    var tag: String?
    var detents: [String]
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
        package var tag: String?
        package var detents: [String]
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
    /// The most specific link that fits the URL; nil if none does.
    package func resolve(_ url: String) -> LinkGoal? {
        guard let url = LinkURL(url) else { return nil }
        for link in links {
            if let captures = link.pattern.captures(from: url), let goal = goal(link, captures) {
                return goal
            }
        }
        return nil
    }

    /// nil where a capture does not fit the schema that its place has.
    private func goal(_ link: Link, _ captures: [String: String]) -> LinkGoal? {
        var goal = LinkGoal(pattern: link.pattern.text, tab: link.tab)
        if let path = link.path {
            guard let screens = screens(path, captures) else { return nil }
            goal.screens = screens
        }
        guard let sheet = link.sheet else { return goal }
        guard let screen = screen(sheet.screen, captures),
            let screens = screens(sheet.path, captures)
        else { return nil }
        goal.sheet = LinkGoal.Sheet(
            route: screen.route, params: screen.params, style: sheet.style, tag: sheet.tag,
            detents: sheet.detents, dismissible: sheet.dismissible, screens: screens)
        return goal
    }

    private func screens(
        _ templates: [LinkScreen], _ captures: [String: String]
    ) -> [LinkGoal.Screen]? {
        var screens: [LinkGoal.Screen] = []
        for template in templates {
            guard let screen = screen(template, captures) else { return nil }
            screens.append(screen)
        }
        return screens
    }

    private func screen(
        _ template: LinkScreen, _ captures: [String: String]
    ) -> LinkGoal.Screen? {
        guard let route = routes[template.route],
            case .value(.object(let object)) = Template.fill(
                .object(template.params), captures, route.schema)
        else { return nil }
        let params = route.filled(object)
        guard route.faults(in: params, at: "").isEmpty else { return nil }
        return LinkGoal.Screen(route: template.route, params: Params(params))
    }
}

// MARK: - From a place to a URL

extension App {
    /// A URL that leads to what is visible: to the whole path if a link does, else to the top
    /// screen alone.
    package func link(to state: NavigationState) -> String? {
        let tab = state.tabs[state.selected]
        let screens = tab.path.map { LinkGoal.Screen(route: $0.route, params: $0.params) }
        let here = links.filter { $0.tab == tab.id }
        let whole = here.lazy.compactMap { self.url($0, screens, state.sheets) }.first
        guard whole == nil, state.sheets.isEmpty, let top = screens.last else { return whole }
        return here.lazy.compactMap { self.url($0, [top], []) }.first
    }

    private func url(
        _ link: Link, _ screens: [LinkGoal.Screen], _ sheets: [Sheet]
    ) -> String? {
        guard sheets.count == (link.sheet == nil ? 0 : 1) else { return nil }
        var captures: [String: String] = [:]
        if let path = link.path {
            guard unify(path, screens, &captures) else { return nil }
        }
        if let wanted = link.sheet, let sheet = sheets.first {
            let pushed = sheet.path.map { LinkGoal.Screen(route: $0.route, params: $0.params) }
            let root = LinkGoal.Screen(route: sheet.route, params: sheet.params)
            guard unify([wanted.screen] + wanted.path, [root] + pushed, &captures) else {
                return nil
            }
        }
        guard let url = link.pattern.url(captures), let goal = resolve(url) else { return nil }
        return leads(goal, to: screens, link, sheets.first) ? url : nil
    }

    /// The proof: whoever opens the URL sees the same.
    private func leads(
        _ goal: LinkGoal, to screens: [LinkGoal.Screen], _ link: Link, _ sheet: Sheet?
    ) -> Bool {
        guard goal.tab == link.tab, goal.screens == nil || goal.screens == screens else {
            return false
        }
        // A link without a path leads to what is visible only through its sheet.
        guard let sheet else {
            return goal.sheet == nil && (goal.screens != nil || screens.isEmpty)
        }
        return goal.sheet?.route == sheet.route && goal.sheet?.params == sheet.params
            && goal.sheet?.style == sheet.style
            && goal.sheet?.screens
                == sheet.path.map { LinkGoal.Screen(route: $0.route, params: $0.params) }
    }

    private func unify(
        _ templates: [LinkScreen], _ screens: [LinkGoal.Screen],
        _ captures: inout [String: String]
    ) -> Bool {
        guard templates.count == screens.count else { return false }
        for (template, screen) in zip(templates, screens) {
            guard template.route == screen.route else { return false }
            Template.unify(
                .object(template.params), .object(screen.params.object), &captures)
        }
        return true
    }
}
