internal import Bytes
public import JSON

// Links as they are declared, for programs that look at an app as a whole.

/// Where a link leads, whatever its captures are.
public struct DeclaredLink: Sendable {
    /// The text of the pattern.
    public let pattern: String
    /// The tabs of which one is selected. Empty for a redirect.
    public let tabs: [TabID]
    /// The path on the tab, or nil if the link leaves it as it is.
    public let path: [RouteName]?
    /// The sheet with the path on it, or nil if the link presents none.
    public let sheet: (route: RouteName, path: [RouteName])?
    /// The guards that are asked before those of the screens.
    public let guards: GuardList?
    /// Whether the link leads to another URL.
    public var isRedirect: Bool { tabs.isEmpty }

    fileprivate init(_ place: PlaceTemplate, _ pattern: String) {
        self.pattern = pattern
        tabs = place.tabs
        path = place.path?.map { $0.route }
        sheet = place.sheet.map { ($0.screen.route, $0.path.map { $0.route }) }
        guards = place.placement.guards
    }

    fileprivate init(_ pattern: LinkPattern) {
        self.pattern = pattern.text
        (tabs, path, sheet, guards) = ([], nil, nil, nil)
    }
}

extension App {
    /// The place of `notFound`, if the app declares it.
    public var declaredNotFound: DeclaredLink? { notFound.map { DeclaredLink($0, "") } }

    /// URLs that the link should match: their captures are made from samples of params.
    ///
    /// - Parameter samples: params of the routes, in which also optional members have a value. The
    ///   first URL has the first sample of each route, and so on.
    public func sampleURLs(
        of link: Link, _ samples: (RouteName) -> [JSONObject], work: WorkBudget
    ) throws(WorkBudgetError) -> [String] {
        var urls: [String] = []
        for round in 0..<16 {
            var captures = Captures()
            if case .place(let place) = link.destination {
                for longer in [false, true] {
                    for screen in place.screens {
                        let all = samples(screen.route)
                        guard !all.isEmpty else { continue }
                        try Template.unify(
                            .object(screen.params), with: .object(all[round % all.count]),
                            into: &captures, longer: longer, work: work)
                    }
                }
            }
            for name in link.pattern.captureNames.all where captures[name.text] == nil {
                captures.set(name.text, to: [Self.fallbacks[round % Self.fallbacks.count]])
            }
            guard let url = link.pattern.url(captures), !urls.contains(url) else { continue }
            urls.append(url)
        }
        return urls
    }

    /// The values of captures that are no param.
    private static let fallbacks = ["1", "x1", "sample", "true"]

    /// Whether a URL is opened by this link: no other one comes first, and its params fit. A
    /// redirect has to lead to a place.
    public func opens(
        _ url: String, by link: Link, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard let parsed = try parsed(url, work: work) else { return false }
        let goal = try linkGoal(url, work: work)
        guard case .redirect(let redirect) = link.destination else {
            return goal?.redirected == nil && goal?.pattern == link.pattern.text
        }
        // The captures of a redirect are no params, so they may only lack the right value.
        if goal == nil {
            guard let last = try lastURL(url, work: work),
                nearLinks(to: last, work: work).contains(where: { $0.why == .unfit })
            else { return false }
        }
        // Of the links that match, the first one is used.
        for other in links {
            guard let captures = try other.pattern.captures(from: parsed, work: work) else {
                continue
            }
            if other.pattern.text == link.pattern.text {
                return try redirect.url(captures, work: work) != nil
            }
            if case .place(let place) = other.destination,
                try self.goal(place, of: other.pattern, for: url, work: work) == nil
            {
                continue
            }
            return false
        }
        return false
    }
}

extension Link {
    /// Whether the pattern matches the URL, whatever the params of the link's screens may be. For a
    /// redirect, the URL also has what its target needs.
    public func matches(_ url: String) -> Bool {
        guard let url = LinkURL(url),
            let captures = try? pattern.captures(from: url, work: .unlimited)
        else { return false }
        switch destination {
        case .place: return true
        case .redirect(let redirect):
            return (try? redirect.url(captures, work: .unlimited)) != nil
        }
    }

    /// The link as the document declares it.
    public var declared: DeclaredLink {
        switch destination {
        case .place(let place): DeclaredLink(place, pattern.text)
        case .redirect: DeclaredLink(pattern)
        }
    }
}

extension Command {
    /// The screens that the command shows, whatever the state is: those of a path, and those of a
    /// sheet.
    public func shown(
        by app: App, work: WorkBudget
    ) throws(WorkBudgetError) -> [(route: RouteName, isSheet: Bool)] {
        switch self {
        case .navigate(let command): return [(command.route, false)]
        case .present(let command):
            return [(command.route, true)] + (command.path ?? []).map { ($0.route, false) }
        case .setPath(let command): return command.path.map { ($0.route, false) }
        case .open(let command):
            guard let goal = try app.resolve(command.url, work: work) else { return [] }
            var all = (goal.path ?? []).map { (route: $0.route, isSheet: false) }
            if let sheet = goal.sheet {
                all.append((sheet.screen.route, true))
                all += sheet.path.map { ($0.route, false) }
            }
            return all
        case .batch(let commands):
            var all: [(route: RouteName, isSheet: Bool)] = []
            for command in commands { all += try command.shown(by: app, work: work) }
            return all
        case .back, .root, .dismiss, .select, .setParams, .setBadge, .setTabs, .setFacts, .undo,
            .redo:
            return []
        }
    }
}
