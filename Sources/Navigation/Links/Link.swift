public import Bytes
public import JSON

/// A deep link as the app declares it: a pattern and a destination.
public struct Link: Sendable {
    /// The URLs that the link matches.
    public var pattern: LinkPattern
    let destination: Destination

    enum Destination: Sendable {
        case place(PlaceTemplate)
        /// Another URL, which is resolved in turn.
        case redirect(LinkRedirect)
    }
}

/// The place that a link shows: as the app declares it, with templates in place of params, or with
/// the params filled in.
public struct LinkPlace<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The text of the pattern that matched a URL, or nil if the app's `notFound` is shown instead.
    public var pattern: String?
    /// The URL that the last redirect led to, if there was one.
    public var redirected: String?
    /// The tab to select.
    public var tab: TabID
    /// The path to show on the tab, from bottom to top, or nil to leave its path as it is.
    public var path: [LinkScreen<Value>]?
    /// The sheet to present, if any.
    public var sheet: LinkSheet<Value>?
    /// How the link is opened.
    public var placement = LinkPlacement()
    /// The root, for each route that the root of the link's tab can have. Empty if the link leaves
    /// the root as it is.
    public var roots: [LinkScreen<Value>] = []

    /// All screens that the link shows.
    var screens: [LinkScreen<Value>] {
        roots + (path ?? []) + (sheet.map { [$0.screen] + $0.path } ?? [])
    }
}

/// A screen that a link shows.
public struct LinkScreen<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The route of the screen.
    public var route: RouteName
    /// The params, with captures and defaults filled in, or the template for them.
    public var params: Value
    /// The mark to give the screen, or nil to leave its mark unchanged.
    public var mark: MarkName?
}

/// The sheet that a link presents.
public struct LinkSheet<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The screen that the sheet shows beneath its path.
    public var screen: LinkScreen<Value>
    /// The style of the presentation.
    public var style: SheetStyle
    /// The tag of the sheet.
    public var tag: ExactString?
    /// The heights at which the sheet can rest.
    public var detents: [ExactString]
    /// Whether the sheet may be dismissed without force.
    public var dismissible: Bool
    /// The path on the sheet from bottom to top.
    public var path: [LinkScreen<Value>]
}

/// A place as an app declares it; its params have `{captures}`.
typealias PlaceTemplate = LinkPlace<JSONObject>
typealias ScreenTemplate = LinkScreen<JSONObject>
typealias SheetTemplate = LinkSheet<JSONObject>

/// The destination of a URL: the tab, the path and the sheet that opening it shows.
public typealias LinkGoal = LinkPlace<Params>

// MARK: - From a URL to a destination

extension App {
    /// Work units for splitting, decoding and keeping one byte of a URL.
    private static let unitsOfURLByte = 12

    /// The number of redirects that are followed. It ends a loop of redirects.
    public static let redirectsMax = 8

    /// The destination of the most specific link that matches the URL. If no link leads anywhere,
    /// that of `notFound`, if the app declares it.
    public func resolve(_ url: String, work: WorkBudget) throws(WorkBudgetError) -> LinkGoal? {
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
        _ place: PlaceTemplate, of pattern: LinkPattern, for text: String, work: WorkBudget
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
        _ place: PlaceTemplate, captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> LinkGoal? {
        guard let roots = try screens(place.roots, captures: captures, work: work),
            let path = try screens(place.path ?? [], captures: captures, work: work)
        else { return nil }
        var goal = LinkGoal(
            tab: place.tab, path: place.path == nil ? nil : path, placement: place.placement,
            roots: roots)
        guard let sheet = place.sheet else { return goal }
        guard let screen = try screens([sheet.screen], captures: captures, work: work),
            let path = try screens(sheet.path, captures: captures, work: work)
        else { return nil }
        goal.sheet = LinkSheet(
            screen: screen[0], style: sheet.style, tag: sheet.tag, detents: sheet.detents,
            dismissible: sheet.dismissible, path: path)
        return goal
    }

    private func screens(
        _ templates: [ScreenTemplate], captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> [LinkScreen<Params>]? {
        var screens: [LinkScreen<Params>] = []
        for template in templates {
            // A root may be of a route that is not declared, which takes no params.
            let route = routes[template.route] ?? Route()
            guard
                case .value(.object(let object)) = try Template.fill(
                    .object(template.params), captures: captures, schema: route.schema, work: work)
            else { return nil }
            let params = try route.schema.filled(object, work: work)
            guard try route.schema.takes(params, work: work) else { return nil }
            screens.append(
                LinkScreen(route: template.route, params: Params(params), mark: template.mark))
        }
        return screens
    }
}
