internal import JSON

// The commands that set a given state: setPath, setParams, setBadge.

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
