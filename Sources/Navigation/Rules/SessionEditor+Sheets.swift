internal import Bytes
internal import JSON

// The commands that present and dismiss.

extension SessionEditor {
    mutating func present(_ command: Present) throws(RejectionError) {
        let style = try style(of: command.route, asked: command.style)
        var path = try admitAll(1 + command.path.count) { index throws(RejectionError) in
            if index == 0 {
                let params = try admit(command.params, of: command.route, at: "")
                return (command.route, params, command.mark)
            }
            let item = command.path[index - 1]
            let itemPointer = "/path/\(index - 1)"
            let params = try admit(item, onSheet: command.route, at: itemPointer)
            return (item.route, params, item.mark)
        }
        let params = path.removeFirst().params
        if let tag = command.tag, let index = state.sheets.firstIndex(where: { $0.tag == tag }) {
            let up = state.sheets[index]
            var isUp = up.route == command.route && up.style == style
            if isUp { isUp = try isSame(up.params, params) }
            dismissSheets(keeping: isUp ? index + 1 : index)
            if isUp {
                setTime(of: up.id, by: command)
                return mark(up.root, as: command.mark)
            }
        }
        try checkSheets(at: "/route")
        try checkDepth(path.count, at: "/path")
        try presentSheet(command, style: style, params: params, path: path)
    }

    private mutating func presentSheet(
        _ command: Present, style: SheetStyle, params: Params, path: [AdmittedScreen]
    ) throws(RejectionError) {
        var sheet = Sheet(
            id: newID(), style: style,
            screen: Screen(route: command.route, params: params, mark: command.mark),
            tag: command.tag, detents: command.detents, dismissible: command.dismissible,
            presentedBy: state.presenter)
        sheet.expiresAt = command.expiry(at: now)
        sheet.path = try self.path(path, over: [])
        perform(.presented(sheet))
    }

    func checkSheets(at member: String) throws(RejectionError) {
        guard state.sheets.count < rules.limits.sheetsMax else {
            throw .limitExceeded(
                "At most \(rules.limits.sheetsMax) sheets can be stacked. Dismiss one first.",
                pointer: pointer + member)
        }
    }

    mutating func dismiss(_ command: Dismiss) throws(RejectionError) {
        let kept = try sheetsKept(command.which)
        let locked = state.sheets.dropFirst(kept).last { !$0.dismissible }
        if let locked, !command.force { throw .sheetLocked(locked.id) }
        if let result = command.result {
            try check(result, ofSheet: kept)
            if let pending, let entry = pending.entry, state.sheetIndex(entry) == kept {
                set(pending.withoutEntry(isAnswered: true))
            }
        }
        dismissSheets(keeping: kept)
    }

    /// Checks a result against the schema of the lowest sheet that is dismissed.
    private func check(_ result: JSON, ofSheet index: Int) throws(RejectionError) {
        guard state.sheets.indices.contains(index),
            let schema = rules.app?.routes[state.sheets[index].route]?.result
        else { return }
        let place = JSONPointer(trusted: pointer + "/result")
        let faults = try within { () throws(WorkBudgetError) in
            try schema.validate(result, at: place, work: work).map(InputFault.init)
        }
        guard faults.isEmpty else { throw .invalidParams(faults) }
    }

    private func sheetsKept(_ which: Dismiss.Which) throws(RejectionError) -> Int {
        switch which {
        case .top: return max(state.sheets.count - 1, 0)
        case .all: return 0
        case .sheet(let name):
            guard let id = EntryID(name) else { throw .sheetNotFound(name) }
            if let index = state.sheetIndex(id) { return index }
            guard waiting.removed?.id == id else { throw .sheetNotFound(name) }
            return state.sheets.count
        case .tag(let tag):
            if let index = state.sheets.firstIndex(where: { $0.tag == tag }) { return index }
            guard waiting.removed?.tag == tag else { throw .sheetNotFound(tag.text) }
            return state.sheets.count
        }
    }
}
