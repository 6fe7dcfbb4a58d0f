internal import JSON

// The commands that set a given state: open, setPath, setParams, setBadge.

extension SessionEditor {
    mutating func open(_ command: Open) throws(RejectionError) {
        let resolved = try within { () throws(WorkBudgetError) in
            try rules.app?.resolve(command.url, work: work)
        }
        guard let goal = resolved else {
            let near = rules.app?.nearLinks(to: command.url, work: work) ?? []
            throw .noRouteForURL(command.url, near: near)
        }
        let kept = try sheetsThatStay(goal.sheet)
        switch command.sheets {
        case .keep: break
        case .dismiss: dismissSheets(keeping: kept)
        case .reject:
            if let top = state.sheets.last, state.sheets.count > kept { throw .sheetOpen(top.id) }
        }
        guard let tab = state.tabIndex(goal.tab) else {
            throw .tabNotFound(goal.tab.rawValue, known: state.tabs.map(\.id))
        }
        select(tab)
        if let path = goal.path {
            try checkDepth(path.count, at: "/url")
            try setPath(try self.path(path, over: state.tabs[tab].path), of: .tab(tab))
        }
        if let sheet = goal.sheet { try show(sheet) }
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

// MARK: - setPath

extension SessionEditor {
    mutating func setPath(_ command: SetPath) throws(RejectionError) {
        let container = try container(command.target)
        try clear(over: container, command.sheets)
        try checkDepth(command.path.count, at: "/path")
        let kept = try keptEntries(command.path, of: container)
        let admitted = try admitAll(command.path.count) { index throws(RejectionError) in
            let item = command.path[index]
            let itemPointer = "/path/\(index)"
            let params = try admit(item.route, item.params, on: container, at: itemPointer)
            return (item.route, params, item.mark)
        }
        let path: [Entry]
        if kept.allSatisfy({ $0 == nil }) {
            path = try self.path(admitted, over: state[path: container])
        } else {
            path = zip(admitted, kept).map { item, entry in
                Entry(
                    id: entry?.id ?? newID(), route: item.route, params: item.params,
                    mark: item.mark ?? entry?.mark)
            }
        }
        try setPath(path, of: container)
    }

    /// The entries that the items keep. Each must be on the path, have the same route,
    /// and be named once.
    private func keptEntries(
        _ items: [PathItem], of container: Container
    ) throws(RejectionError) -> [Entry?] {
        var current: [EntryID: Entry] = [:]
        for entry in state[path: container] { current[entry.id] = entry }
        var claimed: Set<EntryID> = []
        var kept: [Entry?] = []
        var faults = Faults()
        for (index, item) in items.enumerated() {
            guard let name = item.id else {
                kept.append(nil)
                continue
            }
            guard let id = EntryID(name), let entry = current[id] else {
                if faults.isEmpty { throw .entryNotFound(name) }
                continue
            }
            if entry.route != item.route {
                let detail = "must be \(entry.route), the route of \(id); or omit the id"
                faults.append(fault("/path/\(index)/route", detail))
            } else if !claimed.insert(id).inserted {
                faults.append(fault("/path/\(index)/id", "is used twice in the path"))
            }
            kept.append(entry)
        }
        guard faults.isEmpty else { throw .invalidRequest(faults.all) }
        return kept
    }
}

// MARK: - setParams and setBadge

extension SessionEditor {
    mutating func setParams(_ command: SetParams) throws(RejectionError) {
        let entry = try entry(command.entry)
        var wanted = command.params
        if command.mode == .merge {
            try within { () throws(WorkBudgetError) in
                try work.spend(.parsing(bytes: entry.params.text.count))
            }
            let merged = JSON.object(entry.params.object).merging(.object(wanted))
            if case .object(let object) = merged { wanted = object }
        }
        let params = try admit(Params(wanted), of: entry.route, at: "")
        try update(entry, params, mark: nil)
    }

    private func entry(_ name: String?) throws(RejectionError) -> Entry {
        guard let name else {
            guard let top = state.top else { throw .entryNotFound("visible") }
            return top
        }
        guard let id = EntryID(name) else { throw .entryNotFound(name) }
        if let sheet = state.sheetIndex(id) { return state.sheets[sheet].root }
        guard let (container, index) = state.position(of: id) else { throw .entryNotFound(name) }
        return state[path: container][index]
    }

    mutating func setBadge(_ command: SetBadge) throws(RejectionError) {
        let index = try tab(command.tab)
        if state.tabs[index].badge != command.badge {
            perform(.badgeSet(command.badge, tab: index))
        }
    }
}
