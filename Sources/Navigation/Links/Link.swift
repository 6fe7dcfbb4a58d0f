package import Bytes
package import JSON

/// A deep link as the app declares it: a pattern and a destination.
package struct Link: Sendable {
    /// The URLs that the link matches.
    package var pattern: LinkPattern
    let destination: Destination

    enum Destination: Sendable {
        case place(LinkPlace)
        /// Another URL, which is resolved in turn.
        case redirect(LinkRedirect)
    }
}

/// The place that a link shows; its params are templates with `{captures}`.
struct LinkPlace: Sendable {
    /// The tab that the link selects.
    var tab: TabID
    /// The path to show on the tab, or nil to leave its path as it is.
    var path: [LinkScreen]?
    var sheet: LinkSheet?
    var placement = LinkPlacement()
    /// The params of the root, for each route that the root of the link's tab can have. Empty if
    /// the link leaves the root as it is.
    var roots: [LinkScreen] = []

    /// All screens that the link shows.
    var screens: [LinkScreen] {
        roots + (path ?? []) + (sheet.map { [$0.screen] + $0.path } ?? [])
    }
}

/// A screen that a link shows; its params are a template with `{captures}`.
struct LinkScreen: Sendable {
    var route: RouteName
    var params: JSONObject
    var mark: MarkName?
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
        /// The mark to give the entry, or nil to leave its mark unchanged.
        package var mark: MarkName?
    }

    /// The sheet that is presented, with its params filled in.
    package struct Sheet: Equatable, Sendable {
        /// The route of the sheet.
        package var route: RouteName
        /// The params, with captures and defaults filled in.
        package var params: Params
        /// The mark to give the sheet, or nil to leave its mark unchanged.
        package var mark: MarkName?
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
        package var path: [(route: RouteName, params: Params, mark: MarkName?)] {
            screens.map { ($0.route, $0.params, $0.mark) }
        }
    }

    /// The text of the pattern that matched, or nil if the app's `notFound` is shown instead.
    package var pattern: String?
    /// The URL that the last redirect led to, if there was one.
    package var redirected: String?
    /// The tab to select.
    package var tab: TabID
    var screens: [Screen]?
    /// The sheet to present, if any.
    package var sheet: Sheet?
    /// How the link is opened.
    package var placement = LinkPlacement()
    /// The params of the root, for each route that the root of the tab can have. Empty if the link
    /// leaves the root as it is.
    package var roots: [Screen] = []

    /// The new path of the tab from bottom to top, or nil to leave it as it is.
    package var path: [(route: RouteName, params: Params, mark: MarkName?)]? {
        screens?.map { ($0.route, $0.params, $0.mark) }
    }
}

// MARK: - From a URL to a destination

extension App {
    /// Work units for splitting, decoding and keeping one byte of a URL.
    private static let unitsOfURLByte = 12

    /// The number of redirects that are followed. It ends a loop of redirects.
    package static let redirectsMax = 8

    /// The destination of the most specific link that matches the URL. If no link leads anywhere,
    /// that of `notFound`, if the app declares it.
    package func resolve(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkGoal? {
        if let goal = try linkGoal(url, work: work) { return goal }
        guard let notFound else { return nil }
        var captures = Captures()
        captures["url"] = url
        return try goal(notFound, captures: captures, work: work)
    }

    /// The destination to which links and their redirects lead, if there is one.
    func linkGoal(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkGoal? {
        var redirected: String?
        for _ in 0...Self.redirectsMax {
            switch try match(redirected ?? url, work: work) {
            case nil: return nil
            case .goal(var goal):
                goal.redirected = redirected
                return goal
            case .redirect(let next): redirected = next
            }
        }
        return nil
    }

    /// The URL to which the redirects lead, or nil if they do not end.
    func lastURL(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> String? {
        var last = url
        for _ in 0...Self.redirectsMax {
            guard case .redirect(let next)? = try match(last, work: work) else { return last }
            last = next
        }
        return nil
    }

    private enum Match {
        case goal(LinkGoal)
        case redirect(to: String)
    }

    /// The result of the most specific link that matches the URL, if one does. A redirect whose
    /// path needs a query value that the URL lacks does not match. One that matches is final: if
    /// it leads nowhere, no other link is tried.
    private func match(_ text: String, work: WorkBudget) throws(WorkBudgetError) -> Match? {
        guard let url = try parsed(text, work: work) else { return nil }
        for link in links {
            guard let captures = try link.pattern.captures(from: url, work: work) else { continue }
            switch link.destination {
            case .redirect(let redirect):
                guard let next = try redirect.url(captures, work: work) else { continue }
                return .redirect(to: next)
            case .place(let place):
                guard var goal = try goal(place, captures: captures, work: work) else { continue }
                goal.pattern = link.pattern.text
                return .goal(goal)
            }
        }
        return nil
    }

    /// The destination of this link alone, or nil if it does not match the URL.
    func goal(
        _ place: LinkPlace, of pattern: LinkPattern, for text: String, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        guard let url = try parsed(text, work: work),
            let captures = try pattern.captures(from: url, work: work)
        else { return nil }
        return try goal(place, captures: captures, work: work)
    }

    func parsed(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkURL? {
        try work.spend(.steps(url.utf8.count * Self.unitsOfURLByte))
        return LinkURL(url)
    }

    /// The destination with the captures filled in, or nil if a value does not fit the schema.
    private func goal(
        _ place: LinkPlace, captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        var goal = LinkGoal(tab: place.tab)
        goal.placement = place.placement
        for template in place.roots {
            guard let root = try root(template, captures: captures, work: work) else { return nil }
            goal.roots.append(root)
        }
        if let path = place.path {
            guard let screens = try screens(path, captures: captures, work: work) else {
                return nil
            }
            goal.screens = screens
        }
        guard let sheet = place.sheet else { return goal }
        guard let screen = try screen(sheet.screen, captures: captures, work: work),
            let screens = try screens(sheet.path, captures: captures, work: work)
        else { return nil }
        goal.sheet = LinkGoal.Sheet(
            route: screen.route, params: screen.params, mark: screen.mark, style: sheet.style,
            tag: sheet.tag, detents: sheet.detents, dismissible: sheet.dismissible,
            screens: screens)
        return goal
    }

    private func screens(
        _ templates: [LinkScreen], captures: Captures, work: WorkBudget
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
        _ template: LinkScreen, captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal.Screen? {
        guard let route = routes[template.route] else { return nil }
        return try screen(template, of: route, captures: captures, work: work)
    }

    /// A root may be of a route that is not declared, which takes no params.
    private func root(
        _ template: LinkScreen, captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal.Screen? {
        let route = routes[template.route] ?? Route()
        return try screen(template, of: route, captures: captures, work: work)
    }

    private func screen(
        _ template: LinkScreen, of route: Route, captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal.Screen? {
        guard
            case .value(.object(let object)) = try Template.fill(
                .object(template.params), captures: captures, schema: route.schema, work: work)
        else { return nil }
        let params = try route.filled(object, work: work)
        guard try route.takes(params, work: work) else { return nil }
        return LinkGoal.Screen(
            route: template.route, params: Params(params), mark: template.mark)
    }
}
