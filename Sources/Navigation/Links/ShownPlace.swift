package import JSON

// From a place to the URL that leads to it.

extension App {
    /// A URL that leads to what is visible: to the whole path if a link does, else to the top
    /// screen alone.
    package func link(
        to state: NavigationState, work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        let tab = state.tabs[state.selected]
        let whole = try url(to: ShownPlace(tab.id, tab.path, state.sheets), work)
        guard whole == nil, state.sheets.isEmpty, let top = tab.path.last else { return whole }
        return try url(to: ShownPlace(tab.id, [top], []), work)
    }

    private func url(
        to place: ShownPlace, _ work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        var place = place
        for link in links where link.tab == place.tab {
            try work.spend(.entries(1))
            guard let url = try place.candidate(link, work),
                // The link alone mostly tells, and asking all links takes longer.
                let alone = try goal(link, of: url, work), try place.isShown(by: alone, work),
                let goal = try resolve(url, work: work), try place.isShown(by: goal, work)
            else { continue }
            return url
        }
        return nil
    }
}

/// What a link would have to show.
private struct ShownPlace {
    let tab: TabID
    private var screens: ShownScreens
    private let sheet: Sheet?
    private var onSheet: ShownScreens
    /// More than a link can present.
    private let hasMore: Bool

    init(_ tab: TabID, _ path: [Entry], _ sheets: [Sheet]) {
        self.tab = tab
        screens = ShownScreens(path)
        sheet = sheets.first
        onSheet = ShownScreens(sheets.prefix(1).flatMap { [$0.root] + $0.path })
        hasMore = sheets.count > 1
    }

    /// The URL with the captures that the screens must have come from; nil where they cannot have.
    mutating func candidate(
        _ link: Link, _ work: WorkBudget
    ) throws(WorkBudgetError) -> String? {
        guard !hasMore, (sheet == nil) == (link.sheet == nil) else { return nil }
        var captures: [String: String] = [:]
        if let path = link.path {
            guard try screens.unify(path, &captures, work) else { return nil }
        }
        if let wanted = link.sheet {
            let templates = [wanted.screen] + wanted.path
            guard try onSheet.unify(templates, &captures, work) else { return nil }
        }
        try work.spend(.steps(captures.values.reduce(0) { $0 + $1.utf8.count }))
        return link.pattern.url(captures)
    }

    /// Whether opening a URL with that goal shows the same.
    func isShown(by goal: LinkGoal, _ work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard goal.tab == tab else { return false }
        if let path = goal.screens, try !screens.areSame(as: path, work) { return false }
        // A link without a path leads to what is visible only through its sheet.
        guard let sheet, let wanted = goal.sheet else {
            let isAtRoot = goal.screens == nil && screens.isEmpty
            return sheet == nil && goal.sheet == nil && (goal.screens != nil || isAtRoot)
        }
        guard wanted.style == sheet.style else { return false }
        let root = LinkGoal.Screen(route: wanted.route, params: wanted.params)
        return try onSheet.areSame(as: [root] + wanted.screens, work)
    }
}

/// Screens that are shown, their params parsed once a template asks for them.
private struct ShownScreens {
    private let screens: [Entry]
    private var objects: [Int: JSONObject] = [:]

    init(_ screens: [Entry]) { self.screens = screens }

    var isEmpty: Bool { screens.isEmpty }

    /// Finds what the captures must have been; false where the routes are others.
    mutating func unify(
        _ templates: [LinkScreen], _ captures: inout [String: String], _ work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard templates.count == screens.count else { return false }
        try work.spend(.steps(templates.count))
        guard zip(templates, screens).allSatisfy({ $0.route == $1.route }) else { return false }
        for (index, template) in templates.enumerated() where !template.params.isEmpty {
            let object = try object(index, work)
            try Template.unify(
                .object(template.params), .object(object), &captures, work: work)
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

    /// Whether these are the screens.
    func areSame(
        as others: [LinkGoal.Screen], _ work: WorkBudget
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
