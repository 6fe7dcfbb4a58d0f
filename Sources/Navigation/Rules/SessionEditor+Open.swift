internal import Bytes
internal import JSON

// The command that follows a deep link: open.

extension SessionEditor {
    mutating func open(_ command: Open) throws(RejectionError) {
        let goal = try goal(of: command)
        let tab = try tab(of: goal, asked: command.tab)
        if rules.watchesGuards {
            effects.failingLink = goal.placement.guards?.firstFailing(facts)
        }
        // A root is never pushed.
        let isRoot = !goal.roots.isEmpty && goal.target == nil
        let mode = isRoot ? .replace : command.mode ?? goal.placement.mode ?? .replace
        if mode == .update, try updateVisible(goal) { return }
        let clearing = Clearing(
            sheets: command.clearing.sheets ?? goal.placement.sheets,
            force: command.clearing.force)
        effects.clearing = clearing
        try clearSheets(under: goal, clearing.sheets)
        select(tab)
        if mode == .replace {
            if let path = goal.path { try setPath(path.map({ $0.admitted }), ofTab: tab) }
            try setRoot(of: tab, as: goal)
        } else if goal.sheet == nil, let target = goal.target {
            try push(target, onTab: tab)
        }
        // The path may have removed the screen that presents the sheet of the link.
        settleOrphans(keepsSheets: clearing.sheets == .keep)
        // A sheet that is pushed over others that stay is always a new one.
        let isNew = mode == .push && clearing.sheets == .keep
        if let sheet = goal.sheet { try show(sheet, isNew: isNew) }
    }

    /// Where the URL leads.
    private func goal(of command: Open) throws(RejectionError) -> LinkGoal {
        guard let resolved = try resolve(command.url) else {
            let near = rules.app?.nearLinks(to: command.url, work: work) ?? []
            throw .noRouteForURL(command.url, near: near)
        }
        return resolved
    }

    /// Where a URL leads, or nil if no link of the app leads anywhere.
    func resolve(_ url: String) throws(RejectionError) -> LinkGoal? {
        if !rules.goals.isEmpty, let known = rules.goals[ExactString(url)] { return known }
        return try within { () throws(WorkBudgetError) in
            try rules.app?.resolve(url, work: work)
        }
    }

    /// The tab to select: the one that is asked for if the link names it, else the one that the
    /// link prefers.
    private func tab(of goal: LinkGoal, asked: String?) throws(RejectionError) -> Int {
        var name = state.tab(among: goal.tabs, rules.app, facts)
        if let asked {
            guard let wanted = goal.tabs.first(where: { $0.isNamed(asked) }) else {
                let names = goal.tabs.map { $0.rawValue }.joined(separator: ", ")
                let detail = "must be a tab to which the link leads: \(names)"
                throw .invalidRequest([fault("/tab", detail)])
            }
            name = wanted
        }
        guard let index = state.tabIndex(name) else {
            throw .tabNotFound(name.rawValue, known: state.tabs.map { $0.id })
        }
        return index
    }

    // MARK: - The mode update

    /// Gives the visible screen the params and the mark of the link's target. Returns false if
    /// another screen is visible.
    private mutating func updateVisible(_ goal: LinkGoal) throws(RejectionError) -> Bool {
        guard let target = goal.target, try isVisible(target) else { return false }
        if let top = state.top {
            try update(top, target.admitted)
        } else {
            try setRoot(of: state.selected, params: target.params, mark: target.mark)
        }
        return true
    }

    /// Whether the visible screen is the target of a link, which the mode `update` then changes in
    /// place.
    func isVisible(_ target: LinkScreen<Params>) throws(RejectionError) -> Bool {
        try isSame(rules.app.visibleScreen(of: state), as: target.admitted, byRoute: true)
    }

    // MARK: - Paths and sheets

    private mutating func setPath(
        _ path: [AdmittedScreen], ofTab tab: Int
    ) throws(RejectionError) {
        try checkDepth(path.count, at: "/url")
        try setPath(try self.path(path, over: state.tabs[tab].path), of: .tab(tab))
    }

    private mutating func push(
        _ target: LinkScreen<Params>, onTab tab: Int
    ) throws(RejectionError) {
        let path = state.tabs[tab].path
        try checkEdge(target.route, on: path.last?.route, of: .tab(tab), at: "/url")
        try checkDepth(path.count + 1, at: "/url")
        perform(.pushed(newEntry(target.admitted), on: .tab(tab)))
    }

    /// Handles the sheets that the link does not present.
    private mutating func clearSheets(
        under goal: LinkGoal, _ handling: SheetHandling?
    ) throws(RejectionError) {
        let kept = try sheetsThatStay(goal.sheet)
        switch handling {
        case .keep: break
        case .dismiss, .force, nil: dismissSheets(keeping: kept)
        case .reject:
            if let top = state.sheets.last, state.sheets.count > kept { throw .sheetOpen(top.id) }
        }
    }

    /// The number of sheets that stay: 1 if the lowest one is the sheet that the link presents.
    private func sheetsThatStay(_ wanted: LinkSheet<Params>?) throws(RejectionError) -> Int {
        guard let wanted, let lowest = state.sheets.first else { return 0 }
        return try isShown(wanted, by: lowest) ? 1 : 0
    }

    /// - Parameter isNew: whether the sheet is presented even if it is on top already.
    private mutating func show(
        _ wanted: LinkSheet<Params>, isNew: Bool
    ) throws(RejectionError) {
        try checkDepth(wanted.path.count, at: "/url")
        let screens = wanted.path.map { $0.admitted }
        if !isNew, let top = state.sheets.last, try isShown(wanted, by: top) {
            try update(top.root, wanted.screen.admitted)
            return try setPath(
                try path(screens, over: top.path), of: .sheet(state.sheets.count - 1))
        }
        if let tag = wanted.tag, let index = state.sheets.firstIndex(where: { $0.tag == tag }) {
            effects.replacedSheet = state.sheets[index].id
            dismissSheets(keeping: index)
        }
        try refuseDialog(nil)
        try checkSheets(at: "/url")
        try checkPresenter(of: wanted.screen.route, at: "/url")
        var sheet = Sheet(
            id: newID(), style: wanted.style, screen: wanted.screen.admitted.screen,
            tag: wanted.tag, detents: wanted.detents, dismissible: wanted.dismissible,
            presentedBy: state.visible)
        if wanted.style.isDialog,
            let dialog = dialog(Present(route: wanted.screen.route), params: wanted.screen.params)
        {
            (sheet.dialog, sheet.dismissible) = (dialog, dialog.cancel != nil)
        }
        sheet.path = try path(screens, over: [])
        perform(.presented(sheet))
    }

    /// Whether a sheet is the one that the link presents. If the link has no tag, the sheet may
    /// have one, for example that of the guard which has presented it.
    private func isShown(
        _ wanted: LinkSheet<Params>, by sheet: Sheet
    ) throws(RejectionError) -> Bool {
        guard wanted.screen.route == sheet.route, wanted.style == sheet.style,
            wanted.tag == nil || wanted.tag == sheet.tag
        else { return false }
        return try isSame(sheet.screen, as: wanted.screen.admitted)
    }
}

extension LinkScreen where Value == Params {
    fileprivate var admitted: AdmittedScreen {
        AdmittedScreen(route: route, params: params, mark: mark)
    }
}
