internal import Bytes
public import JSON

// From a state to the URL of its deep link.

extension App {
    /// A URL whose deep link shows what is visible: the whole path if there is such a link,
    /// otherwise the top screen alone. Nil if no link shows either. It is never the URL of a
    /// redirect.
    public func link(
        to state: NavigationState, work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        let tab = state.tabs[state.selected]
        let whole = try url(
            to: ShownPlace(tab.id, path: tab.path, sheets: state.sheets, root: root(of: tab)), work)
        guard whole == nil, state.sheets.isEmpty, let top = tab.path.last else { return whole }
        return try url(to: ShownPlace(tab.id, path: [top], sheets: [], root: nil), work)
    }

    private func url(
        to place: ShownPlace, _ work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var place = place
        for link in links {
            guard case .place(let target) = link.destination, target.tabs.contains(place.tab) else {
                continue
            }
            try work.spend(.entries(1))
            guard let url = try place.candidate(target, of: link.pattern, work),
                // This link alone usually decides, and it is cheaper than resolving all links.
                let alone = try goal(target, of: link.pattern, for: url, work: work),
                try place.isShown(by: alone, work),
                let goal = try linkGoal(url, work: work), goal.redirected == nil,
                try place.isShown(by: goal, work)
            else { continue }
            return url
        }
        return nil
    }

    private func root(of tab: Tab) -> ShownRoot {
        let declared = Optional(self).declaredRoot(of: tab.id)
        let root = tab.root ?? declared
        return ShownRoot(root, isDeclared: root.params.text == declared.params.text)
    }
}

/// The visible tab, path and sheet, which a link would have to show.
private struct ShownPlace {
    let tab: TabID
    private var screens: ShownScreens
    private let sheet: Sheet?
    private var onSheet: ShownScreens
    /// Whether there are more sheets than a link can present.
    private let hasMore: Bool
    /// The root of the tab, if it is visible. Otherwise its params do not count.
    private var root: ShownRoot?

    init(_ tab: TabID, path: [Entry], sheets: [Sheet], root: ShownRoot?) {
        self.tab = tab
        self.root = path.isEmpty && sheets.isEmpty ? root : nil
        screens = ShownScreens(path)
        sheet = sheets.first
        onSheet = ShownScreens(sheets.prefix(1).flatMap { [$0.root] + $0.path })
        hasMore = sheets.count > 1
    }

    /// The URL whose captures would give these screens, or nil if the link cannot show them.
    mutating func candidate(
        _ link: PlaceTemplate, of pattern: LinkPattern, _ work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        guard !hasMore, (sheet == nil) == (link.sheet == nil) else { return nil }
        var captures = Captures()
        // Longer texts are divided with the captures that are known, so they come last.
        for longer in [false, true] {
            if let wanted = link.roots.first(where: { $0.route == root?.route }) {
                let isPossible = try root?.screens.unify(
                    [wanted], into: &captures, longer: longer, work: work)
                guard isPossible == true else { return nil }
            }
            if let path = link.path {
                let isPossible = try screens.unify(
                    path, into: &captures, longer: longer, work: work)
                guard isPossible else { return nil }
            }
            guard let wanted = link.sheet else { continue }
            let isPossible = try onSheet.unify(
                [wanted.screen] + wanted.path, into: &captures, longer: longer, work: work)
            guard isPossible else { return nil }
        }
        try work.spend(.steps(captures.bytes))
        return pattern.url(captures)
    }

    /// Whether opening a URL with that destination shows the same screens.
    func isShown(by goal: LinkGoal, _ work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard goal.tabs.contains(tab) else { return false }
        if let path = goal.path, try !screens.areSame(as: path, work) { return false }
        if let root, try !root.isShown(by: goal, work) { return false }
        // A link without a path leaves the path as it is, so only its sheet can match.
        guard let sheet, let wanted = goal.sheet else {
            let isAtRoot = goal.path == nil && screens.isEmpty
            return sheet == nil && goal.sheet == nil && (goal.path != nil || isAtRoot)
        }
        guard wanted.style == sheet.style else { return false }
        return try onSheet.areSame(as: [wanted.screen] + wanted.path, work)
    }
}

/// The root of a tab that is visible.
private struct ShownRoot {
    let route: RouteName
    var screens: ShownScreens
    /// Whether it has the params that the app declares.
    let isDeclared: Bool

    init(_ root: Screen, isDeclared: Bool) {
        route = root.route
        screens = ShownScreens([Entry(id: EntryID(number: 0), screen: root)])
        self.isDeclared = isDeclared
    }

    /// Whether a link gives the root these params. One without params leaves the root as it is, so
    /// it is taken to show what the app declares.
    func isShown(by goal: LinkGoal, _ work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard let wanted = goal.roots.first(where: { $0.route == route }) else { return isDeclared }
        return try screens.areSame(as: [wanted], work)
    }
}

/// Visible screens, whose params are parsed when a template needs them.
private struct ShownScreens {
    private let screens: [Entry]
    private var objects: [Int: JSONObject] = [:]

    init(_ screens: [Entry]) { self.screens = screens }

    var isEmpty: Bool { screens.isEmpty }

    /// Finds the values of the captures. Returns false if the routes differ.
    mutating func unify(
        _ templates: [ScreenTemplate], into captures: inout Captures, longer: Bool, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard templates.count == screens.count else { return false }
        try work.spend(.steps(templates.count))
        guard zip(templates, screens).allSatisfy({ $0.route == $1.route }) else { return false }
        for (index, template) in templates.enumerated() where !template.params.isEmpty {
            let object = try object(index, work)
            try Template.unify(
                .object(template.params), with: .object(object), into: &captures, longer: longer,
                work: work)
        }
        return true
    }

    private mutating func object(
        _ index: Int, _ work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        if let known = objects[index] { return known }
        try work.spend(.parsing(bytes: screens[index].params.text.count))
        let object = screens[index].params.object
        objects[index] = object
        return object
    }

    /// Whether the screens have the same routes and params.
    func areSame(
        as others: [LinkScreen<Params>], _ work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard screens.count == others.count else { return false }
        for (index, (screen, other)) in zip(screens, others).enumerated() {
            guard screen.route == other.route,
                try screen.params.isSame(as: other.params, parsed: objects[index], work: work)
            else { return false }
        }
        return true
    }
}
