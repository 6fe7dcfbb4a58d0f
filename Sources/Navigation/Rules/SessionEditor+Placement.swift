internal import JSON

// The commands that set a given state: setPath, setParams, setBadge.

// MARK: - setPath

extension SessionEditor {
    mutating func setPath(_ command: SetPath) throws(RejectionError) {
        let container = try container(command.target)
        try clear(over: container, command.clearing.sheets)
        try refuseDialog(container)
        try checkDepth(command.path.count, at: "/path")
        let kept = try keptEntries(command.path, of: container)
        let routes = command.path.map { $0.route }
        let admitted = try admitAll(command.path.count) { index throws(RejectionError) in
            let item = command.path[index]
            let itemPointer = "/path/\(index)"
            try checkEdge(
                item.route, on: index > 0 ? routes[index - 1] : nil, of: container,
                at: itemPointer + "/route")
            let params = try admit(item.params, of: item.route, at: itemPointer)
            return AdmittedScreen(
                route: item.route, params: params, mark: item.mark, isLocked: item.isLocked)
        }
        var path: [Entry]
        if kept.allSatisfy({ $0 == nil }) {
            path = try self.path(admitted, over: state[path: container])
        } else {
            path = []
            for (item, entry) in zip(admitted, kept) {
                guard let entry else {
                    path.append(newEntry(item))
                    continue
                }
                path.append(Entry(id: entry.id, screen: try updated(entry.screen, item)))
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
        let id = try screenID(command.entry)
        if let index = state.rootIndex(id) {
            let old = rules.app.root(of: state.tabs[index])
            try refuseLock(command, of: "a root")
            return try setRoot(of: index, params: try params(command, of: old), mark: nil)
        }
        guard case .entry(let number) = id else { return }
        if let index = state.sheetIndex(number) {
            return try setParams(command, ofSheet: state.sheets[index])
        }
        guard let (container, index) = state.position(of: number) else { return }
        let entry = state[path: container][index]
        let params = try params(command, of: entry.screen)
        try update(
            entry,
            AdmittedScreen(route: entry.route, params: params, isLocked: command.isLocked))
    }

    private mutating func setParams(
        _ command: SetParams, ofSheet sheet: Sheet
    ) throws(RejectionError) {
        if sheet.dialog != nil { try refuseLock(command, of: "a dialog") }
        let params = try params(command, of: sheet.screen)
        try update(sheet.root, AdmittedScreen(route: sheet.route, params: params))
        guard let isLocked = command.isLocked, sheet.dismissible == isLocked,
            let index = state.sheetIndex(sheet.id)
        else { return }
        var changed = state.sheets[index]
        changed.dismissible = !isLocked
        perform(.sheetSet(changed))
    }

    private func refuseLock(_ command: SetParams, of what: String) throws(RejectionError) {
        guard command.isLocked == nil else {
            throw .invalidRequest([fault("/locked", "must be absent: \(what) cannot be locked")])
        }
    }

    /// The params that a screen gets.
    private func params(
        _ command: SetParams, of screen: Screen
    ) throws(RejectionError) -> Params {
        guard var wanted = command.params else { return screen.params }
        if command.mode == .merge {
            try within { () throws(WorkBudgetError) in
                try work.spend(.parsing(bytes: screen.params.text.count))
            }
            let merged = JSON.object(screen.params.object).merging(.object(wanted))
            if case .object(let object) = merged { wanted = object }
        }
        return try admit(Params(wanted), of: screen.route, at: "")
    }

    /// The id of a screen that is there; without a name, of the visible one.
    private func screenID(_ name: String?) throws(RejectionError) -> ScreenID {
        guard let name else { return state.visible }
        guard let id = ScreenID(name), state.contains(id) else { throw .entryNotFound(name) }
        return id
    }

    mutating func setBadge(_ command: SetBadge) throws(RejectionError) {
        let index = try tab(command.tab)
        if state.tabs[index].badge != command.badge {
            perform(.badgeSet(command.badge, tab: index))
        }
    }
}
