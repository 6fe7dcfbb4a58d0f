internal import Bytes
internal import JSON

// The command that follows a deep link: open.

extension SessionEditor {
    /// The guards of the link are asked before anything changes, and before those of its screens.
    mutating func open(_ command: Open) throws(RejectionError) {
        let goal = try goal(of: command)
        let tab = try tab(of: goal, asked: command.tab)
        if rules.watchesGuards, let failing = goal.placement.guards?.firstFailing(facts) {
            throw failing.refusal(facts)
        }
        let mode = command.mode ?? goal.placement.mode ?? .replace
        if mode == .update, try updateVisible(goal) { return }
        try clearSheets(under: goal, command.sheets ?? goal.placement.sheets ?? .dismiss)
        select(tab)
        if mode == .replace {
            if let path = goal.path { try setPath(path, ofTab: tab) }
        } else if goal.sheet == nil, let target = goal.target {
            try checkDepth(state.tabs[tab].path.count + 1, at: "/url")
            let entry = newEntry((target.route, target.params, target.mark))
            perform(.pushed(entry, on: .tab(tab)))
        }
        if let sheet = goal.sheet { try show(sheet) }
    }

    /// Where the URL leads.
    private func goal(of command: Open) throws(RejectionError) -> LinkGoal {
        let resolved = try within { () throws(WorkBudgetError) in
            try rules.app?.resolve(command.url, work: work)
        }
        guard let resolved else {
            let near = rules.app?.nearLinks(to: command.url, work: work) ?? []
            throw .noRouteForURL(command.url, near: near)
        }
        return resolved
    }

    /// The tab to select: the one that is asked for if the link names it, else the one that the
    /// link prefers.
    private func tab(of goal: LinkGoal, asked: String?) throws(RejectionError) -> Int {
        var name = state.tab(among: goal.tabs, rules.app, facts)
        if let asked {
            guard let wanted = goal.tabs.first(where: { $0.isNamed(asked) }) else {
                let names = goal.tabs.map(\.rawValue).joined(separator: ", ")
                let detail = "must be a tab to which the link leads: \(names)"
                throw .invalidRequest([fault("/tab", detail)])
            }
            name = wanted
        }
        guard let index = state.tabIndex(name) else {
            throw .tabNotFound(name.rawValue, known: state.tabs.map(\.id))
        }
        return index
    }

    // MARK: - The mode update

    /// Gives the visible screen the params and the mark of the link's target. Returns false if
    /// another screen is visible.
    private mutating func updateVisible(_ goal: LinkGoal) throws(RejectionError) -> Bool {
        guard let target = goal.target, let top = state.top, try isTarget(target, shownBy: top)
        else { return false }
        try update(top, target.params, mark: target.mark)
        return true
    }

    /// Whether a screen is the target of a link, which the mode `update` then changes in place.
    func isTarget(
        _ target: LinkGoal.Screen, shownBy entry: Entry
    ) throws(RejectionError) -> Bool {
        target.route == entry.route
    }

    // MARK: - Paths and sheets

    private mutating func setPath(
        _ path: [AdmittedScreen], ofTab tab: Int
    ) throws(RejectionError) {
        try checkDepth(path.count, at: "/url")
        try setPath(try self.path(path, over: state.tabs[tab].path), of: .tab(tab))
    }

    /// Handles the sheets that the link does not present.
    private mutating func clearSheets(
        under goal: LinkGoal, _ handling: SheetHandling
    ) throws(RejectionError) {
        let kept = try sheetsThatStay(goal.sheet)
        switch handling {
        case .keep: break
        case .dismiss: dismissSheets(keeping: kept)
        case .reject:
            if let top = state.sheets.last, state.sheets.count > kept { throw .sheetOpen(top.id) }
        }
    }

    /// The number of sheets that stay: 1 if the lowest one is the sheet that the link presents.
    private func sheetsThatStay(_ wanted: LinkGoal.Sheet?) throws(RejectionError) -> Int {
        guard let wanted, let lowest = state.sheets.first else { return 0 }
        return try isShown(wanted, by: lowest) ? 1 : 0
    }

    private mutating func show(_ wanted: LinkGoal.Sheet) throws(RejectionError) {
        try checkDepth(wanted.path.count, at: "/url")
        if let top = state.sheets.last, try isShown(wanted, by: top) {
            mark(top.root, as: wanted.mark)
            return try setPath(
                try path(wanted.path, over: top.path), of: .sheet(state.sheets.count - 1))
        }
        try checkSheets(at: "/url")
        var sheet = Sheet(
            id: newID(), style: wanted.style,
            screen: Screen(route: wanted.route, params: wanted.params, mark: wanted.mark),
            tag: wanted.tag, detents: wanted.detents, dismissible: wanted.dismissible,
            presentedBy: state.presenter)
        sheet.path = try path(wanted.path, over: [])
        perform(.presented(sheet))
    }

    private func isShown(_ wanted: LinkGoal.Sheet, by sheet: Sheet) throws(RejectionError) -> Bool {
        guard wanted.route == sheet.route, wanted.style == sheet.style, wanted.tag == sheet.tag
        else { return false }
        return try isSame(wanted.params, sheet.params)
    }
}
